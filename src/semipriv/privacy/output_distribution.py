"""Output distributions: exact probabilities of what an algorithm publishes on one data set, if they can be listed."""

import itertools
import math
from collections.abc import Hashable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

import attrs
import numpy as np

LogProbabilities = Mapping[Any, float]
"""Outcome -> natural logarithm of its probability, not yet checked.  ``OutputDistribution`` is the checked form."""

NORMALISATION = 1e-13
"""Rounding error allowed for each outcome: see ``tolerance``."""


def tolerance(outcomes: int) -> float:
    """Return (outcomes + 8) 1e-13, the rounding error that the logarithm of a total probability may have.

    A log-sum-exp over k outcomes errs by about (k + 8) 2e-16.  The rest is for sums of many products.

    >>> tolerance(2)
    1e-12
    """
    return (outcomes + 8) * NORMALISATION


def _checked(log_probabilities: Any) -> dict[Hashable, float]:
    """Return the possible outcomes with their log-probabilities; raise ValueError unless they are a distribution."""
    pairs = list(log_probabilities.items() if isinstance(log_probabilities, Mapping) else log_probabilities)
    allowed = tolerance(len(pairs))
    masses: dict[Hashable, float] = {}
    for outcome, value in pairs:
        number = float(value)
        if not number <= allowed:  # true of nan, too
            raise ValueError(f"outcome {outcome!r} has log-probability {number!r}: must be a number <= 0 or -inf")
        if number > -math.inf:
            masses[outcome] = float(np.logaddexp(masses[outcome], number)) if outcome in masses else number
    total = math.fsum(map(math.exp, masses.values()))
    if not abs(total - 1) <= allowed:
        raise ValueError(
            f"probabilities of {len(masses)} possible outcomes add up to {total!r}: must be 1 within {allowed:.2g}"
        )
    return masses


@attrs.frozen(eq=False)
class OutputDistribution(LogProbabilities):
    """Natural logarithms of the probabilities of all possible outcomes; an outcome that is not there is impossible.

    log_probabilities: a mapping, or (outcome, log-probability) pairs.  Pairs with the same outcome are one outcome,
    whose probabilities add up.  Outcomes are hashable; those with log-probability -inf are left out.

    Raises ValueError if a log-probability is nan, +inf or above 0, and if the total probability is not 1; the last two
    up to a rounding error of ``tolerance(k)`` for k outcomes.

    >>> pairs = [("a", math.log(0.5)), ("b", math.log(0.25)), ("b", math.log(0.25)), ("c", -math.inf)]
    >>> distribution = OutputDistribution(pairs)
    >>> round(math.exp(distribution["b"]), 12), "c" in distribution
    (0.5, False)
    >>> OutputDistribution({"a": 0.0, "b": -1.0})
    Traceback (most recent call last):
    ValueError: probabilities of 2 possible outcomes add up to 1.3678794411714423: must be 1 within 1e-12
    """

    _log_probabilities: dict[Hashable, float] = attrs.field(converter=_checked)

    def __getitem__(self, outcome: Hashable) -> float:
        return self._log_probabilities[outcome]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._log_probabilities)

    def __len__(self) -> int:
        return len(self._log_probabilities)

    def __contains__(self, outcome: object) -> bool:
        return outcome in self._log_probabilities

    def keys(self) -> KeysView[Hashable]:
        """Possible outcomes, in the order given."""
        return self._log_probabilities.keys()

    def items(self) -> ItemsView[Hashable, float]:
        """Possible outcomes with their log-probabilities, in the order given."""
        return self._log_probabilities.items()

    def values(self) -> ValuesView[float]:
        """Log-probabilities of the possible outcomes, in the order given."""
        return self._log_probabilities.values()

    def row(self, outcomes: Iterable[Hashable]) -> list[float]:
        """Return the log-probability of each outcome, -inf for impossible ones."""
        return list(map(self._log_probabilities.get, outcomes, itertools.repeat(-math.inf)))
