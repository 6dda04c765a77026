"""Claims on needs: what they measure, and negative controls that they must catch."""

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv_lab.ledger.claim import Run, findings
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.abm19.studies import lower_bound as abm19_lower_bound
from semipriv_lab.papers.abm19.studies import private_need as abm19_private_need
from semipriv_lab.papers.abm19.studies import public_need as abm19_public_need

SIMULATED = Run(Simulation(12), 0.2)


@pytest.fixture(scope="module")
def measured() -> dict[str, Finding]:
    return findings(abm19_public_need, Simulation(12), 0.2)


def test_public_points_claim(measured: dict[str, Finding]) -> None:
    finding = measured["ABM19-L3.3-rate"]
    rows = {(row.quantity, row.settings.get("d"), row.settings.get("alpha")): row for row in finding.measurements}
    assert finding.verdict is Verdict.HOLDS
    assert rows["exponent in alpha", 1, None].measured.value == pytest.approx(-1.138, abs=1e-3)
    expected = {2: 128, 4: 242, 8: 460}
    for d, size in expected.items():
        actual_measured = rows["public points needed", d, 0.1].measured
        assert actual_measured.low <= size <= actual_measured.high
        assert actual_measured.value == pytest.approx(size, rel=0.05)


def test_a_quadratic_need_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were 1/alpha^2 points needed, as by estimating all distances, the claim would be violated."""
    monkeypatch.setattr(abm19_public_need, "cover_points_thresholds", lambda alpha, beta: round(3 / alpha**2))
    assert abm19_public_need.cover(Run(Simulation(12), 0.05)).verdict is Verdict.VIOLATED


@pytest.fixture(scope="module")
def needs() -> dict[int, dict[float, Interval]]:
    """Public points needed of each d and alpha, simulated once."""
    seed = Simulation(12).spawn("needs")
    return {d: abm19_public_need._bad(d, 2_000, seed.spawn(d)) for d in abm19_public_need.DIMENSIONS}


def with_needs(monkeypatch: pytest.MonkeyPatch, needs: dict, factor) -> Finding:
    """The finding where needs of d at alpha are those measured, times factor(d, alpha)."""

    def bad(d, trials, randomness):
        pairs = [(a, factor(d, a), s) for a, s in needs[d].items()]
        return {a: Interval(s.value * f, s.low * f, s.high * f) for a, f, s in pairs}

    monkeypatch.setattr(abm19_public_need, "_bad", bad)
    return abm19_public_need.cover(SIMULATED)


@pytest.mark.parametrize("d", [4, 8])
def test_a_quadratic_need_of_larger_classes_is_caught(monkeypatch: pytest.MonkeyPatch, needs, d: int) -> None:
    assert with_needs(monkeypatch, needs, lambda e, a: 0.2 / a if e == d else 1).verdict is Verdict.VIOLATED


def violated(finding: Finding) -> list[tuple]:
    rows = [row for row in finding.measurements if row.verdict is Verdict.VIOLATED]
    return [(row.quantity, row.settings.get("d")) for row in rows]


@pytest.mark.parametrize("d", [2, 4, 8])
def test_a_need_a_little_too_steep_is_caught_at_each_dimension(monkeypatch, needs, d: int) -> None:
    """An exponent of -1.1 instead of -1, at one d only.  A need that is less steep is none against an upper bound."""
    shallow = {2: 0.957, 4: 0.916, 8: 0.888}[d]
    finding = with_needs(monkeypatch, needs, lambda e, a: (0.1 / a) ** (1.1 - shallow) if e == d else 1)
    assert violated(finding) == [(abm19_public_need.NORMALISED, d)]
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding.settings["d"] == d
    flat = with_needs(monkeypatch, needs, lambda e, a: (0.1 / a) ** -0.3 if e == d else 1)
    assert violated(flat) == []


def test_a_need_that_is_not_linear_in_the_dimension_is_caught(monkeypatch, needs) -> None:
    """Needs in proportion to d^1.2 leave the exponents in alpha as they were."""
    finding = with_needs(monkeypatch, needs, lambda d, a: d**0.3)
    assert violated(finding) == [(abm19_public_need.IN_D, None)]
    assert finding.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("at", [0.1, 0.01, 0.001])
def test_a_need_of_thresholds_that_grows_too_fast_as_beta_falls_is_caught(monkeypatch, needs, at: float) -> None:
    """One power more of the logarithms at one alpha; the needs at beta = 0.05 stay what they are."""
    right = abm19_public_need.cover_points_thresholds

    def control(alpha, beta):
        return right(alpha, beta) * (np.log(alpha * beta) / np.log(alpha * 0.05) if alpha == at else 1.0)

    monkeypatch.setattr(abm19_public_need, "cover_points_thresholds", control)
    finding = with_needs(monkeypatch, needs, lambda d, a: 1)
    assert violated(finding) == [(abm19_public_need.IN_LOGS, 1)]
    assert finding.verdict is Verdict.VIOLATED


def test_a_steep_need_of_thresholds_alone_is_caught(monkeypatch, needs) -> None:
    right = abm19_public_need.cover_points_thresholds

    def control(alpha, beta):
        return right(alpha, beta) * (0.1 / alpha) ** (0.1 if beta == 0.05 else 0.0)

    monkeypatch.setattr(abm19_public_need, "ALPHAS_BETAS", ())
    monkeypatch.setattr(abm19_public_need, "cover_points_thresholds", control)
    finding = with_needs(monkeypatch, needs, lambda d, a: 1)
    assert violated(finding) == [(abm19_public_need.NORMALISED, 1)]
    assert finding.verdict is Verdict.VIOLATED


def test_naive_claim(measured: dict[str, Finding]) -> None:
    finding = measured["ABM19-NAIVE"]
    assert finding.verdict is Verdict.HOLDS or "allowed" in finding.reason
    sizes = {r.settings["alpha"]: r.measured for r in finding.measurements if "alpha" in r.settings}
    for alpha, size in {0.4: 18, 0.2: 72, 0.1: 286, 0.05: 1200}.items():
        assert sizes[alpha].low <= size <= sizes[alpha].high


def test_a_linear_need_of_the_naive_argument_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def squared(m, trials, generator):
        return abm19_public_need.bad_diameters(m, 1, trials, generator)

    monkeypatch.setattr(abm19_public_need, "kuiper_statistics", squared)
    assert abm19_public_need.naive(SIMULATED).verdict is Verdict.VIOLATED


def test_kuiper_statistics_are_the_largest_error_of_a_disagreement() -> None:
    """sup over s <= t of |mass of (s, t] - share of points in it|, over a fine grid and the points themselves."""
    points = np.random.default_rng(3).random((1, 7))

    class Fixed:
        def random(self, shape: tuple[int, int]) -> np.ndarray:
            return points

    ends = np.unique(np.concatenate([points[0], points[0] - 1e-9, np.linspace(0, 1, 500)]))
    share = (points[0][None] <= ends[:, None]).mean(axis=1)
    error = np.abs((ends[:, None] - ends) - (share[:, None] - share))
    assert abm19_public_need.kuiper_statistics(7, 1, Fixed())[0] == pytest.approx(error.max(), abs=1e-7)


def test_hidden_pair_claim(measured: dict[str, Finding]) -> None:
    finding = measured["ABM19-T4.1-pair"]
    assert finding.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE)
    assert finding.deciding.measured.value == pytest.approx(-1.014, abs=2e-3)
    assert not any(row.verdict is Verdict.VIOLATED for row in finding.measurements)


@pytest.mark.parametrize("control", [lambda m, p, r: (1 - p) ** m, lambda m, p, r: (1 - p / 2) ** m])
def test_a_wrong_probability_of_the_hidden_pair_is_caught(monkeypatch: pytest.MonkeyPatch, control) -> None:
    monkeypatch.setattr(abm19_public_need, "hidden_pair_failure", control)
    assert abm19_public_need.hidden_pair(SIMULATED).verdict is Verdict.VIOLATED


def test_quantile_limits_cover() -> None:
    """Order statistics enclose the quantile with at least the stated probability, by the binomial distribution."""
    for trials, quantile, level in ((200, 0.95, 0.05), (2000, 0.95, 1e-4), (10_000, 0.95, 1e-6)):
        low, high = abm19_public_need._quantile_ranks(trials, quantile, level)
        below = binom(trials, quantile)  # number of values at most the quantile
        missed_below = below.cdf(low - 1)  # the low-th value lies above the quantile
        missed_above = below.sf(high - 1)  # the high-th value lies at or below it
        assert missed_below <= level / 2 < below.cdf(low)
        assert missed_above <= level / 2 < below.sf(high - 2)
        assert 0 < low < quantile * trials < high <= trials


def test_too_few_trials_give_no_limit() -> None:
    """With 200 trials no order statistic exceeds the 0.95-quantile with probability 1 - 1e-7: the limit is infinite."""
    low, high = abm19_public_need._quantile_ranks(200, 0.95, 1e-7)
    assert (high, low > 0) == (201, True)
    assert {f.verdict for f in findings(abm19_public_need, Simulation(12), 0.02).values()} == {Verdict.INCONCLUSIVE}


def test_crossing() -> None:
    grid, curve = np.array([10, 20, 40]), np.array([0.4, 0.2, 0.1])
    assert abm19_public_need._crossing(grid, curve, 0.2) == pytest.approx(20)
    assert abm19_public_need._crossing(grid, curve, 0.15) == pytest.approx(20 * 2 ** np.log2(0.2 / 0.15))
    assert abm19_public_need._crossing(grid, curve, 0.5) == 0
    assert abm19_public_need._crossing(grid, curve, 0.05) == np.inf


# ---------------------------------------------------------------------------------------------------- private need
def test_private_need_claims() -> None:
    study_findings = findings(abm19_private_need, Simulation(0), 1.0)
    assert {f.verdict for f in study_findings.values()} == {Verdict.HOLDS}
    agnostic = study_findings["ABM19-T3.1-agnostic"]
    assert agnostic.deciding.measured.value == pytest.approx(-1.983, abs=1e-3)
    for finding in study_findings.values():
        for row in finding.measurements:
            if row.quantity == "private examples needed" and row.settings["mechanism"] != "minimum":
                assert row.measured.value < (row.bound or 0), "the theorem's size suffices"
        for against in [row for row in finding.measurements if row.quantity == abm19_private_need.AGAINST_BOUND]:
            names = ("epsilon", "mechanism", "beta", "representative")
            own = {key: against.settings[key] for key in names if key in against.settings}
            cells = [row for row in finding.measurements if row.quantity == abm19_private_need.NEED]
            cells = [row for row in cells if own.items() <= row.settings.items()]
            x, y = np.log([row.bound for row in cells]), np.log([row.measured.value for row in cells])
            assert against.measured.value == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-6), "of the need in the bound"


@pytest.mark.parametrize(
    ("name", "claim", "power"),
    [
        ("private_points_two_point", "agnostic", 1.0),
        ("private_points_two_point", "agnostic", 2.0),
        ("private_points_realizable", "realizable", 2.0),
    ],
)
def test_other_exponents_are_caught(monkeypatch: pytest.MonkeyPatch, name: str, claim: str, power: float) -> None:
    """A need with one exponent for every epsilon is not theorem 3.1's agnostic one, nor a quadratic realizable one."""
    monkeypatch.setattr(abm19_private_need, name, lambda alpha, epsilon, beta, mechanism: round(300 / alpha**power))
    assert getattr(abm19_private_need, claim)(Run(Simulation(0), 1.0)).verdict is Verdict.VIOLATED


