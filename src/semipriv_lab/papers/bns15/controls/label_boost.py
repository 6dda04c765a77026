"""Negative controls of LabelBoost: thinning by content, a subset used twice, the order of entries kept.

Dichotomies weighted by the number of their hypotheses break no privacy.  Then algorithm 2 is the exponential
mechanism over the whole class, whose marginal distribution on common points does not depend on other points.  What is
lost is
accuracy: see the study of BNS15-L4.12.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

from semipriv.classes.thresholds import Thresholds
from semipriv.papers.bns15.label_boost.accounting import (
    BaseLearner,
    Mechanism,
    Relabelled,
    Resampled,
    Subsampled,
    guarantee,
)
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.privacy.slots import Record
from semipriv_lab.controls.base import Control, registered
from semipriv_lab.papers.bns15.controls.enumeration import DOMAIN, Examples, Keep, Toy, at_random, by_content, by_place

LINE = Thresholds("lt")
EXAMPLES: list[Record] = [(point, label) for point in DOMAIN for label in (0, 1)]


class Tell:
    """Randomised response on the first example: says, with probability e^epsilon / (1 + e^epsilon), if it is at 0."""

    def __init__(self, epsilon: float) -> None:
        self.true = -math.log1p(math.exp(-epsilon))
        self.false = self.true - epsilon

    def __call__(self, examples: Examples) -> LogProbabilities:
        """Return the distribution of the answer."""
        there = examples[0][0] == DOMAIN[0]
        return {True: self.true if there else self.false, False: self.false if there else self.true}


def _last_steps(final: int, total: int, epsilon: float) -> Mechanism:
    return Subsampled(Resampled(BaseLearner(epsilon), final, final), [(final, total)])


@registered
def label_boost_thinned_by_content() -> Control:
    """LabelBoost without a round that keeps the least of three examples."""

    def thinned_by(keep: Keep) -> Toy:
        return Toy(LINE, 3, (), 1, Tell(1.0), keep_last=keep)

    return Control(
        "which entries are kept depends on what they are",
        guarantee(_last_steps(1, 3, 1.0), "exact").epsilon,
        [EXAMPLES] * 3,
        thinned_by(at_random).output_distribution,
        thinned_by(by_content).output_distribution,
    )


@registered
def label_boost_subset_reused() -> Control:
    """One round of LabelBoost; the last thinning keeps what the round kept of the labelled part.

    One of two labelled examples is kept, all of 19 unlabelled entries at one point, and one of these 20 at the end.
    """
    epsilon, unlabelled = 4.0, 19

    def thinned_by(keep: Keep) -> Toy:
        return Toy(LINE, 2, ((unlabelled, 1, unlabelled),), 1, Tell(epsilon), keep_last=keep)

    tree = Relabelled(_last_steps(1, unlabelled + 1, epsilon), [(1, 2)])
    return Control(
        "the last thinning uses the subset of the round again: what was kept once is kept for sure",
        guarantee(tree, "sharp").epsilon,
        [EXAMPLES] * 2 + [[DOMAIN[2]]] * unlabelled,
        thinned_by(at_random).output_distribution,
        thinned_by(by_place).output_distribution,
    )


@registered
def label_boost_order_kept() -> Control:
    """LabelBoost without a round that keeps two of three examples in their order, for a learner that looks at it.

    The learner says 1 with probability e^(y_1 - y_2) / 1000: it is 1-DP.  Without the shuffle a subset is no sample of
    a multiset (BNS15 remark 4.4).
    """

    def base(examples: Examples) -> LogProbabilities:
        (_, first), (_, second) = examples
        unit = math.exp(first - second) / 1000
        return {1: math.log(unit), 0: math.log1p(-unit)}

    def shuffled(records: Sequence[Record], keep: int) -> Iterator[tuple[tuple[Record, ...], float]]:
        for kept, share in at_random(records, keep):
            orders = list(itertools.permutations(kept))
            yield from ((order, share / len(orders)) for order in orders)

    def thinned_by(keep: Keep) -> Toy:
        return Toy(LINE, 3, (), 2, base, keep_last=keep, resample=False)

    return Control(
        "the kept examples come in the order of the table",
        guarantee(Subsampled(BaseLearner(1.0), [(2, 3)]), "exact").epsilon,
        [[(DOMAIN[0], 0), (DOMAIN[0], 1)]] * 3,
        thinned_by(shuffled).output_distribution,
        thinned_by(at_random).output_distribution,
    )
