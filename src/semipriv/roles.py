"""What learners are in a comparison: tables say it, and figures draw by it."""

from enum import StrEnum


class Role(StrEnum):
    """What a learner is in a comparison; figures give each role a look of its own, in this order."""

    PAPER = "paper"
    """An algorithm of the papers, as its paper has it."""
    VARIANT = "variant"
    """The same with another mechanism."""
    MINIMISER = "minimiser"
    """Empirical risk minimisation without privacy over the whole class."""
    CANDIDATES_MINIMISER = "candidates_minimiser"
    """The same over the candidates of a paper's learner: what privacy alone costs."""
    PUBLIC_ONLY = "public_only"
    """Learns from public data alone."""
    NO_PUBLIC = "no_public"
    """Private, without public data."""
    DISCARD = "discard"
    """Discards the private sample."""
    OTHER_MODEL = "other_model"
    """Another model without privacy."""
