"""Claims on A_PAP with both samples: distributions, exact errors against brute force, sizes, controls, rows."""

import math

import numpy as np
import pytest

from semipriv.classes.intervals import Intervals
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.distributions.spacings import mean_largest_gap
from semipriv.papers.bcm20.bounds.proven import Accurate
from semipriv.papers.bcm20.bounds.public_only import kolmogorov_mean
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.practice.planner.of_learner import setting
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.methods.prior import Prior
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.findings import gates
from semipriv_lab.papers.bcm20.studies import _thresholds as base
from semipriv_lab.papers.bcm20.studies import assisted_release as claims
from semipriv_lab.papers.bcm20.studies import cover_error, halfplanes, public_points


def tables(seed: int, effort: float) -> Table:
    return Table(Run(Simulation(seed), effort), Simulation(seed))


def stream(seed: int) -> np.random.Generator:
    return Simulation(seed).generator


# ---------------------------------------------------------------------------------------------------- distributions
@pytest.mark.parametrize("name", base.DISTRIBUTIONS)
def test_distributions_are_those_of_the_plan(name: str) -> None:
    """Quantiles invert the cdf; atoms are as heavy as the name says; draws follow the cdf."""
    distribution = base.DISTRIBUTIONS[name]
    heavy = {"L0": (), "L1": (0.5,), "L2": (0.5,), "L3": (0.45, 0.45), "L4": (0.5, 0.25, 0.125)}[name[:2]]
    places = np.array(distribution.places[: len(heavy)])
    assert np.allclose(distribution.cdf(places) - distribution.cdf_left(places), heavy)
    assert distribution.cdf(np.array([1.0, np.inf])) == pytest.approx(1)
    u = np.linspace(0.001, 0.999, 997)
    x = distribution.quantile(u)
    assert np.all(distribution.cdf(x) >= u - 1e-12)
    assert np.all(distribution.cdf_left(x) <= u + 1e-12)
    drawn = distribution.sample(20_000, stream(1))[:, 0]
    at = np.concatenate([places, [0.2, 0.6, 0.9]])
    assert np.allclose([(drawn <= t).mean() for t in at], distribution.cdf(at), atol=0.02)


@pytest.mark.parametrize("functions", [base.CLASS, Intervals()])
@pytest.mark.parametrize("name", base.DISTRIBUTIONS)
def test_errors_are_suprema_over_the_whole_class(functions, name: str) -> None:
    """Against every threshold or interval with ends on a fine grid, at public points and next to them."""
    distribution = base.DISTRIBUTIONS[name]
    known = base.known(distribution, 9, stream(3), functions)
    answers = stream(4).uniform(size=known.workload.size)
    points = known.domain.cover.points[:, 0]
    close = [np.nextafter(points, s) for s in (-1.0, 2.0)]
    t = np.unique(np.concatenate([points, *close, np.linspace(-0.1, 1.1, 150), distribution.places[:12]]))
    if functions == base.CLASS:
        parameters, means = t[:, None], distribution.cdf(t)
    else:
        i, j = np.triu_indices(len(t))
        parameters = np.column_stack([t[i], t[j]])
        means = distribution.cdf(t[j]) - distribution.cdf_left(t[i])
    alike = functions.predict(parameters, known.domain.cover.points)
    own = functions.predict(known.domain.cover.parameters, known.domain.cover.points)
    place = (alike[:, None] == own[None]).all(axis=2).argmax(axis=1)
    largest = 2 * np.abs(answers[place] - means).max()
    assert largest <= known.error(answers) + 1e-9
    assert known.error(answers) == pytest.approx(largest, abs=0.04)
    assert known.cover_error(known.exact) == 0
    assert known.masses.sum() == pytest.approx(1)


def test_masses_are_those_of_the_cells() -> None:
    for name, distribution in base.DISTRIBUTIONS.items():
        known = base.known(distribution, 7, stream(5))
        shares = known.domain.counts(distribution.sample(20_000, stream(6))) / 20_000
        assert np.allclose(shares, known.masses, atol=0.02), name
        assert known.counts(50, stream(7)).sum() == 50


