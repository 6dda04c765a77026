"""Regression with a public Gram matrix and public responses: a public ridge model, tested and moved by private rows."""

import math
from functools import partial

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.learners._gram_regression import GramRegression
from semipriv.learners._totals import Examples
from semipriv.learners.public_gram_regression import without_responses
from semipriv.learners.regression.moments import Draw, far_rows
from semipriv.learners.regression.plan import Plan, plan_of
from semipriv.learners.regression.solving import Residuals, from_ridge, solved, tells
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_ridge import PublicRidge, RidgeMetric
from semipriv.privacy.guarantee import Release

__all__ = ["PublicRidgeRegression"]


@value
class PublicRidgeRegression(GramRegression[RidgeMetric]):
    """A linear function of many features: labelled public points give a ridge regression, private rows move it.

    Public stage: the metric of ``public_gram_regression``, and a ridge regression whose penalty has the least squared
    leave-one-out error.

    Private stage: the number of those rows that are far from the public model, with noise.  If they are
    many, and farther from it than public responses are from their mean, what follows is ``public_gram_regression``
    with the epsilon that is left.  Else one or two sums over rows of the residual times the coordinates, clipped to an
    L1 norm row by row and cut to a lattice, with discrete Laplace noise.  The public Gram matrix turns them into
    weights, which are combined with the public model by precision, a public row being worth as much as a private one,
    or less, as the sums say.  Public rows of less than three, or of one response, tell nothing but a mean.

    Replacing one row moves the number of far rows by at most 1, and a sum of integers by at most twice the clipping
    norm in L1.  Whatever else is computed, and which way is taken, depends on public data and earlier outputs; both
    ways cost the epsilon that the number leaves.  So all is pure epsilon-DP, by basic composition of adaptive
    mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.

    Source:
        This package; proof in docs/findings.md.
    """

    short_title = "public ridge model and private rows"
    public_stage = PublicRidge()

    @classmethod
    def examples(cls) -> tuple["PublicRidgeRegression", ...]:
        """Return one of one axis on a few rows, and one of several."""
        return cls(1.0), cls(600.0)

    @staticmethod
    def _metric(prepared: RidgeMetric) -> Metric:
        return prepared.metric

    def plan(self, prepared: RidgeMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is kept, which public numbers alone decide."""
        axes = len(prepared.metric.variances)
        if tells(prepared):
            return plan_of(self.epsilon, n_private, axes, modelled=len(prepared.responses))
        return plan_of(self.epsilon, n_private, axes)

    def fallback(self, prepared: RidgeMetric, n_private: int) -> Plan:
        """Return how epsilon is spent after the number of far rows, if the public model is left.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows that number.
        """
        return plan_of(self.plan(prepared, n_private).rest, n_private, len(prepared.metric.variances))

    def check_release(self, prepared: RidgeMetric, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        super().check_release(prepared, n_private)
        self.fallback(prepared, n_private).check(n_private)

    def release_totals(self, prepared: RidgeMetric, examples: Examples, randomness: Randomness) -> Release[Regressor]:
        """Count rows far from the public model, take noisy sums from it or without it, and solve."""
        n = examples.count
        self.check_release(prepared, n)
        plan, draw = self.plan(prepared, n), self._draw(prepared, examples, randomness)
        if not tells(prepared):
            mean = float(prepared.responses.mean()) if len(prepared.responses) else 0.0
            rule = without_responses(prepared.metric, plan, examples, draw, randomness, mean)
            return self._released(prepared, rule, plan, randomness)
        residuals = Residuals.of(prepared, plan)
        scale = _scale(prepared, residuals, plan, n, draw)
        if residuals.mislead(scale):
            plan = self.fallback(prepared, n)
            rule = without_responses(prepared.metric, plan, examples, draw, randomness)
        else:
            rule = solved(from_ridge(prepared, plan, n, scale), plan, n, draw)
        return self._released(prepared, rule, plan, randomness)


def _scale(prepared: RidgeMetric, residuals: Residuals, plan: Plan, n: int, draw: Draw) -> float:
    """Return how many times as far from the public model as public rows the private ones lie, by a noisy count."""
    counter = plan.counter
    if counter is None or not n:
        return 1.0
    far = partial(far_rows, prepared.rule, residuals.coordinates, clip=residuals.clip)
    return residuals.scale(float(draw(counter, far)[0]) / n, math.sqrt(counter.noise.variance) / n, n)
