"""Exact predicates and arrangements: no answer depends on a rounding error."""
