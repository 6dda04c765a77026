"""Plots: one function ``draw`` a file, from the tables of results; those of studies in a folder for each paper."""
