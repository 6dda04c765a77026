"""Learners: one file for each algorithm, with the name from its paper, and one for each baseline of the figures."""
