"""Oracles: who minimises empirical risk with weights of both signs, exactly or by a heuristic."""
