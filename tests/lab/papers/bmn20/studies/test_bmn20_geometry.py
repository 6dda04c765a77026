"""The combinatorial claims of BMN20: oracles, the claims, the gap in the paper, and broken families that are caught."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from drawn import check_figure
from scipy.optimize import linprog

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.regions.cover import RegionCover
from semipriv.papers.bmn20.regions.family import Family, construct
from semipriv_lab.figures.base import Results
from semipriv_lab.ledger.claim import Run, findings
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.papers.bmn20.studies import _oracles as oracles
from semipriv_lab.papers.bmn20.studies import geometry as claims
from semipriv_lab.papers.bmn20.studies._data_sets import EVERY, EXHAUSTIVE, POINTS, DataSet, subsets_of_a_grid

CLAIMS = {"BMN20-O4.2", "BMN20-O4.2-literal", "BMN20-L4.3", "BMN20-C4.4", "BMN20-GSTAR", "BMN20-GSIZE"}


def some(d: int, count: int, seed: int = 0) -> list[DataSet]:
    """Data sets of all kinds."""
    rng = np.random.default_rng([seed, d])
    kinds = [make for dimensions, make in POINTS.values() if d in dimensions]
    return [kinds[i % len(kinds)](rng, d) for i in range(count)]


def distinct(data: DataSet) -> np.ndarray:
    return np.unique(np.concatenate([data.public, data.private]), axis=0)


# ---------------------------------------------------------------------------------------------------- oracles
def separable(inside: np.ndarray, outside: np.ndarray) -> bool:
    """Whether some w, b has w x + b >= 1 inside and <= -1 outside."""
    rows = np.concatenate([-np.column_stack([inside, np.ones(len(inside))]),
                           np.column_stack([outside, np.ones(len(outside))])])  # fmt: skip
    return linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(rows)), bounds=(None, None)).status == 0


@pytest.mark.parametrize("d", [1, 2, 3])
def test_dichotomies_are_what_linear_programs_separate(d: int) -> None:
    for data in some(d, 12):
        points = distinct(data)[:6]
        flags = [np.array(row) for row in itertools.product((False, True), repeat=len(points))]
        words = sorted(oracles.word(row) for row in flags if separable(points[row], points[~row]))
        assert oracles.dichotomies(points).tolist() == words


@pytest.mark.parametrize("d", [1, 2, 3])
def test_dichotomies_are_those_of_the_class(d: int) -> None:
    for data in some(d, 60, seed=1):
        points = distinct(data)
        rows = Halfspaces(d).cover(points).listed().dichotomies()
        assert oracles.dichotomies(points).tolist() == sorted(oracles.word(row) for row in rows)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_best_of_all_halfspaces_is_that_of_risk_minimisation(d: int) -> None:
    for data in some(d, 60, seed=6):
        labels = np.repeat([0, 1], [len(data.public), len(data.private)])
        minimiser = Halfspaces(d).minimise(np.concatenate([data.public, data.private]), labels)
        assert data.best == round(minimiser.value)


@pytest.mark.parametrize("d", [2, 3])
def test_examination_is_its_definition(d: int) -> None:
    """Observation 4.2 and corollary 4.4 by subsets of members, for good families and for random ones that fail."""
    rng, seen = np.random.default_rng(d), np.zeros(3, int)
    for data in some(d, 40, seed=2):
        words = oracles.dichotomies(distinct(data))
        sets = claims.Sets.of(data, claims.prepared(data, "facet"))
        members = rng.permutation(sets.members)[: rng.integers(1, 7)]
        most = int(rng.integers(1, 4))
        total, hulls, uncovered, *needed = oracles.examine(words, sets.public, sets.hull, members, most).tolist()
        expected, failures, fewest = 0, 0, []
        for h in words.tolist():
            kept = sets.public & ~h
            if not kept:
                continue
            expected += 1
            usable = [member for member in members.tolist() if member & kept == kept]
            inside = sets.hull
            for member in usable:
                inside &= member
            hull = -1
            for other in words.tolist():
                hull &= other if other & kept == kept else -1
            failures += inside != hull
            sizes = [
                j
                for j in range(1, most + 1)
                for chosen in itertools.combinations(usable, j)
                if not h & sets.hull & math_and(chosen)
            ]
            fewest.append(min(sizes, default=0))
        assert (total, hulls, uncovered) == (expected, failures, fewest.count(0))
        assert needed == [fewest.count(j) for j in (1, 2, 3)]
        seen += [hulls > 0, uncovered > 0, needed[1] > 0]
    assert np.all(seen > 2)


def math_and(words: tuple[int, ...]) -> int:
    result = -1
    for word in words:
        result &= word
    return result


@pytest.mark.parametrize(("d", "mode"), list(itertools.product((1, 2, 3), claims.MODES)))
def test_listed_histogram_is_that_of_the_predictions(d: int, mode: str) -> None:
    small_data_sets = [data for data in some(d, 24, seed=3) if len(data.public) <= 4]
    assert small_data_sets
    for data in small_data_sets:
        cover = claims.prepared(data, mode)
        sets = claims.Sets.of(data, cover)
        counts = oracles.histogram(sets.listed, sets.hull, sets.most, data.negatives, data.positives)
        listed = cover.listed()
        labels = np.repeat([0, 1], [len(data.public), len(data.private)])
        mistakes = listed.mistakes(np.concatenate([data.public, data.private]).astype(float), labels)
        assert counts.tolist() == np.bincount(mistakes, minlength=len(counts)).tolist()


def test_independent_sets_by_ranks() -> None:
    for d in (1, 2, 3):
        for data in some(d, 30, seed=4):
            points = np.unique(data.public, axis=0)
            if not len(points):
                continue
            rows = np.column_stack([points, np.ones(len(points))])
            k = np.linalg.matrix_rank(rows) - 1
            subsets = itertools.combinations(range(len(rows)), k)
            ranks = [np.linalg.matrix_rank(rows[list(subset)]) if subset else 0 for subset in subsets]
            assert oracles.independent_sets(points) == (k, ranks.count(k))
            basis = oracles.affine_basis(points)
            assert len(basis) == k + 1 == np.linalg.matrix_rank(rows[basis])


def test_certificates_are_empty_intersections() -> None:
    """Against linear programs, for random halfspaces of the line, the plane and space, in any position."""
    rng, collected = np.random.default_rng(0), []
    for trial in range(60):
        k = trial % 3 + 1
        basis = np.concatenate([np.zeros((1, k), int), np.eye(k, dtype=int)])
        f = int(rng.integers(k, k + 5))
        planes = np.concatenate([rng.integers(-3, 4, (f, k + 1)), np.eye(k + 1, dtype=int)[:k]])  # with x >= 0
        target = rng.integers(-4, 5, k + 1).tolist()
        values = planes[:, :-1] @ basis.T + planes[:, -1:]
        own = [sum((w * int(x) for w, x in zip(target, point, strict=False)), target[-1]) for point in basis]
        chosen = oracles.certificates(values, [own])[0]
        below = np.array([*map(float, target[:-1])])

        def empty(rows: np.ndarray, below: np.ndarray = below, offset: float = float(target[-1])) -> bool:
            lowest = linprog(-below, -rows[:, :-1], rows[:, -1], bounds=(None, None))
            return lowest.status == 2 or (lowest.status == 0 and -lowest.fun + offset < -1e-9)

        every = any(
            linprog(np.zeros(k), -planes[list(s), :-1], planes[list(s), -1], bounds=(None, None)).status == 0
            and empty(planes[list(s)])
            for s in itertools.combinations(range(len(planes)), k)
            if np.linalg.matrix_rank(planes[list(s), :-1]) == k
        )
        assert (chosen is not None) == every
        assert chosen is None or empty(planes[list(chosen)])
        collected.append(chosen is not None)
    assert 10 < sum(collected) < 50


def test_every_public_set_of_a_grid() -> None:
    for d, side in EXHAUSTIVE.items():
        assert sum(1 for _ in subsets_of_a_grid(d)) == 2 ** (side**d) - 1
    data = list(subsets_of_a_grid(1))
    assert len({data_set.public.tobytes() for data_set in data}) == len(data)


# ---------------------------------------------------------------------------------------------------- the gap
def test_the_literal_reading_fails_on_the_counterexample() -> None:
    """Every region is empty or the whole axis: 3 mistakes are the fewest, where a halfspace makes none."""
    labels = np.repeat([0, 1], 3)
    everyone = np.concatenate([claims.GAP.public, claims.GAP.private])
    assert np.array_equal(Halfspaces(2).predict([[1.0, 0.0, -2.5]], everyone)[0], labels)
    cover = claims.prepared(claims.GAP, claims.LITERAL)
    axis = np.column_stack([np.arange(-3.0, 9.0), np.zeros(12)])
    predictions = cover.functions.predict(cover.listed().parameters, axis)
    assert np.all(predictions.all(axis=1) | ~predictions.any(axis=1))
    assert cover.size == 1 + 14 + math.comb(14, 2)
    values, counts = claims.histogram(cover, claims.GAP)
    assert (values.tolist(), counts.tolist()) == ([3], [cover.size])


@pytest.mark.parametrize("mode", claims.MODES)
def test_the_repaired_construction_does_not(mode: str) -> None:
    assert claims.least_mistakes(claims.prepared(claims.GAP, mode), claims.GAP) == 0


def test_the_literal_reading_is_no_loss_where_nothing_is_arbitrary() -> None:
    """Public points that span the space leave no choice that could contain them all."""
    for data in some(2, 60, seed=5):
        if len(data.public) and oracles.independent_sets(np.unique(data.public, axis=0))[0] == 2:
            literal, full = (claims.prepared(data, mode).family for mode in (claims.LITERAL, "full"))
            assert np.array_equal(literal.hyperplanes, full.hyperplanes)
            assert claims.least_mistakes(claims.prepared(data, claims.LITERAL), data) <= data.best


def test_on_the_line_regions_are_halfspaces() -> None:
    """With two distinct public points members of G are halfspaces up to their ends: g* is no better than ERM."""
    for data in some(1, 80, seed=7):
        least = [claims.least_mistakes(claims.prepared(data, mode), data) for mode in claims.MODES]
        if len(np.unique(data.public)) > 1:
            assert least == [data.best] * 2


# ---------------------------------------------------------------------------------------------------- sizes
@pytest.mark.parametrize(
    ("d", "m", "full", "facet"),
    [
        (1, 100, (202, 203), (200, 201)),
        (2, 60, (3662, 6_706_954), (3540, 6_267_571)),
        (2, 100, (10102, 51_030_254), (9900, 49_009_951)),
        (3, 10, (352, 7_269_329), (240, 2_304_201)),
        (3, 12, (598, 35_641_698), (440, 14_197_701)),
    ],
)
def test_sizes_in_general_position(d: int, m: int, full: tuple[int, int], facet: tuple[int, int]) -> None:
    rng = np.random.default_rng(m)
    points = np.unique(rng.integers(-30_000, 30_000, (m, d)), axis=0)
    for mode, expected in (("full", full), ("facet", facet)):
        assert claims.formulas(points, mode) == expected
        family = construct(points, mode)
        assert (family.count, family.size) == expected


def test_sizes_of_degenerate_sets() -> None:
    square = np.array(list(itertools.product((0, 1), repeat=3)))
    assert claims.formulas(square[:0], "facet") == claims.formulas(square[:0], "full") == (0, 1)
    assert claims.formulas(square[:1], "facet") == (1, 2)
    assert claims.formulas(square[:2], "facet") == (4, 5)
    assert claims.formulas(square[:4], "facet") == (12, 1 + 12 + 66)
    assert claims.formulas(square[:1], "full") == (4, 1 + 4 + 6 + 4)


# ---------------------------------------------------------------------------------------------------- the claims
EFFORT = 0.01


@pytest.fixture(scope="module")
def measured_findings() -> dict:
    return findings(claims, Simulation(0), 0.03)


def test_claims_hold(measured_findings: dict) -> None:
    assert set(measured_findings) == CLAIMS
    for claim, finding in measured_findings.items():
        expected = Verdict.REFUTED if claim == "BMN20-O4.2-literal" else Verdict.HOLDS
        assert finding.verdict is expected
        assert finding.deciding in finding.measurements
        assert all(m.trials == 0 for m in finding.measurements)


def test_reasons_say_where_points_were_looked_at(measured_findings: dict) -> None:
    """Observation 4.2 and corollary 4.4 speak of real points, of which the points of a data set are some."""
    for claim, finding in measured_findings.items():
        assert ("decided at the points of each data set" in finding.reason) == (claim in ("BMN20-O4.2", "BMN20-C4.4"))


def test_all_cells_are_looked_at(measured_findings: dict) -> None:
    """Each kind of data set in each dimension where it makes sense, in both modes; every degenerate kind in space."""
    rows = [
        m.settings
        for m in measured_findings["BMN20-GSTAR"].measurements
        if m.quantity == claims.VIOLATIONS["BMN20-GSTAR"]
    ]
    cells = {(row["d"], row["points"], row["mode"]) for row in rows}
    assert cells == {(d, kind, mode) for d, kind in claims._places() for mode in claims.MODES}
    assert {kind for d, kind, _ in cells if d == 3} == {EVERY, *POINTS}
    assert all(row["data_sets"] >= 2 for row in rows)
    assert all(row["halfspaces"] > 0 for row in rows if row["points"] != "no public point")


def test_what_the_claims_record(measured_findings: dict) -> None:
    gap, *others = measured_findings["BMN20-O4.2-literal"].measurements
    assert (gap.measured.value, gap.bound) == (3, 0)
    assert [m.measured.value for m in others[:2]] == [0, 0]
    shares = {(m.settings["d"], m.settings["points"]): m.measured.value for m in others if m.quantity == claims.WITHOUT}
    assert shares[2, "all on a line"] > 0
    assert shares[2, "no public point"] == 0
    better = [m for m in measured_findings["BMN20-GSTAR"].measurements if m.quantity == claims.BETTER]
    assert any(m.measured.value > 0 for m in better)
    needed = [m for m in measured_findings["BMN20-C4.4"].measurements if "members" in m.settings]
    for d in (1, 2, 3):
        assert max(m.settings["members"] for m in needed if m.settings["d"] == d and m.measured.value > 0) == d
    of_sizes = [m for m in measured_findings["BMN20-GSIZE"].measurements if m.quantity == "ln |G|"]
    sizes = {(m.settings["d"], m.settings["m"], m.settings["mode"]): m for m in of_sizes}
    assert int(sizes[3, 15, "facet"].settings["G"]) == 1 + 910 + math.comb(910, 2) + math.comb(910, 3)
    assert sizes[2, 100, "full"].measured.value == pytest.approx(17.7, abs=0.05)


def with_family(change: Callable[[Family], Family]) -> Callable[[DataSet, str], RegionCover]:
    honest = claims.prepared

    def prepared(data: DataSet, mode: str) -> RegionCover:
        cover = honest(data, mode)
        return replace(cover, family=change(cover.family)) if cover.family.hull is not None else cover

    return prepared


def fewer_planes(family: Family) -> Family:
    kept = slice(0, max(1, len(family.hyperplanes) - 1))
    return replace(family, hyperplanes=family.hyperplanes[kept], multiplicity=family.multiplicity[kept])


def one_member(family: Family) -> Family:
    return replace(family, most=1) if not family.whole else family


def moved_planes(family: Family) -> Family:
    moved = family.hyperplanes.copy()
    moved[:, -1] += 1
    return replace(family, hyperplanes=moved)


def hull_only(family: Family) -> Family:
    k = family.hyperplanes.shape[1]
    return replace(family, hyperplanes=np.zeros((0, k), np.int64), multiplicity=np.zeros(0, np.int64), whole=4)


@pytest.mark.parametrize(
    ("change", "caught"),
    [
        (fewer_planes, {"BMN20-O4.2", "BMN20-C4.4", "BMN20-GSTAR", "BMN20-GSIZE"}),
        (one_member, {"BMN20-C4.4", "BMN20-GSTAR", "BMN20-GSIZE"}),
        (moved_planes, {"BMN20-O4.2", "BMN20-C4.4", "BMN20-GSTAR", "BMN20-GSIZE"}),
        (hull_only, {"BMN20-O4.2", "BMN20-C4.4", "BMN20-GSTAR", "BMN20-GSIZE"}),
    ],
)
def test_broken_families_are_caught(change, caught: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "prepared", with_family(change))
    monkeypatch.setattr(claims, "helly_failures", lambda data, cover: (0, 0))
    cells = claims.measured(2, "grid of radius 2", Simulation(0), 0.15)
    rows = {claim: [row for cell in cells for row in cell.rows(claim)] for claim in CLAIMS - {"BMN20-O4.2-literal"}}
    run = Run(Simulation(0), 0.15, {claims.rows_by_claim: rows})
    verdicts = {
        broken_claim.id: broken_claim(run)
        for broken_claim in (claims.spanned, claims.missed, claims.star, claims.sizes)
    }
    assert {claim for claim, finding in verdicts.items() if finding.verdict is Verdict.VIOLATED} == caught
    for claim in caught:
        assert verdicts[claim].verdict is Verdict.VIOLATED
        assert verdicts[claim].reason.startswith("public [[")


def test_one_member_too_few_contradicts_helly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only regions of one member are tried, halfspaces that meet all of them are left."""

    def none_alone(members: np.ndarray, halfspaces: list) -> list:
        """Whether one member suffices: -f_h = l f + c with l >= 0 and c > 0."""
        collected_rows = []
        for h in halfspaces:
            alone = [i for i, row in enumerate(members.tolist()) if parallel(row, h)]
            assert oracles.alone(members, h) == bool(alone)
            singles.append(bool(alone))
            collected_rows.append((alone[0],) if alone else None)
        return collected_rows

    singles: list[bool] = []

    def parallel(row: list[int], h: list[Fraction]) -> bool:
        differences = [(Fraction(a - row[0]), b - h[0]) for a, b in zip(row, h, strict=True)]
        ratio = next((-b / a for a, b in differences if a), Fraction(0))
        return ratio >= 0 and all(b == -ratio * a for a, b in differences) and ratio * row[0] + h[0] < 0

    data = next(
        data for data in some(2, 20, seed=6) if oracles.independent_sets(np.unique(data.public, axis=0))[0] == 2
    )
    cover = claims.prepared(data, "facet")
    families, failures = claims.helly_failures(data, cover)
    assert families > 5
    assert failures == 0
    monkeypatch.setattr(oracles, "certificates", none_alone)
    assert claims.helly_failures(data, cover)[1] > 0
    assert {True, False} <= set(singles)
    monkeypatch.setattr(oracles, "certificates", lambda members, halfspaces: [None] * len(halfspaces))
    assert claims.helly_failures(data, cover) == (families, families), "those of every group count"


