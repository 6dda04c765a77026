"""Claims BCM20-L11-literal, T10-literal, T13-literal and T14-literal: what the counterexamples rest on."""

import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bcm20.bounds.sizes import cover_points_class, printed_public
from semipriv_lab.ledger.claim import Run
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
    assert not ((gaps[:, :1] < points) & (points < gaps[:, 1:])).any()
    assert np.diff(gaps, axis=1).sum() == pytest.approx(1)
    assert cover_points_class(alpha, 0.5, 2 * k) > m > printed_public(alpha, 0.5, 2 * k) - 1


def test_all_four_are_refuted() -> None:
    run = Run(Simulation(0), 1.0)
    for one in (printed.lemma_11, printed.theorem_10, printed.theorem_13, printed.theorem_14):
        assert one(run).verdict is Verdict.REFUTED


def test_a_constant_release_is_accurate_to_one_and_flags_few() -> None:
    """Means are in [-1, 1]; a record behind constant answers is flagged as seldom as a fresh one."""
    for total in printed.TOTALS:
        assert total * (1 / total**2) <= 1 / total < 1 - 1 / total**2 or total == 2
    assert 1 - 1 / 4 > 1 / 2
