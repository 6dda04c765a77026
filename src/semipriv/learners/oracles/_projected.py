"""Private mistakes seen through the patterns of public points: what an oracle minimises for BBD24 algorithm 4."""

import math
from dataclasses import dataclass

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Integers
from semipriv.learners.oracles.base import Oracle

__all__ = ["Projected"]


@dataclass(frozen=True, eq=False)
class Projected:
    """The numbers q(h) of private mistakes of the best hypothesis with each pattern h on the public points.

    public: (m, d) distinct; points: (n, d) and labels: (n,) private.  Replacing a private example changes each q(h) by
    at most 1.  nonempty: whether the pattern of zeros is left out, unless there are no public points.
    """

    hypothesis_class: HypothesisClass
    public: Points
    points: Points
    labels: Labels
    oracle: Oracle
    nonempty: bool = False

    @property
    def size(self) -> int:
        """Number of public points."""
        return len(self.public)

    @property
    def records(self) -> int:
        """Number of private examples."""
        return len(self.labels)

    def minimum(self, weights: Floats, unit: float) -> Predictions:
        """Return the pattern (m,) of a hypothesis with the least unit q(h) + <weights, h>: one call of the oracle.

        Without the pattern of zeros one call for each public point, forced to be a one: as many for all private data.
        """
        if not self.nonempty:
            return self._labels(np.zeros(self.size, np.int8), weights, unit)[: self.size]
        force = 2 * (float(np.abs(weights).sum()) + unit * len(self.labels)) + 1
        least, best = math.inf, np.zeros(self.size, bool)
        for i in range(self.size):
            forced = weights.copy()
            forced[i] -= force
            labels = self._labels(np.zeros(self.size, np.int8), forced, unit)
            pattern, wrong = labels[: self.size], labels[self.size :] != (self.labels == 1)
            value = math.fsum([*weights[pattern], unit * np.count_nonzero(wrong)])
            if pattern[i] and value < least:
                least, best = value, pattern
        return best

    def listed(self) -> tuple[Predictions, Integers]:
        """Return all patterns (k, m), in the order of their bits, and q (k,): one call of the oracle for each pattern.

        The patterns are those of the cover of the public points.  Each is forced by weights n + 1 on them.
        """
        patterns = np.unique(self.hypothesis_class.cover(self.public).listed().dichotomies(), axis=0)
        if self.nonempty and self.size:
            patterns = patterns[patterns.any(axis=1)]
        force = np.full(self.size, len(self.labels) + 1.0)
        private = (self._labels(pattern.astype(np.int8), force, 1.0)[self.size :] for pattern in patterns)
        mistakes = [np.count_nonzero(labels != (self.labels == 1)) for labels in private]
        return patterns, np.array(mistakes, np.int64)

    def _labels(self, pattern: Labels, weights: Floats, unit: float) -> Predictions:
        return self.oracle.labels(
            self.hypothesis_class,
            np.concatenate([self.public, self.points]),
            np.concatenate([pattern, self.labels]),
            np.concatenate([weights, np.full(len(self.labels), unit)]),
        )
