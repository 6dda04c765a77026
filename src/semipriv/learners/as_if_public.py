"""Baseline: what if the unlabelled entries were public?"""

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.core.entries import Entries
from semipriv.core.fields import plug_in, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners._inside import check_labels_alone, check_release_inside, told_of
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import AnyLearner, Learner
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.privacy.guarantee import Release

__all__ = ["AsIfPublic"]


@value
class AsIfPublic(PartlyLabelledLearner):
    """The inner learner, with unlabelled private entries instead of public points.  It protects labelled ones at most.

    What A_SSPP could do if nobody minded: the guarantee of the inner learner speaks of labelled examples, and its
    output may tell the unlabelled entries.  For partly labelled data, where all are private, that is no guarantee.

    Args:
        learner: one whose public points have no labels, or ``{"name": ..., parameter: value}``.
        n_as_public: number of unlabelled entries that it takes, the first ones.

    Raises:
        ValueError: for an inner learner that has no use for unlabelled public points, or whose output is no hypothesis.
    """

    hue: ClassVar[str] = "purple"

    learner: AnyLearner = plug_in("learners", Learner)
    n_as_public: int = size()

    def __attrs_post_init__(self) -> None:
        if self.learner.public_stage.needs_labels:
            raise ValueError(f"learner = {self.learner!r}: must learn from unlabelled public points")
        check_labels_alone(self.learner)

    @classmethod
    def examples(cls) -> tuple["AsIfPublic", ...]:
        """Return A_SSPP with three entries."""
        return (cls(registry.build("learners", {"name": "sspp", "epsilon": 1.0}), 3),)

    role = Role.AS_IF_PUBLIC

    @property
    def short_title(self) -> str:
        """The inner learner's name, and what is public to it."""
        return f"{self.learner.short_title}, {self.n_as_public:,} unlabelled entries public"

    remark = "which it tells"

    @property
    def epsilon(self) -> float | None:
        """Epsilon of the inner learner, for the labelled examples alone, if it has one."""
        epsilon: float | None = getattr(self.learner, "epsilon", None)
        return epsilon

    guarantee = None

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that the inner learner can learn a class."""
        with told_of(self.learner):
            self.learner.check(hypothesis_class)

    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return n_as_public."""
        return self.n_as_public

    def check_release(self, prepared: NothingPrepared, n_private: int) -> None:
        """Refuse what the inner learner refuses, whatever its public points: they are private here."""
        super().check_release(prepared, n_private)
        h = prepared.hypothesis_class
        with told_of(self.learner):
            inner = self.learner.prepare(no_points(h), h)
        check_release_inside(self.learner, inner, n_private)

    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Any]:
        """Carry out both stages of the inner learner."""
        h = prepared.hypothesis_class
        x = h.validated(points)
        self.check_sizes(len(x), 0 if unlabelled is None else unlabelled.n, h)
        assert unlabelled is not None
        inner = self.learner.prepare(unlabelled.reader().take(self.n_as_public), h)
        release = self.learner.release(inner, x, labels, randomness)
        return Release(release.output, None, release.randomness, release.cost)
