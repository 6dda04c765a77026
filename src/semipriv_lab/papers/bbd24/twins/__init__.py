"""Broken twins of BBD24."""
