"""What every public stage offers, and what it makes."""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from semipriv.arrays import Arrays
from semipriv.classes.base import HypothesisClass
from semipriv.samples import Points, Sample, as_labels


class Prepared(Protocol):
    """What a public stage makes.  It knows the arrays in which it is stored."""

    def arrays(self) -> Arrays:
        """Return the arrays from which the stage restores the prepared thing."""


P = TypeVar("P", bound=Prepared)
Made = TypeVar("Made", bound=Prepared)


class PublicStage(ABC, Generic[Made]):
    """The first stage of a learner.  It gets public data and a hypothesis class, never private data.

    A stage is a frozen value of its parameters.  Equal stages make equal things from equal data, so learners with equal
    stages share the result.  The representation of a stage is its key on disk.
    """

    needs_labels: bool = False
    """Whether the stage needs the labels of public points."""

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if this stage cannot prepare the class."""

    def check_labels(self, public_labels: ArrayLike | None) -> None:
        """Raise ValueError for labels that are missing or not needed."""
        if self.needs_labels and public_labels is None:
            raise ValueError("public_labels: this learner needs labelled public points")
        if not self.needs_labels and public_labels is not None:
            raise ValueError("public_labels: this learner uses unlabelled public points only")

    @final
    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Made:
        """Carry out the stage on (m, d) public points and, if it needs labels, (m,) public labels.

        Raise ValueError for points outside the domain of the class, for labels that are missing or not needed, and
        for a class that the stage cannot prepare.
        """
        self.check_labels(public_labels)
        self.check(hypothesis_class)
        points = hypothesis_class.validated(public_points, "public points")
        if public_labels is None:
            return self._unlabelled(points, hypothesis_class)
        return self._labelled(Sample(points, as_labels(public_labels, len(points), "public_labels")), hypothesis_class)

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Made:
        """Prepare validated public points."""
        raise NotImplementedError

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> Made:
        """Prepare validated labelled public examples."""
        raise NotImplementedError

    @abstractmethod
    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Made:
        """Return what ``prepare`` made, from its arrays."""


AnyStage = PublicStage[Any]


def no_points(hypothesis_class: HypothesisClass) -> Points:
    """Return an empty array of public points: (0, d)."""
    return np.empty((0, hypothesis_class.dimension))