def test_exact_answers_err_by_twice_the_gap_and_public_means_by_their_distance() -> None:
    distribution = base.DISTRIBUTIONS[base.FREE]
    known = base.known(distribution, 12, stream(8))
    points = np.concatenate([[0.0], known.domain.cover.points[:, 0], [1.0]])
    assert known.gap == pytest.approx(np.diff(points).max())
    assert known.error(known.exact) == pytest.approx(2 * known.gap)
    steps = np.arange(13) / 12
    distance = max(np.abs(steps - points[:-1]).max(), np.abs(steps - points[1:]).max())
    assert known.error(known.public_means) == pytest.approx(2 * distance)


def test_means_of_gap_and_distance() -> None:
    generator = stream(9)
    for m in (1, 4, 25):
        draws = np.sort(generator.random((20_000, m)), axis=1)
        ends = np.concatenate([np.zeros((20_000, 1)), draws, np.ones((20_000, 1))], axis=1)
        assert mean_largest_gap(m) == pytest.approx(np.diff(ends, axis=1).max(axis=1).mean(), rel=0.02)
        grid = np.arange(m + 1) / m
        distance = np.maximum(np.abs(grid - ends[:, :-1]).max(axis=1), np.abs(grid - ends[:, 1:]).max(axis=1))
        assert kolmogorov_mean(m) == pytest.approx(distance.mean(), rel=0.02)
    limit = math.sqrt(math.pi / 2) * math.log(2)
    assert kolmogorov_mean(900) * 30 == pytest.approx(limit, rel=0.01)


# ---------------------------------------------------------------------------------------------------- theorem 10
def test_cells_are_those_of_the_plan() -> None:
    judged = [cell for cell in claims.printed_cells() if cell.judged]
    honest = {(cell.alpha, cell.distribution_name[:2]): cell for cell in judged if cell.arm is claims.PRINTED}
    assert set(honest) == {
        (alpha, distribution) for alpha in (0.1, 0.05) for distribution in ("L0", "L1", "L2", "L3", "L4", "L5")
    }
    assert {alpha: (honest[alpha, "L0"].public, honest[alpha, "L0"].records) for alpha in (0.1, 0.05)} == {
        0.1: (349, 15_830_909),
        0.05: (765, 74_633_295),
    }
    assert claims.Cell(base.LOW, 0.1, claims.STILL, 1).method == Prior()


def test_the_records_of_the_proof_are_those_that_the_planner_prints() -> None:
    """One function: sizes and PMW of the ledger's arm are those of ``needed``, up to its count of cells."""
    cell = claims.Cell(base.FREE, 0.1, claims.REPAIRED, 1)
    learner = QueryRelease(1.0, 1e-6, PMW(0.5))
    needed = learner.needed(0.1, setting(base.CLASS, learner, claims.BETA, False))
    assert needed is not None
    assert needed.sizes["n_public"] == cell.proven
    assert needed.sizes["n_private"] == pytest.approx(cell.records, rel=1e-3)
    assert needed.sizes["n_private"] >= cell.records
    assert needed.learner.method.accuracy == cell.method.accuracy


def test_an_atom_that_misled_the_book_is_answered_at_the_planned_sizes() -> None:
    """An atom of mass .045 at alpha = .1: with the book's constants more than a quarter of the runs missed alpha."""
    cell = claims.Cell(claims.BELOW, 0.1, claims.REPAIRED, 1)
    book = claims.Cell(claims.BELOW, 0.1, claims.BOOK, 1)
    distribution = base.Atoms((0.0,), (0.045,))
    missed = {claims.REPAIRED: 0, claims.BOOK: 0}
    for tried in (cell, book):
        for trial in range(30):
            stream = Simulation(7).spawn(trial)
            sample = base.known(distribution, tried.public, stream.spawn("public").generator)
            counts = sample.counts(tried.records, stream.spawn("records").generator)
            answers = tried.method.fit(sample.workload, counts, claims.BUDGET, stream.spawn("draw")).answers
            missed[tried.arm] += sample.error(answers) > 0.1
    assert missed[claims.REPAIRED] == 0
    assert missed[claims.BOOK] >= 3


