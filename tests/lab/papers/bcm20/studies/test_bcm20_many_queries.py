"""Many queries: the workload by hand, the formulas against runs, targets that thresholds meet, what is said."""

import math

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.noisy_cells import NoisyCells
from semipriv.queries.methods.pmw import PMW
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bcm20.studies import many_queries as study


@pytest.mark.parametrize("bits", [1, 2, 5])
def test_parities_by_hand(bits: int) -> None:
    generator = np.random.default_rng(bits)
    rows = np.sort(generator.choice(2**bits, min(2**bits, 7), replace=False))
    work = study.Parities(bits, rows)
    subsets = range(1, 2**bits)
    wanted = np.array([[bin(int(row) & subset).count("1") % 2 == 0 for row in rows] for subset in subsets])
    assert work.matrix().tolist() == wanted.tolist()
    counts = generator.integers(0, 2**40, len(rows))
    assert work.sums(counts).tolist() == (wanted @ counts).tolist()
    assert work.sums(counts / 7) == pytest.approx(wanted @ (counts / 7))


def test_the_distribution_is_tilted_by_the_planted_parities() -> None:
    """On all rows the three parities are even with probability (1 + .8) / 2, and uniform rows miss them by .8."""
    work, masses = study.problem(8, 256, np.random.default_rng(1))
    shares = work.sums(masses)
    assert [shares[planted - 1] for planted in study.PLANTED] == pytest.approx([0.9] * 3)
    assert 2 * np.abs(shares - 0.5).max() == pytest.approx(0.8)
    moved = {int(query) + 1 for query in np.flatnonzero(np.abs(shares - 0.5) > 1e-9)}
    a, b, c = study.PLANTED
    assert moved == {a, b, c, a ^ b, a ^ c, b ^ c, a ^ b ^ c}
    assert len(moved) < study.ROUNDS


@pytest.mark.parametrize(("cells", "queries"), [(256, 2**10), (2**10, 2**10)])
def test_formulas_of_noise(cells: int, queries: int) -> None:
    """Largest noise of M answers, against the formula: a quarter less, or half more where all parities share much."""
    bits = queries.bit_length() - 1
    work, masses = study.problem(bits, cells, np.random.default_rng(2))
    n = 10**9
    counts = np.rint(n * masses).astype(np.int64)
    exact = work.sums(counts) / counts.sum()
    error = study.predicted(cells, queries - 1, n)
    for name, method in (("noise on each query", Gaussian()), ("noise on cells", NoisyCells())):
        largest_errors = [
            2 * np.abs(method.fit(work, counts, study.BUDGET, Simulation(t)).answers - exact).max() for t in range(3)
        ]
        assert 0.75 <= np.mean(largest_errors) / error[name] <= 1.5, name


def test_the_target_is_the_least_that_is_proven() -> None:
    for cells, queries, n in ((256, 4095, 10**5), (2**20, 2**20, 10**6)):
        least = study.target(cells, queries, n)
        assert least is not None
        over = [PMW(a, study.BETA).records(cells, queries, study.BUDGET) for a in (least - 0.005, least)]
        assert over[1] <= n < over[0]
    assert study.target(256, 4095, 100) is None


@pytest.fixture(scope="module")
def measured_findings() -> Finding:
    return study.many_queries(Run(Simulation(3), 0.3))


def test_what_is_said(measured_findings: Finding) -> None:
    judged = {(r.settings["bits"], r.quantity) for r in measured_findings.measurements if r.verdict is not None}
    assert judged == {(8, study.OVER), (16, study.OVER), (16, study.CONTROL), (13, study.OVER), (13, study.CONTROL)}
    assert Verdict.VIOLATED is not measured_findings.verdict
    errors = {
        (r.settings["support"], r.settings["bits"], r.settings["method"]): r.measured.value
        for r in measured_findings.measurements
        if r.quantity == study.ERROR
    }
    assert study.LARGE not in {key[:2] for key in errors}, "only at full effort"
    assert errors[study.SMALL, 20, "MWEM"] < errors[study.SMALL, 20, "noise on each query"] / 10
    assert errors[study.ALL, 13, "MWEM"] < errors[study.ALL, 13, "noise on cells"]
    assert measured_findings.deciding.quantity == study.OVER
    assert "in no run over MWEM" in measured_findings.reason
    crossing = {
        r.settings["n_private"]: r.measured.value
        for r in measured_findings.measurements
        if r.quantity == study.CROSSING
    }
    assert crossing == {100_000: 21, 1_000_000: 24}, "with 10,000 records no target is below the error of uniform rows"
    assert all(math.isfinite(row.measured.value) for row in measured_findings.measurements)
