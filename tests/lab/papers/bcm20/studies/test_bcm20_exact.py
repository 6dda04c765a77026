"""Exact studies of BCM20: their values, and that each is violated by what it would be if something were wrong."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.ledger.studies import study_of
from semipriv_lab.papers.bcm20.studies import domains as bcm20_domains
from semipriv_lab.papers.bcm20.studies import public_need as bcm20_public_need
from semipriv_lab.papers.bcm20.studies import sizes as bcm20_sizes

SEED = 5
STEP = 1e-4
RUN = Run(Simulation(SEED), STEP)


def patched(monkeypatch: pytest.MonkeyPatch, module: object, name: str, change: Callable) -> None:
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: change(right(*given, **named)))


def measured(finding: Finding, quantity: str) -> list[float]:
    return [row.measured.value for row in finding.measurements if row.quantity == quantity]


# ---------------------------------------------------------------------------------------------------- the list
def test_cited_claims_have_no_study() -> None:
    for claim in ("BCM20-L18", "BCM20-L17-literal"):
        assert claims()[claim].kind == "cited"
        assert claim not in study_of()


# ---------------------------------------------------------------------------------------------------- domains
@pytest.fixture
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer covers, in the classes that have power."""
    cases = [
        bcm20_domains.Case("thresholds", Thresholds(), (3, 5, 9)),
        bcm20_domains.Case(bcm20_domains.LINES, Halfspaces(2), (3, 4, 6)),
        bcm20_domains.Case("halfplanes", Halfspaces(2), (3, 5, 6)),
        bcm20_domains.Case("intervals", bcm20_domains.Intervals(), (3, 5, 6)),
    ]
    monkeypatch.setattr(bcm20_domains, "CASES", tuple(cases))


@pytest.mark.usefixtures("few_trials")
def test_cells() -> None:
    finding = bcm20_domains.cells_of_covers(RUN)
    assert finding.verdict is Verdict.HOLDS
    lines = [row for row in finding.measurements if row.settings.get("class") == "lines" and row.quantity == "cells"]
    assert [(row.settings["queries"], row.measured.value) for row in lines] == [(3, 7), (6, 22), (15, 121)]


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize("kind", [Thresholds, Halfspaces])
@pytest.mark.parametrize("change", [lambda rows: rows[1:], lambda rows: np.concatenate([rows, rows[:1] + 0.5])])
def test_one_cell_less_or_more_is_noticed(monkeypatch: pytest.MonkeyPatch, kind: type, change: Callable) -> None:
    right = kind.representative_domain
    monkeypatch.setattr(kind, "representative_domain", lambda self, parameters: change(right(self, parameters)))
    assert bcm20_domains.cells_of_covers(RUN).verdict is Verdict.VIOLATED


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize("by", [-1, 1])
def test_another_sum_is_noticed(monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    right = bcm20_domains.cells_sum
    monkeypatch.setattr(bcm20_domains, "cells_sum", lambda queries, p: right(queries, max(p + by, 0)))
    assert bcm20_domains.cells_of_covers(RUN).verdict is not Verdict.HOLDS


def test_all_classes_by_brute_force() -> None:
    """On two and three points, class by class."""
    for points in (2, 3):
        functions = [[f >> x & 1 for x in range(points)] for f in range(2**points)]
        vc, dual = bcm20_domains.all_classes(points)
        for c in range(1, len(vc) + 1):
            table = np.array([functions[f] for f in range(2**points) if c >> f & 1], bool)
            assert vc[c - 1] == bcm20_domains.largest_shattered(table.T)
            assert dual[c - 1] == bcm20_domains.largest_shattered(table)


def test_stumps() -> None:
    for p in range(1, 9):
        d = bcm20_domains.stump_witness(p).shape[1]
        assert d == math.floor(math.log2(p)) == bcm20_domains.largest_shattered(bcm20_domains.cube(p).T)


def test_dual_dimension_above_or_below_its_sharp_value_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bcm20_domains, "FEATURES", 8)
    assert bcm20_domains.dual_dimension(RUN).verdict is Verdict.HOLDS
    for by in (-1, 1):
        with monkeypatch.context() as inner:
            patched(inner, bcm20_domains, "largest_shattered", lambda size, by=by: size + by)
            assert bcm20_domains.dual_dimension(RUN).verdict is Verdict.VIOLATED


# ---------------------------------------------------------------------------------------------------- public points
def test_cover_holds() -> None:
    finding = bcm20_public_need.lemma_11(Run(Simulation(SEED), 0.15))
    assert finding.verdict is Verdict.HOLDS
    assert measured(finding, "P[no alpha/4-cover]")[0] == pytest.approx(0.048238, abs=1e-6)


