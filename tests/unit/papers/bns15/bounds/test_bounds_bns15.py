"""Examples that learners of BNS15 ask for: against the inequalities of their proofs."""

import math
from itertools import product

import pytest

from semipriv.papers.bns15.bounds import learners


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
