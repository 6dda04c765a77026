"""Regression with a public Gram matrix and public responses: a public ridge model, moved by private rows."""

from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Integers
from semipriv.learners._gram_regression import GramRegression
from semipriv.learners._linear import clipped
from semipriv.learners._summing import Summing
from semipriv.learners.regression.moments import private_sum, step_of
from semipriv.learners.regression.solving import from_ridge
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_ridge import PublicRidge, RidgeMetric
from semipriv.privacy.guarantee import Release

__all__ = ["PublicRidgeRegression"]


@value
class PublicRidgeRegression(Summing[RidgeMetric], GramRegression[RidgeMetric]):
    """A linear function of many features: labelled public points give a ridge regression, private rows move it.

    Public stage: the metric of ``public_gram_regression``, and a ridge regression whose penalty has the least squared
    leave-one-out error.

    Private stage: one sum over rows of the residual at the public model times the coordinates, clipped to an L1 norm
    row by row and cut to a lattice, with discrete Laplace noise.  The public Gram matrix turns it into weights, which
    are combined with the public model by precision, a public row being worth as much as a private one, or less, as the
    sum says.  Public rows of less than three, or of one response, tell nothing but a mean.

    Replacing one row moves the sum of integers by at most twice the clipping norm in L1.  Whatever else is computed
    depends on public data and the noisy sum.  So all is pure epsilon-DP.

    Args:
        epsilon: privacy parameter, finite and > 0.

    Source:
        This package; proof in docs/findings.md.
    """

    modelled = True
    short_title = "public ridge model and private rows"
    public_stage = PublicRidge()

    @classmethod
    def examples(cls) -> tuple["PublicRidgeRegression", ...]:
        """Return one of one axis on a few rows, and one of several."""
        return cls(1.0), cls(600.0)

    @staticmethod
    def _metric(prepared: RidgeMetric) -> Metric:
        return prepared.metric

    def total(self, prepared: RidgeMetric, points: Points, responses: Responses, n_private: int) -> Integers:
        """Return the sum over some rows at the public model, (k + 1,)."""
        sample, plan = clipped(prepared.hypothesis_class, points, responses), self.plan(prepared, n_private)
        start = from_ridge(prepared, plan, n_private)
        return private_sum(start.rule, start.coordinates, sample.points, sample.responses, start.clip, plan.lattice)

    def release_total(
        self, prepared: RidgeMetric, total: Integers, n_private: int, randomness: Randomness, units: int = 1
    ) -> Release[Regressor]:
        """Draw the release from the sum over all rows."""
        self.check_release(prepared, n_private)
        plan = self.plan(prepared, n_private)
        start, (noise,) = from_ridge(prepared, plan, n_private), plan.noises
        noisy = noise.per(units).release(total, randomness)
        step = step_of(noisy / units, noise, start.clip, plan.lattice, n_private)
        rule = start.at(start.moved(None, step, n_private).weights)
        return self._released(prepared, rule, plan, randomness)

    def release(
        self, prepared: RidgeMetric, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Sum up, add noise, and solve.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d).
            responses: (n,), clipped to [-1, 1].
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            A linear function of standardised features.
        """
        sample = clipped(prepared.hypothesis_class, points, responses)
        self.check_release(prepared, len(sample))
        total = self.total(prepared, sample.points, sample.responses, len(sample))
        return self.release_total(prepared, total, len(sample), randomness)
