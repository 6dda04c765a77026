"""Chow-Liu trees, against all trees, and the rows that are drawn of them."""

import itertools

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.core.rows import distinct_rows
from semipriv.queries.chow_liu import Tree, chow_liu, informations
from semipriv.queries.schema import Schema

SCHEMA = Schema({"a": 2, "b": 3, "c": 2, "d": 4})


def rows(n: int, seed: int) -> np.ndarray:
    generator = default_rng(seed)
    a = generator.integers(2, size=n)
    b = (a + (generator.random(n) < 0.3)) % 3
    d = np.where(generator.random(n) < 0.6, b, generator.integers(4, size=n))
    return np.column_stack([a, b, generator.integers(2, size=n), d])


def tree(given: np.ndarray) -> Tree:
    distinct = distinct_rows(given)
    return chow_liu(distinct.rows, distinct.counts, SCHEMA, informations(given, SCHEMA))


def spans(edges: tuple[tuple[int, int], ...]) -> bool:
    reached = {0}
    for _ in edges:
        reached |= {j for e in edges for j in e if reached & set(e)}
    return len(reached) == 4


def test_informations_are_those_by_hand() -> None:
    given = rows(60, 1)
    computed_informations = informations(given, SCHEMA)
    for i, j in itertools.permutations(range(4), 2):
        total = 0.0
        for u, v in set(map(tuple, given[:, [i, j]].tolist())):
            p = np.mean((given[:, i] == u) & (given[:, j] == v))
            total += p * np.log(p / np.mean(given[:, i] == u) / np.mean(given[:, j] == v))
        assert computed_informations[i, j] == pytest.approx(total, abs=1e-12)
    wide = Schema({"a": 2, "b": 3, "c": 2, "d": 10**5})
    assert informations(given, wide) == pytest.approx(computed_informations), "whether cells are counted or sorted"


@pytest.mark.parametrize("seed", range(5))
def test_no_tree_has_more_information(seed: int) -> None:
    given = rows(80, seed)
    computed_informations = informations(given, SCHEMA)
    pairs = list(itertools.combinations(range(4), 2))
    best = max(
        sum(computed_informations[e] for e in edges) for edges in itertools.combinations(pairs, 3) if spans(edges)
    )
    assert sum(computed_informations[e] for e in tree(given).edges) == pytest.approx(best)


@pytest.mark.parametrize("n", [1, 50])
def test_every_record_is_possible_and_draws_have_its_distribution(n: int) -> None:
    built_tree = tree(rows(n, 3))
    every = np.array(list(np.ndindex(SCHEMA.sizes)))
    distribution = np.exp(built_tree.log_probability(every))
    assert distribution.min() > 0
    assert distribution.sum() == pytest.approx(1)
    drawn = built_tree.draw(40_000, default_rng(4))
    counts = np.bincount(np.ravel_multi_index(drawn.T, SCHEMA.sizes), minlength=len(every))
    assert ((counts - 40_000 * distribution) ** 2 / (40_000 * distribution)).sum() < 47 + 5 * np.sqrt(2 * 47), (
        "chi-square"
    )


def test_the_pairs_of_its_edges_are_kept() -> None:
    given = rows(5_000, 5)
    built_tree = tree(given)
    every = np.array(list(np.ndindex(SCHEMA.sizes)))
    distribution = np.exp(built_tree.log_probability(every))
    for i, j in built_tree.edges:
        for u, v in np.ndindex(SCHEMA.sizes[i], SCHEMA.sizes[j]):
            p = np.mean((given[:, i] == u) & (given[:, j] == v))
            assert distribution[(every[:, i] == u) & (every[:, j] == v)].sum() == pytest.approx(p, abs=5 / 5_000)
