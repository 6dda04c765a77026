"""Releases of whole tables."""
