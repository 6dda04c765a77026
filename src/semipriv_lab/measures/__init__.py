"""Measures of how good an output is under a known law or on held-out examples, one a file."""
