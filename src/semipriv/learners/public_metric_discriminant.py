"""Many features: noisy gradients in the metric of unlabelled public points, then selection by mistakes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.core import estimates
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost
from semipriv.learners._public_metric import PublicMetricLearner
from semipriv.learners.base import ListedDistribution
from semipriv.learners.discriminant.candidates import RULE_CUTS, constants, rules, stumps
from semipriv.learners.discriminant.gradients import Coordinates, Gradient, Step, newton, ridge_of, step_of
from semipriv.learners.discriminant.plan import LEAST, Draw, Plan, plan_of
from semipriv.learners.stages.public_metric import Metric, PublicMetric

__all__ = ["PublicMetricDiscriminant"]

DIRECTIONS = 10
"""Directions of candidates, about."""


@value
class PublicMetricDiscriminant(PublicMetricLearner):
    """A linear rule of many features: public points tell the metric, private rows the direction.

    Public stage: mean and standard deviation of each feature, features clipped at 4 of these, their shrunk covariance
    and its axes.  Public sizes decide how many axes, how many gradients, and what epsilon each use gets (``Plan``).

    Private stage, on coordinates of public variance 1: each gradient of the logistic loss is a sum over rows, clipped
    to an L1 norm row by row and cut to a lattice, with discrete Laplace noise.  A Newton step follows with the Hessian
    of the public points, which later gradients correct.  Then permute-and-flip selects among rules along all directions
    so found, stumps and constants by private mistakes, counted exactly; after many gradients the others are to make
    some mistakes less than the last rule.

    Replacing one row moves a sum of integers by at most twice the clipping norm in L1, and each number of mistakes by
    at most 1.  Whatever else is computed depends on public data and earlier outputs.  So each use is pure epsilon_i-DP
    and all of them are pure epsilon-DP, by basic composition of adaptive mechanisms.

    With a delta, gradients are clipped in L2 and get discrete Gaussian noise, if that is the smaller noise for so many
    axes and gradients, which public numbers decide; the exponential mechanism selects.  Then the sum of their rhos is
    one that implies (epsilon, delta).  Else nothing changes, and the release is pure epsilon-DP.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in [0, 1); 0 for pure privacy.

    Source:
        This package; proof in docs/findings.md.  Clipped gradients after Abadi et al. 2016, selection after McKenna and
        Sheldon 2020.
    """

    @classmethod
    def examples(cls) -> tuple["PublicMetricDiscriminant", ...]:
        """Return one for which a few rows are too few for a gradient, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, 1e-6)

    sums_key = "gradients"
    many_features = True
    short_title = "public-metric discriminant"
    public_stage = PublicMetric()

    def plan(self, prepared: Metric, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide."""
        axes, candidates = len(prepared.variances), estimated_candidates(prepared)
        return plan_of(self.epsilon, n_private, axes, candidates, delta=self.delta)

    def draw_cost(self, prepared: Metric, n_private: int) -> Cost:
        """Return what gradients, the mistakes of candidates, and their cuts of public points take."""
        plan, d = self.plan(prepared, n_private), prepared.functions.dimension
        counting = estimates.rules_counted(estimated_candidates(prepared))
        public = estimates.public_points(len(prepared.rows), d, DIRECTIONS)
        return estimates.gradients(n_private, d, plan.axes, len(plan.gradients)) + counting + public

    def note(self, prepared: Metric, n_private: int) -> str | None:
        """Return that one feature or a constant will be the output, if it will."""
        if self.plan(prepared, n_private).gradients:
            return None
        needed = f"rows times epsilon must be at least {LEAST:g}"
        return f"too few rows, epsilon or public points for many features: the output is a cut of one ({needed})"

    def functions(self, prepared: Metric) -> ClippedHalfspaces:
        """Return those of standardised features."""
        return prepared.functions

    def _candidates(self, prepared: Metric, plan: Plan, n: int, draw: Draw) -> Parameters:
        return candidates_of(prepared, plan, n, draw)

    def _handicaps(self, plan: Plan, n: int, candidates: int) -> Integers:
        return plan.handicaps(n, candidates)

    def _output(self, prepared: Metric, parameters: Floats) -> Hypothesis:
        return Hypothesis(prepared.functions, parameters)

    def output_distribution(self, prepared: Metric, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the probability of each candidate, listed, if private examples are too few for a gradient.

        Raises:
            ValueError: with gradients, whose noise has infinitely many values.
        """
        x, y = prepared.functions.labelled(points, labels)
        plan = self.plan(prepared, len(x))
        if plan.gradients:
            raise ValueError(
                f"n_private = {len(x)}: has gradients, whose noise has no end: its distribution cannot be listed"
            )
        candidates = np.concatenate([constants(prepared), stumps(prepared)])
        mistakes = prepared.functions.mistakes(candidates, x, y)
        return ListedDistribution(candidates, plan.selector.log_probabilities(-mistakes))


def estimated_candidates(metric: Metric) -> int:
    """Return about how many candidates there are, from public data."""
    return RULE_CUTS * DIRECTIONS + len(stumps(metric)) + 2


def candidates_of(metric: Metric, plan: Plan, n: int, draw: Draw) -> Parameters:
    """Return what is selected from, (c, d + 1), the rule of the last step last.

    n private rows are read by ``draw`` alone, which adds the noise.
    """
    parts = [constants(metric), stumps(metric)]
    if plan.gradients:
        coordinates = Coordinates.of(metric, plan.axes)
        clip = coordinates.clip(plan.norm, plan.slack)
        ridge, penalty = ridge_of(plan.slack, coordinates.public), coordinates.penalty(n)
        steps, weights = [], np.zeros(plan.axes + 1)
        for noise in plan.noises:
            noisy = draw(noise, Gradient(coordinates, weights, clip, plan.lattice, norm=plan.norm))
            steps.append(step_of(weights, noisy, clip, plan.lattice, n, noise.noise.variance))
            weights = newton(steps[-1], coordinates.public, ridge, penalty, steps[:-1])
        parts.append(rules(metric, coordinates, directions(metric, steps, weights)))
    return np.concatenate(parts)


def directions(metric: Metric, steps: Sequence[Step], last: Floats) -> list[Floats]:
    """Return the directions (k + 1,) of candidates.

    All weights, and the first gradient: shrunk by its noise, and with more or less weight on axes of large variance.
    """
    first = steps[0].mean
    scale = np.append(np.sqrt(metric.variances[: len(first) - 1]), 1.0)
    shrunk = first * np.maximum(0, 1 - steps[0].error ** 2 / np.maximum(first**2, 1e-300))
    return [shrunk, first / scale, first * scale, *(step.weights for step in steps[1:]), last]
