"""Conditional distributions of the privacy status given point and label, P[private | x, y]: one file each."""
