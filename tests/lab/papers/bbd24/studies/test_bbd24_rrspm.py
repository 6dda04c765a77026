"""What the exact studies of RRSPM stand on, against enumeration: mistakes on the line, neighbours, runs of the code."""

from itertools import product

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv_lab.papers.bbd24.studies import gaussian, rrspm_law, rrspm_lemmas, rrspm_noise
from semipriv_lab.papers.bbd24.studies._line import Records, least_mistakes, neighbours


def by_enumeration(records: Records, points: int) -> list[int]:
    """Least mistakes in each cell, with the records at numbers of their own: slot 2 k is (k, k + 1), 2 k - 1 is k."""
    places, inside = [], {}
    for slot, _ in records:
        inside[slot] = inside.get(slot, 0) + 1
        places.append((slot + 1) / 2 if slot % 2 else slot / 2 + inside[slot] / 10)
    least = []
    for cell in range(points + 1):
        cuts = np.concatenate([np.arange(cell + 0.001, cell + 1, 0.01), [cell + 1]])
        mistakes = [sum(int(x >= t) != y for x, (_, y) in zip(places, records, strict=True)) for t in cuts]
        least.append(min(mistakes))
    return least


def test_least_mistakes_are_those_of_all_cuts() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        m, n = int(rng.integers(1, 5)), int(rng.integers(0, 6))
        records = tuple((int(s), int(rng.integers(2))) for s in sorted(rng.integers(0, 2 * m + 1, n)))
        computed_by_enumeration = by_enumeration(records, m)
        assert least_mistakes(records, m) == tuple(q - min(computed_by_enumeration) for q in computed_by_enumeration)


def test_neighbours_are_all_pairs_that_differ_in_one_record() -> None:
    m, n = 2, 2
    slots = range(2 * m + 1)
    sets = [tuple(s) for s in product(product(slots, (0, 1)), repeat=n) if s[0][0] <= s[1][0]]
    pairs = {
        tuple(sorted((least_mistakes(first, m), least_mistakes(other, m))))
        for first, other in product(sets, repeat=2)
        if any(first[i] == other[j] for i, j in product(range(n), repeat=2))
    }
    assert set(neighbours(m, n)) == {pair for pair in pairs if pair[0] != pair[1]}
    assert set(neighbours(m, n, cells=False)) < set(neighbours(m, n))


def test_runs_of_the_code_are_those_of_all_labelings() -> None:
    weights = np.random.default_rng(5).normal(0, 3, (400, 7))
    labelings = (np.arange(128)[:, None] >> np.arange(7)) & 1
    member = np.bitwise_xor.reduce(labelings * np.arange(1, 8), axis=1) == 0
    cost = weights @ labelings.T
    best, others = cost[:, member].min(axis=1), cost[:, ~member].min(axis=1)
    assert gaussian.won(weights) == ((best + 1 < others).sum(), (best < others + 1).sum())
    assert gaussian.won(weights)[0] < gaussian.won(weights)[1]


def test_least_sizes_and_largest_constants_of_the_counterexample() -> None:
    assert gaussian.least_points(1.0, 1e-5) == 7
    assert gaussian.least_points(50.0, 1e-5) == 2**14 - 1
    assert gaussian.least_points(100.0, 1e-5) == 0
    assert gaussian.largest_constant(15, 1e-5) == pytest.approx(1.7272, abs=1e-3)
    line = gaussian.line_delta(3, 2, 1.0, 1.0)
    assert 0.05 < line < 1, "normal weights of scale 1 are far from private"


def test_distributions_on_the_line_use_up_the_teaching_scale_from_two_records_on() -> None:
    assert rrspm_law.line_loss(3, 1, 2.0)[0] == pytest.approx(0.8862, abs=1e-4)
    for m in (1, 2, 4):
        assert rrspm_law.line_loss(m, 2, 2.0)[0] == pytest.approx(1, abs=1e-9)
        assert rrspm_law.line_loss(m, 2, 2.0 * m)[0] == pytest.approx(1 / m, abs=1e-9)
    assert rrspm_law.line_shift(3, 2) == 2
    assert rrspm_law.leaked(2.0) == pytest.approx(0.5)
    assert rrspm_law.mean_error(4, 0.3) == pytest.approx(1 / 30, abs=1e-6), "next to no noise"


def test_shifts_of_two_keep_the_winner_and_smaller_ones_do_not() -> None:
    generator = Simulation(1).spawn("shifts").generator
    for case in (rrspm_lemmas._cube(4), rrspm_lemmas._line(3, 2), rrspm_lemmas._intervals(5)):
        assert rrspm_lemmas.winner_changes(case, 500, 2.0, generator) == 0
    assert rrspm_lemmas.winner_changes(rrspm_lemmas._cube(4), 500, 1.5, generator) > 0
    assert rrspm_lemmas.least_distance(np.eye(3, dtype=bool)) == 2


def test_tails_are_those_of_another_choice() -> None:
    rng = np.random.default_rng(2)
    for excess in (1.0, 3.0):
        weights = rng.laplace(size=(40_000, 4))
        noise = np.pad(np.cumsum(weights[:, ::-1], axis=1)[:, ::-1], ((0, 0), (0, 1)))
        shares = []
        for cell in range(5):
            mistakes = np.where(np.arange(5) == cell, 0.0, excess)
            shares.append(np.mean((noise + mistakes).argmin(axis=1) != cell))
        assert rrspm_noise.tail(4, excess) == pytest.approx(max(shares), abs=0.015)
    assert rrspm_noise.need(4, 0.05) == pytest.approx(4.919, abs=0.005)
    assert rrspm_noise.tail(4, rrspm_noise.need(4, 0.05)) == pytest.approx(0.05, abs=1e-3)
