"""Point functions: finite domains by exhaustion, the indicator of a point that is not public."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.audit.properties.class_cases.point_functions import dichotomies, domain
from semipriv.classes.base import REPRESENTATIVES
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.point_functions import PointFunctions

LARGEST = float(np.finfo(float).max)


@pytest.mark.parametrize(("dimension", "bits"), [(1, 1), (1, 3), (2, 1), (3, 1)])
def test_a_discrete_domain_is_a_finite_class(dimension, bits):
    h = PointFunctions(dimension, bits)
    size = 2 ** (dimension * bits)
    finite = FiniteClass(np.eye(size, dtype=int).tolist())
    assert h.vc_dimension == finite.vc_dimension
    assert h.dual_vc_dimension == finite.dual_vc_dimension
    assert h.littlestone_dimension == finite.littlestone_dimension
    assert [h.growth(m) for m in range(size + 2)] == [finite.growth(m) for m in range(size + 2)]
    theta = h.cover(domain(h)).listed().parameters
    assert h.predict(theta, domain(h)).astype(int).tolist() == np.eye(size, dtype=int).tolist()
    assert h.representative_domain(theta).tolist() == domain(h).tolist()


@pytest.mark.parametrize(("dimension", "bits"), [(1, 2), (2, 1)])
def test_every_set_of_public_points_of_a_small_domain(dimension, bits):
    """g points have g + 1 dichotomies, g if they are the domain: the all-zero one is that of the first other point."""
    h = PointFunctions(dimension, bits)
    whole = domain(h).tolist()
    for g in range(len(whole) + 1):
        for public in map(list, itertools.combinations(whole, g)):
            cover = h.cover(np.array(public).reshape(-1, dimension)).listed()
            assert set(map(tuple, cover.dichotomies().tolist())) == dichotomies(h, public)
            others = [p for p in whole if p not in public]
            assert cover.parameters.tolist() == public + others[:1]


ENDS = st.sampled_from([LARGEST, math.nextafter(LARGEST, 0), -LARGEST, 0.0, -0.0, 5e-324, -5e-324, 1.0])


@given(
    st.lists(st.lists(ENDS | st.floats(-3, 3), min_size=2, max_size=2), max_size=5), st.sampled_from(REPRESENTATIVES)
)
def test_the_other_point_of_the_plane_is_none_of_the_public_ones(public, representative):
    h = PointFunctions(2)
    cover = h.cover(np.array(public).reshape(-1, 2), representative).listed()
    points = {(a + 0.0, b + 0.0) for a, b in public}
    assert {tuple(c) for c in cover.parameters[:-1].tolist()} == points
    assert tuple(cover.parameters[-1].tolist()) not in points
    assert np.isfinite(cover.parameters).all()
    assert not cover.dichotomies()[-1].any()


def test_the_other_point_is_the_next_number():
    h = PointFunctions(1)
    assert h.cover([1.0, 3.0]).listed().parameters[-1, 0] == math.nextafter(3.0, 4.0)
    assert h.cover([1.0, LARGEST]).listed().parameters[-1, 0] == math.nextafter(1.0, 4.0)
    assert h.cover([LARGEST]).listed().parameters[-1, 0] == math.nextafter(LARGEST, 0)
    assert h.cover([]).listed().parameters.tolist() == [[0.0]]


def test_words_of_many_bits():
    """POINT_d over {0, 1}^200: a domain of 2^200 points is nowhere listed."""
    h = PointFunctions(200, bits=1)
    points = np.zeros((3, 200))
    points[1, -1] = points[2, -2] = 1
    cover = h.cover(points).listed()
    assert len(cover) == h.growth(3) == 4
    assert cover.parameters[-1].tolist() == [*[0.0] * 198, 1.0, 1.0]


def test_negative_zero_is_zero():
    h = PointFunctions(1)
    assert h.predict([[-0.0]], [[0.0], [-0.0]]).all()
    mistakes = h.mistakes(np.array([[-0.0], [1.0]]), h.validated([0.0, -0.0, 1.0]), np.array([1, 1, 0], np.int8))
    assert mistakes.tolist() == [0, 3]
