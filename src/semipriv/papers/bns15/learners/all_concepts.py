"""The exponential mechanism over a whole finite class: the learner that BNS15 builds on."""

from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import Facts, FiniteOutput, Learner, ListedDistribution, Setting
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.bounds.learners import excess_bound
from semipriv.privacy.events import BoundedRange
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["AllConcepts"]


@value
class AllConcepts(Learner[NothingPrepared], FiniteOutput):
    """A concept c of the whole class with probability proportional to exp(-epsilon mistakes(c) / 2).

    BNS15 algorithm 5 with H = C, the learner of Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith.  It needs about
    ln |C| / (alpha epsilon) labelled examples, no public and no unlabelled one.  Replacing one example changes each
    number of mistakes by at most 1, so it is pure epsilon-DP.  Every concept counts once, however many agree on the
    sample.

    The class must have an exact ``tally`` of all its concepts, listed or not.

    Args:
        epsilon: privacy parameter, finite and > 0.

    Source:
        BNS15 algorithm 5 with H = C (Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011).
    """

    hue: ClassVar[str] = "brown"
    theorem: ClassVar[str] = "BNS15 algorithm 5"
    facts: ClassVar[Facts] = Facts(bound_sizes={"n_labelled": 10**6})

    epsilon: float = positive()

    @classmethod
    def examples(cls) -> tuple["AllConcepts", ...]:
        """Return two."""
        return cls(1.0), cls(0.3)

    role = Role.NO_PUBLIC
    short_title = "all concepts"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one example."""
        return Guarantee(self.epsilon)

    @property
    def event(self) -> BoundedRange:
        """That of the exponential mechanism: a release is one draw, with scores that one example moves by at most 1."""
        return self._selection.event

    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Refuse a class without an exact tally of all its concepts."""
        hypothesis_class.tally(no_points(hypothesis_class), [])

    @property
    def _selection(self) -> ExponentialMechanism:
        return ExponentialMechanism(self.epsilon)

    def excess_bound(self, setting: Setting) -> float | None:
        """Return the bound of ``bns15.bounds.learners``; None if the number of labelled examples is not fixed."""
        h, sizes = setting.hypothesis_class, setting.sizes
        n = sizes.get("n_labelled") or sizes.get("n_private")
        if n is None:
            return None
        log_concepts = h.tally(no_points(h), []).log_partition(0.0)
        return excess_bound(log_concepts, n, self.epsilon, setting.beta, realizable=setting.best_error == 0)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw a concept by its mistakes."""
        tally = prepared.hypothesis_class.tally(points, labels)
        return Release(self._selection.select(tally, randomness), self.guarantee, randomness.source)

    def output_distribution(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike
    ) -> ListedDistribution:
        """Return the probability of each concept.

        Raises:
            ValueError: if they are too many to list.
        """
        h = prepared.hypothesis_class
        if h.whole_domain is None:
            raise ValueError(f"{h!r}: its concepts are too many to list")
        listed, mistakes = h.cover(h.whole_domain).listed_mistakes(points, labels)
        return ListedDistribution(listed.parameters, self._selection.log_probabilities(-mistakes))
