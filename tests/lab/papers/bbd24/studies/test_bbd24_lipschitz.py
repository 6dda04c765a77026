"""The class that refutes lemmas 13 to 16 without lambda: against minimisers that are found, and broken on purpose."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bbd24.studies import lipschitz
from semipriv_lab.papers.bbd24.studies.lipschitz import Narrow, least_excess, printed_excess

SMALL = Narrow(n=4, points=40, m=40, eta=0.5, lipschitz=50.0)
"""Each point is a public one, once."""


def risk(v: np.ndarray) -> float:
    return 1 - float(v.mean()) - lipschitz.BEST


def literal_third(sizes: Narrow, records: np.ndarray) -> np.ndarray:
    """Algorithm 3's v: a weight t of .9 and the rest a in [0, 1 - t] with sum at most n (1 - t)."""
    points, n = int(sizes.points), sizes.n

    def objective(x: np.ndarray) -> float:
        v = 0.9 * x[-1] + x[:-1]
        return float((1 - v[records]).sum() + sizes.eta * np.mean((1 - v / sizes.lipschitz) ** 2))

    optimum = scipy.optimize.minimize(
        objective,
        np.append(np.full(points, 0.05), 0.5),
        bounds=[(0, 1)] * (points + 1),
        constraints=[
            {"type": "ineq", "fun": lambda x: 1 - x[-1] - x[:-1]},
            {"type": "ineq", "fun": lambda x: n * (1 - x[-1]) - x[:-1].sum()},
        ],
        method="SLSQP",
    )
    assert optimum.success
    return np.asarray(0.9 * optimum.x[-1] + optimum.x[:-1])


def test_algorithm_3_fits_the_records_and_is_as_wrong_as_is_proved() -> None:
    v = literal_third(SMALL, np.array([3, 7, 7, 20]))
    assert v[[3, 7, 20]] == pytest.approx(1, abs=1e-3)
    assert risk(v) >= least_excess(SMALL, 3) - 1e-6


def test_minimisers_of_algorithm_2_are_as_wrong_as_is_proved() -> None:
    """The objective is linear in v, so that a vertex is least: the constant, or 1 on up to n points."""
    sizes = Narrow(n=2, points=10, m=10, eta=0.2, lipschitz=50.0)
    vertices = [np.full(10, 0.9), np.zeros(10)]
    for chosen in (*combinations(range(10), 1), *combinations(range(10), 2)):
        vertices.append(np.isin(np.arange(10), chosen).astype(float))
    every, generator = np.array(vertices), np.random.default_rng(5)
    records = np.array([1, 6])
    for _ in range(200):
        w = (1 - every / sizes.lipschitz) @ generator.standard_normal(10) / math.sqrt(10)
        v = every[np.argmin((1 - every[:, records]).sum(axis=1) + sizes.eta * w)]
        assert risk(v) >= least_excess(sizes, 2)


def test_the_complexity_is_that_of_the_class() -> None:
    """Over v in the class, at n records: the sum of max(xi, 0) is largest, on distinct records."""
    xi = np.random.default_rng(6).standard_normal((200_000, 4))
    width = np.maximum(xi, 0).sum(axis=1).mean() / math.sqrt(4) / SMALL.lipschitz
    assert width == pytest.approx(SMALL.width, rel=0.01)


def test_what_fits_nothing_refutes_nothing() -> None:
    """A large eta lets the minimiser be the constant; a loss with constant 1 is within the printed bound."""
    assert least_excess(replace(SMALL, eta=1e4), 3) < 0
    flat = replace(lipschitz.at(1.0), lipschitz=1.0)
    assert printed_excess(flat, 3, 1.0) > 1 > least_excess(flat, 3)


def test_the_literal_rows_are_refuted_and_the_mended_form_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lipschitz.deviations, lipschitz.excesses
    assert [row(Run(Simulation(0), 1.0)).verdict for row in rows] == [Verdict.REFUTED] * 2
    monkeypatch.setattr(lipschitz, "LIPSCHITZ", 1.0)
    monkeypatch.setattr(lipschitz, "at", lambda constant: Narrow(1e5, 1e7, 1e17, gamma=1e-4, lipschitz=1.0))
    assert [row(Run(Simulation(0), 1.0)).verdict for row in rows] == [Verdict.HOLDS] * 2
