"""Distributions of the studies of OWN: rows of eight features with a label or a response, and tables of categories.

Each is made to be hard for one part of a learner: features that share one factor, units from 1e-3 to 1e4 with heavy
tails, rare levels, one feature that decides alone, few ones, labels that depend on no feature.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from semipriv.core.types import Floats, Integers
from semipriv.queries.schema import Column, Schema

DIMENSION = 8
CLASSES = 4
UNITS = 10.0 ** np.arange(-3, 5)
RARE = np.array([0.02, 0.02, 0.05, 0.05, 0.5, 0.5, 0.5, 0.5])
"""Chances of the levels of ``rare levels``."""

Rows = tuple[Floats, Any]
DrawnRows = Callable[[np.random.Generator, int], Rows]
"""Coins and a number of rows to points (n, 8) and labels or responses (n,)."""


def _normal(coins: np.random.Generator, n: int) -> Floats:
    return coins.normal(size=(n, DIMENSION))


def _factor(coins: np.random.Generator, n: int) -> Floats:
    """Correlations of .8 between all features."""
    return 0.45 * coins.normal(size=(n, DIMENSION)) + 0.89 * coins.normal(size=(n, 1))


def _drawn(coins: np.random.Generator, scores: Floats) -> Floats:
    return (coins.random(len(scores)) < expit(scores)).astype(np.int8)


# ---------------------------------------------------------------------------------------------------- two labels
def _weak(coins: np.random.Generator, n: int) -> Rows:
    x = _normal(coins, n)
    return x, _drawn(coins, x @ np.array([1, -1, 1, -1, 0.5, -0.5, 0, 0]) / 2)


def _cut(coins: np.random.Generator, n: int) -> Rows:
    x = _normal(coins, n)
    return x, ((x[:, 0] > 0.3) ^ (coins.random(n) < 0.1)).astype(np.int8)


def _correlated(coins: np.random.Generator, n: int) -> Rows:
    x = _factor(coins, n)
    return x, _drawn(coins, 4 * (x[:, 0] - x[:, 1]) + 3 * (x[:, 2] - x[:, 3]))


def _heavy(coins: np.random.Generator, n: int) -> Rows:
    z = coins.standard_t(2, size=(n, DIMENSION))
    return z * UNITS, _drawn(coins, 1.5 * z[:, 0] - z[:, 1] + z[:, 2])


def _levels(coins: np.random.Generator, n: int) -> Rows:
    x = (coins.random((n, DIMENSION)) < RARE).astype(float)
    return x, _drawn(coins, 3 * x[:, 0] + 3 * x[:, 2] - 3 * x[:, 3] + 2 * x[:, 4] - 2 * x[:, 5])


def _few_ones(coins: np.random.Generator, n: int) -> Rows:
    x = _normal(coins, n)
    return x, _drawn(coins, 2 * x[:, 0] - 2 * x[:, 1] - 3.5)


TWO_LABELS: dict[str, DrawnRows] = {
    "correlated features": _correlated,
    "heavy tails": _heavy,
    "rare levels": _levels,
    "one cut": _cut,
    "few ones": _few_ones,
    "weak": _weak,
}


# ---------------------------------------------------------------------------------------------------- several labels
def _centres(seed: int, size: float) -> Floats:
    return np.random.default_rng(seed).normal(size=(CLASSES, DIMENSION)) * size


def _ordered(coins: np.random.Generator, n: int) -> Rows:
    x = _factor(coins, n)
    return x, np.digitize(x[:, 0] - x[:, 1] + 0.3 * coins.normal(size=n), [-0.5, 0, 0.5])


def _few_of_some(coins: np.random.Generator, n: int) -> Rows:
    y = coins.choice(CLASSES, n, p=[0.6, 0.3, 0.07, 0.03])
    return _centres(6, 0.8)[y] + _normal(coins, n), y


def _clouds(coins: np.random.Generator, n: int) -> Rows:
    y = coins.integers(0, CLASSES, n)
    return (_centres(5, 1.0)[y] + _normal(coins, n)) * UNITS, y


SEVERAL_LABELS: dict[str, DrawnRows] = {
    "ordered labels": _ordered,
    "two rare labels": _few_of_some,
    "four clouds": _clouds,
}


# ---------------------------------------------------------------------------------------------------- responses
def _clip(values: Floats) -> Floats:
    return np.clip(values, -1, 1)


def _linear(coins: np.random.Generator, n: int) -> Rows:
    x = _normal(coins, n)
    return x, _clip(x @ np.array([2, -1.5, 1, -1, 0.5, 0, 0, 0]) / 10 + 0.2 * coins.normal(size=n))


def _differences(coins: np.random.Generator, n: int) -> Rows:
    x = _factor(coins, n)
    return x, _clip(0.4 * (x[:, 0] - x[:, 1]) + 0.1 * x[:, 2] + 0.2 * coins.normal(size=n))


def _heavy_response(coins: np.random.Generator, n: int) -> Rows:
    z = coins.standard_t(3, size=(n, DIMENSION))
    return z * UNITS, _clip(0.1 * (z[:, 0] - z[:, 1] + z[:, 2]) + 0.2 * coins.normal(size=n))


def _level_response(coins: np.random.Generator, n: int) -> Rows:
    x = (coins.random((n, DIMENSION)) < RARE).astype(float)
    return x, _clip(0.5 * x[:, 0] + 0.4 * x[:, 2] + 0.2 * x[:, 4] - 0.3 + 0.2 * coins.normal(size=n))


def _lower_end(coins: np.random.Generator, n: int) -> Rows:
    """Responses of which most are at the lower end."""
    x = _normal(coins, n)
    scores = x @ np.array([4, -3, 2, -2, 1, 0, 0, 0]) / 10 - 0.5 + 0.2 * coins.normal(size=n)
    return x, np.clip(scores, -0.6, 1)


RESPONSES: dict[str, DrawnRows] = {
    "correlated features": _differences,
    "heavy tails": _heavy_response,
    "rare levels": _level_response,
    "half at the lower end": _lower_end,
    "linear": _linear,
}


# ---------------------------------------------------------------------------------------------------- tables
SIZES = (2, 3, 4, 5, 3, 2)
SCHEMA = Schema(tuple(Column(f"column_{i}", range(size)) for i, size in enumerate(SIZES)))
GROUPS = 4


@dataclass(frozen=True, eq=False)
class Groups:
    """Hidden groups, within which columns are independent.  shares: (g,).  others: (g,), of biased rows.

    chances: for each group and column those of its values.
    """

    shares: Floats
    others: Floats
    chances: list[list[Floats]]

    @classmethod
    def drawn(cls, coins: np.random.Generator) -> "Groups":
        """Draw a distribution."""
        first, second = coins.dirichlet(np.ones(GROUPS)), coins.dirichlet(np.ones(GROUPS))
        return cls(first, second, [[coins.dirichlet(0.5 * np.ones(size)) for size in SIZES] for _ in range(GROUPS)])

    def sample(self, coins: np.random.Generator, n: int, bias: float = 0.0) -> Integers:
        """Return codes (n, 6); bias: how far the shares of the groups are moved to the others."""
        return self._of(coins, coins.choice(GROUPS, n, p=(1 - bias) * self.shares + bias * self.others))

    def of_persons(self, coins: np.random.Generator, place: Integers) -> Integers:
        """Return codes (n, 6) of rows with the places of their persons; all rows of a person are of one group."""
        return self._of(coins, coins.choice(GROUPS, int(place.max()) + 1, p=self.shares)[place])

    def _of(self, coins: np.random.Generator, groups: Integers) -> Integers:
        codes = np.empty((len(groups), len(SIZES)), np.int64)
        for group in range(GROUPS):
            (places,) = np.nonzero(groups == group)
            for column, size in enumerate(SIZES):
                codes[places, column] = coins.choice(size, len(places), p=self.chances[group][column])
        return codes
