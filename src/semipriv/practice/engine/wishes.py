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
    deviation of their rank as a share of the rows that are expected in the group.  reported: of quantiles, whether a
    number is expected to be reported, and not left empty.
    """

    asked: Asked
    groups: Sequence[str]
    errors: Sequence[float]
    most: Sequence[float]
    judged: Sequence[bool]
    narrowed: bool
    ranged: bool
    ranks: Sequence[float] = ()
    reported: Sequence[bool] = ()

    @property
    def untold(self) -> Sequence[str]:
        """The groups of which no quantile is expected to be told."""
        return [group for group, reported in zip(self.groups, self.reported, strict=False) if not reported]

    @property
    def worst(self) -> tuple[str, float]:
        """The group with the largest error among those that are judged; NaN if one is not known."""
        known = [(g, e) for g, e, judged in zip(self.groups, self.errors, self.judged, strict=True) if judged]
        return max(
            known, key=lambda group_and_error: math.inf if math.isnan(group_and_error[1]) else group_and_error[1]
        )

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
            {"group": group, "noise_sd": _known(error), "most_noise_sd": _known(most), "judged": judged}
            for group, error, most, judged in zip(self.groups, self.errors, self.most, self.judged, strict=True)
        ]
        for number, rank, reported in zip(numbers, self.ranks, self.reported, strict=False):
            number |= {"rank_sd_as_share_of_group": rank, "told": reported}
        known = {"wish": self.asked.wish, "met": self.met, "by_the_declared_range": self.ranged}
        return {"statistic": self.asked.title, **known, "numbers": numbers}


def _known(error: float) -> float | None:
    return None if math.isnan(error) else error


def expected_of(staged: Stage) -> Sequence[Expected]:
    """Return what is expected of a release: nothing, unless it is of statistics by group."""
    learner = staged.request.candidates[0].learner
    if not isinstance(learner, StatisticsRelease):
        return ()
    return expected(learner, staged.prepared[0], staged.sizes["n_private"])


def expected(learner: StatisticsRelease, prepared: Prepared, n: int) -> list[Expected]:
    """Return what is expected of each statistic, of n private rows or persons."""
    plan, outlook = learner.plan(prepared, n), learner.outlook(prepared, n)
    report, trees = outlook.report, {shape.column for shape in plan.shapes}
    expectations = []
    for place, asked in enumerate(report.asked):
        own, names = report.place == place, report.groups(asked)
        groups = [
            (names[cell] or "all rows") + ("" if math.isnan(level) else f" at {level:g}")
            for cell, level in zip(report.cell[own].tolist(), report.level[own].tolist(), strict=True)
        ]
        errors, most, judged = (part[own].tolist() for part in (report.noise_sd, outlook.most, outlook.judged))
        narrowed = asked.statistic != "quantiles" and asked.column in trees
        ranged = narrowed and asked.column is not None and not len(prepared.units(asked.column))
        quantiles = asked.statistic == "quantiles"
        ranks, reported = (part[own].tolist() if quantiles else () for part in (outlook.ranks, outlook.told))
        expectations.append(Expected(asked, groups, errors, most, judged, narrowed, ranged, ranks, reported))
    return expectations
