"""Claims BCM20-L11-literal, T10- to T15-literal and L18-literal: what the counterexamples rest on."""

import math

import numpy as np
import pytest
import scipy.stats

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bcm20.bounds.sizes import cover_points_class, printed_public
from semipriv_lab.ledger.checked import contradictions
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.papers.bcm20.studies import printed


@pytest.mark.parametrize("constant", printed.CONSTANTS)
def test_the_gaps_are_a_union_of_the_class_that_agrees_with_none(constant: int) -> None:
    """k intervals hold all gaps between the printed number of points, and none of the points."""
    alpha, k, m = printed.too_few(constant)
    assert m == math.ceil(constant * (2 * k * math.log(1 / alpha) + math.log(2)) / alpha)
    points = np.sort(np.random.default_rng(1).random(m))
    ends = np.concatenate([[0.0], points, [1.0]])
    gaps = np.column_stack([ends[:-1], ends[1:]])
    assert len(gaps) <= k
    inside = np.searchsorted(points, gaps[:, 1], "left") - np.searchsorted(points, gaps[:, 0], "right")
    assert (inside <= 0).all()
    assert np.diff(gaps, axis=1).sum() == pytest.approx(1)
    assert cover_points_class(alpha, 0.5, 2 * k) > m > printed_public(alpha, 0.5, 2 * k) - 1


EVERY = (
    printed.lemma_11,
    printed.theorem_10,
    printed.theorem_13,
    printed.theorem_14,
    printed.theorem_15,
    printed.lemma_18,
)


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: claim.id)
def test_all_are_refuted_inside_of_their_domains(claim: Claim) -> None:
    finding = claim(Run(Simulation(0), 1.0))
    assert finding.verdict is Verdict.REFUTED
    assert all(row.verdict is Verdict.REFUTED for row in finding.measurements)
    assert contradictions(claims()[claim.id], domain_of(claims()[claim.id]), finding.measurements) == []


@pytest.mark.parametrize("coins", [1, 20, 692])
@pytest.mark.parametrize("mean", [0.0101, 0.05])
def test_whoever_sees_few_coins_takes_the_wrong_sign(coins: int, mean: float) -> None:
    """The bound is below the exact error of the majority, ties by a coin, which no rule beats."""
    distribution = scipy.stats.binom(coins, (1 + mean) / 2)
    exact = distribution.cdf((coins - 1) // 2) + (distribution.pmf(coins // 2) / 2 if coins % 2 == 0 else 0)
    assert printed.bayes_error(coins, mean) <= exact + 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), printed.LOOSE)
@pytest.mark.parametrize("constant", printed.CONSTANTS)
def test_two_functions_need_more_records_than_are_printed(constant: int, epsilon: float, delta: float) -> None:
    """As many as the form asks for at delta = 1e-6 and epsilon = 1 do tell the signs."""
    alpha, m, n = printed.two_functions(constant, epsilon, delta)
    assert printed.bayes_error(n + m, 1.01 * alpha) > 0.3 > printed.SMALL_BETA
    usual = printed.two_functions(constant, 1.0, 1e-6)
    assert printed.bayes_error(sum(usual[1:]), 1.01 * alpha) < 0


def test_a_constant_release_is_accurate_to_one_and_flags_few() -> None:
    """Means are in [-1, 1]; a record behind constant answers is flagged as seldom as a fresh one."""
    for total in printed.TOTALS:
        assert total * (1 / total**2) <= 1 / total < 1 - 1 / total**2 or total == 2
    assert 1 - 1 / 4 > 1 / 2
