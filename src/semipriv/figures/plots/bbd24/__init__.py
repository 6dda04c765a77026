"""Figures of BBD24."""
