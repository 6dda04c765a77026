"""What every public stage offers, and what it makes."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Protocol, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass, as_class
from semipriv.core.arrays import Arrays
from semipriv.core.samples import Labels, Points, Sample, as_labels


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

    needs_labels: ClassVar[bool]
    """Whether the stage needs the labels of public points."""
    weighs: ClassVar[bool] = False
    """Whether features get weights: then categories, which have no order, are a feature each if nothing is said."""
    learns: ClassVar[Any] = HypothesisClass
    """The type of the functions that it prepares: hypothesis classes, or regressors."""

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
        """Carry out the stage on (m, d) public points and, if it needs labels, (m,) public labels or responses.

        Raise ValueError for points outside the domain of the class, for labels that are missing or not needed, and
        for a class that the stage cannot prepare.
        """
        self.check_labels(public_labels)
        self.check(as_class(hypothesis_class, self.learns))
        points = hypothesis_class.validated(public_points, "public points")
        targets = None if public_labels is None else self._targets(public_labels, len(points))
        return self._prepare(points, targets, hypothesis_class)

    def _targets(self, given: ArrayLike, n: int) -> Any:
        """Return n checked public labels; a stage for responses checks those."""
        return as_labels(given, n, "public_labels")

    @abstractmethod
    def _prepare(self, points: Points, labels: Any, hypothesis_class: HypothesisClass) -> Made:
        """Prepare public points and labels that were checked; labels are None if the stage does not need them."""

    @abstractmethod
    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Made:
        """Return what ``prepare`` made, from its arrays."""


class UnlabelledStage(PublicStage[Made]):
    """A public stage that uses unlabelled points."""

    needs_labels = False

    def _prepare(self, points: Points, labels: Labels | None, hypothesis_class: HypothesisClass) -> Made:
        return self._unlabelled(points, hypothesis_class)

    @abstractmethod
    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Made:
        """Prepare public points (m, d) that were checked."""


class LabelledStage(PublicStage[Made]):
    """A public stage that needs labelled points."""

    needs_labels = True

    def _prepare(self, points: Points, labels: Labels | None, hypothesis_class: HypothesisClass) -> Made:
        assert labels is not None
        return self._labelled(Sample(points, labels), hypothesis_class)

    @abstractmethod
    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> Made:
        """Prepare labelled public examples that were checked."""


AnyStage = PublicStage[Any]


def no_points(hypothesis_class: HypothesisClass) -> Points:
    """Return an empty array of public points: (0, d)."""
    return np.empty((0, hypothesis_class.dimension))
