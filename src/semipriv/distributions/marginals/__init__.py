"""Marginal laws of points: one file each."""
