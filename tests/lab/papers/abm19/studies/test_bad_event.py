"""Bad diameters as sums of spacings against all pairs of hypotheses; claims on covers and their negative controls."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.distributions import spacings
from semipriv.papers.abm19.bounds import spacings as abm19_spacings
from semipriv_lab.ledger.claim import Claim, Run, findings
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.abm19.studies import bad_event as abm19_bad_event
from semipriv_lab.papers.abm19.studies.bad_event import (
    Atoms,
    bound_on_bad,
    cases,
    exact_probability,
    lemma,
    radii_of_covers,
)


def largest_difference(table: np.ndarray, public: np.ndarray, weights: np.ndarray) -> float:
    """Largest weighted Hamming distance of two rows that agree on the public columns, over all pairs."""
    same = np.all(table[:, None, public] == table[None, :, public], axis=2)
    different = (table[:, None] != table[None]) @ weights
    return float(np.where(same, different, 0).max())


def gaps(public: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight strictly between neighbouring public atoms, before the first and after the last."""
    edges = np.concatenate([[-1], np.sort(public), [len(weights)]])
    return np.array([weights[a + 1 : b].sum() for a, b in itertools.pairwise(edges)])


def drawn(n: int, sizes: Iterable[int], generator: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Unequal weights of n atoms, and which of them are public, for each number of public atoms."""
    for m in sizes:
        weights = generator.integers(1, 6, n).astype(float)
        yield weights, generator.choice(n, m, replace=False)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_halfspaces_on_the_moment_curve(dimension: int) -> None:
    """Every number of public atoms, unequal weights: the package's dichotomies, all pairs."""
    n = 11
    t = np.linspace(0.1, 1, n)
    table = Halfspaces(dimension).cover(t[:, None] ** np.arange(1, dimension + 1)).listed().dichotomies()
    for weights, public in drawn(n, [*range(n), *range(3, n)], np.random.default_rng(dimension)):
        diameter = abm19_spacings.moment_curve_diameters(gaps(public, weights)[None], dimension)[0]
        assert diameter == pytest.approx(largest_difference(table, public, weights)), (public, weights)


def unions(n: int, k: int) -> np.ndarray:
    """All unions of at most k intervals of n atoms."""
    rows = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return rows[rows[:, 0] + (np.diff(rows, axis=1) == 1).sum(axis=1) <= k].astype(bool)


@pytest.mark.parametrize(
    ("table", "d"),
    [
        (Thresholds().cover(np.arange(12.0)).listed().dichotomies(), 1),
        (Intervals().cover(np.arange(12.0)).listed().dichotomies(), 2),
        (unions(9, 2), 4),
    ],
    ids=["thresholds", "intervals", "two intervals"],
)
def test_classes_on_the_line(table: np.ndarray, d: int) -> None:
    """Every number of public atoms, even fewer than gaps could be filled."""
    n = table.shape[1]
    for weights, public in drawn(n, range(n), np.random.default_rng(d)):
        diameter = spacings.line_diameters(gaps(public, weights)[None], d)[0]
        assert diameter == pytest.approx(largest_difference(table, public, weights))


def test_halfspaces_on_a_circle() -> None:
    """Gaps around the circle: the one before the first atom in the list goes on after the last."""
    generator = np.random.default_rng(6)
    n = 12
    angle = np.sort(2 * np.pi * generator.random(n))
    atoms = np.column_stack([np.cos(angle), np.sin(angle)])
    h = Halfspaces(2)
    table = h.predict(h.cover(atoms).listed().parameters, atoms)
    for weights, public in drawn(n, [*range(1, n), *range(1, n)], generator):
        first, *inner, last = gaps(public, weights)
        diameter = abm19_spacings.circle_diameters(np.array([[*inner, first + last]]))[0]
        assert diameter == pytest.approx(largest_difference(table, public, weights)), (public, weights)


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (6, 0, 1, 2), (5, 1, 2, 3), (1, 1, 9, 1)])
def test_rectangles_on_the_cross(sizes: tuple[int, ...]) -> None:
    """Arms of equal and unequal numbers of atoms: with most of them on one arm its two largest gaps can decide."""
    generator = np.random.default_rng(4)
    arms = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    atoms = np.array([(s * x, s * y) for (x, y), k in zip(arms, sizes, strict=True) for s in range(1, k + 1)], float)
    own, place = np.repeat(np.arange(4), sizes), np.concatenate([np.arange(k) for k in sizes])
    n = len(atoms)
    h = Rectangles(2)
    table = np.unique(h.predict(h.cover(atoms).listed().parameters, atoms), axis=0)
    for weights, public in drawn(n, [*range(n), *range(2, 8), *range(2, 8)], generator):
        parts = [gaps(place[public[own[public] == a]], weights[own == a]) for a in range(4)]
        arm = np.repeat(np.arange(4), [len(part) for part in parts])
        innermost = np.concatenate([np.arange(len(part)) == 0 for part in parts])
        diameter = abm19_spacings.cross_diameters(np.concatenate(parts)[None], arm[None], innermost[None])[0]
        assert diameter == pytest.approx(largest_difference(table, public, weights)), (public, weights)


