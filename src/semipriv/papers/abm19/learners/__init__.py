"""Learners of ABM19."""
