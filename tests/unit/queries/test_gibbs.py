"""Gibbs sweeps of a log-linear model, against its distribution by enumeration."""

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.queries.gibbs import LogLinear
from semipriv.queries.schema import Schema

SCHEMA = Schema({"a": 2, "b": 3, "c": 2})
GROUPS = [(0, 1), (2, 1), (1,), (0, 1, 2)]
EVERY = np.array(list(np.ndindex(SCHEMA.sizes)))


def model(spread: float = 1.0) -> LogLinear:
    generator = default_rng(0)
    sizes = [int(np.prod([SCHEMA.sizes[i] for i in group])) for group in GROUPS]
    return LogLinear(SCHEMA, GROUPS, [spread * generator.normal(size=size) for size in sizes])


def distribution(given: LogLinear) -> np.ndarray:
    """Probabilities of all records, by the definition."""
    total = np.zeros(len(EVERY))
    for group, potential in zip(given.groups, given.potentials, strict=True):
        place = np.ravel_multi_index(EVERY[:, group].T, [SCHEMA.sizes[i] for i in group])
        total += potential[place]
    e = np.exp(total - total.max())
    return e / e.sum()


@pytest.mark.parametrize("sweeps", [1, 3])
def test_its_distribution_stays_and_is_reached(sweeps: int) -> None:
    """From draws of the distribution it stays, after one sweep or three; from one record it is reached after many."""
    given, generator, n = model(), default_rng(1), 60_000
    p = distribution(given)
    start = EVERY[generator.choice(len(EVERY), n, p=p)]
    for rows in (given.swept(start, sweeps, generator), given.swept(np.zeros((n, 3), int), 30, generator)):
        counts = np.bincount(np.ravel_multi_index(rows.T, SCHEMA.sizes), minlength=12)
        assert ((counts - n * p) ** 2 / (n * p)).sum() < 11 + 5 * np.sqrt(22), "chi-square"


def test_far_potentials_overflow_nothing() -> None:
    given = model(1e4)
    rows = given.swept(np.zeros((50, 3), int), 20, default_rng(2))
    best = EVERY[np.argmax(distribution(given))]
    assert (rows == best).all(axis=1).mean() > 0.5
    assert given.work == 2 * 1 + 3 * 1 + 2 + 3 + 3 + 2 + 3 + 2