def test_one_point_leaves_everything_open() -> None:
    """On each distribution two hypotheses that agree on at most one point may differ elsewhere; not so thresholds."""
    generator = np.random.default_rng(7)
    for m in (0, 1):
        for diameters in (
            abm19_spacings.bad_diameters_circle(m, 60, generator),
            abm19_spacings.bad_diameters_cross(m, 60, generator),
            *(abm19_spacings.bad_diameters_moment_curve(m, d, 60, generator) for d in (1, 2, 3)),
            spacings.bad_diameters(m, 2, 60, generator),
        ):
            np.testing.assert_allclose(diameters, 1)
    assert (spacings.bad_diameters(1, 1, 60, generator) < 1).all()
    np.testing.assert_allclose(abm19_spacings.bad_diameters_circle(2, 60, generator), 1)
    assert (abm19_spacings.bad_diameters_circle(3, 60, generator) < 1).all()


def test_simulated_diameters_are_those_of_points() -> None:
    """Quantiles of the simulations against points drawn and sorted one sample at a time."""
    generator = np.random.default_rng(0)
    m, trials = 15, 4000
    curve, cross, circle = np.empty(trials), np.empty(trials), np.empty(trials)
    for i in range(trials):
        spacings = np.diff(np.sort(generator.random(m)), prepend=0.0, append=1.0)
        curve[i] = abm19_spacings.moment_curve_diameters(spacings[None], 3)[0]
        angle = np.sort(generator.random(m))
        circle[i] = abm19_spacings.circle_diameters(np.diff(angle, append=angle[0] + 1)[None])[0]
        arm, place = generator.integers(4, size=m), generator.random(m)
        parts = [np.diff(np.sort(place[arm == a]), prepend=0.0, append=1.0) / 4 for a in range(4)]
        of = np.repeat(np.arange(4), [len(part) for part in parts])
        first = np.concatenate([np.arange(len(part)) == 0 for part in parts])
        cross[i] = abm19_spacings.cross_diameters(np.concatenate(parts)[None], of[None], first[None])[0]
    other = np.random.default_rng(1)
    for drawn, simulated in (
        (curve, abm19_spacings.bad_diameters_moment_curve(m, 3, trials, other)),
        (cross, abm19_spacings.bad_diameters_cross(m, trials, other)),
        (circle, abm19_spacings.bad_diameters_circle(m, trials, other)),
    ):
        probabilities = np.linspace(0.05, 0.95, 10)
        np.testing.assert_allclose(np.quantile(simulated, probabilities), np.quantile(drawn, probabilities), rtol=0.05)


