"""The parts of the public-metric discriminant: its public plan, its private sums, its candidates."""
