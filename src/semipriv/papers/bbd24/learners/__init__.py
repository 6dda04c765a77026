"""Learners of BBD24."""
