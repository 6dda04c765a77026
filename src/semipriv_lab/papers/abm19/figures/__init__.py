"""Plots of the studies of ABM19."""
