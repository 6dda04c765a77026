"""Predictions on public points, released with noise (BBD24 algorithms 1 to 3)."""
