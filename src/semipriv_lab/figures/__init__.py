"""Figures: one function for each figure.  It reads the tables of results, and nothing else."""