# ---------------------------------------------------------------------------------------------------- lower bound
def test_lower_bound_claims() -> None:
    study_findings = findings(abm19_lower_bound, Simulation(4), 0.4)
    assert [f.verdict for f in study_findings.values()] == [Verdict.ILLUSTRATION, Verdict.ILLUSTRATION, Verdict.HOLDS]
    assert study_findings["ABM19-T4.2-growth"].deciding.measured.value == pytest.approx(2.93, abs=0.02)
    for row in study_findings["ABM19-T4.1"].measurements:
        assert row.measured.value > (row.bound or 0), "the theorem's floor"


def test_few_draws_are_inconclusive() -> None:
    finding = abm19_lower_bound.growth(Run(Simulation(4), 0.02))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "too few" in finding.reason


def test_a_need_without_public_data_that_does_not_grow_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abm19_lower_bound, "private_points_thresholds", lambda bits, epsilon, beta: 30)
    monkeypatch.setattr(abm19_lower_bound, "_draws", lambda table: None)
    assert abm19_lower_bound.growth(Run(Simulation(4), 1.0)).verdict is Verdict.VIOLATED


@pytest.mark.parametrize("control", [lambda e, b: 100, lambda e, b: 900])
def test_a_need_with_public_data_above_the_floor_is_caught(monkeypatch: pytest.MonkeyPatch, control) -> None:
    monkeypatch.setattr(abm19_lower_bound, "private_points_covered_pair", control)
    monkeypatch.setattr(abm19_lower_bound, "_draws", lambda table: None)
    assert abm19_lower_bound.growth(Run(Simulation(4), 1.0)).verdict is Verdict.VIOLATED


def test_a_wrong_failure_probability_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = abm19_lower_bound.failure_probability
    monkeypatch.setattr(abm19_lower_bound, "failure_probability", lambda bits, e, n: right(bits, e, n - 8))
    assert abm19_lower_bound.growth(Run(Simulation(4), 0.1)).verdict is Verdict.VIOLATED
