"""What a learner proves to the planner in numbers of public points and private examples, and for which classes."""

import math
from dataclasses import dataclass
from typing import Any

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks

EPSILONS = (1e-4, 100.0)
"""Least and largest epsilon that the planner answers for: what its tests cover."""


@dataclass(frozen=True)
class ProvenSizes:
    """Sizes at which the excess error of a learner is at most alpha with probability 1 - beta, for every distribution.

    n_private: by the theorem as stated.  n_private_optimised: by its proof with the best split, ours, with the same
    n_public.
    """

    n_public: int
    n_private: int
    n_private_optimised: int


@dataclass(frozen=True)
class ProvenExcess:
    """Bounds on the excess error with probability 1 - beta, for every distribution; None if a bound says nothing.

    theorem: the least alpha for which the theorem as stated asks for no more than the sizes.  optimised: by its proof
    with the best split, ours, and at most ``theorem``.
    """

    theorem: float | None
    optimised: float | None


def check_epsilon(epsilon: Any) -> float:
    """Return epsilon as a float; raise ValueError, with the range, if the planner does not support it."""
    number = checks.positive("epsilon", epsilon)
    low, high = EPSILONS
    if not low <= number <= high:
        raise ValueError(f"epsilon = {epsilon!r}: the planner supports {low:g} <= epsilon <= {high:g}")
    return number


def known_vc_dimension(hypothesis_class: HypothesisClass) -> int:
    """Return the VC dimension; raises ValueError if it is infinite or not known, as no size is proven then."""
    name = type(hypothesis_class).__name__
    try:
        d = hypothesis_class.vc_dimension
    except ValueError as error:
        raise ValueError(f"{name}: the proven sizes need the VC dimension ({error})") from None
    if math.isinf(d):
        raise ValueError(f"{name}: the VC dimension is infinite, so that no sample is large enough")
    return d


def log_growth(hypothesis_class: HypothesisClass, n_public: int) -> float:
    """Return ln growth(n_public), of the largest cover; raises ValueError if it is not known."""
    try:
        return math.log(hypothesis_class.growth(n_public))
    except ValueError as error:
        name = type(hypothesis_class).__name__
        raise ValueError(f"{name}: the proven sizes need the number of dichotomies ({error})") from None
