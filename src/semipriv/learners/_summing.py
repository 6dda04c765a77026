"""Learners whose release needs one vector of integers: a sum over private rows, whose parts add up."""

from abc import abstractmethod

from semipriv.classes.regressors.base import Regressor
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Integers
from semipriv.learners.base import Learner
from semipriv.learners.stages.base import P
from semipriv.privacy.guarantee import Release


class Summing(Learner[P]):
    """A learner of real-valued functions that reads private rows by a sum over them, and by their public number.

    ``release`` is ``release_total`` of ``total`` of all rows.
    """

    @abstractmethod
    def total(self, prepared: P, points: Points, responses: Responses, n_private: int) -> Integers:
        """Return the sum over some rows, (k,): that of no row is 0, and those of parts add up.

        Args:
            prepared: what ``prepare`` returned.
            points: (m, d).
            responses: (m,).
            n_private: public number of all private rows.

        Returns:
            The sum, without noise.
        """

    @abstractmethod
    def release_total(
        self, prepared: P, total: Integers, n_private: int, randomness: Randomness, units: int = 1
    ) -> Release[Regressor]:
        """Draw the release from the sum over all rows.

        Args:
            prepared: what ``prepare`` returned.
            total: what ``total`` returned for all rows, or added up for their parts.
            n_private: their number; of persons, if the sum is over units of persons.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            units: of a person (``core.persons``); 1: the sum is over rows.

        Returns:
            The release.
        """
