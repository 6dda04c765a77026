"""Counterexamples to printed statements of ABM19, by enumeration of small cases; the repaired ones stand there."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.abm19.bounds.sizes import bad_probability_bound, cover_points, public_size
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.abm19.studies import printed


def test_bad_is_certain_for_all_subsets_of_six_atoms() -> None:
    """All 64 subsets, all samples of one point: the largest disagreement of two that agree on it."""
    table = np.array(list(itertools.product((False, True), repeat=6)))
    apart = (table[:, None] != table[None]).sum(axis=2)
    for seen in range(6):
        agree = table[:, None, seen] == table[None, :, seen]
        assert Fraction(int(apart[agree].max()), 6) == printed.least_diameter(6, 1)
    assert printed.printed_bound(1, 0.2, 6) == pytest.approx(0.583, abs=1e-3)
    assert bad_probability_bound(1, 0.2, 6) == 1


def unions(atoms: int, k: int) -> np.ndarray:
    """All unions of at most k intervals of atoms."""
    rows = np.array(list(itertools.product((False, True), repeat=atoms)))
    return rows[rows[:, 0] + (~rows[:, :-1] & rows[:, 1:]).sum(axis=1) <= k]


@pytest.mark.parametrize(("k", "n", "atoms"), [(1, 1, 4), (2, 1, 7), (2, 2, 8), (3, 3, 9)])
def test_single_atoms_are_a_cover_of_no_use(k: int, n: int, atoms: int) -> None:
    """Each sample of n atoms, each dichotomy: the chosen union is in the class, agrees, and the radius is as said."""
    table = unions(atoms, k)
    known = {row.tobytes() for row in table}
    for sample in itertools.combinations_with_replacement(range(atoms), n):
        seen = sorted(set(sample))
        members = []
        for labels in {tuple(row) for row in table[:, seen]}:
            member = np.zeros(atoms, bool)
            member[seen] = labels
            assert member.tobytes() in known
            members.append(member)
        radius = max(min(int((row != member).sum()) for member in members) for row in table)
        assert Fraction(radius, atoms) >= printed.unseen_mass(k, n, atoms)
        assert all(1 - Fraction(int(member.sum()), atoms) >= printed.unseen_mass(k, n, atoms) for member in members)


def test_unions_shatter_twice_as_many_points() -> None:
    assert len({tuple(row) for row in unions(4, 2)}) == 2**4
    assert len({tuple(row) for row in unions(5, 2)}) < 2**5


def test_each_constant_is_refuted_inside_of_the_domain() -> None:
    for claim in (printed.lemma_as_printed, printed.theorem_as_printed):
        finding = claim(Run(Simulation(0), 1.0))
        assert finding.verdict is Verdict.REFUTED
        assert {row.verdict for row in finding.measurements} == {Verdict.REFUTED}
        for row in finding.measurements:
            alpha, beta, d, n = (row.settings[name] for name in ("alpha", "beta", "d", "n_public"))
            assert 0 < alpha < 1
            assert n <= d / 2
            assert cover_points(alpha, beta, d) > 8 * d, "the repaired size is no counterexample"
            assert public_size(alpha, beta, d) > 8 * d


def test_bound_without_its_condition_is_refuted_in_each_cell() -> None:
    finding = printed.bound_without_condition(Run(Simulation(0), 1.0))
    assert {row.verdict for row in finding.measurements} == {Verdict.REFUTED}
    assert all(2 * row.settings["m"] < row.settings["d"] for row in finding.measurements)


def test_the_floor_at_alpha_one_is_above_what_a_constant_answer_needs() -> None:
    """The constant 0 errs at most 1 whatever the labels, and more than any smaller alpha where all are 1."""
    for claim in (printed.floor_as_printed, printed.dichotomy_as_printed):
        finding = claim(Run(Simulation(0), 1.0))
        assert finding.verdict is Verdict.REFUTED
        (row,) = (row for row in finding.measurements if row.verdict is Verdict.REFUTED)
        assert row.settings["alpha"] == 1
    labels = np.array(list(itertools.product((0, 1), repeat=4)))
    worst = max(Fraction(int(row.sum()), 4) for row in labels)
    for alpha in (Fraction(1, 100), Fraction(99, 100), Fraction(1)):
        assert printed.constant_failure(alpha) == (worst > alpha)
