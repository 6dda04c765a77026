"""Bound functions of BCM20 return a number or give a reason at the ends of all floats, quickly and in little memory."""

import math
from collections.abc import Callable

import pytest

from semipriv.papers.bcm20.bounds import forced_updates, proven, public_only, sizes
from semipriv.privacy.guarantee import Guarantee

SMALL = (5e-324, 1e-320, 1e-300, 1e-100, 1e-16)
BUDGET = Guarantee(1.0, 1e-6)
OF_ALPHA_BETA: dict[str, Callable[[float, float], float]] = {
    "printed_public": lambda a, b: sizes.printed_public(a, b, 1),
    "cover_points_class": lambda a, b: sizes.cover_points_class(a, b, 3),
    "cover_points_union": sizes.cover_points_union,
    "pmw_records": lambda a, b: sizes.pmw_records(a, b, 1.0, 1.0),
    "pap_records": lambda a, b: sizes.pap_records(a, b, 1.0, 1.0),
    "printed_private": lambda a, b: sizes.printed_private(a, b, 1, 1),
    "public_points_thresholds": public_only.public_points_thresholds,
    "hoeffding_points": lambda a, b: public_only.hoeffding_points(a, b, 1),
    "stumps_public_points": lambda a, b: public_only.stumps_public_points(a, b, 1),
    "stumps_gaussian_records": lambda a, b: public_only.stumps_gaussian_records(a, b, 1, 1.0),
    "stumps_noise_records": lambda a, b: public_only.stumps_noise_records(a, b, 1, 1.0),
    "pmw": lambda a, b: proven.pmw(a, b, 2, 1, BUDGET).records,
    "pap": lambda a, b: proven.pap(a, b, 2, 1, BUDGET).records,
    "book_updates": lambda a, b: forced_updates.book_updates(a, 10),
}


def number_or_reason(actual: Callable[[], float]) -> None:
    number: float | None = None
    reason = ""
    try:
        number = actual()
    except ValueError as error:
        reason = str(error)
    if number is None:
        assert any(word in reason for word in ("must be", "too large", "take a")), reason
    else:
        assert number >= 0
        assert isinstance(number, int) or math.isfinite(number)


@pytest.mark.parametrize("name", OF_ALPHA_BETA)
@pytest.mark.parametrize("alpha", SMALL)
def test_tiny_alpha_and_beta(name: str, alpha: float) -> None:
    for beta in (alpha, 0.1, 1 - 2.0**-53):
        number_or_reason(lambda beta=beta: OF_ALPHA_BETA[name](alpha, beta))


@pytest.mark.parametrize("epsilon", [1e-320, 1e-300, 1e300])
def test_extreme_epsilon(epsilon: float) -> None:
    number_or_reason(lambda: sizes.pmw_records(0.1, 0.1, 1.0, 1.0, epsilon))
    number_or_reason(lambda: sizes.printed_private(0.1, 0.1, 1, 1, epsilon))
    number_or_reason(lambda: proven.pmw(0.1, 0.1, 2, 1, Guarantee(epsilon, 1e-6)).records)


def test_extreme_delta_and_logarithms() -> None:
    for delta in (5e-324, 1 - 2.0**-53):
        number_or_reason(lambda delta=delta: sizes.pmw_records(0.1, 0.1, 1.0, 1.0, 1.0, delta))
        number_or_reason(lambda delta=delta: sizes.printed_private(0.1, 0.1, 1, 1, 1.0, delta))
        number_or_reason(lambda delta=delta: proven.pmw(0.1, 0.1, 2, 1, Guarantee(1.0, delta)).records)
    for logarithm in (1.0, 1e308):
        number_or_reason(lambda logarithm=logarithm: sizes.pmw_records(0.5, 0.5, logarithm, logarithm))


def test_fewer_than_two_cells_are_refused() -> None:
    """With log_cells = 1e-3 the printed form was negative: -10.9 records."""
    with pytest.raises(ValueError, match="log_cells"):
        sizes.pmw_records(0.5, 0.5, 1e-3, 0.0)
    assert sizes.pmw_records(0.5, 0.5, math.log(2), 0.0) > 0


def test_an_exact_distribution_that_takes_gigabytes_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        public_only.public_points_thresholds(1e-3, 1e-12)
