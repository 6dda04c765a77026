"""Regression with a public Gram matrix: unlabelled public points give X^T X, private rows only X^T y."""

from functools import partial

import numpy as np

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats, Integers
from semipriv.learners._gram_regression import GramRegression
from semipriv.learners._totals import Examples
from semipriv.learners.regression.moments import Draw
from semipriv.learners.regression.plan import Plan, plan_of
from semipriv.learners.regression.solving import UNKNOWN_SPREAD, from_spread, solved
from semipriv.learners.stages.public_gram import PublicGram
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.noisy_integers import bounded
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.guarantee import Release

__all__ = ["PublicGramRegression"]

CENTRES = np.linspace(-1.0, 1.0, 65)
"""Where the median of the responses may lie."""
SPREADS = 2.0 ** (-np.arange(14) / 2)
"""How far most responses may lie from it."""
INSIDE = 0.85
"""Share of the responses that lie so far at most."""


@value
class PublicGramRegression(GramRegression[Metric]):
    """A linear function of many features: public points tell the Gram matrix, private rows one vector.

    Public stage: mean and standard deviation of each feature, features clipped at 4 of these, their shrunk covariance
    and its axes.  Public sizes decide how many axes, how many sums, and what epsilon each use gets (``Plan``).

    Private stage: with enough rows, permute-and-flip selects the median of the responses and how far most of them lie
    from it; with few, their mean gets noise.  Then one or two sums over rows of the residual times the coordinates,
    clipped to an L1 norm row by row and cut to a lattice, with discrete Laplace noise.  The Gram matrix of the public
    points, with two standard errors added on its diagonal, turns them into weights, shrunk by what noise and sampling
    are worth.

    Replacing one row moves a sum of integers by at most twice the clipping norm in L1, and each count of a selection
    by at most 1.  Whatever else is computed depends on public data and earlier outputs.  So all is pure epsilon-DP, by
    basic composition of adaptive mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.

    Source:
        This package; proof in docs/findings.md.
    """

    short_title = "public Gram matrix"
    public_stage = PublicGram()

    @classmethod
    def examples(cls) -> tuple["PublicGramRegression", ...]:
        """Return one for which a few rows are too few for a selection, and one for which they are not."""
        return cls(1.0), cls(60.0)

    @staticmethod
    def _metric(prepared: Metric) -> Metric:
        return prepared

    def plan(self, prepared: Metric, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide."""
        return plan_of(self.epsilon, n_private, len(prepared.variances))

    def release_totals(self, prepared: Metric, examples: Examples, randomness: Randomness) -> Release[Regressor]:
        """Find where responses lie, take noisy sums, and solve; each row is clipped where it is summed up."""
        self.check_release(prepared, examples.count)
        plan = self.plan(prepared, examples.count)
        rule = without_responses(prepared, plan, examples, self._draw(prepared, examples, randomness), randomness)
        return self._released(prepared, rule, plan, randomness)


def without_responses(
    metric: Metric, plan: Plan, examples: Examples, draw: Draw, randomness: Randomness, centre: float = 0.0
) -> Floats:
    """Return the rule (d + 1,) that private rows alone tell of responses: selections, noisy sums, and what follows.

    Args:
        metric: of the public rows.
        plan: how epsilon is spent.
        examples: the private rows.
        draw: sums over them, and adds noise.
        randomness: of the selections.
        centre: toward which a noisy mean is moved, if nothing is selected.

    Returns:
        Weights of standardised features and an offset.
    """
    spread, missed = UNKNOWN_SPREAD, None
    if plan.averager is not None:
        centre, missed = noisy_mean(examples.count, plan, draw, centre)
    if plan.place is not None:
        chooser = PermuteAndFlip(plan.place).per(examples.units)
        centre = float(CENTRES[chooser.sample(median_scores(examples), randomness)])
        spread = float(SPREADS[chooser.sample(spread_scores(examples, centre), randomness)])
    return solved(from_spread(metric, plan, centre, spread, examples.count, missed), plan, examples.count, draw)


def noisy_mean(n: int, plan: Plan, draw: Draw, centre: float) -> tuple[float, float]:
    """Return the mean of the responses with noise, moved to a centre as far as noise is worth, and the expected square.

    A response adds its part of the lattice, an integer of at most ``lattice``, which is public: replacing it moves the
    sum by at most twice that.  The square is of what the mean then misses.
    """
    assert plan.averager is not None
    unit = 1 / (plan.lattice * max(n, 1))
    noisy = float(draw(plan.averager, partial(_sum, lattice=plan.lattice))[0]) * unit
    error, known = plan.averager.noise.variance * unit**2, UNKNOWN_SPREAD**2
    trust = known / (known + error)
    return centre + (noisy - centre) * trust, error * trust


def _sum(_: Points, responses: Responses, *, lattice: int) -> Integers:
    return bounded(lattice * np.clip(responses, -1.0, 1.0)[None], lattice).sum(axis=1)


def median_scores(examples: Examples) -> Integers:
    """Return -|#{y < c} - n/2|, rounded down inside, for each centre c: one response moves each by at most 1.

    With units of persons, numbers of rows are those of their units: one person moves each score by at most W.
    """
    below = examples.total(lambda _, responses: _below(np.clip(responses, -1.0, 1.0), CENTRES, "left"))
    return -np.abs(below - examples.count * examples.units // 2)


def spread_scores(examples: Examples, centre: float) -> Integers:
    """Return -|#{|y - centre| <= s} - .85 n| for each spread s: one response moves each by at most 1; as above."""

    def inside(_: Points, responses: Responses) -> Integers:
        return _below(np.abs(np.clip(responses, -1.0, 1.0) - centre), SPREADS, "right")

    return -np.abs(examples.total(inside) - int(INSIDE * (examples.count * examples.units)))


def _below(values: Floats, cuts: Floats, side: str) -> Integers:
    return np.searchsorted(np.sort(values), cuts, side=side).astype(np.int64)  # type: ignore[call-overload]
