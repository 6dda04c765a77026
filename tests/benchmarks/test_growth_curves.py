"""Curves of growth at small sizes: each can be made, and one that grows too fast is MISSED."""

import dataclasses
from pathlib import Path

import growth
import pytest

from semipriv.core import tables


def test_every_curve_spans_two_decades_at_least_but_for_columns() -> None:
    for curve in growth.CURVES:
        assert curve.sizes[-1] / curve.sizes[0] >= (33 if curve.size == "columns" else 100)


@pytest.mark.parametrize("curve", growth.CURVES, ids=lambda curve: f"{curve.name}, {curve.size}")
def test_each_curve_can_be_called(curve: growth.Curve) -> None:
    """At its least size; how rows come of several sizes is looked at below."""
    curve.make(curve.sizes[0])()


@pytest.mark.parametrize(("exponent", "met"), [(2, False), (1, True), (0, True)])
def test_a_curve_that_grows_faster_than_its_formula_is_missed(
    exponent: int, met: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "seconds", lambda call, number: call())
    curve = dataclasses.replace(
        growth.CURVES[0],
        sizes=(1, 3, 10, 30, 100),
        formula=growth.linear,
        make=lambda size: lambda: 1e-5 * (5 + size**exponent),
    )
    rows = growth.measure(curve)
    assert [row["size"] for row in rows] == list(curve.sizes)
    assert all(row["met"] is met for row in rows)
    assert ("MISSED" in growth.line(rows)) is not met
    tables.write(tmp_path / "growth.parquet", growth.RESULTS, rows)
    growth.draw_curves(rows, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").stat().st_size > 10_000
