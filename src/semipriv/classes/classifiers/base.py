"""Functions to more than two labels that are given by parameters, and one of them: a classifier."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._function import FunctionOutput, Registered
from semipriv.core.functions import Parameters
from semipriv.core.samples import ClassLabels, Points, as_class_labels
from semipriv.core.types import Floats, Integers

MOST_CLASSES = 100
"""Labels are bytes."""
_BLOCK = 2**21
"""Scores handled at once."""


class Classifiers(Registered):
    """A set of functions from R^dimension to {0, ..., K - 1}: each label has a score, and the highest one wins.

    Of equal scores that of the lowest label wins.
    """

    labels: ClassVar[str] = "functions to {0, ..., K - 1}"
    room: ClassVar[str] = "classifiers"

    @property
    @abstractmethod
    def classes(self) -> int:
        """Number K of labels."""

    @abstractmethod
    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the score of each label.

        Each is computed from its own function and point alone, in one order of operations wherever these stand.

        Args:
            parameters: (k, p), a row for each function.
            points: (n, d).

        Returns:
            The scores (k, K, n).
        """

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> ClassLabels:
        """Predict the labels of points by each of several functions.

        Args:
            parameters: (k, p), a row for each function.
            points: (n, d).

        Returns:
            The labels (k, n) int8; of equal scores the lowest label.
        """
        return np.asarray(np.argmax(self.scores(parameters, points), axis=1).astype(np.int8))

    def labelled(self, points: ArrayLike, labels: ArrayLike) -> tuple[Points, ClassLabels]:
        """Check labelled points.

        Args:
            points: (n, d).
            labels: (n,) in {0, ..., K - 1}.

        Returns:
            The points (n, d) float64 and the labels (n,) int8.

        Raises:
            ValueError: for other shapes, and with the row of the first point or label that is none.
        """
        x = self.validated(points)
        return x, as_class_labels(labels, self.classes, len(x))

    def mistakes(self, parameters: Parameters, points: Points, labels: ClassLabels) -> Integers:
        """Count the mistakes of each function, sum_i 1[h(x_i) != y_i].

        Each term depends on one example alone.  So replacing an example changes the sum by at most 1.

        Args:
            parameters: (k, p).
            points: (n, d).
            labels: (n,) in {0, ..., K - 1}.

        Returns:
            The numbers of mistakes (k,) int64.
        """
        total = np.zeros(len(parameters), np.int64)
        rows = max(1, _BLOCK // max(1, len(parameters) * self.classes))
        for start in range(0, len(points), rows):
            block = slice(start, start + rows)
            total += np.count_nonzero(self.predict(parameters, points[block]) != labels[block], axis=1)
        return total


@dataclass(frozen=True, eq=False)
class Classifier(FunctionOutput[Classifiers]):
    """One function to several labels: the set of functions to which it belongs, and its parameters.

    Args:
        functions: the set of functions.
        parameters: (p,), p the width of that set.

    Raises:
        ValueError: for parameters of another shape.
    """

    kind: ClassVar[str] = "classifier"

    def predict(self, points: ArrayLike) -> ClassLabels:
        """Predict the labels of points.

        Args:
            points: (n, d).

        Returns:
            The labels (n,) int8.
        """
        return self.functions.predict(self.parameters[None], points)[0]

    def scores(self, points: ArrayLike) -> Floats:
        """Return the score of each label: the highest wins.  They are no probabilities.

        Args:
            points: (n, d).

        Returns:
            The scores (n, K).
        """
        return self.functions.scores(self.parameters[None], points)[0].T
