"""The net mechanism by enumeration, for any class over a tiny domain."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import checked, value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points, as_points
from semipriv.core.types import Integers
from semipriv.mechanisms.sampling.choice import choose_pool
from semipriv.papers.bns15.queries.sanitizers._multisets import multisets, scores, symmetric_differences
from semipriv.queries.sanitizers.base import FiniteSanitizer, listed

__all__ = ["NetExact"]


def _rows(name: str, given: Any) -> tuple[tuple[float, ...], ...]:
    points = as_points(given, name=name)
    if not len(points):
        raise ValueError(f"{name}: must hold a point")
    rows = tuple(map(tuple, points.tolist()))
    if len(set(rows)) < len(rows):
        raise ValueError(f"{name}: must hold distinct points")
    return rows


@value
class NetExact(FiniteSanitizer):
    """Exponential mechanism over all tuples of k points of a listed domain: BNS15 theorem A.3, for any class.

    The score is -n max_c |share of c in the data - share in the tuple| over the class C_xor of symmetric differences,
    of sensitivity 1.  The base measure is uniform on ordered tuples.

    Args:
        domain: distinct points, all that entries may be.
    """

    domain: Sequence[Sequence[float]] = checked(_rows)

    theorem = "theorem A.3, pure"

    short_title = "net mechanism, listed"

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the listed domain is that of the class: any entry may have to be looked up in it."""
        if hypothesis_class.example_points is None:
            raise ValueError(
                f"hypothesis_class: must have a finite domain for {self.short_title}; {hypothesis_class!r}"
            )
        hypothesis_class.validated(np.array(self.domain), "domain")
        whole = hypothesis_class.whole_domain
        if whole is None or set(map(tuple, whole.tolist())) != set(self.domain):
            raise ValueError(f"domain: must hold the points of {hypothesis_class!r}, all of them and no others")

    def points_wanted(self, hypothesis_class: HypothesisClass, alpha: float) -> int:
        """Return ceil(2 / alpha), as for thresholds."""
        return math.ceil(2 / alpha)

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> None:
        """Return None: the theorem has no constant."""

    def check_size(self, hypothesis_class: HypothesisClass, size: int) -> None:
        """Raise ValueError for multisets of so many points that are too many to list."""
        multisets(len(self.domain), size)

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Draw a tuple, sorted as the domain."""
        gaps, released = self._gaps(points, hypothesis_class, size), multisets(len(self.domain), size)
        tuples = np.array(released.tuples, object)
        chosen = choose_pool(gaps, tuples, Fraction(epsilon) / (2 * size), randomness)
        return listed(np.array(self.domain), released.counts[chosen])

    def output_distribution(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float
    ) -> list[tuple[Points, float]]:
        """Return the distribution by enumeration of all multisets."""
        released, domain = multisets(len(self.domain), size), np.array(self.domain)
        logs = np.log(np.array(released.tuples, np.float64))
        logs -= epsilon / (2 * size) * self._gaps(points, hypothesis_class, size)
        logs -= np.logaddexp.reduce(logs)
        return [(listed(domain, row), float(log)) for row, log in zip(released.counts, logs, strict=True)]

    def _gaps(self, points: Points, hypothesis_class: HypothesisClass, size: int) -> Integers:
        """Return k n times the largest error of each multiset."""
        place = {point: i for i, point in enumerate(self.domain)}
        try:
            places = [place[row] for row in map(tuple, points.tolist())]
        except KeyError as error:
            raise ValueError(f"unlabelled entries: {error.args[0]} is not in the domain of {self!r}") from None
        counts = np.bincount(np.array(places, np.int64), minlength=len(place))
        return scores(counts, symmetric_differences(hypothesis_class, np.array(self.domain)), size)
