"""Regression with a public Gram matrix and public responses: a public ridge model, moved by private rows."""

from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Responses
from semipriv.learners._gram_regression import GramRegression
from semipriv.learners.regression.plan import Plan
from semipriv.learners.regression.solving import Start, from_ridge
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_ridge import PublicRidge, RidgeMetric

__all__ = ["PublicRidgeRegression"]


@value
class PublicRidgeRegression(GramRegression[RidgeMetric]):
    """A linear function of many features: labelled public points give a ridge regression, private rows move it.

    Public stage: the metric of ``public_gram_regression``, and a ridge regression whose penalty has the least squared
    leave-one-out error.

    Private stage: one sum over rows of the residual at the public model times the coordinates, clipped to an L1 norm
    row by row and cut to a lattice, with discrete Laplace noise.  The public Gram matrix turns it into weights, which
    are combined with the public model by precision, a public row being worth as much as a private one: public and
    private rows are to be of one population.

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

    def _start(self, prepared: RidgeMetric, plan: Plan, responses: Responses, randomness: Randomness) -> Start:
        """Return the start at the public model; no private row is read."""
        return from_ridge(prepared, plan)
