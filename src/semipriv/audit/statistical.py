"""Lower confidence bounds on privacy loss, from runs on two neighbours, for distributions that cannot be enumerated."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.statistics import Verdict, clopper_pearson
from semipriv.core.types import Floats, Indices
from semipriv.privacy.guarantee import Guarantee

Data = TypeVar("Data")
Output = TypeVar("Output")

CHOOSING_SHARE = 0.25
"""Share of the runs that choose the event; the others give the bound."""

_THRESHOLDS = 256
"""Candidate thresholds at most: evenly spaced order statistics of the choosing runs, extremes included."""


@dataclass(frozen=True)
class Event:
    """{statistic >= threshold} if ``upper``, else {statistic <= threshold}.

    likelier_on_sample: the direction of the bound; true if the event is more probable on the sample, false if it is
    more probable on the neighbour.
    """

    threshold: float
    upper: bool
    likelier_on_sample: bool

    def count(self, values: Floats) -> int:
        """Return the number of values for which the event occurs."""
        return int(np.count_nonzero(values >= self.threshold if self.upper else values <= self.threshold))


@dataclass(frozen=True)
class StatisticalPrivacyLoss:
    """Confidence limits of the probability of one event on two data sets, and the epsilon that they rule out.

    event: chosen by other runs than those that give the limits.  probability_low: lower limit of its probability on the
    data set on which it is likelier; probability_high: upper limit on the other one.  Both hold together with
    probability >= 1 - level.  runs: number of runs on each data set; the last ``judging_runs`` of them gave the limits.
    delta: the event was chosen for this delta.
    """

    event: Event
    probability_low: float
    probability_high: float
    delta: float
    level: float
    runs: int
    judging_runs: int

    @property
    def epsilon_lower(self) -> float:
        """Lower confidence limit of epsilon at this delta, >= 0."""
        return self.epsilon_lower_at(self.delta)

    def epsilon_lower_at(self, delta: float) -> float:
        """Return max(0, ln((probability_low - delta) / probability_high)).

        (epsilon, delta)-privacy of the pair means probability <= e^epsilon probability' + delta.  The limits do not
        depend on delta, so the bounds hold for all deltas together.
        """
        excess = self.probability_low - checks.delta("delta", delta)
        return max(0.0, math.log(excess / self.probability_high)) if excess > 0 else 0.0

    def verdict(self, claim: Guarantee) -> Verdict:
        """Return violated iff epsilon_lower_at(claim.delta) > claim.epsilon, else inconclusive: runs prove no privacy.

        A true claim is called violated with probability <= level.  The two data sets must be neighbours in the sense of
        the claim; this is not checked.
        """
        return Verdict.VIOLATED if self.epsilon_lower_at(claim.delta) > claim.epsilon else Verdict.INCONCLUSIVE


def statistical_privacy_loss(
    run: Callable[[Data, Randomness], Output],
    sample: Data,
    neighbour: Data,
    statistic: Callable[[Output], float],
    runs: int,
    *,
    delta: float = 0.0,
    level: float,
    randomness: Randomness,
) -> StatisticalPrivacyLoss:
    """Run a randomised algorithm ``runs`` times on each of two neighbouring data sets and bound epsilon from below.

    run: (data, randomness) -> output; every run is given a random stream of its own and must take all its coins from
    it.  statistic: output -> number, fixed beforehand; +-inf is allowed, nan is not.  delta, level and the method: see
    `privacy_loss_of_values`.  If the verdicts of several audits are to hold together, their levels must add up to the
    joint one.

    At delta = 0 no event rules epsilon out with ln(2 / level) / ln(1 + e^-epsilon) judging runs or fewer, about
    e^epsilon ln(2 / level).  Choosing takes a third more, and rare events need more.

    >>> def release(data, randomness):
    ...     return sum(data) + randomness.generator.laplace(scale=0.5)
    >>> loss = statistical_privacy_loss(
    ...     release, (0, 0), (0, 1), float, 2000, level=1e-3, randomness=Simulation(0)
    ... )
    >>> str(loss.verdict(Guarantee(1.0))), str(loss.verdict(Guarantee(2.0)))
    ('violated', 'inconclusive')
    """
    runs = checks.size("runs", runs, 2)

    def values(name: str, data: Data) -> list[float]:
        return [float(statistic(run(data, _stream(randomness, name, i)))) for i in range(runs)]

    return privacy_loss_of_values(values("sample", sample), values("neighbour", neighbour), delta=delta, level=level)


def privacy_loss_of_values(
    values: ArrayLike, neighbour_values: ArrayLike, *, delta: float = 0.0, level: float
) -> StatisticalPrivacyLoss:
    """Bound epsilon from below by the statistics of runs, for algorithms that draw many outputs at once.

    values, neighbour_values: (runs,) each, independent, in the order of the runs; runs >= 2.  The first quarter chooses
    the event {statistic >= c} or {statistic <= c} and the direction, those with the largest bound there.  The rest
    gives the limits of the two probabilities of that event (Clopper and Pearson 1934), each one-sided at level / 2.
    So neither the choice of the event nor that of the direction costs any level.

    delta: in [0, 1), of the claim to be tested.  level: in (0, 1), the false-alarm rate.  Raises ValueError if lengths
    differ or a value is nan.
    """
    first, second = _as_values("values", values), _as_values("neighbour_values", neighbour_values)
    if len(first) != len(second):
        raise ValueError(f"neighbour_values: has {len(second)} runs, must have {len(first)} as values has")
    runs = checks.size("runs", len(first), 2)
    delta, level = checks.delta("delta", delta), checks.between("level", level, 0, 1)
    choosing = max(1, int(CHOOSING_SHARE * runs))
    event = _best_event(first[:choosing], second[:choosing], delta, level)
    likelier, other = (first, second) if event.likelier_on_sample else (second, first)
    judging = runs - choosing
    low, _ = clopper_pearson(event.count(likelier[choosing:]), judging, level)
    _, high = clopper_pearson(event.count(other[choosing:]), judging, level)
    return StatisticalPrivacyLoss(event, float(low), float(high), delta, level, runs, judging)


def _best_event(first: Floats, second: Floats, delta: float, level: float) -> Event:
    """Return the half-line and direction with the largest lower bound on these runs.

    The limits are taken at a tenth of the level, so that the best of many candidates is seldom a rare event by chance.
    """
    pooled = np.unique(np.concatenate([first, second]))
    spaced = np.linspace(0, len(pooled) - 1, min(len(pooled), _THRESHOLDS)).astype(np.intp)
    thresholds = pooled[spaced]
    # axes: data set, half-line (lower, upper), threshold
    counts = np.array([_counts(np.sort(values), thresholds) for values in (first, second)])
    low, high = clopper_pearson(counts, len(first), level / 10)
    # the direction is the data set on which the event is likelier: the other one's upper limit divides
    bounds = (low - delta) / high[::-1]
    direction, half_line, place = np.unravel_index(int(np.argmax(bounds)), bounds.shape)
    return Event(float(thresholds[place]), upper=bool(half_line == 1), likelier_on_sample=bool(direction == 0))


def _counts(ordered: Floats, thresholds: Floats) -> Indices:
    """Return the numbers of values <= and >= each threshold: (2, thresholds)."""
    at_most = np.searchsorted(ordered, thresholds, side="right")
    at_least = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
    return np.stack([at_most, at_least])


def _as_values(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name}: must have shape (runs,), got {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{name}: row {int(np.argmax(np.isnan(array)))} is nan: must be a number or infinite")
    return array


def _stream(randomness: Randomness, name: str, run: int) -> Randomness:
    """Return a random stream for one run; entropy of the operating system needs no name."""
    return randomness.spawn(name, run) if isinstance(randomness, Simulation) else randomness
