"""Marginal distributions of points: one file each."""
