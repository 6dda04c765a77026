"""Learners of BNS15: labelled and unlabelled examples, all of them private."""

from abc import abstractmethod
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.entries import Entries
from semipriv.core.randomness import Randomness
from semipriv.learners.base import Facts, Learner
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.privacy.guarantee import Release


class PartlyLabelledLearner(Learner[NothingPrepared]):
    """A learner whose private data are labelled examples and unlabelled entries.

    Its neighbours are ``Neighbours.REPLACE_ENTRY``.  It has no public stage: nothing is public but sizes.
    """

    facts: ClassVar[Facts] = Facts(without_public=True)
    reads_unlabelled: ClassVar[bool] = True
    private_candidates: ClassVar[bool] = False
    """Whether a mechanism inside selects among candidates that private points make.

    Then the sensitivity of its scores alone proves nothing: the privacy of the learner is proven otherwise.
    """

    public_stage = Nothing()

    @abstractmethod
    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return how many unlabelled entries a release consumes, at most; it depends on sizes alone.

        Args:
            n_labelled: number of labelled private examples.
            hypothesis_class: the class to learn.

        Returns:
            The number of entries.

        Raises:
            ValueError: if the learner cannot run with so many labelled examples.
        """

    def check_sizes(self, n_labelled: int, n_unlabelled: int, hypothesis_class: HypothesisClass) -> None:
        """Check that there are enough unlabelled entries.

        Args:
            n_labelled: number of labelled private examples.
            n_unlabelled: number of unlabelled private entries.
            hypothesis_class: the class to learn.

        Raises:
            ValueError: with the number that is needed, unless there are enough unlabelled entries.
        """
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
        """Carry out the learner on labelled examples and unlabelled entries.

        Args:
            prepared: what ``prepare`` returned: nothing is public.
            points: (n, d) labelled private points.
            labels: (n,) their labels in {0, 1}.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            unlabelled: unlabelled private entries; None: there are none.

        Returns:
            The output with its guarantee, the source of its randomness, and its cost.

        Raises:
            ValueError: before anything is drawn, if there are fewer entries than are needed.
        """
