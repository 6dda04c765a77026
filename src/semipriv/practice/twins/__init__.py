"""Broken twins of what a release on an own table does."""
