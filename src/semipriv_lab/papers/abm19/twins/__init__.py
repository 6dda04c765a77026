"""Broken twins of ABM19."""
