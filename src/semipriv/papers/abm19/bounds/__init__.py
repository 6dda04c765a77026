"""Sizes, bounds and probabilities of ABM19."""
