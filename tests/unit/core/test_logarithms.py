"""Sums of numbers that are known by their logarithms."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.logarithms import log_sum_exp


@given(st.lists(st.floats(-1e5, 1e5) | st.sampled_from([-math.inf, 0.0, 1.0]), min_size=1, max_size=9))
def test_a_sum_is_scipys(logarithms: list[float]) -> None:
    """Ties, impossible ones, and numbers far beyond the range of floats."""
    total = log_sum_exp(np.array(logarithms))
    assert total == pytest.approx(float(scipy.special.logsumexp(logarithms)), rel=1e-15, abs=1e-15)
