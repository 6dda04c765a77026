"""LabelBoost (BNS15 algorithm 3): a private learner learns from few labels and many unlabelled private entries."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.entries import Entries, ListedEntries
from semipriv.fields import between, checked, one_of, plug_in, size, value
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.all_concepts import AllConcepts
from semipriv.learners.base import AnyLearner, Learner
from semipriv.privacy.amplification import EXCHANGEABLE, with_replacement, without_replacement
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Randomness
from semipriv.registry import check_name
from semipriv.roles import Role
from semipriv.samples import as_labels
from semipriv.semisupervised.procedure import ExampleBlock, boosted
from semipriv.semisupervised.schedule import NAMED, PAPER, Constants, Round, Schedule, schedule
from semipriv.semisupervised.thinning import thinned
from semipriv.stages.base import no_points
from semipriv.stages.nothing import NothingPrepared

__all__ = ["LabelBoost"]

ACCOUNTS = ["paper", "exact", "sharp"]


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
    from numbers of examples and from constants: ``semipriv.semisupervised.schedule``.  The order of entries does not
    matter to any step but what is read: a table must not be sorted by content.

    learner: the base learner, (1, delta)-DP, without public data, or ``{"name": ..., parameter: value}``.  n: examples
    with which it is accurate; it gets n or a few more.  alpha, beta: in (0, 1); from them follow those of the rounds.
    constants: a name ('paper', 'exact', 'sharp', 'exact_least', 'sharp_least'), or given in full.  accounting: 'paper'
    (lemma 4.6), 'exact' (its lemmas with their true factors) or 'sharp' (with this package's factors).
    """

    learner: AnyLearner = plug_in("learners", Learner)
    n: int = size()
    alpha: float = between(0, 1)
    beta: float = between(0, 1)
    constants: Constants = checked(_constants, default=PAPER)
    accounting: str = one_of(ACCOUNTS, "label boost", default="paper")

    def __attrs_post_init__(self) -> None:
        own = self.learner.guarantee
        if own is None or own.epsilon > 1 or own.neighbours not in EXCHANGEABLE:
            raise ValueError(f"learner = {self.learner!r}: must have a guarantee (1, delta) for replaced examples")
        if self.learner.reads_unlabelled and type(self.learner) is type(self):
            raise ValueError(f"learner = {self.learner!r}: must learn from labelled examples")
        _claimed(self.constants, own, self.accounting)

    @classmethod
    def examples(cls) -> tuple["LabelBoost", ...]:
        """Return one at the paper's constants, and two at scaled ones."""
        scaled = Constants(17, 6, a0=1.0)
        base = AllConcepts(1.0)
        return cls(base, 2, 0.5, 0.5), cls(base, 2, 0.5, 0.5, scaled, "exact"), cls(base, 2, 0.5, 0.5, scaled, "sharp")

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
        return _claimed(self.constants, self.learner.guarantee, self.accounting)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the base learner learns the class and its VC dimension is known."""
        self.learner.check(hypothesis_class)
        _ = hypothesis_class.vc_dimension

    def sizes(self, n_labelled: int, hypothesis_class: HypothesisClass) -> Schedule:
        """Return the sizes of all rounds; raise ValueError if LabelBoost cannot run with so many labels."""
        vc = hypothesis_class.vc_dimension
        found = schedule(self.constants, n_labelled, self.n, self.alpha, self.beta, vc)
        if found.failure is not None:
            raise ValueError(
                f"n_labelled = {n_labelled:,}: {self!r} is {found.failure} (round {len(found.rounds) + 1})"
            )
        return found

    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return how many unlabelled entries all rounds read."""
        return self.sizes(n_labelled, hypothesis_class).unlabelled

    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Any]:
        """Carry out algorithm 3; its costs are the number of rounds, of entries read and of draws for the base."""
        h = prepared.hypothesis_class
        x = h.validated(points)
        y = as_labels(labels, len(x))
        entries = ListedEntries(no_points(h)) if unlabelled is None else unlabelled
        self.check_sizes(len(x), entries.n, h)
        plan, reader = self.sizes(len(x), h), entries.reader()

        def read(each: Round) -> NDArray[np.float64]:
            return h.validated(thinned(reader, each.read, each.kept_unlabelled, randomness), "unlabelled entries")

        last = boosted(ExampleBlock(h, x, y), plan, read, randomness)
        base = self.learner.release(self.learner.prepare(no_points(h), h), last.points, last.labels, randomness)
        cost = {"rounds": len(plan.rounds), "unlabelled_read": plan.unlabelled, "base_examples": plan.final}
        return Release(base.output, self.guarantee, randomness.source, {**base.cost, **cost})


def _claimed(constants: Constants, base: Guarantee, accounting: str) -> Guarantee:
    import math

    own = Guarantee(1.0, base.delta, Neighbours.REPLACE_ENTRY)
    if accounting == "paper":
        if constants.r < 58 or constants.r0 < 247 or constants.eps0 > 1:
            raise ValueError(
                f"constants = {constants!r}: lemma 4.6 needs r >= 58, r0 >= 247 and eps0 <= 1: take accounting 'exact'"
            )
        return Guarantee(1.0, 41 * base.delta, Neighbours.REPLACE_ENTRY)
    first = without_replacement(with_replacement(own, 10**6, 10**6), 1 / constants.r0)
    e = constants.eps0
    growth = math.log(4) + e if accounting == "exact" else 2 * math.log1p(math.exp(e / 2))
    again = without_replacement(Guarantee(1 + growth, 0.0, Neighbours.REPLACE_ENTRY), 1 / constants.r)
    if max(first.epsilon, again.epsilon) > 1:
        raise ValueError(f"constants = {constants!r}: do not give epsilon = 1 in every round")
    return Guarantee(1.0, 3 * base.delta, Neighbours.REPLACE_ENTRY)
