"""Published limits cover as often as they say: columns that are smooth, heaped and constant, simulated.

The most misses that are allowed follow from the stated level alone: the binomial quantile of 1e-4 for so many draws.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.grid_query_release import GridQueryRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking.squared import STEPS, SquaredErrors, squared_error
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.schema import Records
from semipriv.practice.published.distribution import Distribution
from semipriv.queries.schema import Schema

ROWS, DRAWS = 3_000, 60


def column(kind: str, n: int, seed: int) -> np.ndarray:
    """Incomes from 0 to 200,000: without two that are equal; in whole thousands, 30 % of them 0; all equal."""
    rng = np.random.default_rng(seed)
    smooth = rng.lognormal(10.5, 0.6, n).clip(0, 199_999.5)
    if kind == "smooth":
        return smooth
    heaped = np.where(rng.random(n) < 0.3, 0.0, np.round(smooth, -3))
    return heaped if kind == "heaped" else np.full(n, 36_000.0)


FIRST_DAY = 18_262
"""2020-01-01."""
COLUMNS = ["smooth", "heaped", "constant"]
GRIDS = {
    "numbers": ({"range": [0, 200_000]}, Thresholds(), {"size": 51}, 1.0),
    "a grid beside the heaps": ({"range": [0, 200_000]}, Thresholds(), {"size": 64}, 1.0),
    "days": ({"range": ["2020-01-01", "2020-12-31"], "unit": "day"}, Thresholds(), {"size": 40}, 1 / 550),
    "integers": ({"integers": [0, 63]}, DiscreteThresholds(6), {"low": 0, "high": 63, "size": 64}, 1 / 3200),
}


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("method", ["consistent_tree", "public_prior_tree"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_limits_of_quantiles_and_of_shares_cover(kind: str, method: str, grid: str) -> None:
    """At 95 %, of each quantile and of each share by itself; and they are no wider than the noise and two cells."""
    declared, functions, options, scale = GRIDS[grid]
    records = Records([feature("x", declared)])
    rows, known = (column(kind, n, seed) * scale for n, seed in ((ROWS, 1), (300, 2)))
    if scale != 1:
        rows, known = np.floor(rows), np.floor(known)
    if grid == "days":
        rows, known = rows + FIRST_DAY, known + FIRST_DAY
    cells = (x.astype("datetime64[D]") if grid == "days" else x for x in (rows, known))
    points, public = (records.points({"x": x}) for x in cells)
    learner = GridQueryRelease(1.0, method=method, scale="01", **options)
    prepared = learner.prepare(public, functions)
    asked = np.array([0.02, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9])
    true = np.quantile(rows, asked, method="inverted_cdf")
    ends = Distribution.of(_answers(learner, prepared, points, 0), records).ends
    values = np.r_[np.unique(true), ends[len(ends) // 3], (ends[5] + ends[6]) / 2, rows.min(), rows.max()]
    shares = (rows <= values[:, None]).mean(axis=1)
    missed, missed_shares = np.zeros(len(asked), int), np.zeros(len(values), int)
    for seed in range(DRAWS):
        distribution = Distribution.of(_answers(learner, prepared, points, seed), records)
        low, high = np.transpose([distribution.quantile_limits(p) for p in asked])
        missed += (true < low) | (true > high)
        if kind == "constant":
            assert np.all(high - low <= 1.001 * np.diff(ends).max()), "one cell"
        least, most = np.transpose([distribution.limits(value) for value in values])
        missed_shares += (shares < least - 1e-12) | (shares > most + 1e-12)
    allowed = binom.ppf(1 - 1e-4, DRAWS, 0.05)
    assert missed.max() <= allowed, dict(zip(asked, missed, strict=True))
    assert missed_shares.max() <= allowed, dict(zip(values, missed_shares, strict=True))


def _answers(learner: GridQueryRelease, prepared: object, points: np.ndarray, seed: int) -> object:
    return learner.release(prepared, points, np.zeros(len(points), np.int8), Simulation(seed)).output


def test_three_deciles_at_one_value_are_in_their_limits() -> None:
    """30 % of the rows are 0: so are the quantiles .1, .2 and .3, and the cell that starts at 0 holds them."""
    ends, below = np.arange(0.0, 11.0), np.r_[0.0, np.linspace(0.3, 1, 10)]
    distribution = Distribution(ends, below, np.r_[0.0, np.full(9, 0.001), 0.0])
    assert [distribution.quantile_limits(p) for p in (0.1, 0.2, 0.29)] == [pytest.approx((0.0, 1.0))] * 3
    assert distribution.quantile_limits(0.3) == pytest.approx((0.0, 2.0))
    assert distribution.limits(0.0) == pytest.approx((0.0, 0.30196))


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_limits_of_marginals_cover(delta: float) -> None:
    """At 90 %, of each cell by itself, of columns that are smooth, heaped and constant."""
    schema = Schema(dict.fromkeys(COLUMNS, 12))

    def table(n: int, seed: int) -> dict[str, np.ndarray]:
        return {kind: np.minimum(column(kind, n, seed) // 10_000, 11).astype(int) for kind in COLUMNS}

    private = table(ROWS, 1)
    learner = TableRelease(1.0, delta, tree=0, rounds=0)
    prepared = learner.prepare(table(200, 2), schema)
    missed: dict[tuple[int, ...], np.ndarray] = {}
    for seed in range(DRAWS):
        output = learner.release(prepared, private, Simulation(seed)).output
        for interval in [*output.intervals(0.9), *output.alone(0.9)]:
            sizes = [12] * len(interval.columns)
            cells = np.ravel_multi_index([private[COLUMNS[i]] for i in interval.columns], sizes)
            share = np.bincount(cells, minlength=int(np.prod(sizes))) / ROWS
            wrong = (share < interval.low - 1e-12) | (share > interval.high + 1e-12)
            missed[interval.columns] = missed.get(interval.columns, 0) + wrong
    assert len(missed) >= 3
    for columns, wrong in missed.items():
        assert wrong.max() <= binom.ppf(1 - 1e-6, DRAWS, 0.1), columns
        assert wrong.mean() <= 0.12 * DRAWS, columns


@pytest.mark.parametrize("kind", COLUMNS)
def test_limits_of_the_squared_error_cover(kind: str) -> None:
    """At 95 %, of the error on new rows of the same kind: rows are drawn as well as noise."""
    largest, rows = 100_000.0, 200
    use = SquaredErrors(200_000.0, largest)
    population = column(kind, 50_000, 3)
    scores = use.scores(np.full(len(population), 36_500.0) / 100_000 - 1, population / 100_000 - 1)
    truth = np.minimum((population - 36_500.0) ** 2, largest**2).mean()
    missed = 0
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        total = int(scores[rng.integers(0, len(scores), rows)].sum())
        noisy = DiscreteLaplace(Fraction(STEPS)).add(np.array([total]), Simulation(seed))[0]
        error = squared_error(int(noisy), rows, Fraction(1), largest, 0.05)
        missed += not error.low <= truth <= error.high
    assert missed <= binom.ppf(1 - 1e-4, DRAWS, 0.05)
