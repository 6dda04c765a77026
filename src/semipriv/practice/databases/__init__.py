"""Databases in which a private table may stay: a file for each."""
