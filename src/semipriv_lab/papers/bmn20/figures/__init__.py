"""Plots of the studies of BMN20."""
