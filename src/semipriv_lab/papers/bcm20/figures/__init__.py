"""Plots of the studies of BCM20."""
