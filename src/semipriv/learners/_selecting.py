"""What learners share whose private stage is one draw by a selection mechanism."""

from abc import abstractmethod
from typing import Generic, TypeVar

from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, Hypothesis, Tally
from semipriv.core.estimates import rows_here
from semipriv.core.randomness import Randomness
from semipriv.core.samples import as_labels
from semipriv.core.sharing import shared
from semipriv.core.work import Cost, check_work
from semipriv.learners.base import FiniteOutput, Learner, ListedDistribution
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Release

C = TypeVar("C", bound=Cover)


class Selecting(Learner[C], FiniteOutput, Generic[C]):
    """Selects a hypothesis of a cover with the score -mistakes, an integer.

    Replacing an example of the sample changes each number of mistakes by at most 1.
    """

    @property
    @abstractmethod
    def selection(self) -> SelectionMechanism:
        """The mechanism of the draw, for scores of sensitivity 1."""

    @property
    def event(self) -> Event:
        """That of the mechanism: a release is one draw, and nothing else reads the private sample.

        Scores have sensitivity 1, as one replaced example changes each number of mistakes by at most 1.
        """
        return self.selection.event

    def draw_cost(self, prepared: C, n_private: int) -> Cost | None:
        """Return what it takes to count the mistakes of the cover and to draw."""
        return prepared.tally_cost(rows_here(n_private))

    def check_release(self, prepared: C, n_private: int) -> None:
        """Check that the mistakes of the cover are counted within the limits.

        Raises:
            WorkError: if they are not.
        """
        super().check_release(prepared, n_private)
        self._check_limits(prepared, n_private)

    def _check_limits(self, prepared: C, n_private: int) -> None:
        cost = self.draw_cost(prepared, n_private)
        if cost is not None:
            what = f"hypotheses of {len(prepared.points):,} public points to count on {n_private:,} private rows"
            check_work(what, cost, "take fewer public points", begins=False)

    def release(self, prepared: C, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release[Hypothesis]:
        """Draw a hypothesis by its mistakes, if they are counted within the limits."""
        self._check_limits(prepared, len(as_labels(labels)))
        tally = shared("tally", (prepared, points, labels), lambda: prepared.tally(points, labels))
        return self.release_tally(prepared, tally, randomness)

    def release_tally(self, prepared: C, tally: Tally, randomness: Randomness, units: int = 1) -> Release[Hypothesis]:
        """Draw a hypothesis by the mistakes of all of them on the private examples.

        Args:
            prepared: what ``prepare`` returned.
            tally: mistakes of every hypothesis of the cover on the private examples.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            units: of a person, if the mistakes count units of persons (``core.persons``); 1: they count examples.

        Returns:
            The hypothesis with its guarantee; cost: the size of the cover.
        """
        chosen = self.selection.per(units).select(tally, randomness)
        return Release(chosen, self.guarantee, randomness.source, {"cover_size": prepared.size})

    def output_distribution(self, prepared: C, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the probability of each hypothesis, listed."""
        listed, mistakes = prepared.listed_mistakes(points, labels)
        return ListedDistribution(listed.parameters, self.selection.log_probabilities(-mistakes))
