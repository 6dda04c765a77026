"""Sums over private rows, or over the units of persons: all that a release needs of them."""
