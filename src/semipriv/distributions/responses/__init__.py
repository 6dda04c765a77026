"""Distributions of real responses given a point: one file each."""
