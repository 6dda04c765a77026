"""The parts of regression with a public Gram matrix: its public plan, its private sums, what follows from them."""
