"""A private learner of labelled examples and unlabelled entries, as plain as can be, for the property tests."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.core import registry
from semipriv.core.entries import Entries
from semipriv.core.fields import positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Points, as_labels
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import AnyLearner, FiniteOutput, ListedDistribution
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release


@value
class EveryEntry(PartlyLabelledLearner, FiniteOutput):
    """The exponential mechanism over the class, for which an unlabelled entry is an example with label 0.

    So replacing an entry of either kind changes a number of mistakes by at most 1.
    """

    epsilon: float = positive()
    reads: int = size(default=2)

    @classmethod
    def examples(cls) -> "tuple[EveryEntry, ...]":
        return (cls(0.8),)

    role = Role.NO_PUBLIC
    short_title = "every entry"

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_ENTRY)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        self._base.check(hypothesis_class)

    @property
    def _base(self) -> AnyLearner:
        return registry.build("learners", {"name": "all_concepts", "epsilon": self.epsilon})

    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        return self.reads

    def taken(self, unlabelled: Entries) -> Points:
        return unlabelled.reader().take(self.reads)

    def _together(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, unlabelled: Entries | None
    ) -> tuple[np.ndarray, np.ndarray]:
        h = prepared.hypothesis_class
        x = h.validated(points)
        self.check_sizes(len(x), 0 if unlabelled is None else unlabelled.n, h)
        read = no_points(h) if unlabelled is None else self.taken(unlabelled)
        y = as_labels(labels, len(x))
        return np.concatenate([x, read]), np.concatenate([y, np.zeros(len(read), np.int8)])

    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Hypothesis]:
        release = self._base.release(prepared, *self._together(prepared, points, labels, unlabelled), randomness)
        return Release(release.output, self.guarantee, release.randomness)

    def output_distribution(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, unlabelled: Entries | None = None
    ) -> ListedDistribution:
        return self._base.output_distribution(prepared, *self._together(prepared, points, labels, unlabelled))
