"""The net mechanism for prefixes of the integers below 2^b, drawn exactly (Blum, Ligett and Roth 2008)."""

from fractions import Fraction

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.papers.bns15.bounds.sanitizers import net_size
from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers
from semipriv.papers.bns15.queries.sanitizers._line import LineSanitizer, line_of
from semipriv.papers.bns15.queries.sanitizers._multisets import multisets, scores
from semipriv.queries.sanitizers.base import FiniteSanitizer, listed

__all__ = ["Net"]


@value
class Net(LineSanitizer, FiniteSanitizer):
    """Exponential mechanism over all tuples of k integers, with the score -u: BNS15 theorem A.3 for thresholds.

    u = [max_j |#{x in D : x < j} - (n / k) #{y in Y : y < j}|], rounded down, changes by at most 1 if an entry is
    replaced, so that the release is epsilon-DP.  The base measure is uniform on ordered tuples.  The draw is exact, for
    any number of bits: no layer of the distribution is left out
    (``semipriv.papers.bns15.queries.sanitizers._layer_distribution``).
    """

    theorem = "theorem A.3, pure"

    short_title = "net mechanism"

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> int:
        """Return the size with which shares of prefixes are off by at most alpha / f (``net_size``)."""
        line, prefixes = line_of(hypothesis_class)
        return net_size(alpha / prefixes, beta, epsilon, line.bits, size)

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Draw k integers, in increasing order."""
        line = line_of(hypothesis_class)[0]
        data = line.decode(hypothesis_class.validated(points, "unlabelled entries"))
        distribution = LayerDistribution(PrefixLayers.of(data, line.bits, size), Fraction(epsilon) / 2)
        return line.encode(distribution.draw(randomness))

    def output_distribution(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float
    ) -> list[tuple[Points, float]]:
        """Return the distribution by enumeration of all multisets."""
        line = line_of(hypothesis_class)[0]
        counts = np.bincount(np.array(line.decode(points), np.int64), minlength=2**line.bits)
        logs = -epsilon / 2 * prefix_scores(counts, size)
        released = multisets(len(counts), size)
        logs += np.log(np.array(released.tuples, np.float64))
        logs -= np.logaddexp.reduce(logs)
        domain = line.encode(range(2**line.bits))
        return [(listed(domain, row), float(log)) for row, log in zip(released.counts, logs, strict=True)]


def prefix_scores(counts: np.ndarray, size: int) -> np.ndarray:
    """Return u for each multiset of ``size`` points of a domain of N, (r,), for data with these counts, (N,)."""
    prefixes = np.tri(len(counts), dtype=bool)
    return np.asarray(scores(counts, prefixes, size) // size)
