"""Measures of how good an output is under a known distribution or on held-out examples, one a file."""
