"""What statistics by group are expected to be worth, and what epsilon they would need, before anything is paid."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from semipriv.learners.outputs.report import Row
from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.statistics_release import StatisticsRelease

_FACTOR = 2.0**14
"""How many times as large, or as small, an epsilon is looked for."""
_STEPS = 12


@attrs.frozen
class Expected:
    """A statistic that is asked for, and the standard errors of its numbers, in the order of their groups.

    groups: what they are called; of quantiles each with its level.  errors: standard deviations of the noise, NaN where
    they are not known.
    """

    asked: Asked
    groups: Sequence[str]
    errors: Sequence[float]

    @property
    def worst(self) -> float:
        """The largest error that is known; 0 if none is."""
        return max((one for one in self.errors if not math.isnan(one)), default=0.0)

    @property
    def met(self) -> bool:
        """Whether no number is worse than what was wished, if anything was."""
        return self.asked.wish is None or self.worst <= self.asked.wish

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        numbers = [
            {"group": group, "noise_sd": None if math.isnan(error) else error}
            for group, error in zip(self.groups, self.errors, strict=True)
        ]
        return {"statistic": self.asked.title, "wish": self.asked.wish, "met": self.met, "numbers": numbers}


def expected(learner: StatisticsRelease, prepared: Any, n: int) -> list[Expected]:
    """Return what is expected of each statistic, of n private rows or persons."""
    rows = learner.expected(prepared, n)
    return [_of(one, [row for row in rows if _is_of(row, one)]) for one in learner.statistics]


def _of(one: Asked, rows: Sequence[Row]) -> Expected:
    levels = ["" if one.statistic == row.statistic else f" at {row.statistic.split()[-1]}" for row in rows]
    groups = [(row.group or "all rows") + level for row, level in zip(rows, levels, strict=True)]
    return Expected(one, groups, [row.noise_sd for row in rows])


def _is_of(row: Row, one: Asked) -> bool:
    kind = "quantile " if one.statistic == "quantiles" else one.statistic
    return row.statistic.startswith(kind) and (row.column, row.by) == (one.column or "", ", ".join(one.by))


def smallest_epsilon(learner: Any, prepared: Any, n: int) -> float | None:
    """Return the smallest epsilon, rounded up to two digits, that is found to meet all wishes; None if none is.

    By halving: the allocation of a budget may favour other statistics at another epsilon, so that a wish may be met at
    an epsilon, and not at a larger one.
    """

    def met(epsilon: float) -> bool:
        other = attrs.evolve(learner, epsilon=epsilon)
        return all(one.met for one in expected(other, prepared, n))

    low, high = learner.epsilon / _FACTOR, learner.epsilon * _FACTOR
    if not met(high):
        return None
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if met(middle) else (middle, high)
    unit = 10.0 ** (math.floor(math.log10(high)) - 1)
    return float(f"{math.ceil(high / unit) * unit:.2g}")