@pytest.mark.parametrize("by", [-1, 1])
def test_another_least_size_is_noticed(monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    patched(monkeypatch, bcm20_public_need, "cover_points_exact", lambda m: m + by)
    assert bcm20_public_need.lemma_11(RUN).verdict is Verdict.VIOLATED
    monkeypatch.setattr(bcm20_public_need, "ALPHAS_SAVING", (0.4, 0.1))
    assert bcm20_public_need.saving(RUN).verdict is Verdict.VIOLATED


def test_one_gap_for_intervals_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = bcm20_public_need.bad_diameters
    monkeypatch.setattr(
        bcm20_public_need, "bad_diameters", lambda m, d, trials, generator: right(m, 1, trials, generator)
    )
    assert bcm20_public_need.lemma_11(Run(Simulation(SEED), 0.15)).verdict is not Verdict.HOLDS


def test_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = bcm20_public_need.saving(RUN)
    assert finding.verdict is Verdict.HOLDS
    needs = {row.settings["way"]: [] for row in finding.measurements if "way" in row.settings}
    for row in finding.measurements:
        if row.quantity == "public points needed":
            needs[row.settings["way"]].append(row.measured.value)
    assert needs["theorem 10, exact"] == [69, 157, 349, 765, 2122, 4553]
    assert needs["A_PAP, n = infinity"] == [25, 61, 141, 317, 902, 1963]
    assert needs["public data alone"] == [36, 147, 593, 2384, 14945, 59846]
    assert "from alpha = 0.1 on; at 0.4, 0.2" in finding.reason
    for name, change in (("cover_points_exact", lambda m: m**2), ("public_points_thresholds", lambda m: m // 2)):
        with monkeypatch.context() as inner:
            patched(inner, bcm20_public_need, name, change)
            assert bcm20_public_need.saving(RUN).verdict is Verdict.VIOLATED


def test_floor() -> None:
    finding = bcm20_public_need.theorem_15(RUN)
    assert finding.verdict is Verdict.HOLDS
    chance = {
        row.settings["points_times_alpha"]: row.measured.value
        for row in finding.measurements
        if row.quantity == bcm20_public_need.PROJECTED and row.settings["alpha"] == 0.1
    }
    assert chance[4] == pytest.approx(1, abs=0.01)
    assert 0.75 < chance[8] < 0.85
    for m, alpha in ((40, 0.1), (12, 0.3), (5, 0.6)):
        assert bcm20_public_need.gap_bound(m, alpha) <= bcm20_public_need.gap_probability(m, alpha)
    m, alpha = 20, 0.3
    gaps = np.diff(np.sort(np.random.default_rng(1).random((20_000, m)), axis=1), axis=1, prepend=0, append=1)
    seen = np.mean(2 * gaps.max(axis=1) > alpha)
    assert bcm20_public_need.gap_probability(m, alpha / 2) == pytest.approx(seen, abs=0.015)


# ---------------------------------------------------------------------------------------------------- sizes
@pytest.fixture
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids of which every part has power."""
    for name, grid in (("STUMP_ALPHAS", (0.2,)), ("LARGEST", 12), ("STEPS_TO", 100)):
        monkeypatch.setattr(bcm20_sizes, name, grid)


SIZES = (bcm20_sizes.theorem_10, bcm20_sizes.stumps, bcm20_sizes.theorem_13, bcm20_sizes.remark_9)
WRONG: list[tuple[Claim, str, Callable]] = [
    (bcm20_sizes.theorem_10, "pap_records", lambda right, alpha, *rest: right(alpha, *rest) / alpha),
    (bcm20_sizes.theorem_10, "pap_records", lambda right, alpha, beta, *rest: right(alpha, beta, *rest) / beta),
    (bcm20_sizes.theorem_10, "pap_records", lambda right, a, b, cells, *rest: right(a, b, cells, *rest) * cells**0.5),
    (bcm20_sizes.theorem_10, "pap_records", lambda right, *arguments: 1.0),
    *(
        (claim, name, lambda right, *arguments, change=change, **named: change(right(*arguments, **named)))
        for claim, name, change in (
            (bcm20_sizes.stumps, "hoeffding_points", lambda m: m // 2),
            (bcm20_sizes.stumps, "hoeffding_points", lambda m: 4 * m),
            (bcm20_sizes.stumps, "stumps_gaussian_records", lambda n: 2 * n),
            (bcm20_sizes.stumps, "stumps_gaussian_records", lambda n: 9 * n),
            (bcm20_sizes.stumps, "stumps_noise_records", lambda n: 1e5),
            (bcm20_sizes.stumps, "stumps_noise_records", lambda n: n**2),
            (bcm20_sizes.stumps, "stumps_public_points", lambda m: m**2),
            (bcm20_sizes.theorem_13, "traced_private", lambda value: value * 2),
            (bcm20_sizes.theorem_13, "traced_private", lambda value: value - 1),
            (bcm20_sizes.theorem_13, "traced_closed_form", lambda value: value + STEP),
            (bcm20_sizes.theorem_13, "privacy_slack", lambda value: value + 1),
            (bcm20_sizes.remark_9, "quantile_error", lambda error: 6 * error),
            (bcm20_sizes.remark_9, "quantile_error", lambda error: error / 2),
            (bcm20_sizes.remark_9, "rounded_mean_error", lambda error: 20 * error),
            (bcm20_sizes.remark_9, "remark_size", lambda size: 1),
        )
    ),
]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("claim", SIZES, ids=lambda claim: claim.id)
def test_sizes_hold(claim: Claim) -> None:
    assert claim(RUN).verdict is Verdict.HOLDS


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(("claim", "name", "change"), WRONG)
def test_wrong_sizes_are_noticed(claim: Claim, name: str, change: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(bcm20_sizes, name)
    monkeypatch.setattr(bcm20_sizes, name, lambda *arguments, **named: change(right, *arguments, **named))
    assert claim(RUN).verdict is not Verdict.HOLDS


def test_an_attack_that_rules_nothing_out_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    patched(monkeypatch, bcm20_sizes, "privacy_slack", lambda value: value - 1)
    with pytest.raises(StopIteration):
        bcm20_sizes.theorem_13(RUN)


def test_a_single_stump_is_an_exception_to_remark_9() -> None:
    single = [row for row in bcm20_sizes.remark_9(RUN).measurements if row.settings.get("p") == 1]
    assert single
    assert all(row.verdict is None and row.measured.value > 2 * float(row.settings["alpha"]) for row in single)