@pytest.mark.parametrize("index", range(5))
def test_atoms_are_measured_by_the_definitions(index: int) -> None:
    """Bad diameter over all pairs that agree, radius over all hypotheses and members; alpha-cover as defined."""
    atoms = cases()[index].atoms
    h, weights = atoms.hypothesis_class, atoms.weights
    generator = np.random.default_rng(index)
    assert weights.sum() == pytest.approx(1)

    def distances(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
        return (a * w) @ ~b.T + (~a * w) @ b.T

    for m in (1, 4, 9, 40):
        hit = generator.choice(len(atoms.points), m, p=weights)
        seen = np.bincount(hit, minlength=len(weights)) > 0
        agree = distances(atoms.table, atoms.table, seen) == 0
        apart = distances(atoms.table, atoms.table, weights)
        assert atoms.diameter(hit) == pytest.approx(apart[agree].max(), abs=1e-12)
        members = h.predict(h.cover(atoms.points[hit]).listed().parameters, atoms.points)
        radius = atoms.radius(hit)
        assert (atoms.diameter(hit[::-1]), atoms.radius(hit[::-1])) == (atoms.diameter(hit), radius)
        near = distances(atoms.table, members, weights)
        for alpha, covers in ((radius + 1e-9, True), (radius - 1e-9, False)):
            assert np.all(np.any(near <= alpha, axis=1)) == covers, "an alpha-cover iff the radius is at most alpha"


# ---------------------------------------------------------------------------------------------------- claims
@pytest.fixture(scope="module")
def measured() -> dict[str, Finding]:
    """Thresholds, intervals and halfspaces in space."""
    quick = [cases()[i] for i in (0, 1, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(abm19_bad_event, "cases", lambda: quick)
        return findings(abm19_bad_event, Simulation(3), 0.4)


def test_claims(measured: dict[str, Finding]) -> None:
    assert measured["ABM19-D2.7"].verdict is Verdict.HOLDS
    assert measured["ABM19-E1-exact"].verdict is Verdict.INCONCLUSIVE
    assert "wider" in measured["ABM19-E1-exact"].reason
    for claim in ("ABM19-E1", "ABM19-L3.3"):
        finding = measured[claim]
        assert finding.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE)
        assert finding.verdict is Verdict.HOLDS or "too few trials" in finding.reason
        assert not any(row.verdict is Verdict.VIOLATED for row in finding.measurements)


def test_bad_is_seen_and_bounded(measured: dict[str, Finding]) -> None:
    rows = [row for row in measured["ABM19-E1"].measurements if row.quantity == "P[Bad]"]
    for name in {row.settings["class"] for row in rows}:
        own = [row for row in rows if row.settings["class"] == name]
        assert max(row.measured.value for row in own) > 0.5, "the small sizes show the event"
        assert sum(row.verdict is not None for row in own) == 8
        assert {(row.bound or 0) < 1 for row in own if row.verdict is not None} == {True}


def test_the_lemma_has_power(measured: dict[str, Finding]) -> None:
    """With a hundredth of the points Bad occurs and the covers fail, in every class."""
    rows = [row for row in measured["ABM19-L3.3"].measurements if row.quantity.startswith("control")]
    assert len(rows) == 3 * 3 + len(abm19_bad_event.REPRESENTATIVES)
    assert {row.verdict for row in rows} == {Verdict.HOLDS}
    assert min(row.measured.low for row in rows) > 0.05


def with_few_trials(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Thresholds alone, with some attributes changed: enough for a negative control to be caught."""
    changed = replace(cases()[0], **changes)
    monkeypatch.setattr(abm19_bad_event, "cases", lambda: [changed])


@pytest.mark.parametrize("claim", [bound_on_bad, lemma], ids=lambda claim: claim.id)
def test_diameters_that_stay_large_are_caught(monkeypatch: pytest.MonkeyPatch, claim: Claim) -> None:
    with_few_trials(monkeypatch, diameters=lambda m, trials, generator: generator.uniform(0, 1, trials))
    assert claim(Run(Simulation(3), 0.2)).verdict is Verdict.VIOLATED


@pytest.mark.parametrize("claim", [bound_on_bad, lemma], ids=lambda claim: claim.id)
def test_sizes_thirty_times_too_small_are_caught(monkeypatch: pytest.MonkeyPatch, claim: Claim) -> None:
    right = abm19_bad_event.cover_points
    monkeypatch.setattr(abm19_bad_event, "cover_points", lambda a, b, d: right(a, b, d) // 30)
    monkeypatch.setattr(abm19_bad_event, "bad_probability_bound", lambda m, a, d: 0.01)
    with_few_trials(monkeypatch)
    finding = claim(Run(Simulation(3), 0.2))
    assert finding.verdict is Verdict.VIOLATED
    assert any(row.quantity == "P[Bad]" and row.verdict is Verdict.VIOLATED for row in finding.measurements)


def test_controls_that_do_not_fail_leave_the_claim_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Diameters that are always 0: no gate is violated, and the controls see nothing."""
    with_few_trials(monkeypatch, diameters=lambda m, trials, generator: np.zeros(trials))
    for claim in (bound_on_bad, lemma):
        assert claim(Run(Simulation(3), 1.0)).verdict is Verdict.INCONCLUSIVE


def test_exact_claim() -> None:
    finding = exact_probability(Run(Simulation(11), 1.0))
    assert finding.verdict is Verdict.HOLDS
    assert all(row.trials == 8000 for row in finding.measurements)


@pytest.mark.parametrize("control", [lambda p, m, a: p(m + 3, a), lambda p, m, a: p(m, a * 9 / 10)], ids=["m", "alpha"])
def test_a_wrong_formula_is_caught(monkeypatch: pytest.MonkeyPatch, control) -> None:
    right = abm19_bad_event.bad_probability_thresholds
    monkeypatch.setattr(abm19_bad_event, "bad_probability_thresholds", lambda m, a: control(right, m, a))
    assert exact_probability(Run(Simulation(11), 0.6)).verdict is Verdict.VIOLATED


def test_a_radius_beyond_the_diameter_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose representatives come from a part of the points only: they do not agree with all hypotheses."""
    right = Atoms.radius
    monkeypatch.setattr(Atoms, "radius", lambda self, hit: right(self, hit[: len(hit) // 3]))
    with_few_trials(monkeypatch)
    assert radii_of_covers(Run(Simulation(3), 1 / 3)).verdict is Verdict.VIOLATED
