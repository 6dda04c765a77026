"""What bounds refuse besides what is no number: the call, and the words of the error."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from semipriv.core.least import least_size
from semipriv.papers.abm19.bounds import need, reduction, spacings, split
from semipriv.papers.abm19.bounds import sizes as abm19
from semipriv.papers.bbd24.bounds import rrspm
from semipriv.papers.bbd24.bounds.hamming import LaplaceWeights, NormalWeights, hamming
from semipriv.papers.bcm20.bounds import domains, steps
from semipriv.papers.bcm20.bounds import sizes as bcm20
from semipriv.papers.bmn20.bounds import sizes as bmn20


def growth(m: int) -> int:
    return m + 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: least_size(lambda n: 1 / n, 1.5), r"beta = 1\.5: must be in \(0, 1\)"),
        (lambda: abm19.cover_points(0.0, 0.1, 1), r"alpha = 0.0: must be in \(0, 1\)"),
        (lambda: abm19.cover_points(1.0, 0.1, 1), r"alpha = 1.0: must be in \(0, 1\)"),
        (lambda: abm19.cover_points(0.1, 0.0, 1), r"beta = 0.0: must be in \(0, 1\)"),
        (lambda: abm19.cover_points(0.1, 1.5, 1), r"beta = 1.5: must be in \(0, 1\)"),
        (lambda: abm19.cover_points(0.1, 0.1, math.inf), "VC dimension = inf: must be finite"),
        (lambda: abm19.private_size(0.1, 0.1, 0, 1.0), r"epsilon = 0: must be > 0"),
        (lambda: spacings.edge_excess(0.0), r"strip = 0.0: must be in \(0, 1\]"),
        (lambda: spacings.edge_excess(1.1), r"strip = 1.1: must be in \(0, 1\]"),
        (lambda: spacings.edge_excess(-1.0), r"strip = -1.0: must be in \(0, 1\]"),
        (lambda: split.best_private_size(0.1, 0.1, 1.0, 50, 1, 4.0), "n_public = 50: the cover's radius leaves"),
        (lambda: split.best_private_size(1.0, 0.1, 1.0, 5000, 1, 4.0), r"alpha = 1.0: must be in \(0, 1\)"),
        (lambda: split.best_excess_bound(500, 500, 1.0, 0.0, 1, 4.0), r"beta = 0.0: must be in \(0, 1\)"),
        (lambda: split.split_bound(500, 500, 1.0, 1, 4.0, (0.1, 0.1)), "must be 3 probabilities"),
        (lambda: split.split_bound(500, 500, 1.0, 1, 4.0, (0.1, 0.1, 0.0)), "must be 3 probabilities"),
        (lambda: need.failure_two_point(5, 0.5, 1.0), r"gap = 0.5: must be in \(0, 0.5\)"),
        (lambda: need.failure_realizable(5, 0.1, 0.0), "epsilon = 0.0: must be > 0"),
        (lambda: need.worse_of_two(np.zeros(1), 1.0, "laplace"), "unknown mechanism 'laplace'"),
        (lambda: need.hidden_pair_failure(3, 0.1, "lower"), "unknown representative 'lower'"),
        (lambda: need.private_points_hashed(10, 1.0, 0.1), "fall together with probability 0.1 >= beta"),
        (lambda: need.public_points_hidden_pair(0.7, 0.1), r"alpha = 0.7: must be in \(0, 0.49\)"),
        (lambda: reduction.exhaustion_probability(10, 1, "stop"), "unknown reading"),
        (lambda: reduction.exhaustion_fraction(10, 1, "stop"), "unknown reading"),
        (lambda: reduction.public_floor(Fraction(0)), r"alpha = 0: must be in \(0, 1\)"),
        (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, 0.0), r"sigma = 0.0: must be in \(0, 1\]"),
        (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, -0.5), r"sigma = -0.5: must be in \(0, 1\]"),
        (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, 1.1), r"sigma = 1.1: must be in \(0, 1\]"),
        (lambda: rrspm.sizes(1.5, 0.05, growth, float), r"alpha = 1.5: must be in \(0, 1\)"),
        (lambda: hamming(6, NormalWeights(1.0)), r"^points = 6: must be 2\^k - 1"),
        (lambda: hamming(2.5, NormalWeights(1.0)), "^points = 2.5: must be an integer"),
        (lambda: LaplaceWeights(0), "^scale = 0: must be > 0"),
        (lambda: bcm20.cover_points_class(1.5, 0.1, 1), r"alpha = 1\.5: must be in \(0, 1\)"),
        (lambda: bcm20.cover_points_union(0.1, 0.0), r"beta = 0\.0: must be in \(0, 1\)"),
        (lambda: bcm20.pmw_records(0.1, 0.1, 0.0, 1.0), "log_cells = 0.0: must be > 0"),
        (lambda: bcm20.pmw_records(0.1, 0.1, 1.0, 1.0, delta=0.0), r"delta = 0.0: must be in \(0, 1\)"),
        (lambda: bcm20.log_queries_bound(2, 3), "m = 2: must be >= 3"),
        (lambda: domains.largest_shattered([1, 0]), r"labels: must be \(M, K\)"),
        (lambda: steps.remark_size(Fraction(2), 1), r"alpha = .*: must be in \(0, 1\)"),
        (lambda: bmn20.hypotheses(3, 2, k=3), r"k = 3: must be in 0\.\.2"),
        (lambda: bmn20.hypotheses(1, 2, k=1), r"k = 1: must be in 0\.\.0"),
        (lambda: bmn20.halfspaces(3, 2, "half"), "mode.*facet"),
        (lambda: bmn20.hypotheses(-1, 2), "m = -1: must be >= 0"),
        (lambda: bmn20.excess_tail(1.0, 0, 0.1), "epsilon = 0: must be > 0"),
        (lambda: bmn20.excess_tail(1.0, 1, 1), r"beta = 1: must be in \(0, 1\)"),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
