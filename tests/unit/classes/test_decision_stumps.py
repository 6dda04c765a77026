"""Decision stumps: their growth function, and the coordinates of the cube as a finite class."""

import itertools

import numpy as np
import pytest

from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass


def chain_masks(m: int, signs: str) -> np.ndarray:
    """For each order of m points, the sets that a feature in that order can cut off: a mask over the 2^m subsets."""
    masks = []
    for order in itertools.permutations(range(m)):
        top = [sum(1 << i for i in order[k:]) for k in range(m + 1)]
        if signs == "both":
            top += [(1 << m) - 1 - s for s in top]
        mask = 0
        for subset in top:
            mask |= 1 << subset
        masks.append(mask)
    return np.array(masks, dtype=np.uint64)


@pytest.mark.parametrize("signs", ["both", "positive"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_stump_growth_is_the_maximum_over_all_rank_orders(p, signs):
    """Exhaustive for m <= 6 points: only the order of the points in each feature matters, and ties only lose sets.

    The first feature may be taken as the identity.  A cover of points in a best order has exactly that many rows.
    """
    h = DecisionStumps(p, signs)
    for m in range(1, 7):
        masks = chain_masks(m, signs)
        unions = masks[:1]
        for _ in range(p - 1):
            unions = np.unique(unions[:, None] | masks)
        assert int(np.bitwise_count(unions).max()) == h.growth(m)
    if p <= 2:
        orders = itertools.product([tuple(range(4))], *[itertools.permutations(range(4))] * (p - 1))
        assert max(len(h.cover(np.array(ranks, float).T)) for ranks in orders) == h.growth(4)


@pytest.mark.parametrize(("signs", "largest"), [("positive", 4), ("both", 3)])
def test_coordinates_of_the_cube_as_a_finite_class(signs, largest):
    """BCM20 definition 12: all dimensions and the growth by exhaustion of the table, for every p up to the largest."""
    for p in range(1, largest + 1):
        h = DecisionStumps(p, signs, "cube")
        corners = np.array(list(itertools.product((-1, 1), repeat=p)))
        table = (corners == 1).T.astype(int)
        table = np.concatenate([table, 1 - table]) if signs == "both" else table
        finite = FiniteClass(table.tolist())
        assert h.vc_dimension == finite.vc_dimension
        assert h.dual_vc_dimension == finite.dual_vc_dimension == p
        assert h.littlestone_dimension == finite.littlestone_dimension
        assert [h.growth(m) for m in range(6)] == [finite.growth(m) for m in range(6)]
        theta = h.cover(corners).listed().parameters
        assert {tuple(row) for row in h.predict(theta, corners).astype(int).tolist()} == set(finite.table)
        assert len(h.representative_domain(theta)) == 2**p


@pytest.mark.parametrize(("p", "vc"), [(1, 0), (3, 1), (4, 2), (7, 2), (8, 3), (15, 3), (16, 4)])
def test_vc_dimension_of_coordinates_is_the_logarithm(p, vc):
    """floor(log2 p), tight in Assouad's bound p < 2^(VC + 1) at p = 3, 7, 15."""
    assert DecisionStumps(p, "positive", "cube").vc_dimension == vc
    assert DecisionStumps(p, "both", "cube").vc_dimension == vc + 1


def test_signs_that_a_class_has() -> None:
    DecisionStumps(2).check_parameters(np.array([[0.0, 0.5, 1.0], [0.0, 0.5, -1.0]]))
    DecisionStumps(2, "positive").check_parameters(np.array([[0.0, 0.5, 1.0]]))
