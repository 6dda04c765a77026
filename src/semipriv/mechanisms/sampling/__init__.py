"""Exact draws: every decision is taken by rigorous brackets, with as many digits and random bits as it needs."""
