"""Statistics by group: what is asked for, how the budget is allocated, and what noisy tables say of it."""
