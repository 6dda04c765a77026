"""LabelBoost (BNS15 algorithm 3): a private learner learns from few labels and many unlabelled private entries."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.entries import Entries, ListedEntries
from semipriv.core.fields import between, changed, checked, one_of, plug_in, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.registry import check_name
from semipriv.core.roles import Role
from semipriv.core.samples import as_labels
from semipriv.core.types import Floats
from semipriv.learners._inside import check_labels_alone, check_release_inside, told_of
from semipriv.learners._needs import needed as base_needed
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import AnyLearner, Facts, Learner, Needed, Setting
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.papers.bns15.bounds.learners import label_boost_labelled
from semipriv.papers.bns15.label_boost.accounting import (
    ACCOUNTANTS,
    BaseLearner,
    Relabelled,
    Resampled,
    Subsampled,
    guarantee,
    label_boost,
)
from semipriv.papers.bns15.label_boost.procedure import ExampleBlock, boosted
from semipriv.papers.bns15.label_boost.schedule import (
    NAMED,
    PAPER,
    Constants,
    Round,
    Schedule,
    least_labelled,
    schedule,
)
from semipriv.papers.bns15.label_boost.thinning import thinned
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.privacy.amplification import EXCHANGEABLE
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release

__all__ = ["LabelBoost"]

ERRORS, FAILURES = 11, 2
"""BNS15 lemma 4.12: with alpha and beta in the rounds, an (11 alpha, 2 beta)-learner."""


def _constants(name: str, given: Any) -> Constants:
    if isinstance(given, Constants):
        return given
    if isinstance(given, Mapping):
        return Constants(**given)
    return NAMED[check_name(name, given, list(NAMED))]


@value
class LabelBoost(PartlyLabelledLearner):
    """Gives the labels of few examples to many unlabelled ones, round by round, then runs a learner that needs many.

    A round thins the labelled part S and a new part T of the unlabelled entries, draws one dichotomy of all their
    points by its mistakes on S, and labels all of them by it (algorithm 2).  S grows, as an exponential of its size,
    until it has r0 n examples.  Then S is thinned once more, and the base learner gets as many draws from it, with
    replacement, as are left.  Each round draws its subsets anew.  The rounds, their sizes and what they read follow
    from numbers of examples and from constants: ``label_boost.schedule``.  The order of entries does not
    matter to any step but what is read: a table must not be sorted by content.

    Args:
        learner: the base learner, (1, delta)-DP for replaced examples, without public data, or ``{"name": ...,
            parameter: value}``.
        n: examples with which the base learner is accurate; it gets n or a few more.
        alpha: error of the base learner, in (0, 1); those of the rounds follow from it.
        beta: failure probability of the base learner, in (0, 1); those of the rounds follow from it.
        constants: a name ('paper', 'exact', 'sharp', 'exact_least', 'sharp_least'), or given in full.
        accounting: 'paper' (lemma 4.6), 'exact' (its lemmas with their true factors) or 'sharp' (with this package's
            factors).

    Raises:
        ValueError: for a base learner without such a guarantee, and for one that learns from no labelled examples.

    Source:
        BNS15 algorithm 3, lemma 4.6, theorem 4.13.
    """

    hue: ClassVar[str] = "green"
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({"n": 1, "alpha": 0.5, "beta": 0.5})
    facts: ClassVar[Facts] = replace(
        PartlyLabelledLearner.facts,
        distribution_is_listed=False,
        others={
            "learner": {"name": "all_concepts", "epsilon": 0.5},
            "n": 4,
            "alpha": 0.1,
            "beta": 0.01,
            "constants": {"r": 9, "r0": 6, "eps0": 0.25, "a0": 0.01, "b0": 0.1},
            "accounting": "sharp",
        },
    )

    learner: AnyLearner = plug_in("learners", Learner)
    n: int = size()
    alpha: float = between(0, 1)
    beta: float = between(0, 1)
    constants: Constants = checked(_constants, default=PAPER)
    accounting: str = one_of(list(ACCOUNTANTS), "label boost", default="paper")

    def __attrs_post_init__(self) -> None:
        base = self.learner.guarantee
        if base is None or not 0 < base.epsilon <= 1 or base.neighbours not in EXCHANGEABLE:
            raise ValueError(f"learner = {self.learner!r}: must have a guarantee (1, delta) for replaced examples")
        check_labels_alone(self.learner)
        _for_all_sizes(self.constants, base, self.accounting)

    private_candidates: ClassVar[bool] = True
    """Each round selects among the dichotomies of private points; lemma 4.1 bounds the privacy cost of that."""

    @classmethod
    def examples(cls) -> tuple["LabelBoost", ...]:
        """Return two at constants for which one round of few examples is enough."""
        constants = {"eps0": 0.25, "a0": 0.01, "b0": 0.1}
        base = AllConcepts(1.0)
        return (
            cls(base, 10, 0.9, 0.9, Constants(8, 6, **constants), "exact"),
            cls(base, 10, 0.9, 0.9, Constants(7, 6, **constants), "sharp"),
        )

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm; with other constants or accounting, of a variant."""
        return Role.PAPER if self.constants == PAPER else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with that of its base learner."""
        return f"LabelBoost around {self.learner.short_title}"

    @property
    def remark(self) -> str:
        """Whether the constants are the paper's."""
        return "" if self.constants == PAPER else f"keeps 1 of {self.constants.r}, then 1 of {self.constants.r0}"

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee for any number of rounds."""
        assert self.learner.guarantee is not None
        return _for_all_sizes(self.constants, self.learner.guarantee, self.accounting)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Refuse a class that the base learner refuses, or whose VC dimension is unknown."""
        with told_of(self.learner):
            self.learner.check(hypothesis_class)
        _ = hypothesis_class.vc_dimension

    def sizes(self, n_labelled: int, hypothesis_class: HypothesisClass) -> Schedule:
        """Return the sizes of all rounds.

        Args:
            n_labelled: number of labelled private examples.
            hypothesis_class: the class to learn.

        Returns:
            The schedule: what each round reads, thins and labels.

        Raises:
            ValueError: if LabelBoost cannot run with so many labels.
        """
        vc = hypothesis_class.vc_dimension
        plan = schedule(self.constants, n_labelled, self.n, self.alpha, self.beta, vc)
        if plan.failure is not None:
            raise ValueError(f"n_labelled = {n_labelled:,}: {self!r} is {plan.failure} (round {len(plan.rounds) + 1})")
        return plan

    def guarantee_by(self, plan: Schedule) -> Guarantee:
        """Account for a run with given sizes.

        Args:
            plan: sizes of all rounds, as ``sizes`` returns them.

        Returns:
            A guarantee that is never weaker than that for all sizes.
        """
        base = self.learner.guarantee
        assert base is not None
        return _accounted(plan, base.epsilon, base.delta, self.accounting)

    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return how many unlabelled entries all rounds read."""
        return self.sizes(n_labelled, hypothesis_class).unlabelled

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return the sizes of theorem 4.13 with the paper's constants; None for others, or unless labels are right.

        Run with alpha / 11 and beta / 2, for which n is what the base learner needs, it errs by at most alpha with
        probability 1 - beta: it is an (11 alpha, 2 beta)-learner.

        Source:
            BNS15 lemma 4.12, theorem 4.13.
        """
        h = setting.hypothesis_class
        if self.constants != PAPER or setting.best_error > 0:
            return None
        accuracy, failure = alpha / ERRORS, setting.beta / FAILURES
        if (base := base_needed(self.learner, accuracy, changed(setting, beta=failure, sizes={}))) is None:
            return None
        n, vc = sum(base.sizes.values()), h.vc_dimension
        labelled = label_boost_labelled(accuracy, failure, vc)
        labelled = max(labelled, least_labelled(PAPER, n, accuracy, failure, vc))
        learner = changed(self, learner=base.learner, n=n, alpha=accuracy, beta=failure)
        sizes = {"n_labelled": labelled, "n_unlabelled": max(1, learner.unlabelled_needed(labelled, h))}
        rounds = len(learner.sizes(labelled, h).rounds)
        note = f"its base learner needs {n:,} examples; rounds: {rounds}"
        if not rounds:
            note += ": so many labels are enough for the base learner alone"
        return Needed(sizes, learner, "BNS15 theorem 4.13, by lemma 4.12", "every realizable distribution", (note,))

    def check_release(self, prepared: NothingPrepared, n_private: int) -> None:
        """Refuse numbers of labels from which the rounds cannot run, or the base learner on what they end with."""
        super().check_release(prepared, n_private)
        h = prepared.hypothesis_class
        final = self.sizes(n_private, h).final
        with told_of(self.learner):
            inner = self.learner.prepare(no_points(h), h)
        check_release_inside(self.learner, inner, final)

    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Any]:
        """Carry out algorithm 3.

        Costs: the numbers of rounds, of unlabelled entries read and of draws for the base learner; epsilon and delta of
        a run with these sizes.
        """
        h = prepared.hypothesis_class
        x = h.validated(points)
        y = as_labels(labels, len(x))
        entries = ListedEntries(no_points(h)) if unlabelled is None else unlabelled
        self.check_sizes(len(x), entries.n, h)
        plan, reader = self.sizes(len(x), h), entries.reader()

        def read(step: Round) -> Floats:
            return h.validated(thinned(reader, step.read, step.kept_unlabelled, randomness), "unlabelled entries")

        last = boosted(ExampleBlock(h, x, y), plan, read, randomness)
        base = self.learner.release(self.learner.prepare(no_points(h), h), last.points, last.labels, randomness)
        spent = self.guarantee_by(plan)
        cost = {
            "rounds": len(plan.rounds),
            "unlabelled_read": plan.unlabelled,
            "base_examples": plan.final,
            "epsilon_of_sizes": spent.epsilon,
            "delta_of_sizes": spent.delta,
        }
        return Release(base.output, self.guarantee, randomness.source, {**base.cost, **cost})


