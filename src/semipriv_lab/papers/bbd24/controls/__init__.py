"""Negative controls of BBD24."""