def test_a_reading_without_the_gap_would_not_be_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = claims.prepared
    monkeypatch.setattr(claims, "prepared", lambda data, mode: honest(data, "full"))
    assert claims.literal(Run(Simulation(0), EFFORT)).verdict is Verdict.HOLDS


def test_a_wrong_number_of_mistakes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = claims.histogram
    monkeypatch.setattr(claims, "histogram", lambda cover, data: (honest(cover, data)[0] + 1, honest(cover, data)[1]))
    cells = claims.measured(2, "grid of radius 1", Simulation(0), 0.05)
    assert all(cell.failures["BMN20-GSIZE"] == cell.data_sets for cell in cells)
    assert any(cell.failures["BMN20-GSTAR"] for cell in cells)


# ---------------------------------------------------------------------------------------------------- the figure
def test_what_the_figure_needs_is_recorded(measured_findings: dict) -> None:
    """Literal: no region parts the axis, so that three examples are mistaken; facet: the region ends between them."""
    rows = [m for m in measured_findings["BMN20-O4.2-literal"].measurements if m.quantity in (claims.PLACE, claims.END)]
    assert all(m.verdict is None and m.bound is None and m.trials == 0 for m in rows)
    for mode, mistaken, ends in ((claims.LITERAL, 3, (-1, 6)), ("facet", 0, (-1, 2))):
        own = [m for m in rows if m.settings["mode"] == mode]
        points = [m for m in own if m.quantity == claims.PLACE]
        assert [(m.measured.value, m.settings["x_2"]) for m in points] == [(x, 0) for x in range(6)]
        assert [(m.settings["status"], m.settings["label"]) for m in points] == [("public", 0)] * 3 + [
            ("private", 1)
        ] * 3
        assert sum(m.settings["mistaken"] for m in points) == mistaken
        assert {m.settings["end"]: m.measured.value for m in own if m.quantity == claims.END} == dict(
            zip(("left", "right"), ends, strict=True)
        )


def test_figure(measured_findings: dict, tmp_path: Path) -> None:
    write_findings(measured_findings, tmp_path / "rows.parquet", tmp_path / "measurements.parquet")
    results = Results({"measurements": tmp_path / "measurements.parquet"})
    check_figure("papers/bmn20/figures", "mixture_gap", results, {})
