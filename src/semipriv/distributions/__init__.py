"""Distributions of examples: marginals, labelings, shifts, privacy statuses, and population errors under them."""
