"""Noise added to numbers: one file a distribution, with its exact distribution."""
