"""Baseline: treat every example as private."""

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import plug_in, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.sharing import shared
from semipriv.learners._inside import check_labels_alone, check_release_inside, told_of
from semipriv.learners.base import AnyLearner, FiniteOutput, Learner, ListedDistribution
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.logistic_regression import LogisticRegression
from semipriv.learners.stages.examples import Examples, ExamplesPrepared
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["Pooled"]


@value
class Pooled(Learner[ExamplesPrepared], FiniteOutput):
    """The inner learner, with all public and private examples together as its private sample.

    Privacy: the guarantee of the inner learner (None if it has none).  It protects public examples as well: replacing
    *any* example, public or private, changes one example of the inner learner's sample.  With
    ``empirical_risk_minimiser`` inside it is the minimiser on all examples, without privacy; with ``fixed_grid`` it is
    the pure-DP baseline that ignores statuses.

    Args:
        learner: one that does not use public labels, or ``{"name": ..., parameter: value}``; it gets no public point.

    Raises:
        ValueError: for an inner learner that needs labelled public points, since none are left, that reads unlabelled
            entries, or whose output is no hypothesis.
    """

    hue: ClassVar[str] = "pink"

    learner: AnyLearner = plug_in("learners", Learner)

    def __attrs_post_init__(self) -> None:
        if self.learner.public_stage.needs_labels:
            raise ValueError(f"learner = {self.learner!r}: must not need labelled public points, there are none left")
        check_labels_alone(self.learner)

    @classmethod
    def examples(cls) -> tuple["Pooled", ...]:
        """Return one with privacy and two without."""
        return cls(FixedGrid(0.7, 0.0, 3.0, 4)), cls(EmpiricalRiskMinimiser()), cls(LogisticRegression())

    @property
    def role(self) -> Role:
        """The role of the inner learner."""
        return self.learner.role

    @property
    def short_title(self) -> str:
        """The inner learner's name; if it is not private, with the data that it learns from."""
        inner = self.learner.short_title
        return f"{inner} on everything" if self.guarantee is None else inner

    @property
    def remark(self) -> str:
        """The inner learner's remark, or the remark that it treats all examples as private."""
        return self.learner.remark if self.guarantee is None else "everything private"

    @property
    def epsilon(self) -> float | None:
        """Epsilon of the inner learner, if it has one."""
        epsilon: float | None = getattr(self.learner, "epsilon", None)
        return epsilon

    @property
    def guarantee(self) -> Guarantee | None:
        """The guarantee of the inner learner."""
        return self.learner.guarantee

    @property
    def protects(self) -> str | None:
        """What the inner learner protects, of public examples, too."""
        inner = self.learner.protects
        return None if inner is None else inner.replace("a private", "any")

    @property
    def event(self) -> Event | None:
        """That of the inner learner, whose sample changes by one example if one is replaced here."""
        return self.learner.event

    @property
    def public_stage(self) -> Examples:
        """The inner stage without a public point; it keeps the labelled public examples."""
        return Examples(self.learner.public_stage)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that the inner learner can learn a class."""
        with told_of(self.learner):
            self.learner.check(hypothesis_class)

    def check_release(self, prepared: ExamplesPrepared, n_private: int) -> None:
        """Refuse what the inner learner refuses of so many examples, with the public ones."""
        super().check_release(prepared, n_private)
        check_release_inside(self.learner, prepared.inner, len(prepared.examples) + n_private)

    def release(
        self, prepared: ExamplesPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Any]:
        """Carry out the inner private stage on all examples."""
        both = shared("together", (prepared, points, labels), lambda: prepared.together(points, labels))
        return self.learner.release(prepared.inner, both.points, both.labels, randomness)

    def output_distribution(
        self, prepared: ExamplesPrepared, points: ArrayLike, labels: ArrayLike
    ) -> ListedDistribution:
        """Return the inner learner's output distribution on all examples.

        Raises:
            ValueError: if it has none.
        """
        if not isinstance(self.learner, FiniteOutput):
            raise ValueError(f"{self.learner!r} has no finite output distribution to enumerate")
        both = prepared.together(points, labels)
        return self.learner.output_distribution(prepared.inner, both.points, both.labels)
