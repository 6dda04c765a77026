"""What statistics by group are expected to be worth: public, before anything is paid."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.statistics_release import StatisticsRelease


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
        """The largest error; NaN if one is not known."""
        return math.nan if any(map(math.isnan, self.errors)) else max(self.errors)

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
    report = learner.expected_report(prepared, n)
    found = []
    for place, one in enumerate(report.asked):
        mine, names = report.place == place, report.groups(one)
        levels = ["" if math.isnan(level) else f" at {level:g}" for level in report.level[mine].tolist()]
        groups = [
            (names[cell] or "all rows") + level for cell, level in zip(report.cell[mine].tolist(), levels, strict=True)
        ]
        found.append(Expected(one, groups, report.noise_sd[mine].tolist()))
    return found
