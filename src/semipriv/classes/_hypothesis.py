"""Functions to {0, 1} that are given by parameters, and one of them: a hypothesis."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes._function import FunctionOutput
from semipriv.core import estimates
from semipriv.core.functions import Functions, Parameters
from semipriv.core.samples import Labels, Points, as_labels
from semipriv.core.sharing import shared
from semipriv.core.types import Floats, Integers, Words
from semipriv.core.work import Cost
from semipriv.geometry.bits import packed
from semipriv.geometry.shapes import Outline, Shape

Predictions = NDArray[np.bool_]
_LABELS = 2**24
"""Labels handled at once when they are packed."""
_CACHE, _CHUNK = 32_768, 2_048
"""Number of predictions, and of examples, handled at once when all hypotheses meet all examples: they fit a cache."""


class Predictors(Functions):
    """A set of functions from R^dimension to {0, 1} given by parameters.  Improper learners may output them."""

    @property
    def words(self) -> int:
        """Number of features in which a number of the line is written; 1 unless a float is too short for it."""
        return 1

    def one_word(self, parameters: Parameters) -> tuple["Predictors", Parameters]:
        """Return functions of the line that agree with those of the parameters (k, p) on numbers of one word.

        Numbers whose words but the last are 0.

        Args:
            parameters: (k, p).

        Returns:
            A set of functions of the line, and parameters of these.
        """
        return self, parameters

    def labelled(self, points: ArrayLike, labels: ArrayLike) -> tuple[Points, Labels]:
        """Check labelled points of the domain, which covers share inside ``sharing``.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The points (n, d) float64 and the labels (n,) int8.

        Raises:
            ValueError: for other shapes, and with the row of the first point or label that is none.
        """

        def validated() -> tuple[Points, Labels]:
            x = self.validated(points)
            return x, as_labels(labels, len(x))

        return shared("labelled", (self, points, labels), validated)

    def outline(self, parameters: Floats) -> Outline | None:
        """Return what a picture shows of a function.

        Args:
            parameters: (p,).

        Returns:
            The outline; None if the function has none.
        """
        return None

    @abstractmethod
    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Predict the labels of points by each of several functions.

        Args:
            parameters: (k, p), a row for each function.
            points: (n, d).

        Returns:
            The predictions (k, n) bool.
        """

    def label_vectors(self, parameters: Parameters, points: Points) -> Words:
        """Return the label vector of each point, packed into words of 64 bits (``bits.packed``).

        Args:
            parameters: (k, p).
            points: (n, d).

        Returns:
            (n, ceil(k / 64)) uint64.
        """
        blocks = np.array_split(points, 1 + len(points) * len(parameters) // _LABELS)
        with np.errstate(over="ignore", invalid="ignore"):  # no warning tells where points are
            return np.concatenate([packed(self.predict(parameters, x).T) for x in blocks])

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Return the mistakes of each hypothesis, sum_i 1[h(x_i) != y_i], in blocks that fit a cache.

        Each term depends on one example alone.  So replacing an example changes the sum by at most 1.

        Args:
            parameters: (k, p).
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The numbers of mistakes (k,) int64.
        """
        total = np.zeros(len(parameters), np.int64)
        ones = labels == 1
        block = max(1, _CACHE // max(1, min(len(points), _CHUNK)))
        for start in range(0, len(points), _CHUNK):
            x, y = points[start : start + _CHUNK], ones[start : start + _CHUNK]
            for first in range(0, len(parameters), block):
                wrong = self.predict(parameters[first : first + block], x) != y
                total[first : first + block] += np.count_nonzero(wrong, axis=1)
        return total

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what ``mistakes`` takes, about.

        Args:
            k: number of hypotheses.
            n: number of examples.

        Returns:
            Seconds on one core, and memory.
        """
        return estimates.predicted(k, n, self.dimension)

    def ones(self, parameters: Parameters) -> Shape | None:
        """Return the sets on which functions are 1.

        Args:
            parameters: (k, p).

        Returns:
            A shape for each function; None if their shape is not known.
        """
        return None


@dataclass(frozen=True, eq=False)
class Hypothesis(FunctionOutput[Predictors]):
    """One hypothesis: the set of functions to which it belongs, and its parameters.

    Args:
        functions: the set of functions, such as a class.
        parameters: (p,), p the width of that set.

    Raises:
        ValueError: for parameters of another shape.
    """

    kind: ClassVar[str] = "hypothesis"

    def predict(self, points: ArrayLike) -> Predictions:
        """Predict the labels of points.

        Args:
            points: (n, d).

        Returns:
            The predictions (n,) bool.
        """
        return self.functions.predict(self.parameters[None], points)[0]
