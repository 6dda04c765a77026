"""Laws of examples: marginals, labelings, shifts, privacy statuses, and population errors of hypotheses under them."""
