"""Checks of single numbers: what passes, what is refused, and that the message names parameter and value."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core import checks


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_way_to_write_a_number_gives_it(value):
    for written in (value, repr(value), f"  {value!r} ", np.float64(value), Fraction(value)):
        number = checks.real("x", written)
        assert type(number) is float
        assert number == value


def test_text_as_yaml_reads_it():
    assert checks.real("epsilon", "1e-6") == 1e-6
    assert checks.positive("epsilon", "1e-6") == 1e-6
    assert checks.size("n", "1e5") == 100_000


@given(st.floats(-2, 2) | st.sampled_from([0.0, 5e-324, -5e-324, 1.0, math.nextafter(1, 2), math.nextafter(1, 0)]))
def test_ranges_are_as_written(value):
    """Accepted iff inside, with each end as its bracket says."""
    ranges = {
        "": ("(0, 1)", 0 < value < 1),
        "l": ("[0, 1)", 0 <= value < 1),
        "h": ("(0, 1]", 0 < value <= 1),
        "lh": ("[0, 1]", 0 <= value <= 1),
    }
    for closed, (text, inside) in ranges.items():
        if inside:
            assert checks.between("x", value, 0, 1, closed=closed) == value
        else:
            with pytest.raises(ValueError, match=re.escape(f"x = {value!r}: must be in {text}")):
                checks.between("x", value, 0, 1, closed=closed)


def test_accepted_ends():
    assert checks.delta("delta", 0) == 0.0
    assert checks.size("n", 0, minimum=0) == 0


@given(st.integers(1, 10**30))
def test_sizes_are_exact_integers(n):
    """Also beyond 2^53, where a float would round."""
    assert checks.size("n", n) == n
    assert type(checks.size("n", np.int64(min(n, 2**62)))) is int
