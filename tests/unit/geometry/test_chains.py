"""Which sets of several chains are new: against sets that are compared one by one."""

import numpy as np
import pytest

from semipriv.classes import decision_stumps
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.geometry.chains import new_sets


def one_by_one(orders: np.ndarray, kept: np.ndarray) -> np.ndarray:
    met, new = set(), np.zeros_like(kept)
    for chain, order in enumerate(orders):
        for i in np.flatnonzero(kept[chain]):
            points = frozenset(order[:i].tolist())
            new[chain, i] = points not in met
            met.add(points)
    return new


@pytest.mark.parametrize("m", [1, 2, 4, 9])
def test_new_sets_are_those_that_no_earlier_chain_has(m: int) -> None:
    coins = np.random.default_rng(m)
    for trial in range(60):
        chains = int(coins.integers(1, 7))
        orders = np.array([coins.permutation(m) for _ in range(chains)], np.int32)
        if trial % 3 == 0:
            orders[-1] = orders[0]
        kept = coins.random((chains, m + 1)) < coins.choice([0.3, 0.8, 1.0])
        added = new_sets(orders, np.argsort(orders, axis=1).astype(np.int32), kept)
        assert np.array_equal(added, one_by_one(orders, kept))


@pytest.mark.parametrize("signs", ["both", "positive"])
@pytest.mark.parametrize("values", [1, 2, 5, 1000])
def test_covers_by_stumps_have_each_dichotomy_of_stumps_once(
    signs: str, values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more points than chains, and with fewer; where features are heaped, equal, and each other's reverse."""
    monkeypatch.setattr(decision_stumps, "_MANY", 0)
    coins = np.random.default_rng(values)
    for m, p in ((40, 3), (12, 5), (5, 20)):
        points = coins.integers(0, values, (m, p)).astype(np.float64)
        points[:, 1] = -points[:, 0]
        points[:, 2] = points[:, 0]
        h = DecisionStumps(p, signs)
        cover = h.cover(points).listed()
        distinct = np.unique(points, axis=0)
        cuts = [np.append(np.unique(distinct[:, j]), np.inf) for j in range(p)]
        above = {tuple(distinct[:, j] >= t) for j in range(p) for t in cuts[j]}
        both = above | {tuple(~np.array(vector)) for vector in above} if signs == "both" else above
        dichotomies = list(map(tuple, cover.dichotomies()))
        assert len(dichotomies) == len(set(dichotomies))
        assert set(dichotomies) == both


def test_a_large_cover_by_stumps_is_the_one_of_evaluated_stumps(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.round(np.random.default_rng(3).normal(size=(300, 8)), 1)
    compared = DecisionStumps(8).cover(np.tile(points, (5, 1)) + 0.0).listed().parameters
    monkeypatch.setattr(decision_stumps, "_MANY", 0)
    assert np.array_equal(DecisionStumps(8).cover(points).listed().parameters, compared)
