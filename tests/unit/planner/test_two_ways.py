"""Both questions answer each other: sizes that are put back allow at most alpha, and no answer asks for more."""

import math
import time
from itertools import product

import pytest

from semipriv.bounds.abm19.split import best_excess_bound, best_private_size
from semipriv.bounds.least import least_number
from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.planner.proven import EPSILONS, proven_excess, proven_sizes

CELLS = [
    (h, realizable, *cell)
    for i, (h, realizable) in enumerate(product((Thresholds(), Intervals(), Halfspaces(3)), (False, True)))
    for cell in list(product((EPSILONS[0], 0.03, 1.0, EPSILONS[1]), (0.013, 1 / 3, 0.9), (1e-6, 0.05, 0.7)))[i::6]
]


@pytest.mark.parametrize(("h", "realizable", "epsilon", "alpha", "beta"), CELLS)
def test_sizes_put_back(h: HypothesisClass, realizable: bool, epsilon: float, alpha: float, beta: float) -> None:
    """For each of both bounds, from the least epsilon to the largest."""
    sizes = proven_sizes(h, alpha, beta, epsilon, realizable)
    theorem = proven_excess(h, sizes.n_public, sizes.n_private, beta, epsilon, realizable).theorem
    ours = proven_excess(h, sizes.n_public, sizes.n_private_optimised, beta, epsilon, realizable).optimised
    assert theorem is not None
    assert ours is not None
    assert 0.9 * alpha < theorem <= alpha
    assert ours <= alpha
    again = proven_sizes(h, theorem, beta, epsilon, realizable)
    assert (again.n_public, again.n_private) == (sizes.n_public, sizes.n_private)
    m, log_cover = sizes.n_public, math.log(h.growth(sizes.n_public))
    given = (epsilon, m, h.vc_dimension, log_cover)
    assert best_private_size(ours, beta, *given, realizable=realizable) <= sizes.n_private_optimised


@pytest.mark.parametrize("realizable", [False, True])
@pytest.mark.parametrize(("m", "n"), [(1500, 700), (1500, 123_457), (40_000, 5003), (10**6, 10**6 + 1)])
def test_an_excess_error_put_back(m: int, n: int, realizable: bool) -> None:
    """Never more examples than there are: the bound falls strictly with them, down to one example."""
    log_cover = math.log(m + 1)
    bound = best_excess_bound(m, n, 0.3, 0.05, 1, log_cover, realizable=realizable)
    if bound < 1:
        assert best_private_size(bound, 0.05, 0.3, m, 1, log_cover, realizable=realizable) == n
    theorem = proven_excess(Thresholds(), m, n, 0.05, 0.3, realizable).theorem
    if theorem is not None:
        sizes = proven_sizes(Thresholds(), theorem, 0.05, 0.3, realizable)
        assert sizes.n_public <= m
        assert sizes.n_private <= n


def test_the_sizes_of_the_readme_put_back() -> None:
    """The theorem as stated gives the alpha that was asked for, not what the terms of its proof add up to."""
    found = proven_excess(Thresholds(), 3888, 170_766, 0.05, 1.0)
    assert found.theorem == pytest.approx(0.05, rel=1e-5)
    assert found.theorem <= 0.05
    assert proven_excess(Thresholds(), 3888, 170_765, 0.05, 1.0).theorem > 0.05  # type: ignore[operator]


def test_least_numbers() -> None:
    for least in (1e-9, 0.1, 1 / 3, math.nextafter(1, 0)):
        assert least_number(lambda x, least=least: x >= least) == least
    assert least_number(lambda x: x >= 1) is None


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_ends_of_the_range_take_no_time(epsilon: float) -> None:
    start = time.process_time()
    sizes = proven_sizes(Halfspaces(5), 1e-4, 1e-9, epsilon)
    proven_excess(Halfspaces(5), sizes.n_public, sizes.n_private, 1e-9, epsilon)
    assert time.process_time() - start < 2
