"""Roles of learners in a comparison.  Tables have a column of roles; figures draw each role in its own way."""

from enum import StrEnum


class Role(StrEnum):
    """What a learner is in a comparison.  Figures give each role a look of its own, in this order."""

    PAPER = "paper"
    """An algorithm as its paper states it."""
    VARIANT = "variant"
    """A paper's algorithm with another mechanism."""
    MINIMISER = "minimiser"
    """Empirical risk minimisation without privacy over the whole class."""
    CANDIDATES_MINIMISER = "candidates_minimiser"
    """Empirical risk minimisation without privacy over a paper's candidates: shows the cost of privacy alone."""
    PUBLIC_ONLY = "public_only"
    """Learns from public data alone."""
    NO_PUBLIC = "no_public"
    """Learns privately, without public data."""
    DISCARD = "discard"
    """Discards the private sample."""
    OTHER_MODEL = "other_model"
    """Fits another kind of model, without privacy."""
    AS_IF_PUBLIC = "as_if_public"
    """Treats private entries as if they were public: shows what that would be worth."""
