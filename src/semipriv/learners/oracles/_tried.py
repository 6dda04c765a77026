"""Trying an oracle on public points before it sees private ones: one that is no minimiser is found out, by chance."""

import math

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.randomness import Simulation
from semipriv.learners.oracles.base import Oracle
from semipriv.learners.oracles.exact import Exact

__all__ = ["check_minimises"]

_TOLERANCE = 1e-9


def check_minimises(
    asked: Oracle, hypothesis_class: HypothesisClass, points: ArrayLike, seed: int = 0, trials: int = 20
) -> None:
    """Raise ValueError if the exact search finds less than an oracle on points (n, d) with random labels and weights.

    For an oracle of one's own that calls itself exact.  No private data are seen; to pass is no proof.  Trials: normal
    weights of both signs, at equal scale.
    """
    x, generator = hypothesis_class.validated(points), Simulation(seed).spawn("oracle").generator
    for trial in range(trials):
        labels, weights = generator.integers(0, 2, len(x), np.int8), generator.standard_normal(len(x))
        found, least = (
            math.fsum(weights[one.labels(hypothesis_class, x, labels, weights) != (labels == 1)])
            for one in (asked, Exact())
        )
        if found > least + _TOLERANCE * float(np.abs(weights).sum()):
            raise ValueError(
                f"oracle: {type(asked).__name__} returned labels of cost {found:.6g} in trial {trial}, the least is "
                f"{least:.6g}: RRSPM is not private with it"
            )