def test_controls_change_one_size() -> None:
    honest, thin = (claims.Cell(base.LOW, 0.1, arm, 1) for arm in (claims.PRINTED, claims.THIN))
    assert (thin.public, thin.records) == (math.ceil(honest.public / 4), honest.records)
    repaired, smaller = (claims.Cell(base.LOW, 0.1, arm, 1) for arm in (claims.REPAIRED, claims.LESS))
    assert (smaller.public, smaller.records) == (repaired.public, math.ceil(repaired.records / 8))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One distribution with an atom, at alpha = .2 alone, and no cells for the record."""
    cells = [claims.Cell(base.LOW, 0.2, claims.REPAIRED, 150), claims.Cell(base.LOW, 0.2, claims.LESS, 40)]
    monkeypatch.setattr(claims, "repaired_cells", lambda: cells)
    monkeypatch.setattr(claims, "UNNOTICED", ())


def test_the_theorem_holds_and_its_control_fails(small: None) -> None:
    finding = claims.theorem_10_repaired(Run(Simulation(1), 1.0))
    judged = {row.settings["arm"]: row.measured.value for row in gates(finding.measurements) if row.trials}
    assert (finding.verdict, judged["repaired"]) == (Verdict.HOLDS, 0.0)
    assert judged["n / 8"] > 0.6
    assert finding.deciding.settings["arm"] == "repaired"
    assert finding.deciding.bound == 0.1


def test_a_release_that_ignores_the_records_is_a_violation(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims.Cell, "method", property(lambda self: Prior()))
    finding = claims.theorem_10_repaired(Run(Simulation(1), 1.0))
    assert finding.verdict is Verdict.VIOLATED


def test_a_control_that_meets_alpha_leaves_the_claim_open(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    right = claims.Cell.records.fget
    monkeypatch.setattr(claims.Cell, "records", property(lambda self: 10 * right(self)))
    finding = claims.theorem_10_repaired(Run(Simulation(1), 1.0))
    assert (finding.verdict, finding.deciding.settings["arm"]) == (Verdict.INCONCLUSIVE, "n / 8")
    assert "controls that do not miss the target: n / 8, L1" in finding.reason


# ---------------------------------------------------------------------------------------------------- public points
def test_the_inequalities_are_of_each_run() -> None:
    runs = [public_points.Run(0.5, 0.1, 0.3, 0.4), public_points.Run(0.8, 0.1, 0.3, 0.4)]
    table = tables(0, 1.0)
    public_points.inequalities(table, {}, runs)
    low, high = table.rows
    assert (low.measured.value, low.verdict) == (0.3 / 0.5, Verdict.HOLDS)
    assert (high.measured.value, high.verdict) == (pytest.approx(0.8 / 0.7), Verdict.VIOLATED)
    public_points.inequalities(table, {}, [public_points.Run(0.29, 0.1, 0.3, 0.4), *runs])
    assert table.rows[2].verdict is Verdict.VIOLATED


def test_a_projection_to_the_next_gap_breaks_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert public_points.moved(30, Simulation(2)) > 1.0
    monkeypatch.setattr(public_points, "shifted", lambda answers: answers)
    table = tables(2, 0.05)
    public_points.without_noise(table, 30, table.randomness)
    (control,) = table(public_points.MOVED)
    assert control.verdict is Verdict.INCONCLUSIVE


def test_exact_means_are_met_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    table = tables(3, 1.0)
    public_points.without_noise(table, 30, table.randomness)
    rows = table.rows
    assert {row.verdict for row in gates(rows)} == {Verdict.HOLDS}
    for name in ("mean_largest_gap", "kolmogorov_mean"):
        with monkeypatch.context() as patch:
            right = getattr(public_points, name)
            patch.setattr(public_points, name, lambda m, right=right: 1.3 * right(m))
            table = tables(3, 1.0)
            public_points.without_noise(table, 30, table.randomness)
            assert Verdict.VIOLATED in {row.verdict for row in table.rows}


def test_theorem_alpha_is_where_the_public_need_is_m() -> None:
    for m, alpha in ((349, 0.1), (765, 0.05), (69, 0.4)):
        assert public_points.theorem_alpha(m) == pytest.approx(alpha, rel=0.015)
        assert public_points.theorem_alpha(m) <= alpha
    assert public_points.theorem_alpha(10) == math.inf


def test_the_form_is_judged_at_its_ends() -> None:
    (low, least), (high, largest) = public_points.extremes()["least"], public_points.extremes()["largest"]
    assert (high, low) == (10, public_points.LARGEST_M)
    assert largest == pytest.approx(1.192, abs=1e-3)
    assert 1 <= least < largest


# ---------------------------------------------------------------------------------------------------- private records
def test_the_mean_error_is_judged_against_its_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover_error, "TARGETS", (0.2, 0.1))
    monkeypatch.setattr(
        cover_error,
        "DISTRIBUTIONS",
        {name: distribution for name, distribution in cover_error.DISTRIBUTIONS.items() if "L1" in name},
    )
    run = Run(Simulation(1), 0.5)
    finding = cover_error.mean_error(run)
    assert finding.verdict is Verdict.HOLDS
    values = {row.settings["arm"]: row.measured.value for row in gates(finding.measurements)}
    assert 0.2 < values["PMW"] < 0.8
    assert values["n / 5"] > 1
    right = cover_error.accurate
    monkeypatch.setattr(cover_error, "accurate", lambda a: with_fewer(right(a), 8))
    assert cover_error.mean_error(run).verdict is Verdict.VIOLATED


def with_fewer(accurate: Accurate, fewer: int) -> Accurate:
    return Accurate(accurate.method, accurate.records // fewer)


# ---------------------------------------------------------------------------------------------------- halfplanes
@pytest.mark.parametrize("name", halfplanes.DISTRIBUTIONS)
def test_means_of_halfplanes_are_exact(name: str) -> None:
    distribution = halfplanes.DISTRIBUTIONS[name]
    parameters = np.array([[1.0, 0.5, -0.3], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [-0.2, 3.0, 1.0]])
    shares = halfplanes.CLASS.predict(parameters, distribution.sample(40_000, stream(1))).mean(axis=1)
    assert np.allclose(distribution.means(parameters), shares, atol=0.01)


def test_total_errors_have_a_part_by_the_cover() -> None:
    """Exact answers on the cover err by the projection alone; any answers by no less than over the cover."""
    known = halfplanes.planes(halfplanes.DISTRIBUTIONS["N(0, I)"], 6, Simulation(2))
    assert known.over(known.exact) == 2 * np.abs(known.exact[known.place] - known.means).max()
    other = np.clip(known.exact + 0.4, 0, 1)
    assert known.over(other) >= 2 * np.abs(other - known.exact).max()


def test_a_trial_on_halfplanes_measures_what_it_says() -> None:
    """Public means and releases over all halfplanes, the cover's part and uniform cells on their own."""
    distribution, randomness, m = halfplanes.DISTRIBUTIONS["three clusters"], Simulation(3), 5
    measurement, known = (
        halfplanes.measured(distribution, m, randomness),
        halfplanes.planes(distribution, m, randomness),
    )
    domain, uniform = known.domain, np.full(known.domain.workload.cells, 1 / known.domain.workload.cells)
    public = domain.workload.sums(domain.public / m)
    assert measurement[halfplanes.CELLS, 0] == domain.workload.cells
    assert measurement[halfplanes.COVER_PART, 0] == 2 * np.abs(known.exact[known.place] - known.means).max()
    assert measurement[halfplanes.UNIFORM, 0] == pytest.approx(
        2 * np.abs(domain.workload.sums(uniform) - known.exact).max()
    )
    over = max(np.abs(public[known.place] - known.means).max(), np.abs(public - known.exact).max())
    assert measurement[halfplanes.ALONE, 0] == pytest.approx(2 * over)
    assert over > np.abs(public - known.exact).max(), "a halfplane beyond the cover is worse"
    for n in halfplanes.RECORDS:
        assert measurement[halfplanes.ON_COVER, n] <= measurement[halfplanes.TOTAL, n]
        assert measurement[halfplanes.OVER, n] == measurement[halfplanes.TOTAL, n] / measurement[halfplanes.ALONE, 0]
