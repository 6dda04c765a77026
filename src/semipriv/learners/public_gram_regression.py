"""Regression with a public Gram matrix: unlabelled public points give X^T X, private rows only X^T y."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Responses
from semipriv.core.types import Floats, Integers
from semipriv.learners._gram_regression import GramRegression
from semipriv.learners._linear import clipped
from semipriv.learners.regression.solving import from_spread, solved
from semipriv.learners.stages.public_gram import PublicGram
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.guarantee import Release

__all__ = ["PublicGramRegression"]

CENTRES = np.linspace(-1.0, 1.0, 65)
"""Where the median of the responses may lie."""
SPREADS = 2.0 ** (-np.arange(14) / 2)
"""How far most responses may lie from it."""
UNKNOWN_SPREAD = 0.5
"""How far most responses are taken to lie from the middle of their range, if rows are too few to select it."""
INSIDE = 0.85
"""Share of the responses that lie so far at most."""


@value
class PublicGramRegression(GramRegression[Metric]):
    """A linear function of many features: public points tell the Gram matrix, private rows one vector.

    Public stage: mean and standard deviation of each feature, features clipped at 4 of these, their shrunk covariance
    and its axes.  Public sizes decide how many axes, how many sums, and what epsilon each use gets (``Plan``).

    Private stage: with enough rows, permute-and-flip selects the median of the responses and how far most of them lie
    from it.  Then one or two sums over rows of the residual times the coordinates, clipped to an L1 norm row by row and
    cut to a lattice, with discrete Laplace noise.  The Gram matrix of the public points, with two standard errors added
    on its diagonal, turns them into weights, shrunk by what noise and sampling are worth.

    Replacing one row moves a sum of integers by at most twice the clipping norm in L1, and each count of a selection
    by at most 1.  Whatever else is computed depends on public data and earlier outputs.  So all is pure epsilon-DP, by
    basic composition of adaptive mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.

    Source:
        This package; proof in docs/findings.md.
    """

    modelled = False
    short_title = "public Gram matrix"
    public_stage = PublicGram()

    @classmethod
    def examples(cls) -> tuple["PublicGramRegression", ...]:
        """Return one for which a few rows are too few for a selection, and one for which they are not."""
        return cls(1.0), cls(60.0)

    @staticmethod
    def _metric(prepared: Metric) -> Metric:
        return prepared

    def release(
        self, prepared: Metric, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Find where responses lie, take noisy sums, and solve.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d).
            responses: (n,), clipped to [-1, 1].
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            A linear function of standardised features.
        """
        sample = clipped(prepared.hypothesis_class, points, responses)
        x, y = sample.points, sample.responses
        self.check_release(prepared, len(x))
        plan = self.plan(prepared, len(x))
        centre, spread = 0.0, UNKNOWN_SPREAD
        if plan.place is not None:
            chooser = PermuteAndFlip(plan.place)
            centre = float(CENTRES[chooser.sample(median_scores(y), randomness)])
            spread = float(SPREADS[chooser.sample(spread_scores(y, centre), randomness)])
        start = from_spread(prepared, plan, centre, spread)
        rule = solved(start, plan, x, y, lambda noise, total: noise.release(total, randomness))
        return self._released(prepared, rule, plan, randomness)


def median_scores(responses: Responses) -> Integers:
    """Return -|#{y < c} - n/2|, rounded down inside, for each centre c: one response moves each by at most 1."""
    below = _below(responses, CENTRES, "left")
    return -np.abs(below - len(responses) // 2)


def spread_scores(responses: Responses, centre: float) -> Integers:
    """Return -|#{|y - centre| <= s} - .85 n| for each spread s: one response moves each by at most 1."""
    inside = _below(np.abs(responses - centre), SPREADS, "right")
    return -np.abs(inside - int(INSIDE * len(responses)))


def _below(values: Floats, cuts: Floats, side: str) -> Integers:
    return np.searchsorted(np.sort(values), cuts, side=side).astype(np.int64)  # type: ignore[call-overload]
