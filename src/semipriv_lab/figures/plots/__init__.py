"""Plots: each file has one function ``draw``.  Plots of studies are in a folder for each paper."""
