"""Negative controls of ABM19."""
