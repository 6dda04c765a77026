"""Studies of LabelBoost: distributions and errors, failures of round 1 by counts against runs, a mutant."""

import math

import numpy as np
import pytest

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.label_boost.procedure import IntegerBlock
from semipriv.papers.bns15.label_boost.schedule import Constants, schedule
from semipriv_lab.papers.bns15.studies import agnostic, base_learners, boosted, boosting
from semipriv_lab.papers.bns15.studies._boosting import (
    TOP,
    AtomsAndUniform,
    any_distribution_bound,
    base_need,
    corner,
    first_round,
    largest_error,
    lowest_cut,
    run,
    tail,
    two_atoms,
)


@pytest.mark.parametrize(
    "distribution", [two_atoms(0.25), corner(0.25), two_atoms(0.1, 2**10)], ids=lambda distribution: distribution.name
)
def test_errors_are_masses(distribution: AtomsAndUniform) -> None:
    points = distribution.draw(40_000, np.random.default_rng(1))
    assert points.min() >= 0
    assert points.max() < distribution.top
    for cut in (0, 1, 2, distribution.top // 3, distribution.top - 1, distribution.top, 2**80):
        share = np.mean((points < min(cut, distribution.top)) != (points < distribution.target))
        assert distribution.error(cut) == pytest.approx(share, abs=0.02)
    assert distribution.error(distribution.target) == 0


@pytest.mark.parametrize(("kept", "block", "atom"), [(39, 3000, 0.25), (60, 3000, 0.25), (120, 20_000, 0.105)])
def test_failures_of_round_one_by_counts_hold_those_of_runs(kept: int, block: int, atom: float) -> None:
    distribution, runs, failed = two_atoms(atom), 400, 0
    for trial in range(runs):
        generator = Simulation(trial).spawn("data").generator
        values = distribution.draw(kept, generator)
        start = IntegerBlock(values, values < distribution.target)
        after, _ = start.relabelled(distribution.draw(block, generator), 1.0, Simulation(trial).spawn("coins"))
        failed += largest_error(distribution, after) >= atom
    bounds = first_round(kept, block, atom)
    spread = 4 * math.sqrt(0.25 / runs)
    assert bounds.low > 0
    assert bounds.low - spread <= failed / runs <= bounds.high + spread
    assert bounds.high <= any_distribution_bound(kept, block, atom) + 1e-6


def test_largest_error_is_that_of_an_end_of_the_cell() -> None:
    distribution = two_atoms(0.25)
    block = IntegerBlock(np.array([0, 1, 5]), np.array([True, False, False]))
    assert largest_error(distribution, block) == 0
    assert largest_error(distribution, IntegerBlock(np.array([0, 5]), np.array([True, False]))) == pytest.approx(
        0.25, abs=1e-6
    )
    assert largest_error(distribution, IntegerBlock(np.array([0]), np.array([False]))) == 0.5
    assert largest_error(distribution, IntegerBlock(np.array([TOP - 1]), np.array([True]))) == pytest.approx(
        0.5, abs=1e-6
    )


def test_tail_is_exact() -> None:
    class Three:
        def histogram(self) -> tuple[np.ndarray, np.ndarray]:
            return np.array([1, 3, 4]), np.array([1, 2, 5])

    weights = np.array([1, 2, 5]) * np.exp(-np.array([1, 3, 4]) / 2)
    assert tail(Three(), 1.0, 3) == pytest.approx(weights[2] / weights.sum())
    assert tail(Three(), 1.0, 2.9) == pytest.approx(weights[1:].sum() / weights.sum())


@pytest.mark.parametrize("study", [boosting, boosted], ids=lambda study: study.__name__)
def test_starts_are_the_least_from_which_the_rounds_end(study) -> None:
    for bits, start in study.STARTS.items():
        ends = [
            schedule(study.CONSTANTS, m, base_need(bits, 0.2, 0.2), 0.2, 0.2, 1).failure is None
            for m in (start - 1, start)
        ]
        assert ends == [False, True]


def test_a_run_with_too_few_labels_fails_where_one_with_enough_does_not() -> None:
    distribution, need = two_atoms(0.25), base_need(60, 0.2, 0.2)
    plan = schedule(Constants(17, 6, a0=1), 5367, need, 0.2, 0.2, 1)
    assert all(run(distribution, 5367, plan, 60, Simulation(seed)) <= 0.2 for seed in range(5))


def test_excess_errors_are_counted_over_the_whole_distribution() -> None:
    distribution = agnostic.coin(0.1)
    for cut in (0, 7, 2**19, 2**20):
        predicted = np.arange(2**20) < cut
        assert distribution.excess[cut] + min_error(distribution) == pytest.approx(
            np.mean(predicted != distribution.labels), abs=1e-12
        )
    assert distribution.excess.min() == 0
    assert np.argmin(distribution.excess) == pytest.approx(2**19, rel=0.02)
    assert distribution.labels[: 2**19].mean() == pytest.approx(0.7, abs=0.005)
    assert lowest_cut(IntegerBlock(np.array([3, 8]), np.array([True, False]))) == 4


def min_error(distribution: agnostic.Coin) -> float:
    below = np.append(0, np.cumsum(~distribution.labels))
    return float((below + distribution.labels.sum() - np.append(0, np.cumsum(distribution.labels))).min()) / 2**20


def test_rates_are_equal_at_the_largest_alpha() -> None:
    assert agnostic.agnostic_rate(0.2) == agnostic.realisable_rate(0.2) == 41
    assert agnostic.agnostic_rate(0.00625) == 85_564


def test_hash_functions_learn_a_point() -> None:
    errors = [base_learners.forced(base_learners.points(16), Simulation(seed)) for seed in range(3)]
    assert max(errors) <= 0.2
    assert base_learners.points(8).n == base_learners.points(30).n


def test_rectangles_are_counted_and_shatter_as_many_points_as_their_dimension() -> None:
    for dimension, bits in ((1, 2), (2, 2)):
        every = DiscreteRectangles(dimension, bits).concepts
        assert base_learners.log_rectangles(dimension, bits) == pytest.approx(math.log(every), rel=1e-12)
    assert base_learners.largest_shattered(2, 1) == 2, "subcubes of a square"


def test_good_hash_functions_by_counting() -> None:
    """With the point and another, each of mass 1/2, a function is good if it tells them apart the right way."""
    distribution, k = {3: 0.5, 200: 0.5}, base_learners.buckets()[0]
    total = sum(
        ((a * 3 + b) % 257 % k == 0) and ((a * 200 + b) % 257 % k != 0) for a in range(1, 257) for b in range(257)
    )
    assert base_learners.good(distribution, 3) == pytest.approx(total / (256 * 257), rel=1e-12)


def test_a_learner_that_errs_in_every_round_errs_to_one_side() -> None:
    cell = boosting.Cell(4096)
    errors = np.array(boosting.erring(cell, Simulation(3)))
    assert np.all(np.diff(errors) > 0)
    alphas = np.array([actual_round.alpha for actual_round in cell.plan.rounds])
    assert errors == pytest.approx(np.cumsum(alphas), rel=0.5)
