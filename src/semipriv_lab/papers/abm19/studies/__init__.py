"""Studies of the claims of ABM19."""
