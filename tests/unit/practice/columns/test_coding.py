"""Codes of cells by public cuts are those of encoding first and comparing then, to the last bit."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from semipriv.core.types import Integers
from semipriv.practice.columns.cells import numbers, texts
from semipriv.practice.columns.coding import (
    OUTSIDE,
    Coding,
    Listed,
    Question,
    Steps,
    summed,
    together,
)
from semipriv.practice.columns.dates import numbers_of_dates
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import label_of
from semipriv.queries.unit_mass import UNITS
from semipriv.queries.unit_mass import units as in_units

RNG = np.random.default_rng(5)
EDGES = [0.0, -0.0, 5e-324, -5e-324, 1.0, 2.5, 7.0, 1e300, -1e300, 2.0**53, 2.0**53 + 2, np.nan, np.inf, -np.inf]
NUMBERS = np.concatenate([EDGES, np.nextafter(EDGES[:9], 9e9), np.nextafter(EDGES[:9], -9e9), RNG.normal(0, 5, 300)])
CELLS = {
    "floats": pa.chunked_array([NUMBERS]),
    "integers": pa.chunked_array([RNG.choice([-3, 0, 1, 2, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)], 60)]),
    "missing": pa.chunked_array([pa.array([1.0, None, 7.0])]),
    "days": pa.chunked_array([pa.array([-3, 0, 1, 400, None, -(10**5)], pa.date32())]),
    "times": pa.chunked_array([pa.array([-1, 0, 86399999999, 86400000000, None, -86400000001], pa.timestamp("us"))]),
    "texts": pa.chunked_array([["a", "b", "", None, "A", "ä", "1", "01"]]),
}


def codes(coding: Coding, column: pa.ChunkedArray) -> Integers:
    """What a database does, in NumPy."""
    if isinstance(coding, Listed):
        return np.array([coding.listed.get(cell, coding.unknown) for cell in texts(column).to_pylist()])
    if pa.types.is_integer(column.type):
        coding = coding.on_integers
    values, known = numbers_of_dates(column, "second") if coding.dated else numbers(column)
    if coding.whole:
        known = known & (values == np.floor(values))
    if pa.types.is_integer(column.type) and np.abs(coding.cuts).max(initial=0) < 2.0**53:
        values = column.to_numpy()
    return np.where(known, coding.pieces[np.searchsorted(coding.cuts, values, "right")], coding.unknown)


FEATURES: list[tuple[dict[str, Any], str]] = [
    *(({"range": ends, "unknown": ends[1]}, "floats") for ends in ([-3, 9], [0, 1e-300], [-1e300, 1e300], [0.1, 0.7])),
    ({"range": [-3, 9]}, "integers"),
    ({"range": [-(2.0**60), 2.0**60]}, "integers"),
    ({"integers": [-2, 7], "unknown": 0}, "floats"),
    ({"integers": [-2, 7]}, "integers"),
    ({"integers": [0, 5]}, "missing"),
    *(
        ({kind: ["1969-12-30", "1970-02-01"], "unit": unit, "unknown": "1970-01-05"}, cells)
        for kind in ("range", "integers")
        for unit in ("day", "hour", "second")
        for cells in ("days", "times")
    ),
    ({"bins": [-3, 0, 1, 2.5, 9], "unknown": "none"}, "floats"),
    ({"bins": [-3, 0, 1, 2.5, 9]}, "integers"),
    ({"bins": ["1969-12-30", "1970-01-01", "1970-01-02"], "unit": "day", "unknown": "1970-01-05"}, "days"),
    ({"categories": ["b", "a", ""], "unknown": "a"}, "texts"),
    ({"categories": ["b", "a", ""], "unknown": "none"}, "texts"),
    ({"categories": [1, 7, 0]}, "integers"),
]


@pytest.mark.parametrize(("declared", "cells"), FEATURES)
def test_codes_of_features(declared: dict[str, Any], cells: str) -> None:
    declared_column, column = feature("x", declared), CELLS[cells]
    places, known = declared_column.encode(column)
    low, high = declared_column.ends
    some = np.unique(places[known])
    for breaks in (np.empty(0), some, np.linspace(low - 1, high + 1, 37), np.nextafter(some, np.inf)):
        coding = declared_column.coding(np.unique(breaks))
        assert coding is not None
        expected = np.where(known, np.searchsorted(np.unique(breaks), places, "right"), OUTSIDE)
        assert np.array_equal(codes(coding, column), expected)


@pytest.mark.parametrize(
    ("declared", "cells"),
    [
        ({"range": [-1, 7], "unknown": 2}, "floats"),
        ({"integers": [-1, 7], "unknown": 2}, "floats"),
        ({"range": [0, 5], "unknown": 0}, "integers"),
        ({"range": ["1969-12-30", "1970-02-01"], "unit": "day", "unknown": "1970-01-05"}, "times"),
    ],
)
def test_codes_of_a_place_and_of_an_indicator(declared: dict[str, Any], cells: str) -> None:
    declared_column, column = feature("x", {**declared, "indicator": True}), CELLS[cells]
    points, known = declared_column.coordinates(column)
    assert known.all()
    for coordinate in (0, 1):
        for breaks in ([], [0.5], [0.0, 0.25, 1.0], [1.5]):
            coding = declared_column.coding(np.array(breaks), coordinate)
            assert coding is not None
            expected = np.searchsorted(breaks, points[:, coordinate], "right")
            assert np.array_equal(codes(coding, column), expected)


LABELS: list[tuple[dict[str, Any], str]] = [
    ({"one": {"at_least": 2.5}, "zero": {"below": 2.5}}, "floats"),
    ({"one": {"above": 1}, "zero": {"at_most": 0}}, "floats"),
    ({"one": [2.5, 7, 0], "zero": {"above": 100}, "unknown": 1}, "floats"),
    ({"one": [1, 2], "zero": [0, 7]}, "integers"),
    ({"one": {"at_least": 1}, "zero": [0]}, "missing"),
    ({"one": ["a", ""], "zero": ["b"]}, "texts"),
    ({"classes": [0, [1, 2], {"above": 2}]}, "integers"),
    ({"classes": ["a", ["b", ""], "ä"], "unknown": "b"}, "texts"),
]


@pytest.mark.parametrize(("declared", "cells"), LABELS)
def test_codes_of_labels(declared: dict[str, Any], cells: str) -> None:
    label, column = label_of({"column": "y", **declared}), CELLS[cells]
    labels, known = label.encode(column)
    assert np.array_equal(codes(label.coding, column), np.where(known, labels, OUTSIDE))


@pytest.mark.parametrize("cells", [1, 30, 200, 10**6])
@pytest.mark.parametrize("labels", [None, 2])
def test_questions_that_are_asked_together_have_the_answers_of_each(cells: int, labels: int | None) -> None:
    """By counting rows for each question alone; together they are fewer where cells allow it."""
    sizes = [2, 3, 4, 5, 6]
    codes, y = np.stack([RNG.integers(0, k, 500) for k in sizes]), RNG.integers(0, 2, 500)

    def counts(question: Question) -> Integers:
        counted = np.zeros(question.shape, np.int64)
        np.add.at(counted, (*([] if labels is None else [y]), *codes[list(question.axes)]), 1)
        return counted

    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    questions = [Question(axes, [np.arange(1.0, sizes[i]) for i in axes], labels) for axes in pairs]
    batches = together(questions, cells)
    assert sorted(place for _, places in batches for place in places) == list(range(len(questions)))
    assert len(batches) == {1: 20, 30: len(batches), 200: len(batches), 10**6: 1}[cells]
    for asked, places in batches:
        assert len(places) == 1 or np.prod(asked.shape) <= cells
        for place in places:
            assert np.array_equal(summed(counts(asked), asked, questions[place]), counts(questions[place]))


def test_cuts_are_told_to_be_consecutive_only_if_they_are() -> None:
    def first(cuts: list[float]) -> int | None:
        return Steps(np.array(cuts), np.arange(len(cuts) + 1), False, OUTSIDE).first

    assert first([3.0, 4.0, 5.0]) == 3
    assert first([]) is first([3.0, 5.0]) is first([0.5, 1.5]) is first([2.0**60, 2.0**60 + 1]) is None


PLACES = np.concatenate([[0.0, 1.0, 2.0**-17, np.nextafter(2.0**-17, 0), 0.5, 5e-324], RNG.random(200)])


def test_units_of_numbers_are_rounded_exactly() -> None:
    exact = [int(Fraction(place) * UNITS + Fraction(1, 2)) for place in PLACES.tolist()]
    assert in_units(PLACES).tolist() == exact
    for e in (1, 2, 777, UNITS):  # a cut at e units is a cut of places
        np.testing.assert_array_equal(in_units(PLACES) >= e, (e - 0.5) / UNITS <= PLACES)


@pytest.mark.parametrize("units", [None, RNG.integers(0, 2**16, len(PLACES))], ids=["rows", "units of persons"])
def test_answers_are_exact_sums_over_rows(units: Integers | None) -> None:
    points = np.column_stack([RNG.integers(0, 3, len(PLACES)), PLACES, RNG.integers(0, 2, len(PLACES))]).astype(float)
    question = Question((0, 2, 1), (np.array([1.0, 2.0]), np.array([0.5]), np.array([0.25, 0.75])), None, 1, 2)
    must: dict[tuple[int, ...], list[int]] = {}
    for i, (group, place, side) in enumerate(points.tolist()):
        u, w = int(Fraction(place) * UNITS + Fraction(1, 2)), 1 if units is None else int(units[i])
        sums = must.setdefault((int(group), int(side), (place >= 0.25) + (place >= 0.75)), [0, 0, 0])
        sums[:] = [sums[0] + w, sums[1] + w * u, sums[2] + w * u * u]
    answer = question.answer(points, None, units)
    assert answer.shape == question.shape == (3, 2, 3, 3)
    assert {cell: answer[cell].tolist() for cell in must} == must
    assert question.rows(answer) == answer[..., 0].sum() == (len(PLACES) if units is None else units.sum())


def test_one_question_answers_counts_and_sums() -> None:
    points = np.column_stack([RNG.integers(0, 3, 50), RNG.integers(0, 4, 50), RNG.random(50), RNG.random(50)])
    first, second, cuts = np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.6])
    asked = [
        Question((0, 1), (first, second)),
        Question((0, 2), (first, cuts), number=2, degree=1),
        Question((1, 2), (second, cuts), number=2, degree=2),
        Question((1, 3), (second, cuts), number=3, degree=1),
        Question((), ()),
    ]
    groups = together(asked)
    assert [places for _, places in groups] == [[0, 1, 2, 4], [3]]  # two numbers are never summed up in one
    for joined, places in groups:
        whole = joined.answer(points)
        for place in places:
            np.testing.assert_array_equal(summed(whole, joined, asked[place]), asked[place].answer(points))
