"""What statistics by group are expected to be worth: public, before anything is paid."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.practice.engine.stages import Stage


@attrs.frozen
class Expected:
    """A statistic that is asked for, and the standard errors of its numbers, in the order of their groups.

    groups: what they are called; of quantiles each with its level.  errors: standard deviations of the noise that are
    expected, NaN where they are not known.  most: the same by the declared range.  judged: whether there are public
    rows of each group, so that a wish is judged by it; of all groups where there are none at all.  narrowed: whether
    numbers will be clipped as a noisy tree of them suggests.  ranged: whether they are assumed to spread over the
    declared range besides, since no public row tells.  ranks: of quantiles, whose errors are not known, the standard
    deviation of their rank as a share of the rows that are expected in the group.  told: of quantiles, whether a number
    is expected to be told.
    """

    asked: Asked
    groups: Sequence[str]
    errors: Sequence[float]
    most: Sequence[float]
    judged: Sequence[bool]
    narrowed: bool
    ranged: bool
    ranks: Sequence[float] = ()
    told: Sequence[bool] = ()

    @property
    def untold(self) -> Sequence[str]:
        """The groups of which no quantile is expected to be told."""
        return [group for group, told in zip(self.groups, self.told, strict=False) if not told]

    @property
    def worst(self) -> tuple[str, float]:
        """The group with the largest error among those that are judged; NaN if one is not known."""
        known = [(g, e) for g, e, mine in zip(self.groups, self.errors, self.judged, strict=True) if mine]
        return max(known, key=lambda one: math.inf if math.isnan(one[1]) else one[1])

    @property
    def met(self) -> bool:
        """Whether no number that is judged is worse than what was wished, if anything was."""
        return self.asked.wish is None or self.worst[1] <= self.asked.wish

    @property
    def missed_unseen(self) -> Sequence[tuple[str, float]]:
        """The groups that are not judged whose error is expected to be larger than what was wished, with this error."""
        wish = math.inf if self.asked.wish is None else self.asked.wish
        numbers = zip(self.groups, self.errors, self.judged, strict=True)
        return [(group, error) for group, error, judged in numbers if not judged and error > wish]

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        numbers: list[dict[str, Any]] = [
            {"group": group, "noise_sd": _known(error), "most_noise_sd": _known(most), "judged": mine}
            for group, error, most, mine in zip(self.groups, self.errors, self.most, self.judged, strict=True)
        ]
        for number, rank, told in zip(numbers, self.ranks, self.told, strict=False):
            number |= {"rank_sd_as_share_of_group": rank, "told": told}
        known = {"wish": self.asked.wish, "met": self.met, "by_the_declared_range": self.ranged}
        return {"statistic": self.asked.title, **known, "numbers": numbers}


def _known(error: float) -> float | None:
    return None if math.isnan(error) else error


def expected_of(made: Stage) -> Sequence[Expected]:
    """Return what is expected of a release: nothing, unless it is of statistics by group."""
    learner = made.request.candidates[0].learner
    if not isinstance(learner, StatisticsRelease):
        return ()
    return expected(learner, made.prepared[0], made.sizes["n_private"])


def expected(learner: StatisticsRelease, prepared: Prepared, n: int) -> list[Expected]:
    """Return what is expected of each statistic, of n private rows or persons."""
    plan, outlook = learner.plan(prepared, n), learner.outlook(prepared, n)
    report, trees = outlook.report, {one.column for one in plan.shapes}
    found = []
    for place, one in enumerate(report.asked):
        mine, names = report.place == place, report.groups(one)
        groups = [
            (names[cell] or "all rows") + ("" if math.isnan(level) else f" at {level:g}")
            for cell, level in zip(report.cell[mine].tolist(), report.level[mine].tolist(), strict=True)
        ]
        errors, most, judged = (part[mine].tolist() for part in (report.noise_sd, outlook.most, outlook.judged))
        narrowed = one.statistic != "quantiles" and one.column in trees
        ranged = narrowed and one.column is not None and not len(prepared.units(one.column))
        quantiles = one.statistic == "quantiles"
        ranks, told = (part[mine].tolist() if quantiles else () for part in (outlook.ranks, outlook.told))
        found.append(Expected(one, groups, errors, most, judged, narrowed, ranged, ranks, told))
    return found
