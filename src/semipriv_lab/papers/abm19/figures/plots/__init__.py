"""Plots of experiments, beside bounds of ABM19."""
