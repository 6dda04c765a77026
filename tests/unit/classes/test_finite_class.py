"""Finite classes: dimensions and growth by exhaustion."""

import itertools
import math

import pytest

from semipriv.audit.properties.class_cases.finite_class import CUBE, SINGLETONS, label, threshold_table
from semipriv.classes.finite_class import FiniteClass


def littlestone_at_least(table: list[list[int]], depth: int) -> bool:
    """Whether a complete mistake tree of that depth is shattered, by the definition."""
    if depth == 0:
        return bool(table)
    for j in range(len(table[0]) if table else 0):
        ones, zeros = [r for r in table if r[j]], [r for r in table if not r[j]]
        if littlestone_at_least(ones, depth - 1) and littlestone_at_least(zeros, depth - 1):
            return True
    return False


@pytest.mark.parametrize("h", FiniteClass.examples(), ids=label)
def test_littlestone_dimension_by_mistake_trees(h):
    depth = int(h.littlestone_dimension)
    table = [list(row) for row in h.table]
    assert littlestone_at_least(table, depth)
    assert not littlestone_at_least(table, depth + 1)
    assert depth <= math.log2(len(table))


@pytest.mark.parametrize("n", range(2, 17))
def test_littlestone_dimension_of_thresholds_is_binary_search(n):
    """N + 1 thresholds on a line of N points: halving them costs floor(log2(N + 1)) mistakes."""
    h = FiniteClass(threshold_table(n))
    assert h.littlestone_dimension == math.floor(math.log2(n + 1))
    assert h.vc_dimension == h.dual_vc_dimension == 1


def test_known_finite_classes():
    cube, singletons = FiniteClass(CUBE), FiniteClass(SINGLETONS)
    assert (cube.vc_dimension, cube.littlestone_dimension, cube.dual_vc_dimension) == (3, 3, 1)
    assert (singletons.vc_dimension, singletons.littlestone_dimension, singletons.dual_vc_dimension) == (1, 1, 1)
    intervals = FiniteClass([[int(a <= x < b) for x in range(6)] for a in range(6) for b in range(a, 7)])
    assert intervals.vc_dimension == 2
    assert intervals.growth(6) == 6 * 7 // 2 + 1
    parities = FiniteClass([[bin(a & x).count("1") % 2 for x in range(8)] for a in range(8)])
    assert (parities.vc_dimension, parities.dual_vc_dimension, parities.littlestone_dimension) == (3, 3, 3)
    single = FiniteClass([[0, 1, 0]])
    assert (single.vc_dimension, single.littlestone_dimension, single.growth(2)) == (0, 0, 1)


@pytest.mark.parametrize("h", FiniteClass.examples(), ids=label)
def test_finite_growth_by_subsets(h):
    domain = len(h.table[0])
    for m in range(domain + 1):
        subsets = itertools.combinations(range(domain), m)
        assert h.growth(m) == max(len({tuple(row[j] for j in s) for row in h.table}) for s in subsets)


def test_finite_class_merges_equal_rows_and_keeps_the_first():
    h = FiniteClass([[1, 1], [0, 1], [1, 1], [0, 1]])
    assert h.table == ((1, 1), (0, 1))
    points = [[1.0]]
    assert h.cover(points, "lower").listed().parameters.tolist() == [[0.0]]
    assert h.cover(points, "upper").listed().parameters.tolist() == [[1.0]]
