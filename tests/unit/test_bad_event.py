"""Bad diameters as sums of spacings against all pairs of hypotheses; claims on covers and their broken twins."""

import itertools

import numpy as np
import pytest

from semipriv.bounds import abm19_spacings
from semipriv.claims import abm19_bad_event
from semipriv.claims.abm19_bad_event import Atoms, Case, cases, findings
from semipriv.claims.ledger import Finding
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.randomness import Simulation
from semipriv.statistics import Verdict


def largest_difference(table: np.ndarray, public: np.ndarray, weights: np.ndarray) -> float:
    """Largest weighted Hamming distance of two rows that agree on the public columns, over all pairs."""
    same = np.all(table[:, None, public] == table[None, :, public], axis=2)
    different = (table[:, None] != table[None]) @ weights
    return float(np.where(same, different, 0).max())


def gaps(public: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight strictly between neighbouring public atoms, before the first and after the last."""
    edges = np.concatenate([[-1], np.sort(public), [len(weights)]])
    return np.array([weights[a + 1 : b].sum() for a, b in itertools.pairwise(edges)])


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_halfspaces_on_the_moment_curve(dimension: int) -> None:
    """Every number of public atoms, unequal weights: the package's dichotomies, all pairs."""
    generator = np.random.default_rng(dimension)
    n = 11
    t = np.linspace(0.1, 1, n)
    h = Halfspaces(dimension)
    table = h.cover(t[:, None] ** np.arange(1, dimension + 1)).listed().dichotomies()
    for m in [*range(n), *range(3, n)]:
        weights = generator.integers(1, 6, n).astype(float)
        public = generator.choice(n, m, replace=False)
        found = abm19_spacings.moment_curve_diameters(gaps(public, weights)[None], dimension)[0]
        assert found == pytest.approx(largest_difference(table, public, weights)), (public, weights)


@pytest.mark.parametrize(("h", "d"), [(Thresholds(), 1), (Intervals(), 2)])
def test_thresholds_and_intervals_on_the_line(h: Thresholds | Intervals, d: int) -> None:
    generator = np.random.default_rng(d)
    n = 12
    table = h.cover(np.arange(float(n))).listed().dichotomies()
    for m in range(d, n):  # with fewer public atoms all gaps count, and the hypotheses cannot fill them all
        weights = generator.integers(1, 6, n).astype(float)
        public = generator.choice(n, m, replace=False)
        found = abm19_spacings.line_diameters(gaps(public, weights)[None], d)[0]
        assert found == pytest.approx(largest_difference(table, public, weights))


def test_rectangles_on_the_cross() -> None:
    generator = np.random.default_rng(4)
    n = 3
    arms = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    atoms = np.array([(s * x, s * y) for x, y in arms for s in range(1, n + 1)], float)
    h = Rectangles(2)
    table = np.unique(h.predict(h.cover(atoms).listed().parameters, atoms), axis=0)
    for m in [*range(4 * n), *range(2, 8), *range(2, 8)]:
        weights = generator.integers(1, 6, 4 * n).astype(float)
        public = generator.choice(4 * n, m, replace=False)
        parts = [gaps(public[public // n == a] % n, weights[a * n : (a + 1) * n]) for a in range(4)]
        arm = np.repeat(np.arange(4), [len(part) for part in parts])
        innermost = np.concatenate([np.arange(len(part)) == 0 for part in parts])
        found = abm19_spacings.cross_diameters(np.concatenate(parts)[None], arm[None], innermost[None])[0]
        assert found == pytest.approx(largest_difference(table, public, weights)), (public, weights)


def test_simulated_diameters_are_those_of_points() -> None:
    """Quantiles of the simulations against points drawn and sorted one sample at a time."""
    generator = np.random.default_rng(0)
    m, trials = 15, 4000
    curve, cross = np.empty(trials), np.empty(trials)
    for i in range(trials):
        spacings = np.diff(np.sort(generator.random(m)), prepend=0.0, append=1.0)
        curve[i] = abm19_spacings.moment_curve_diameters(spacings[None], 3)[0]
        arm, place = generator.integers(4, size=m), generator.random(m)
        parts = [np.diff(np.sort(place[arm == a]), prepend=0.0, append=1.0) / 4 for a in range(4)]
        of = np.repeat(np.arange(4), [len(part) for part in parts])
        first = np.concatenate([np.arange(len(part)) == 0 for part in parts])
        cross[i] = abm19_spacings.cross_diameters(np.concatenate(parts)[None], of[None], first[None])[0]
    other = np.random.default_rng(1)
    for drawn, simulated in (
        (curve, abm19_spacings.bad_diameters_moment_curve(m, 3, trials, other)),
        (cross, abm19_spacings.bad_diameters_cross(m, trials, other)),
    ):
        probabilities = np.linspace(0.05, 0.95, 10)
        np.testing.assert_allclose(np.quantile(simulated, probabilities), np.quantile(drawn, probabilities), rtol=0.05)


@pytest.mark.parametrize("index", range(5))
def test_atoms_are_measured_by_the_definitions(index: int) -> None:
    """Bad diameter over all pairs, covering radius over all hypotheses and the cover's members, on small samples."""
    case = cases()[index]
    generator = np.random.default_rng(index)
    table = case.atoms.table
    keep = generator.choice(len(table), min(len(table), 300), replace=False)
    small = Atoms(case.atoms.hypothesis_class, case.atoms.points, case.atoms.weights)
    for m in (1, 4, 9):
        hit = generator.choice(len(small.points), m)
        diameter, radius = small.measure(hit)
        assert small.measure(hit[::-1]) == (diameter, radius)
        h = small.hypothesis_class
        members = h.predict(h.cover(small.points[hit]).listed().parameters, small.points)
        distance = (table[keep, None] != members[None]) @ small.weights
        assert distance.min(axis=1).max() <= radius + 1e-12
        assert largest_difference(table[keep], hit, small.weights) <= diameter + 1e-12
        if len(keep) == len(table):
            assert distance.min(axis=1).max() == pytest.approx(radius)
            assert largest_difference(table, hit, small.weights) == pytest.approx(diameter)


# ---------------------------------------------------------------------------------------------------- claims
@pytest.fixture(scope="module")
def measured() -> dict[str, Finding]:
    """Thresholds, intervals and halfspaces in space."""
    quick = [cases()[i] for i in (0, 1, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(abm19_bad_event, "cases", lambda: quick)
        return findings(Simulation(3), 0.2)


def test_claims(measured: dict[str, Finding]) -> None:
    assert measured["ABM19-D2.7"].verdict is Verdict.HOLDS
    assert measured["ABM19-E1-exact"].verdict is Verdict.INCONCLUSIVE
    assert "wider" in measured["ABM19-E1-exact"].reason
    for claim in ("ABM19-E1", "ABM19-L3.3"):
        found = measured[claim]
        assert found.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE)
        assert found.verdict is Verdict.HOLDS or "too few trials" in found.reason
        assert not any(row.verdict is Verdict.VIOLATED for row in found.measurements)


def test_bad_is_seen_and_bounded(measured: dict[str, Finding]) -> None:
    rows = [row for row in measured["ABM19-E1"].measurements if row.quantity == "P[Bad]"]
    for name in {row.settings["class"] for row in rows}:
        mine = [row for row in rows if row.settings["class"] == name]
        assert max(row.measured.value for row in mine) > 0.5, "the small sizes show the event"
        assert sum(row.verdict is not None for row in mine) == 8
        assert {(row.bound or 0) < 1 for row in mine if row.verdict is not None} == {True}


def test_the_lemma_has_power(measured: dict[str, Finding]) -> None:
    """With a fortieth of the points the covers do fail."""
    rows = [row for row in measured["ABM19-L3.3"].measurements if row.verdict is None]
    assert max(row.measured.low for row in rows) > 0.05


def few(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Thresholds alone, with some attributes changed: enough for a twin to be caught."""
    right = cases()[0]
    changed = Case(**{**{k: getattr(right, k) for k in right.__dataclass_fields__}, **changes})
    monkeypatch.setattr(abm19_bad_event, "cases", lambda: [changed])


@pytest.mark.parametrize("claim", ["ABM19-E1", "ABM19-L3.3"])
def test_diameters_that_stay_large_are_caught(monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    few(monkeypatch, diameters=lambda m, trials, generator: generator.uniform(0, 1, trials))
    assert findings(Simulation(3), 0.2)[claim].verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("claim", "factor"), [("ABM19-E1", 30), ("ABM19-L3.3", 30)])
def test_sizes_thirty_times_too_small_are_caught(monkeypatch: pytest.MonkeyPatch, claim: str, factor: int) -> None:
    right = abm19_bad_event.cover_points
    monkeypatch.setattr(abm19_bad_event, "cover_points", lambda a, b, d: right(a, b, d) // factor)
    monkeypatch.setattr(abm19_bad_event, "bad_probability_bound", lambda m, a, d: 0.01)
    few(monkeypatch)
    assert findings(Simulation(3), 0.2)[claim].verdict is Verdict.VIOLATED


def test_exact_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    finding = findings(Simulation(11), 0.4)["ABM19-E1-exact"]
    assert finding.verdict is Verdict.HOLDS
    assert all(row.trials == 8000 for row in finding.measurements)


@pytest.mark.parametrize("twin", [lambda p, m, a: p(m + 3, a), lambda p, m, a: p(m, a * 9 / 10)], ids=["m", "alpha"])
def test_a_wrong_formula_is_caught(monkeypatch: pytest.MonkeyPatch, twin) -> None:
    right = abm19_bad_event.bad_probability_thresholds
    monkeypatch.setattr(abm19_bad_event, "bad_probability_thresholds", lambda m, a: twin(right, m, a))
    few(monkeypatch)
    assert findings(Simulation(11), 0.5)["ABM19-E1-exact"].verdict is Verdict.VIOLATED


def test_a_radius_beyond_the_diameter_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cover of the middle half of the points misses thresholds that agree with none of its members."""
    right = Atoms.measure
    monkeypatch.setattr(Atoms, "measure", lambda self, hit: (right(self, hit)[0], 1.5 * right(self, hit)[1] + 0.3))
    few(monkeypatch)
    assert findings(Simulation(3), 0.1)["ABM19-D2.7"].verdict is Verdict.VIOLATED
