"""The distributions of minimisers on the line, against a fine grid of g, and theorem A where it is tight."""

import numpy as np
import pytest
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bbd24.bounds.minimisers import expected_distance, squared_distance, tail
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bbd24.studies import minimisers
from semipriv_lab.papers.bbd24.studies._envelopes import distances, envelope, width


@pytest.mark.parametrize("functions", [1, 2, 3, 8])
def test_the_envelope_is_the_minimum(functions: int) -> None:
    generator = np.random.default_rng(functions)
    for _ in range(50):
        a, means = generator.uniform(-1, 1, functions), generator.standard_normal(functions)
        if functions > 2:
            a[0], means[1] = a[1], means[0]  # one line twice
        starts, slopes = envelope(a, means, 0.7)
        g = generator.standard_normal(500) * 10
        picked = slopes[np.searchsorted(starts, g, side="right") - 1]
        lines = means + 0.7 * a * g[:, None]
        assert np.array_equal(picked, a[lines.argmin(axis=1)])


def test_distances_are_those_of_many_draws() -> None:
    generator = np.random.default_rng(3)
    a, means, others, eta = minimisers.line_case(6, generator)
    chances, lengths = distances(a, means, others, eta)
    g = scipy.special.ndtri((np.arange(200_000) + 0.5) / 200_000)  # equally likely
    f, other = (a[(mean + eta * a * g[:, None]).argmin(axis=1)] for mean in (means, others))
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert chances @ lengths**2 == pytest.approx(np.mean((f - other) ** 2), abs=1e-4)
    best = np.max(a * g[:, None], axis=1)
    assert width(a) == pytest.approx(best.mean(), abs=1e-3)


def test_bounds_never_say_more_than_is_true() -> None:
    """Two points of the unit ball are at most 2 apart, and a chance is at most 1."""
    assert squared_distance(100.0, 1.0, 1.0) == 4
    assert expected_distance(1e-3, 1.0) == 2
    assert tail(100.0, 0.1, 1.0, 1.0) == 1


def test_a_process_of_another_size_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If w were taken for a tenth larger than it is, two minimisers would be too far apart."""
    monkeypatch.setattr(minimisers, "width", lambda a: 0.9 * width(a))
    assert minimisers.any_norms(Run(Simulation(0), 0.05)).verdict is Verdict.VIOLATED
