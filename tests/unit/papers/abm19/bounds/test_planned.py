"""Proven sizes against the spec; sizes that are put back allow at most alpha, and no answer asks for more."""

import math
import time
from itertools import product

import pytest

from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.learners._planned import EPSILONS, ProvenExcess
from semipriv.papers.abm19.bounds import sizes as abm19
from semipriv.papers.abm19.bounds.split import best_excess_bound, best_private_size
from semipriv.papers.abm19.learners.sspp import SSPP


@pytest.mark.parametrize(
    ("alpha", "epsilon", "public", "private"), [(0.2, 1, 820, 8875), (0.1, 1, 1762, 37942), (0.2, 0.02, 820, 20799)]
)
def test_proven_sizes_of_the_spec(alpha: float, epsilon: float, public: int, private: int) -> None:
    actual_proven_sizes = SSPP(epsilon).proven_sizes(Thresholds(), alpha, 0.1)
    assert (actual_proven_sizes.n_public, actual_proven_sizes.n_private) == (public, private)


@pytest.mark.parametrize(("epsilon", "private"), [(1, 3946), (0.1, 9863)])
def test_realizable_sizes_of_the_spec(epsilon: float, private: int) -> None:
    actual_proven_sizes = SSPP(epsilon).proven_sizes(Thresholds(), 0.1, 0.1, realizable=True)
    assert (actual_proven_sizes.n_public, actual_proven_sizes.n_private) == (3767, private)
    assert actual_proven_sizes.n_private_optimised < private


def test_proven_excess() -> None:
    h, actual_proven_sizes = Halfspaces(2), SSPP(0.5).proven_sizes(Halfspaces(2), 0.1, 0.05)
    log_cover = math.log(h.growth(actual_proven_sizes.n_public))
    bound = abm19.excess_bound(actual_proven_sizes.n_public, actual_proven_sizes.n_private, 0.5, 0.05, 3, log_cover)
    proven = SSPP(0.5).proven_excess(h, actual_proven_sizes.n_public, actual_proven_sizes.n_private, 0.05)
    assert bound < proven.theorem <= 0.1, "as stated, not the sum of the terms of its proof"
    assert proven.theorem > 0.099
    assert proven.optimised is not None
    assert proven.optimised < bound
    ours = (
        SSPP(0.5)
        .proven_excess(h, actual_proven_sizes.n_public, actual_proven_sizes.n_private_optimised, 0.05)
        .optimised
    )
    assert 0.0999 < ours <= 0.1
    assert 1 < abm19.excess_bound(150, 10**6, 0.5, 0.05, 3, math.log(h.growth(150))) < 2
    assert SSPP(0.5).proven_excess(h, 150, 10**6, 0.05) == ProvenExcess(None, None)
    sizes = SSPP(0.5).proven_sizes(h, 0.1, 0.05, realizable=True)
    least = SSPP(0.5).proven_excess(h, sizes.n_public, sizes.n_private, 0.05, realizable=True)
    assert least.theorem is not None
    assert 0.0999 < least.theorem <= 0.1


# ---------------------------------------------------------------------------------------------------- there and back
CELLS = [
    (h, realizable, *cell)
    for i, (h, realizable) in enumerate(product((Thresholds(), Intervals(), Halfspaces(3)), (False, True)))
    for cell in list(product((EPSILONS[0], 0.03, 1.0, EPSILONS[1]), (0.013, 1 / 3, 0.9), (1e-6, 0.05, 0.7)))[i::6]
]


@pytest.mark.parametrize(("h", "realizable", "epsilon", "alpha", "beta"), CELLS)
def test_sizes_put_back(h: HypothesisClass, realizable: bool, epsilon: float, alpha: float, beta: float) -> None:
    """For each of both bounds, from the least epsilon to the largest."""
    sizes = SSPP(epsilon).proven_sizes(h, alpha, beta, realizable)
    theorem = SSPP(epsilon).proven_excess(h, sizes.n_public, sizes.n_private, beta, realizable).theorem
    ours = SSPP(epsilon).proven_excess(h, sizes.n_public, sizes.n_private_optimised, beta, realizable).optimised
    assert theorem is not None
    assert ours is not None
    assert 0.9 * alpha < theorem <= alpha
    assert ours <= alpha
    again = SSPP(epsilon).proven_sizes(h, theorem, beta, realizable)
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
    theorem = SSPP(0.3).proven_excess(Thresholds(), m, n, 0.05, realizable).theorem
    if theorem is not None:
        sizes = SSPP(0.3).proven_sizes(Thresholds(), theorem, 0.05, realizable)
        assert sizes.n_public <= m
        assert sizes.n_private <= n


def test_the_sizes_of_the_readme_put_back() -> None:
    """The theorem as stated gives the alpha that was asked for, not what the terms of its proof add up to."""
    actual_proven_excess = SSPP(1.0).proven_excess(Thresholds(), 3888, 170_766, 0.05)
    assert actual_proven_excess.theorem == pytest.approx(0.05, rel=1e-5)
    assert actual_proven_excess.theorem <= 0.05
    assert SSPP(1.0).proven_excess(Thresholds(), 3888, 170_765, 0.05).theorem > 0.05  # type: ignore[operator]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_ends_of_the_range_take_no_time(epsilon: float) -> None:
    start = time.process_time()
    sizes = SSPP(epsilon).proven_sizes(Halfspaces(5), 1e-4, 1e-9)
    SSPP(epsilon).proven_excess(Halfspaces(5), sizes.n_public, sizes.n_private, 1e-9)
    assert time.process_time() - start < 2
