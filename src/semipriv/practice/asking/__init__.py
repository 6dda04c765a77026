"""Requests: their keys, what they may ask, and whether it may be released."""
