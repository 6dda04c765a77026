"""A_SSPP, the semi-supervised semi-private learner (ABM19 algorithm 1)."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from semipriv import checks, registry
from semipriv.classes.base import REPRESENTATIVES, Cover, HypothesisClass
from semipriv.learners.base import FiniteOutput, Law, Learner, refuse_labels
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Randomness

__all__ = ["SSPP"]


@dataclass(frozen=True)
class SSPP(Learner, FiniteOutput):
    """Cover of the public points, then private selection by empirical mistakes.

    Steps 1 to 5 are ``prepare``: one hypothesis for each dichotomy of the distinct public points.  Step 6 is
    ``release``: the exponential mechanism with the integer score -mistakes, whose sensitivity under replacing an
    example is 1; probability proportional to exp(-epsilon mistakes / 2).  Pure epsilon-DP for every public sample
    (lemma 3.2).

    epsilon: finite and > 0.  mechanism: 'exponential' (the paper's) or 'permute_and_flip' (same guarantee, never
    worse).  representative: where in its cell the representative of a dichotomy lies.
    """

    epsilon: float
    mechanism: str = "exponential"
    representative: str = "midpoint"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.positive("epsilon", self.epsilon))
        registry.check_name("mechanism", self.mechanism, registry.names("mechanisms/selection"))
        registry.check_name("representative", self.representative, list(REPRESENTATIVES))

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_PRIVATE_EXAMPLE)

    @property
    def preparation(self) -> tuple[str, ...]:
        """The cover depends on the rule for representatives alone."""
        return ("cover", self.representative)

    @property
    def modules(self) -> tuple[str, ...]:
        """The mechanism is found by name."""
        return (registry.module("mechanisms/selection", self.mechanism),)

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Steps 1 to 5."""
        refuse_labels(public_labels)
        return hypothesis_class.cover(public_points, self.representative)

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """Steps 6 and 7."""
        chosen = self._selection.select(prepared.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, {"cover_size": prepared.size})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Probability of each member of the cover, listed."""
        listed = prepared.listed()
        scores = -listed.mistakes(points, labels)
        return Law(listed.parameters, self._selection.log_probabilities(scores))

    @property
    def _selection(self) -> SelectionMechanism:
        mechanism: SelectionMechanism = registry.load("mechanisms/selection", self.mechanism)(
            self.epsilon, sensitivity=1.0
        )
        return mechanism
