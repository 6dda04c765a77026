"""Broken twins: each breaks one step of a privacy proof, and the exact audit must tell it from its honest sibling.

A twin is a pair of output laws on the data sets of a tiny domain, one honest and one broken; both claim one epsilon.
"""

from semipriv.audit.twins import (
    active_subsampling,
    general,
    held_out,
    label_boost,
    learn_half,
    mwem,
    perturbation,
    rrspm,
    sanitizers,
)
from semipriv.audit.twins.base import TWINS, Twin

__all__ = [
    "TWINS",
    "Twin",
    "active_subsampling",
    "general",
    "held_out",
    "label_boost",
    "learn_half",
    "mwem",
    "perturbation",
    "rrspm",
    "sanitizers",
]
