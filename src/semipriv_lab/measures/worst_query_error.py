"""The largest error of an answer, over all queries of a class."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points, Sample, distinct
from semipriv.distributions.best import FRESH_SAMPLE, BestError, exactly
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.problem import Distribution
from semipriv.learners.outputs._queries import QueryOutput
from semipriv.queries.cells import in_boxes
from semipriv_lab.measures._ranges import box_ranges, ranges, work
from semipriv_lab.measures.base import Measure, Measured

__all__ = ["WorstQueryError"]

FRESH_HYPOTHESES = 40
"""Fresh points whose cover gives the hypotheses of an estimate."""
MOST_LABELS = 20_000_000
"""Labels of all dichotomies of a finite domain up to which the error is exact."""
MOST_STRIPS = 20_000_000
"""Pairs of a dichotomy and a strip up to which the error over rectangles is exact: 31 anchors."""


@value
class WorstQueryError(Measure[Distribution, HypothesisClass, Sample]):
    """sup over the class of |G(h) - E[h(x)]| under the private distribution, in the answers' scale (BCM20 def. 5).

    On the line exactly, for classes with free ends: thresholds of all orientations and intervals.  Hypotheses with one
    answer are those that label its anchors alike, and their means fill a range whose ends the cdf and its left limits
    at the anchors give.  On a finite domain exactly, by all dichotomies of its points and the anchors together.  In the
    plane exactly for rectangles with real ends, by the same ranges, while there are few anchors (``MOST_STRIPS``).
    Else a *lower estimate*: the largest error found among hypotheses of the cover of fresh points of the distribution,
    as large as it is on another fresh sample.  The best value is 0.
    """

    kinds: ClassVar[tuple[str, ...]] = ("answers", "synthetic_data")
    excess_title: ClassVar[str] = "worst error of an answer"

    def best(self, distribution: Distribution, hypothesis_class: HypothesisClass) -> BestError:
        """Return 0."""
        return exactly(0.0)

    def population(
        self,
        outputs: Sequence[QueryOutput],
        distribution: Distribution,
        hypothesis_class: HypothesisClass,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the largest errors."""
        marginal = distribution.private_marginal
        fresh = randomness.spawn("evaluate", "worst_query_error")
        return [_worst(output, marginal, distribution, fresh) for output in outputs]


def _worst(output: QueryOutput, marginal: Marginal, distribution: Distribution, fresh: Simulation) -> Measured:
    """Return the largest error of an output."""
    factor = 2.0 if output.scale == "pm1" else 1.0
    h, anchors, atoms = output.functions, output.anchors, distribution.atoms
    if h.exact_ends and h.free_ends:
        parameters, shares = output.cover_shares()
        low, high = ranges(h, parameters, anchors[:, 0], marginal)
    elif atoms is not None and _labels(h, points := distinct(np.concatenate([atoms.points, anchors]))) <= MOST_LABELS:
        queries = h.cover(points).listed().parameters
        shares = output.shares_of(queries)
        low = high = h.predict(queries, atoms.points) @ atoms.mass
    elif h.free_ends and in_boxes(h) and work(h.growth(len(anchors)), len(anchors)) <= MOST_STRIPS:
        parameters, shares = output.cover_shares()
        low, high = box_ranges(h.predict(parameters, anchors), anchors, marginal)
    else:
        return _estimated(output, marginal, fresh, factor)
    return Measured(factor * float(np.maximum(shares - low, high - shares).max()), 0.0)


def _labels(h: HypothesisClass, points: Points) -> int:
    """Return the number of labels of all dichotomies of distinct points."""
    return h.growth(len(points)) * len(points)


def _estimated(output: QueryOutput, marginal: Marginal, fresh: Simulation, factor: float) -> Measured:
    """Return a lower estimate: the hypothesis is chosen on one fresh sample and measured on another."""
    h, draw = output.functions, fresh.generator
    queries = h.cover(marginal.sample(FRESH_HYPOTHESES, draw)).listed().parameters
    first, second = marginal.sample(FRESH_SAMPLE // 10, draw), marginal.sample(FRESH_SAMPLE, draw)
    answers = output.shares_of(queries)
    signed = answers - _means(h, queries, first)
    worst = int(np.argmax(np.abs(signed)))
    inside = h.predict(queries[worst : worst + 1], second)[0]
    error = np.sign(signed[worst]) * (answers[worst] - float(inside.mean()))
    return Measured(factor * float(error), factor * float(inside.std(ddof=1)) / np.sqrt(FRESH_SAMPLE))


def _means(h: HypothesisClass, parameters: np.ndarray, points: Points) -> np.ndarray:
    rows = max(1, 2**25 // len(points))
    parts = [h.predict(parameters[i : i + rows], points).mean(axis=1) for i in range(0, len(parameters), rows)]
    return np.concatenate(parts)
