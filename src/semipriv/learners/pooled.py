"""Baseline: treat every example as private."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv import registry
from semipriv.classes.base import Cover, HypothesisClass, ListedCover, Predictors, Tally
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness
from semipriv.samples import Sample, as_labels, distinct

__all__ = ["Pooled"]


@dataclass(frozen=True, eq=False)
class PooledCover(Cover):
    """What the inner learner prepared without a public point, and the labelled public examples; points: theirs."""

    examples: Sample
    inner: Cover

    @property
    def size(self) -> int:
        """Of the inner cover."""
        return self.inner.size

    def listed(self) -> ListedCover:
        """The hypotheses of the inner cover."""
        return self.inner.listed()

    def together(self, points: ArrayLike, labels: ArrayLike) -> Sample:
        """The public examples, then the given ones."""
        x = self.hypothesis_class.validated(points)
        y = as_labels(labels, len(x))
        return Sample(np.concatenate([self.examples.points, x]), np.concatenate([self.examples.labels, y]))

    def tally(self, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Mistakes on the public examples and the given ones."""
        both = self.together(points, labels)
        return self.inner.tally(both.points, both.labels)


@dataclass(frozen=True)
class Pooled(Learner, FiniteOutput):
    """The inner learner on public and private examples together, all of them as its private sample.

    Privacy: the guarantee of the inner learner (None if it has none), and more than it says: replacing *any* example,
    public or private, changes one example of the inner learner's sample.  With ``empirical_risk_minimiser`` inside it
    is the minimiser on everything without privacy, with ``fixed_grid`` the pure-DP baseline that ignores statuses.

    learner: one that does not use public labels, or ``{"name": ..., parameter: value}``; it gets no public point.
    """

    learner: Learner
    needs_public_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given: Any = self.learner
        object.__setattr__(self, "learner", given if isinstance(given, Learner) else registry.build("learners", given))
        if self.learner.needs_public_labels:
            raise ValueError(f"learner = {self.learner!r}: must not need labelled public points, there are none left")
        object.__setattr__(self, "protection", self.learner.protection)

    @property
    def epsilon(self) -> float | None:
        """Of the inner learner, where it has one."""
        found: float | None = getattr(self.learner, "epsilon", None)
        return found

    @property
    def guarantee(self) -> Guarantee | None:
        """That of the inner learner."""
        return self.learner.guarantee

    @property
    def preparation(self) -> tuple[str, ...]:
        """That of the inner learner, and the examples."""
        return ("pooled", *self.learner.preparation)

    @property
    def modules(self) -> tuple[str, ...]:
        """The inner learner, and what it finds by name."""
        return (type(self.learner).__module__, *self.learner.modules)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """The inner learner must learn the class."""
        self.learner.check(hypothesis_class)

    def predictors(self, hypothesis_class: HypothesisClass) -> Predictors:
        """Those of the inner learner."""
        return self.learner.predictors(hypothesis_class)

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> PooledCover:
        """The inner public stage without a public point; the labelled public examples are kept."""
        self.check(hypothesis_class)
        if public_labels is None:
            raise ValueError("public_labels: this learner needs labelled public points")
        points = hypothesis_class.validated(public_points, "public points")
        examples = Sample(points, as_labels(public_labels, len(points), "public_labels"))
        inner = self.learner.prepare(np.empty((0, hypothesis_class.dimension)), hypothesis_class)
        return PooledCover(hypothesis_class, distinct(points), examples, inner)

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """The inner private stage on all examples."""
        assert isinstance(prepared, PooledCover)
        both = prepared.together(points, labels)
        return self.learner.release(prepared.inner, both.points, both.labels, randomness)

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """That of the inner learner on all examples; ValueError where it has none."""
        assert isinstance(prepared, PooledCover)
        if not isinstance(self.learner, FiniteOutput):
            raise ValueError(f"{self.learner!r} has no finite output law to enumerate")
        both = prepared.together(points, labels)
        return self.learner.law(prepared.inner, both.points, both.labels)
