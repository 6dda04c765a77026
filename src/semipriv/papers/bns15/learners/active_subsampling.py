"""SubSampling (BNS15 algorithm 4): more private entries instead of more labels."""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.entries import ListedEntries
from semipriv.core.fields import changed, one_of, plug_in, positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import as_labels
from semipriv.core.types import Floats, Integers
from semipriv.learners._inside import check_release_inside, told_of
from semipriv.learners._needs import needed as base_needed
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import AnyLearner, Facts, FiniteOutput, Learner, ListedDistribution, Needed, Setting
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.papers.bns15.bounds.active import active_size, sharp_size
from semipriv.papers.bns15.label_boost.thinning import subset
from semipriv.papers.bns15.label_oracle import LabelOracle
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.privacy.amplification import EXCHANGEABLE, partly_labelled_subset
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release

__all__ = ["ActiveSubsampling"]

RULES = ("smallest", "random")
STEEPEST = 20.0
"""Largest epsilon* of a base learner: the sample that it needs exceeds e^40."""
_MOST = 50_000
"""Most runs of the base learner that a distribution averages over."""


@value
class ActiveSubsampling(Learner[NothingPrepared], FiniteOutput):
    """Runs a learner on n random examples of the private sample, and asks for the labels of n_labelled of them alone.

    For a smaller epsilon it needs more private examples, t = (n / epsilon) (3 + e^(2 epsilon*)), but not more labels.
    With t private examples it is (epsilon', delta')-DP,

        epsilon' = ln(1 + (n/t) (e^(2 epsilon*) - 1)) <= epsilon,  delta' = (n/t) (1 + e^epsilon*) delta,

    for replacing an example with its label (claim 5.7 in exact form; proof: ``partly_labelled_subset``).  If labels go
    to random examples, t = n (e^epsilon* - 1) / (e^epsilon - 1) private ones are enough: then epsilon' = ln(1 + (n/t)
    (e^epsilon* - 1)) and delta' = (n/t) delta.  At epsilon* = 1 and epsilon = 0.1 that is 16.3 n, not 103.9 n, and no
    smaller t is enough around every base learner (BNS15-CL5.7-sharp, proof in docs/findings.md).  Labelled and
    unlabelled examples reach the base learner shuffled.  The places whose labels are asked for are drawn without a look
    at the data; but the proof needs them secret.  So only the hypothesis is released, and the number of labels.

    Args:
        learner: the base learner, (epsilon*, delta)-DP for replaced entries or examples, without public data; a learner
            of labelled examples leaves the others unread.
        epsilon: privacy parameter, finite and > 0.
        n_labelled: labels that are asked for, 1 <= n_labelled <= n.
        n: examples that the base learner gets.
        rule: labels go to the examples of smallest index ('smallest', the paper's), or to random ones ('random').
            These cost epsilon* instead of 2 epsilon*, and take the least t.

    Raises:
        ValueError: for a base learner without a guarantee for replaced entries or examples, with epsilon above 20, or
            that needs public data, and for n < n_labelled.

    Source:
        BNS15 algorithm 4, claim 5.7, theorem 5.8.
    """

    hue: ClassVar[str] = "sky"
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({"n_labelled": 1, "n": 1})
    facts: ClassVar[Facts] = Facts(
        without_public=True,
        others={"learner": {"name": "all_concepts", "epsilon": 0.25}, "n": 3, "n_labelled": 2, "rule": "random"},
    )

    learner: AnyLearner = plug_in("learners", Learner)
    epsilon: float = positive()
    n_labelled: int = size()
    n: int = size()
    rule: str = one_of(RULES, "active_subsampling", default="smallest")

    def __attrs_post_init__(self) -> None:
        base = self.learner.guarantee
        if base is None or base.neighbours not in EXCHANGEABLE:
            raise ValueError(f"learner = {self.learner!r}: must have a guarantee for replaced entries or examples")
        if base.epsilon > STEEPEST:
            raise ValueError(f"learner = {self.learner!r}: must have epsilon <= {STEEPEST:g}")
        if self.learner.public_stage != Nothing() or self.learner.output_kind != "hypothesis":
            raise ValueError(f"learner = {self.learner!r}: must release a hypothesis without public data")
        if self.n < self.n_labelled:
            raise ValueError(f"n = {self.n:,}: must be >= n_labelled = {self.n_labelled:,}")
        _ = self.guarantee

    @classmethod
    def examples(cls) -> tuple["ActiveSubsampling", ...]:
        """Return one of each rule, around learners of labelled examples."""
        return cls(AllConcepts(0.5), 4.0, 1, 2), cls(AllConcepts(1.0), 0.8, 2, 2, "random")

    # ------------------------------------------------------------------ what it says about itself
    @property
    def role(self) -> Role:
        """The role of the paper's algorithm; with random places, of a variant."""
        return Role.PAPER if self.rule == "smallest" else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with that of its base learner."""
        return f"SubSampling around {self.learner.short_title}"

    @property
    def remark(self) -> str:
        """Where labels are asked for, if not where the paper does."""
        return "" if self.rule == "smallest" else "random places"

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon, and delta' at the least number of private examples; with more of them both are smaller."""
        return Guarantee(self.epsilon, self.guarantee_of(self.private_needed).delta)

    def guarantee_of(self, n_private: int) -> Guarantee:
        """Return (epsilon', delta') for a number of private examples, rounded up.

        Args:
            n_private: t, at least n.

        Returns:
            The guarantee of a run with t private examples.

        Raises:
            ValueError: for t < n.
        """
        base = self.learner.guarantee
        assert base is not None
        # one entry differs, too, if there are no unlabelled entries, or if nobody reads them
        moves = self.rule == "smallest" and self.learner.reads_unlabelled and self.n > self.n_labelled
        whole = partly_labelled_subset(base, Fraction(self.n, n_private), moves=moves)
        return Guarantee(whole.epsilon, whole.delta, Neighbours.REPLACE_PRIVATE_EXAMPLE)

    @property
    def private_needed(self) -> int:
        """The least number of private examples, at least n: the paper's t, or the least one if places are random."""
        base = self.learner.guarantee
        assert base is not None
        if self.rule == "random":
            return sharp_size(self.n, self.epsilon, base.epsilon)
        return active_size(self.n, self.epsilon, base.epsilon)

    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Refuse what the base learner refuses to learn from as many entries as it gets."""
        with told_of(self.learner):
            self.learner.check(hypothesis_class)
            if isinstance(self.learner, PartlyLabelledLearner):
                self.learner.check_sizes(self.n_labelled, self.n - self.n_labelled, hypothesis_class)

    def check_private(self, n_private: int) -> None:
        """Refuse too few private examples.

        Raises:
            ValueError: with the number that is needed, unless there are enough private examples.
        """
        if n_private < self.private_needed:
            raise ValueError(f"n_private = {n_private:,}: must be >= {self.private_needed:,} for {self!r}")

    def check_release(self, prepared: NothingPrepared, n_private: int) -> None:
        """Refuse too few private examples, and what the base learner refuses of its part."""
        super().check_release(prepared, n_private)
        with told_of(self.learner):
            inner = self._inner(prepared)
        check_release_inside(self.learner, inner, self.n_labelled)

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return what the base learner needs, and the private examples that this takes (theorem 5.8).

        The n examples that are read are independent draws of the distribution.  So the error is that of the base
        learner.
        """
        if (base := base_needed(self.learner, alpha, changed(setting, sizes={}))) is None:
            return None
        n = sum(base.sizes.values())
        labelled = base.sizes.get("n_labelled", n)
        learner = changed(self, learner=base.learner, n_labelled=labelled, n=n)
        note = f"its base learner reads {n:,} examples; labels asked for: {labelled:,}"
        return Needed(
            {"n_private": learner.private_needed}, learner, f"{base.theorem}, subsampled", base.holds, (note,)
        )

    # ------------------------------------------------------------------ the private stage
    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Any]:
        """Carry out algorithm 4 on t points (t, d) and their labels (t,); all but n_labelled of these stay unread.

        Costs: what the base learner took; the number of labels asked for; epsilon' and delta' for this t.
        """
        x = prepared.hypothesis_class.validated(points)
        oracle = LabelOracle(labels, len(x))
        self.check_private(len(x))
        drawn = subset(len(x), self.n, randomness)  # in random order
        ordered = np.sort(drawn) if self.rule == "smallest" else drawn
        chosen, others = np.sort(ordered[: self.n_labelled]), ordered[self.n_labelled :]
        answers = oracle.tell(chosen)
        order, rest = _shuffle(chosen, randomness), _shuffle(others, randomness)
        base = self.learner.release(
            self._inner(prepared), x[chosen[order]], answers[order], randomness, **self._entries(x[others[rest]])
        )
        spent = self.guarantee_of(len(x))
        cost = {"labels_asked": len(oracle.asked), "epsilon_of_sizes": spent.epsilon, "delta_of_sizes": spent.delta}
        return Release(base.output, self.guarantee, randomness.source, {**base.cost, **cost})

    def output_distribution(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike
    ) -> ListedDistribution:
        """Return the exact distribution, which averages over all choices and orders of the examples that are read.

        Raises:
            ValueError: if they are more than 50,000, or if the base learner has no finite output distribution.
        """
        if not isinstance(self.learner, FiniteOutput):
            raise ValueError(f"{self.learner!r} has no finite output distribution")
        x = prepared.hypothesis_class.validated(points)
        y = as_labels(labels, len(x))
        self.check_private(len(x))
        if math.perm(len(x), self.n) > _MOST:
            raise ValueError(f"n_private = {len(x):,}: there are more than {_MOST:,} choices of {self.n:,} examples")
        masses: defaultdict[tuple[float, ...], float] = defaultdict(float)
        choices = list(itertools.permutations(range(len(x)), self.n))
        if self.rule == "smallest":
            m = self.n_labelled
            choices = [choice for choice in choices if not choice[m:] or max(choice[:m]) < min(choice[m:])]
        inner = self._inner(prepared)
        for choice in choices:
            labelled, others = list(choice[: self.n_labelled]), list(choice[self.n_labelled :])
            distribution: ListedDistribution = self.learner.output_distribution(
                inner, x[labelled], y[labelled], **self._entries(x[others])
            )
            for row, log in zip(distribution.parameters.tolist(), distribution.log_probabilities.tolist(), strict=True):
                masses[tuple(row)] += math.exp(log)
        total = math.fsum(masses.values())
        return ListedDistribution(np.array(list(masses)), np.log(np.array(list(masses.values())) / total))

    def _inner(self, prepared: NothingPrepared) -> Any:
        return self.learner.prepare(no_points(prepared.hypothesis_class), prepared.hypothesis_class)

    def _entries(self, points: Floats) -> dict[str, ListedEntries]:
        """Return the argument of the base learner that holds unlabelled entries, if it reads them."""
        return {"unlabelled": ListedEntries(points)} if self.learner.reads_unlabelled else {}


def _shuffle(places: Integers, randomness: Randomness) -> Integers:
    return subset(len(places), len(places), randomness)
