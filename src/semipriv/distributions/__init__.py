"""Laws of examples: marginals, labelings, sigma-smooth shifts, and the population errors of hypotheses under them."""
