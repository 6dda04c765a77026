"""Classes on which the proper output of algorithm 2 is wrong: against runs of the algorithm, and broken on purpose."""

from dataclasses import replace

import numpy as np
import pytest

from semipriv_lab.papers.bbd24.studies.proper import CASES, Case, Setting, excesses, failing, mixed

SIZES = Setting(40_000, 40_000, 60.0, 4000, 0.5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_runs_err_as_often_as_is_proved(case: Case) -> None:
    errors = excesses(case, SIZES, 60, np.random.default_rng(0))
    assert np.mean(errors[:, 0] == pytest.approx(case.excess)) >= failing(case, SIZES) - 0.2
    assert np.all(errors[:, 1] < case.excess / 2)


def test_nothing_is_proved_where_the_output_may_be_right() -> None:
    """One draw is no mean; few records, or loud noise, let any function be chosen."""
    two, *_ = CASES
    assert failing(two, replace(SIZES, count=1)) == 0
    assert failing(two, replace(SIZES, n=20)) == 0
    assert failing(two, replace(SIZES, gamma=300.0)) == 0
    assert failing(two, SIZES) > 0.6
    assert np.all(excesses(two, replace(SIZES, count=1), 20, np.random.default_rng(0))[:, 0] == 0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mixtures_err_no_more_often_than_is_proved(case: Case) -> None:
    """And the bound says nothing where they may err: few records, loud noise, one draw."""
    loud = Setting(4000, 400, 60.0, 100, 0.5)
    errors = excesses(case, loud, 200, np.random.default_rng(1))
    assert np.mean(errors[:, 1] > 0) <= mixed(case, loud)
    assert mixed(case, replace(SIZES, gamma=0.5)) < 0.05
    for worse in (replace(SIZES, n=20), replace(SIZES, gamma=300.0), replace(SIZES, count=1)):
        assert mixed(case, worse) > 0.9
