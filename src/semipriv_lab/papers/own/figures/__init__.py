"""Plots of the studies of OWN, the learners of this project."""
