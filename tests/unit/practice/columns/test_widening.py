"""Ranges of public values are wider than these, by a rule that reads nothing else, and are said."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from releases import THRESHOLDS, lay_out

from semipriv.cli import main
from semipriv.practice.columns.features import feature, restored_feature
from semipriv.practice.columns.widening import widened

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(value=NUMBERS, other=NUMBERS)
def test_a_wider_range_holds_the_public_values_and_keeps_their_sign(value: float, other: float) -> None:
    low, high = sorted((value, other))
    bottom, top = widened(low, high)
    assert bottom <= low <= high <= top
    assert np.isfinite([bottom, top]).all()
    assert not (low >= 0 > bottom)
    assert not (high <= 0 < top)


@settings(deadline=None)
@given(low=st.integers(-10_000, 10_000), width=st.integers(1, 5_000), place=st.integers(-6, 6))
def test_ends_have_few_digits(low: int, width: int, place: int) -> None:
    """Public values of four digits: the ends are those of exact numbers, rounded outwards, and are shown as such."""
    unit = Fraction(10) ** place
    bottom, top = widened(float(low * unit), float((low + width) * unit))
    for end, exact, sign in ((bottom, low - Fraction(width, 2), -1), (top, low + Fraction(3 * width, 2), 1)):
        crossed = (low >= 0 > exact) or (low + width <= 0 < exact)
        step = unit * Fraction(10) ** (math.floor(math.log10(width)) - 3)
        expected = 0 if crossed else sign * math.ceil(sign * exact * unit / step) * step
        assert float(end) == float(expected)
        assert Fraction(repr(float(end))) == expected


def test_rows_of_the_same_population_are_hardly_clipped() -> None:
    """Sixty public rows of a normal distribution: 2 in 61 private ones are beyond, hardly one beyond a wider range."""
    rng = np.random.default_rng(1)
    public, private = rng.normal(0, 1, (200, 60)), rng.normal(0, 1, (200, 1_000))
    low, high = public.min(axis=1), public.max(axis=1)
    bottom, top = widened(low, high)
    beyond, clipped = ((private < a[:, None]) | (private > b[:, None]) for a, b in ((low, high), (bottom, top)))
    assert beyond.mean() == pytest.approx(2 / 61, rel=0.1)
    assert clipped.mean() < 1e-4


def test_what_the_public_values_were_is_kept() -> None:
    column = pa.chunked_array([[10.0, 30.0, None]])
    closed = feature("age", {"range": "public"}).closed(column)
    assert (closed.range, closed.public_values) == ((0.0, 40.0), (10.0, 30.0))
    assert restored_feature(closed.description()) == closed
    whole = feature("age", {"integers": "public"}).closed(column)
    assert (whole.integers, whole.public_values) == ((10, 30), (10, 30)), "each integer may be a cell"
    assert feature("age", {"range": [0, 9]}).public_values is None


def test_dry_run_and_certificate_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = str(lay_out(tmp_path, {**THRESHOLDS, "features": {"x": {"range": "public"}}}))
    assert main(["release", request, "--dry-run", "--no-simulation"]) == 0
    warnings = [line for line in capsys.readouterr().out.splitlines() if "outside" in line]
    assert len(warnings) == 1
    assert "column 'x' has values from" in warnings[0]
    assert main(["release", request]) == 0
    certificate = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())
    (x,) = certificate["predicate"]["schema"]["features"]
    assert (x["public_values"], x["range"]) == ([0, 100], [0, 150]), "not across 0"
