"""Shrunk values: public rows, whatever they are, do no more harm than a tenth of the noise; and good ones help."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats, Integers
from semipriv.learners.statistics import shrinkage
from semipriv.learners.statistics.shrinkage import Prior, posterior, reach, shrunk_counts, shrunk_means, shrunk_overall
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.unit_mass import UNITS

Rows = tuple[Integers, Integers, Floats]
"""Groups by two columns, and places of a number."""
SLOW = pytest.mark.exhaustive
ROWS = ("none", "good", "20 good", "biased", "permuted")
"""Kinds of public rows."""


def _synthetic(kind: str) -> Rows:
    rng = np.random.default_rng(5)
    if kind == "flat":  # all groups have one size and one mean: what needs no public row
        return np.arange(4000) % 20, np.arange(4000) // 20 % 10, np.full(4000, 0.3)
    first = np.minimum(rng.zipf(1.5, 4000) - 1, 59)
    return first, rng.integers(0, 8, 4000), np.clip(rng.beta(2, 5, 4000) / 2 + first % 7 / 14, 0, 1)


@cache
def table(kind: str) -> Rows:
    if kind in {"flat", "skewed"}:
        return _synthetic(kind)
    if kind == "tumours":
        cells = load_breast_cancer().data
        first, second = (pd.qcut(cells[:, i], k, labels=False).astype(np.int64) for i, k in ((0, 12), (1, 8)))
        return first, second, np.clip(cells[:, 7] / 0.25, 0, 1)
    spec = find_spec("statsmodels")
    if spec is None or spec.origin is None:
        pytest.skip("statsmodels is not installed")
    given = pd.read_csv(Path(spec.origin).parent / "datasets/fair/fair.csv")
    first, second = (given[one].to_numpy().astype(np.int64) - 1 for one in ("rate_marriage", "occupation"))
    return first, second, np.clip(given.affairs.to_numpy() / 25, 0, 1)


def split(kind: str, rng: np.random.Generator) -> Iterator[tuple[str, Rows]]:
    """Yield private rows, then public rows of each kind.

    Biased ones are drawn by the rank of the number and by the group; of permuted ones each column has other names, and
    the number is turned upside down.
    """
    first, second, x = table(kind)
    order, m = rng.permutation(len(x)), min(200, len(x) // 4)
    rank = np.argsort(np.argsort(x + 1e-9 * np.arange(len(x)))) / len(x)
    weights = (0.05 + rank) ** 2 * (1 + first)
    biased = rng.choice(len(x), m, p=weights / weights.sum())
    good, private = order[:m], order[m : m + 3000]
    yield "private", (first[private], second[private], x[private])
    yield "none", (first[:0], second[:0], x[:0])
    for name, rows in (("good", good), ("20 good", good[:20]), ("biased", biased)):
        yield name, (first[rows], second[rows], x[rows])
    names = [rng.permutation(one.max() + 1) for one in (first, second)]
    yield "permuted", (names[0][first[good]], names[1][second[good]], 1 - x[good])


def counted(rows: Rows, sizes: tuple[int, int]) -> Integers:
    return np.bincount(rows[0] * sizes[1] + rows[1], minlength=sizes[0] * sizes[1]).reshape(sizes)


def summed(rows: Rows, sizes: tuple[int, int]) -> Floats:
    return np.bincount(rows[0] * sizes[1] + rows[1], rows[2], sizes[0] * sizes[1]).astype(np.float64).reshape(sizes)


def errors(kind: str, epsilon: float, draw: int) -> dict[tuple[str, str], float]:
    """Return the mean absolute error of each statistic, unshrunk and shrunk with public rows of each kind.

    Each table is measured with a quarter of epsilon.  Unshrunk numbers below 0 are 0, and means are in [0, 1].
    """
    (_, private), *others = split(kind, np.random.default_rng([draw, 7]))
    sizes = (int(table(kind)[0].max()) + 1, int(table(kind)[1].max()) + 1)
    n, coins, noise = len(private[0]), Simulation(draw).spawn(kind, str(epsilon)), DiscreteLaplace(8 / epsilon)
    deviation = noise.variance**0.5

    def by(given: np.ndarray) -> dict[str, np.ndarray]:
        return {"A": given.sum(axis=1), "B": given.sum(axis=0), "AB": given}

    def measured(name: str, exact: Integers, mass: int) -> Floats:
        drawn = (exact + noise.per(mass).sample(coins.spawn(name), exact.size).reshape(exact.shape)) / mass
        return np.asarray(drawn + (n - drawn.sum()) / drawn.size)

    exact, above = by(counted(private, sizes)), by(summed(private, sizes))
    ends = {
        key: np.rint(np.stack([exact[key] - above[key], above[key]], axis=-1) * UNITS).astype(np.int64) for key in exact
    }
    rows = {key: measured(key, exact[key], 1) for key in exact}
    levels = {key: measured(f"mean {key}", ends[key], UNITS) for key in exact}
    true = {key: ends[key][..., 1] / UNITS / np.maximum(exact[key], 1) for key in exact}
    found = {}

    def told(name: str, counts: dict[str, Floats], means: dict[str, Floats]) -> None:
        for key in exact:
            found[f"counts {key}", name] = float(np.abs(counts[key] - exact[key]).mean())
            found[f"means {key}", name] = float(np.abs(means[key] - true[key])[exact[key] > 0].mean())

    raw = {key: np.clip(one[..., 1] / np.maximum(one.sum(axis=-1), 1), 0, 1) for key, one in levels.items()}
    told("unshrunk", {key: np.maximum(one, 0) for key, one in rows.items()}, raw)
    for name, public in others:
        number, sums, variance = (
            by(counted(public, sizes).astype(float)),
            by(summed(public, sizes)),
            float(np.var(public[2])) if len(public[2]) else 0.0,
        )
        counts: dict[str, Floats] = {}
        means: dict[str, Floats] = {}
        for key in exact:
            ways = [counts["A"], counts["B"]] if key == "AB" else []
            counts[key] = shrunk_counts(rows[key], deviation, n, number[key], ways).values
            size, overall = np.maximum(counts[key], 1), float(np.clip(levels[key][..., 1].sum() / n, 0, 1))
            vector = np.array([-overall, 1 - overall])
            spread = deviation * (vector @ vector - vector.sum() ** 2 / ends[key].size) ** 0.5
            ways = [means["A"], means["B"]] if key == "AB" else []
            means[key] = shrunk_means(
                overall + levels[key] @ vector / size,
                spread / size,
                overall,
                counts[key],
                (number[key], sums[key], variance) if len(public[0]) else None,
                ways,
            ).values
        told(name, counts, means)
    return found


def harm(kind: str, epsilon: float, draws: int) -> dict[tuple[str, str], float]:
    """Return by how much errors exceed the least of unshrunk ones and of those without public rows, over unshrunk ones.

    Of each statistic and kind of public rows, errors being means over draws.
    """
    each = [errors(kind, epsilon, draw) for draw in range(draws)]
    mean = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
    return {
        (statistic, rows): (own - min(mean[statistic, "unshrunk"], mean[statistic, "none"]))
        / mean[statistic, "unshrunk"]
        for (statistic, rows), own in mean.items()
        if rows != "unshrunk"
    }


@pytest.mark.parametrize(
    ("epsilon", "groups"), [pytest.param(0.1, 450, marks=SLOW), (1, 225), pytest.param(10, 450, marks=SLOW)]
)
@pytest.mark.parametrize("kind", ["tumours", "fair", "skewed", "flat"])
def test_public_rows_never_hurt_by_more_than_a_tenth_of_the_noise(kind: str, epsilon: float, groups: int) -> None:
    """Without public rows, with good, few, biased and wrong ones: the mean absolute error is at most the lower one of
    unshrunk values and of those shrunk without public rows, plus a tenth of that of unshrunk values.

    groups: of the coarser column, in all draws.  With 225 means at .1 and 10 had standard errors up to .05.
    """
    found = harm(kind, epsilon, groups // int(min(one.max() for one in table(kind)[:2]) + 1))
    assert len(found) == 6 * len(ROWS)
    assert max(found.values()) <= 0.1, found


def test_a_rule_that_believes_public_rows_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinkage, "_PUBLIC", ((1, 1.0),))
    monkeypatch.setattr(shrinkage, "_EQUAL", ((1, 1e-12),))
    monkeypatch.setattr(shrinkage, "_WIDE", ())
    monkeypatch.setattr(shrinkage, "_STRENGTH", 1e6)
    assert harm("skewed", 1, 6)["counts A", "permuted"] > 0.3


def test_good_public_rows_help() -> None:
    each = [errors("skewed", 0.1, draw) for draw in range(20)]
    for statistic in ("counts A", "means A"):
        good, without, raw = (np.mean([one[statistic, rows] for one in each]) for rows in ("good", "none", "unshrunk"))
        assert good < 0.9 * min(without, raw)


@pytest.mark.parametrize("groups", [2, 5, 60])
def test_no_public_rows_move_a_value_further_than_the_noise_reaches(groups: int) -> None:
    """However many and however wrong they are: by ``reach`` deviations, and by 1 more for whole numbers."""
    rng = np.random.default_rng(groups)
    for scale in (0.1, 1, 30):
        y = rng.dirichlet(np.ones(groups)) * 1000
        y += (1000 - y.sum()) / groups
        for public in (np.eye(groups)[0] * 1e9, rng.dirichlet(np.full(groups, 0.01)) * 1e6, np.ones(groups)):
            counts = shrunk_counts(y, scale, 1000, public).values
            assert np.all(np.abs(counts - y) <= reach(groups) * scale + 1)
            assert counts.sum() == 1000
            assert np.all((counts >= 0) & (counts == np.rint(counts)))
            places = rng.random(groups)
            means = shrunk_means(places, np.full(groups, scale / 100), 0.5, y, (public, public * 0.999, 1e-9)).values
            assert np.all(np.abs(means - places) <= reach(groups) * scale / 100 + 1e-12)
            assert np.all((means >= 0) & (means <= 1))


def test_reach_is_the_chance_that_it_tells() -> None:
    """Of Laplace noise: 1 - (1 - exp(-sqrt(2) reach))^groups is at most 0.1, and not much less."""
    for groups in (1, 10, 10**6):
        beyond = -np.expm1(groups * np.log1p(-np.exp(-np.sqrt(2) * reach(groups))))
        assert 0.095 < beyond <= 0.1 + 1e-12


def test_a_single_prior_is_the_normal_posterior() -> None:
    y, s, c, t = np.array([[3.0, -1.0]]), np.array([2.0, 0.5]), 1.0, 1.5
    found = posterior(y, s, [Prior(0.3, c, t)])
    np.testing.assert_allclose(found.values, c + t**2 / (t**2 + s**2) * (y - c))
    np.testing.assert_allclose(found.deviations, [(1 / (1 / t**2 + 1 / s**2)) ** 0.5])


def test_weights_go_to_the_prior_of_which_values_are() -> None:
    """The posterior is that under the true prior alone, where groups are many."""
    rng = np.random.default_rng(1)
    truth = 5 + rng.normal(size=2000)
    y = truth + 2 * rng.normal(size=2000)
    alone = posterior(y, np.array(2.0), [Prior(1, 5, 1)])
    among = posterior(y, np.array(2.0), [Prior(0.01, 5, 1), Prior(1, -5, 1), Prior(1, 0, 30)])
    assert np.abs(among.values - alone.values).mean() < 0.1
    assert np.abs(among.values - truth).mean() < 0.6 * np.abs(y - truth).mean()
    assert abs(np.mean((among.values - truth) ** 2) / np.mean(among.deviations**2) - 1) < 0.1


@pytest.mark.parametrize("total", [40, 40.0, 3, 1])
def test_sparse_tables_add_up(total: float) -> None:
    """Twenty thousand cells, nearly all empty, in noise that is larger than the table."""
    y = Simulation(3).generator.laplace(0, 8, (200, 100))
    y += (total - y.sum()) / y.size
    for public in (None, np.zeros((200, 100)), np.eye(200, 100)):
        values = shrunk_counts(
            y, 8 * 2**0.5, total, public, [np.full(200, total / 200), np.full(100, total / 100)]
        ).values
        assert values.min() >= 0
        assert abs(values.sum() - total) <= 1e-6
        assert np.abs(values).max() <= total


def test_one_group_and_no_noise_are_exact() -> None:
    """A group of all rows is all rows; without noise nothing is moved, whatever public rows say."""
    assert shrunk_counts(np.array([9.7]), 4.0, 10).values.tolist() == [10]
    public = np.array([0.0, 0.0, 50.0])
    assert shrunk_counts(np.array([6.0, 0.0, 4.0]), 0.0, 10, public).values.tolist() == [6, 0, 4]
    found = shrunk_means(np.array([0.25, 0.5]), np.zeros(2), 0.3, np.array([8.0, 2.0]), (np.ones(2), np.ones(2), 0.0))
    np.testing.assert_allclose(found.values, [0.25, 0.5], atol=1e-12)
    np.testing.assert_allclose(found.deviations, 0, atol=1e-12)


@pytest.mark.parametrize("m", [1, 20, 400])
def test_without_signal_numbers_are_those_of_public_rows(m: int) -> None:
    """The limit epsilon to 0: noise of any size moves them no more than equal shares do, of which a tenth is left."""
    coins = np.random.default_rng(m)
    public = coins.multinomial(m, [0.6, 0.3, 0.1]).astype(np.float64)
    noise = 1e9 * coins.normal(size=3)
    share = (public + 0.5) / (m + 1.5)
    counts = shrunk_counts(noise, 1e9, 1000.0, public).values
    assert np.abs(counts - 1000 * share).max() <= 0.1 * 1000
    overall = shrunk_overall(float(noise[0]), 1e9, (m, 0.2, 0.01))
    assert np.isclose(overall, 0.2, atol=1e-6)
    assert np.isclose(shrunk_overall(float(noise[0]), 1e9), 0.5, atol=1e-6)
    means = shrunk_means(noise, np.full(3, 1e9), overall, counts, (public, 0.2 * public, 0.01)).values
    assert np.allclose(means, 0.2, atol=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("public", [None, (3.0, 1.0, 0.0), (1000.0, 0.9, 1e-6)])
def test_with_much_signal_the_mean_of_all_rows_is_the_measured_one(
    value: float, public: tuple[float, float, float] | None
) -> None:
    assert np.isclose(shrunk_overall(value, 1e-7, public), value, atol=1e-5)
    assert shrunk_overall(value, 0.0, public) == value
