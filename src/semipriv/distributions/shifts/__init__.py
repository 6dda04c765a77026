"""Shifts from the public to the private marginal with largest density ratio exactly 1 / sigma: one file each."""
