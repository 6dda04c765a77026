"""Sizes of LabelBoost: the table of the specification, exact floors, and failures that are told before any run."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from semipriv.papers.bns15.label_boost.schedule import PAPER, SHORT, STUCK, Constants, least_labelled, schedule

SCALED = Constants(17, 6, a0=1)


@pytest.mark.parametrize(
    ("constants", "start", "n", "sizes"),
    [
        (PAPER, 429_373, 1756, [429_373]),
        (PAPER, 440_925, 7190, [440_925, 938_652, 1_941_755]),
        (SCALED, 5406, 7190, [5406, 11_824, 26_185]),
        (SCALED, 5406, 27_818, [5406, 11_824, 26_185, 84_565]),
    ],
)
def test_rounds_at_the_least_start(constants: Constants, start: int, n: int, sizes: list[int]) -> None:
    planned_rounds = schedule(constants, start, n, 0.2, 0.2, 1)
    assert [actual_round.labelled for actual_round in planned_rounds.rounds] == sizes
    assert planned_rounds.failure is None
    assert planned_rounds.labelled >= constants.r0 * n
    assert planned_rounds.final == planned_rounds.labelled // constants.r0 >= n
    assert (
        planned_rounds.unlabelled
        == sum(actual_round.read for actual_round in planned_rounds.rounds)
        <= constants.unlabelled(n)
    )
    reduced_planned_rounds = schedule(constants, start - 1, n, 0.2, 0.2, 1)
    assert (reduced_planned_rounds.failure, reduced_planned_rounds.final) == (STUCK, 0)


def test_enough_labels_need_no_round() -> None:
    planned_rounds = schedule(PAPER, 3000, 10, 0.2, 0.2, 1)
    assert (planned_rounds.rounds, planned_rounds.final, planned_rounds.unlabelled, planned_rounds.failure) == (
        (),
        10,
        0,
        None,
    )


def test_sizes_follow_the_algorithm_to_the_last_unit() -> None:
    """The same with numbers of 200 digits, and a value of exp that no float can tell from its neighbours."""
    constants = Constants(2, 10**9, a0=1, b0=1)
    planned_rounds = schedule(constants, 130, 10**12, 0.9, 0.9, 1)
    labelled = 130
    for i, actual_round in enumerate(planned_rounds.rounds, start=1):
        with localcontext() as context:
            context.prec = 200
            x = Decimal(0.9 / 2**i) * labelled / 4
            allowed = math.floor(Decimal(0.9 / 2**i) * min(x, Decimal(100)).exp())  # e^100 is beyond the block
        v = min(constants.block(10**12), allowed - labelled)
        assert (actual_round.labelled, actual_round.read) == (labelled, v)
        labelled = labelled // 2 + v // 2
    assert labelled == planned_rounds.labelled
    assert any(chosen_round.read > 2**53 for chosen_round in planned_rounds.rounds)


def test_integers_beyond_floats() -> None:
    planned_rounds = schedule(PAPER, 5_247_892, 10**300, 0.2, 0.2, 1)
    first, last = planned_rounds.rounds
    assert abs(Fraction(first.read, 1) / Fraction(math.exp(262.3946) * 0.025) - 1) < 1e-3
    assert last.read == 3 * 10**304


def exactly(constants: Constants, labelled: int, alpha: float, beta: float) -> int:
    """floor(kappa beta_1 e^x), VC dimension 1, with 400 digits."""
    with localcontext() as context:
        context.prec = 400
        x = Decimal(constants.eps0) * Decimal(constants.alpha(alpha, 1)) * labelled / (2 * constants.r)
        return math.floor(Decimal(constants.kappa) * Decimal(constants.beta(beta, 1)) * x.exp())


def test_floors_next_to_an_integer() -> None:
    """kappa e^x is within a rounding of an integer, on either side."""
    plain = Constants(2, 10**6, a0=1, b0=1)
    beta, x = plain.beta(0.5, 1), plain.alpha(0.5, 1) * 60 / 4
    for near in range(3000, 3100):
        constants = Constants(2, 10**6, a0=1, b0=1, kappa=near / (beta * math.exp(x)))
        first = schedule(constants, 60, 10**6, 0.5, 0.5, 1).rounds[0]
        assert first.read + 60 == exactly(constants, 60, 0.5, 0.5) in (near - 1, near)


def test_sizes_beyond_the_largest_float() -> None:
    first = schedule(PAPER, 14_200_000, 10**307, 0.2, 0.2, 1).rounds[0]
    assert 10**306 < first.read + 14_200_000 == exactly(PAPER, 14_200_000, 0.2, 0.2) < 10**310


@pytest.mark.parametrize(
    ("constants", "start", "n"), [(PAPER, 429_373, 1756), (PAPER, 440_925, 7190), (SCALED, 5406, 27_818)]
)
def test_as_many_unlabelled_examples_as_are_read_are_enough_and_one_less_is_short(
    constants: Constants, start: int, n: int
) -> None:
    planned_rounds = schedule(constants, start, n, 0.2, 0.2, 1)
    assert schedule(constants, start, n, 0.2, 0.2, 1, n_unlabelled=planned_rounds.unlabelled) == planned_rounds
    for i, actual_round in enumerate(planned_rounds.rounds):
        read = sum(before.read for before in planned_rounds.rounds[: i + 1])
        reduced_planned_rounds = schedule(constants, start, n, 0.2, 0.2, 1, n_unlabelled=read - 1)
        assert (reduced_planned_rounds.failure, reduced_planned_rounds.rounds, reduced_planned_rounds.wanted) == (
            SHORT,
            planned_rounds.rounds[:i],
            actual_round.read,
        )
        assert (reduced_planned_rounds.final, reduced_planned_rounds.labelled, reduced_planned_rounds.unlabelled) == (
            0,
            actual_round.labelled,
            read - actual_round.read,
        )


def test_a_round_without_growth_is_stuck() -> None:
    assert schedule(PAPER, 50, 10, 0.2, 0.2, 1).failure == STUCK  # floor(50 / 100) = 0 are kept
    assert schedule(Constants(1, 1), 2, 10**6, 0.2, 0.2, 1).failure == STUCK


@pytest.mark.parametrize(
    ("constants", "n"), [(Constants(3, 2, a0=1), 2000), (Constants(2, 1, a0=1), 500), (SCALED, 1000)]
)
def test_with_more_labelled_examples_rounds_end_too(constants: Constants, n: int) -> None:
    """Every start up to one that needs no round."""
    ends = [schedule(constants, m, n, 0.2, 0.2, 1).failure is None for m in range(1, constants.r0 * n + 1)]
    least = least_labelled(constants, n, 0.2, 0.2, 1)
    assert 1 < least < constants.r0 * n
    assert ends == [m >= least for m in range(1, len(ends) + 1)]