_MANY = 10**18
"""No run has more examples: one draw more costs more, but less and less."""


@lru_cache(maxsize=256, typed=True)
def _accounted(plan: Schedule, epsilon: float, delta: float, accounting: str) -> Guarantee:
    """Return the guarantee of a run of these sizes around a base learner's: repeated runs account once."""
    return guarantee(label_boost(plan, BaseLearner(epsilon, delta)), accounting)


@cache
def _for_all_sizes(constants: Constants, base: Guarantee, accounting: str) -> Guarantee:
    """Return (epsilon, delta) of the last steps such that no round before them adds to it.

    Epsilon is that of the last steps, or else the least larger hundredth that a round keeps.  A round keeps what it
    keeps at a larger keep ratio than its own, so that this holds for any sizes, and by induction for any number of
    rounds.  Raise ValueError if there is none up to 1, or if the accountant does not cover the constants.
    """
    resampled = Resampled(BaseLearner(base.epsilon, base.delta), _MANY, _MANY)
    try:
        last = guarantee(Subsampled(resampled, [(1, constants.r0)]), accounting)
    except ValueError as error:
        raise ValueError(f"constants = {constants!r}: accounting {accounting!r} does not cover them: {error}") from None
    hundredths = [i / 100 for i in range(1, 101) if i / 100 > last.epsilon]
    for epsilon in [last.epsilon, *hundredths]:
        try:
            again = guarantee(
                Relabelled(BaseLearner(epsilon, last.delta), [(1, constants.r)], constants.eps0), accounting
            )
        except ValueError:  # beyond what the paper's claims cover
            break
        if again.epsilon <= epsilon <= 1 and again.delta <= last.delta:
            return Guarantee(epsilon, last.delta, Neighbours.REPLACE_ENTRY)
    raise ValueError(
        f"constants = {constants!r}: keep too many for (1, delta) in any number of rounds by accounting {accounting!r}"
    )
