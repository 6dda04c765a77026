"""Sizes and bounds of BBD24, by topic."""
