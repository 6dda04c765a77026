"""Learners of BNS15: labelled and unlabelled examples, all of them private."""

from abc import abstractmethod
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.entries import Entries
from semipriv.learners.base import Learner
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.stages.nothing import Nothing, NothingPrepared


class PartlyLabelledLearner(Learner[NothingPrepared]):
    """A learner whose private data are labelled examples and unlabelled entries.

    Its neighbours are ``Neighbours.REPLACE_ENTRY``.  It has no public stage: nothing is public but sizes.
    """

    reads_unlabelled: ClassVar[bool] = True
    private_candidates: ClassVar[bool] = False
    """Whether a mechanism inside selects among candidates that private points make.

    Then the sensitivity of its scores alone proves nothing: the privacy of the learner is proven otherwise.
    """

    @property
    def public_stage(self) -> Nothing:
        """No public data."""
        return Nothing()

    @abstractmethod
    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return how many unlabelled entries a release consumes, at most; it depends on sizes alone.

        Raise ValueError if the learner cannot run with so many labelled examples.
        """

    def check_sizes(self, n_labelled: int, n_unlabelled: int, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError, with the number that is needed, unless there are enough unlabelled entries."""
        needed = self.unlabelled_needed(n_labelled, hypothesis_class)
        if n_unlabelled < needed:
            raise ValueError(
                f"n_unlabelled = {n_unlabelled:,}: must be >= {needed:,} for {self!r} with n_labelled = {n_labelled:,}"
            )

    @abstractmethod
    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Any]:
        """Carry out the learner on (n, d) labelled points, (n,) labels, and unlabelled entries; None: there are none.

        Raise ValueError, before anything is drawn, if there are fewer entries than are needed.
        """
