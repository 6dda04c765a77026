"""Checks of single numbers: what passes, what is refused, and that the message names parameter and value."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv import checks

NOT_NUMBERS = [
    (None, "x = None: must be a number"),
    (True, "x = True: must be a number"),
    ([1.0], r"x = \[1.0\]: must be a number"),
    (1 + 2j, r"x = \(1\+2j\): must be a number"),
    (np.bool_(True), "x = .*True.*: must be a number"),
    ("one", "x = 'one': is text, must be a number"),
    ("", "x = '': is text, must be a number"),
    (math.nan, "x = nan: must be finite"),
    (math.inf, "x = inf: must be finite"),
    ("-inf", "x = .*-?inf'?: must be finite"),
    ("nan", "x = .*nan'?: must be finite"),
    (10**400, "x: is too large for a float"),
]
CHECKS = {
    "real": lambda v: checks.real("x", v),
    "positive": lambda v: checks.positive("x", v),
    "between": lambda v: checks.between("x", v, 0, 2),
    "delta": lambda v: checks.delta("x", v),
    "size": lambda v: checks.size("x", v),
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@pytest.mark.parametrize(("value", "message"), NOT_NUMBERS)
def test_what_is_no_finite_number_is_refused(check, value, message):
    with pytest.raises(ValueError, match=message):
        check(value)


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checks.positive("epsilon", 0), "epsilon = 0: must be > 0"),
        (lambda: checks.positive("epsilon", "-1e-6"), "epsilon = '-1e-6': must be > 0"),
        (lambda: checks.between("sigma", 1.5, 0, 1, closed="h"), r"sigma = 1.5: must be in \(0, 1\]"),
        (lambda: checks.delta("delta", 1), r"delta = 1: must be in \[0, 1\)"),
        (lambda: checks.delta("delta", -1e-9), r"delta = -1e-09: must be in \[0, 1\)"),
        (lambda: checks.size("n_public", 2.5), "n_public = 2.5: must be an integer"),
        (lambda: checks.size("n_public", 0), "n_public = 0: must be >= 1"),
        (lambda: checks.size("n_public", 1, minimum=2), "n_public = 1: must be >= 2"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_accepted_ends():
    assert checks.delta("delta", 0) == 0.0
    assert checks.size("n", 0, minimum=0) == 0


@given(st.integers(1, 10**30))
def test_sizes_are_exact_integers(n):
    """Also beyond 2^53, where a float would round."""
    assert checks.size("n", n) == n
    assert type(checks.size("n", np.int64(min(n, 2**62)))) is int
