"""Examples that learners of BNS15 ask for: against the inequalities of their proofs."""

import math
from collections.abc import Callable
from itertools import product

import pytest

from semipriv.papers.bns15.bounds import active, generalisation, learners, sanitizers, strips


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.5, 0.7, 1.0, 20.0])
def test_the_whole_class_is_learned_by_two_union_bounds(epsilon: float) -> None:
    """All of |C| concepts of error above alpha err on alpha n / 2 examples, and are chosen with e^(-epsilon alpha n/4).

    Each of the two fails with probability beta / 2; n is the least number for which both hold.
    """
    for bits, alpha, beta in product((1, 60), (0.05, 0.2), (0.01, 0.2)):
        log_concepts = math.log(2**bits + 1)

        def fails(n: int, alpha: float = alpha, beta: float = beta, log_concepts: float = log_concepts) -> bool:
            chernoff = log_concepts - alpha * n / 8
            chosen = log_concepts - epsilon * alpha * n / 4
            return max(chernoff, chosen) > math.log(beta / 2)

        n = learners.whole_class(learners.log_thresholds(bits), alpha, beta, epsilon)
        assert fails(n - 1)
        assert not fails(n)


SIZES: dict[str, Callable[[float, float, float], int]] = {
    "theorem B.4": lambda alpha, beta, epsilon: generalisation.fixed_target_size(alpha, beta, 1),
    "theorem B.5": lambda alpha, beta, epsilon: generalisation.all_pairs_size(alpha, beta, 1),
    "theorem B.6": lambda alpha, beta, epsilon: generalisation.agnostic_size(alpha, min(beta, 0.01), 1),
    "whole class": lambda alpha, beta, epsilon: learners.whole_class(20.0, alpha, beta, epsilon),
    "labels of GenericLearner": lambda alpha, beta, epsilon: learners.generic_labelled(20.0, alpha, beta, epsilon),
    "pool of GenericLearner": lambda alpha, beta, epsilon: learners.generic_unlabelled(60, alpha, beta, epsilon),
    "labels of LabelBoost": lambda alpha, beta, epsilon: learners.label_boost_labelled(alpha, beta, 1),
    "thinned": lambda alpha, beta, epsilon: learners.thinned(10, min(epsilon, 1.0)),
    "passive labels": lambda alpha, beta, epsilon: active.passive_labels(alpha / 2, beta),
    "net": lambda alpha, beta, epsilon: sanitizers.net_size(max(alpha, 0.01), beta, epsilon, 60, 100),
    "claim 5.7": lambda alpha, beta, epsilon: active.active_size(1, epsilon, min(1 / alpha, 1e300)),
    "sharp": lambda alpha, beta, epsilon: active.sharp_size(1, epsilon, min(1 / alpha, 1e300)),
}
ENDS = 1e-320, 1e-200, 1e-6, 0.999


@pytest.mark.parametrize("name", SIZES)
def test_a_size_is_a_number_or_is_refused(name: str) -> None:
    """To the ends of all floats: none divides by 0 or overflows, and more than 1e308 examples are named as such."""
    for alpha, beta, epsilon in product(ENDS, ENDS, (*ENDS, 1e4, 1e300)):
        try:
            assert 1 <= SIZES[name](alpha, beta, epsilon) <= 10**309
        except ValueError as error:
            if "1e308 examples" not in str(error):
                raise


def test_small_numbers_do_not_cancel() -> None:
    """ln(2240 / (alpha beta)) where alpha beta is no float, and the growth of noise where cosh(1 / scale) is none."""
    actual_label_boost_labelled = learners.label_boost_labelled(1e-200, 1e-200, 1)
    assert actual_label_boost_labelled == pytest.approx(96_000e200 * (math.log(2240) + 400 * math.log(10)))
    assert generalisation.sauer_power(10**6, 10**5) == math.inf
    for scale in (1e300, 7.0, 0.05, 1e-3, 1e-300, 1e-320):
        bound = strips.prefix_deviation(60, scale, 1e-12)
        assert 60 * math.log(2) * scale <= bound < 1e3 * scale + 1e-300
        if 0.01 < scale < 1e3:
            a = 1 / scale
            t = a / 2  # one of the values that are tried
            moment = (math.cosh(a) - 1) / (math.cosh(a) - math.cosh(t))
            assert bound <= (math.log(2e12) + 60 * math.log1p(moment)) / t * (1 + 2e-9)
