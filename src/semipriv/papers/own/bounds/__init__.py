"""Sizes and probabilities of the learners of this project."""
