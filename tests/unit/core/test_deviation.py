"""The deviation of frequencies: against arithmetic by hand, and what it refuses."""

import math

import pytest
import refused

from semipriv.core.deviation import deviation


def growth(m: int) -> int:
    return m + 1


def test_the_deviation_by_hand() -> None:
    assert deviation(1000, growth, 0.05) == pytest.approx(math.sqrt(8 * (math.log(2001) + math.log(80)) / 1000))


REFUSED = {
    "deviation": [
        *((lambda n=n: deviation(n, growth, 0.05), f"n = {n}") for n in (math.nan, 0, -1)),
        *((lambda beta=beta: deviation(10, growth, beta), f"beta = {beta}") for beta in (math.nan, 0, 1)),
    ]
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
