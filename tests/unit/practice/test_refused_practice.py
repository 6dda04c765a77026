"""What declarations of own tables are refused, and in which words; files and requests are in the tests of these."""

from datetime import date
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import refused

from semipriv.core.randomness import Secure
from semipriv.practice.asking.quality import HeldOut
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Chunk, PrivateTableError, Records

RECORDS = Records(
    [feature("dollars", {"range": [0, 10]}), feature("sex", {"categories": ["F", "M"]})], Label("visits", ["1"], ["0"])
)


def encoded(**columns: pa.Array) -> object:
    table = pa.table({"dollars": [1.0, 2.0], "sex": ["F", "M"], "visits": ["0", "1"], **columns})
    return RECORDS.encode(Chunk(Path("clinic.csv"), table, np.arange(2)))


REFUSED = {
    "feature": [
        (partial(feature, "x", declared), words)
        for declared, words in (
            ({}, "needs one of range, integers, categories, bins; nothing is inferred from private rows"),
            ({"range": [0, 1], "integers": [0, 1]}, "got range and integers"),
            ({"range": [1, 1]}, "low must be < high"),
            ({"range": [0]}, r"must be \[low, high\]"),
            ({"range": [0, float("inf")]}, "must be finite"),
            ({"integers": [0.5, 2]}, "must be two integers"),
            ({"categories": ["a"]}, "at least two"),
            ({"categories": ["a", "a"]}, "'a' is listed twice"),
            ({"categories": ["a", True]}, "in quotes"),
            ({"range": [0, 1], "unknown": 2}, r"must be in \[0, 1\]"),
            ({"categories": ["a", "b"], "unknown": 0.5}, "must be text or an integer"),
        )
    ],
    "label": [
        (partial(Label, "y", one, zero), words)
        for one, zero, words in (
            (["a"], ["a", "b"], "'a' is both one and zero"),
            ({"at_least": 3}, {"at_most": 3}, "3.0 is both"),
            ({"above": 3}, [1, 4], "4.0 is both"),
            ({"above": 3}, {"above": 5}, "is both"),
            (["a"], [1], "must both be texts or both be numbers"),
            ([True], [False], "in quotes"),
            ({"more": 3}, {"below": 3}, "unknown comparison"),
            ({"at_least": date(2023, 1, 1)}, {"below": 3}, "'2023-01-01': is a date, must be a number"),
            ([], ["a"], "empty list"),
        )
    ],
    "response": [
        (partial(Response, "y", declared, unknown), words)
        for declared, unknown, words in (
            ([0], None, r"response.range = \[0\]: must be \[low, high\], two numbers"),
            ("public", None, "must be .low, high., two numbers"),
            ([date(2023, 1, 1), date(2023, 1, 2)], None, "two numbers"),
            ([1, 1], None, "low must be < high"),
            ([-1e308, 1e308], None, "their distance a number"),
            ([0, float("nan")], None, "response.range = nan: must be finite"),
            ([0, 1], 2, r"response.unknown = 2.0: must be in \[0.0, 1.0\]"),
        )
    ],
    "columns": [
        (
            lambda: encoded(dollars=pa.array([0, 1], pa.timestamp("s"))),
            r"column 'dollars' has the type timestamp, must be numbers; dates need a `unit`",
            PrivateTableError,
        ),
        (
            lambda: encoded(sex=pa.array([0.0, 1.0])),
            r"column 'sex', row 0: must be one of the declared categories",
            PrivateTableError,
        ),
        (lambda: RECORDS.points({"dollars": [1.0]}), "column 'sex' is missing"),
        (
            lambda: RECORDS.points(np.zeros((2, 2))),
            "table: must be a DataFrame or a mapping of columns of equal length",
        ),
    ],
    "held out": [(lambda: HeldOut(2, Fraction(1)).draw([1, 2], Secure()), "several candidates need one")],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
