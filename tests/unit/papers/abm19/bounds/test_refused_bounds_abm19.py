"""What bounds of ABM19 refuse besides what is no number."""

import math
from fractions import Fraction

import numpy as np
import refused

from semipriv.papers.abm19.bounds import need, reduction, spacings, split
from semipriv.papers.abm19.bounds import sizes as abm19

REFUSED = [
    (lambda: abm19.cover_points(0.0, 0.1, 1), r"alpha = 0.0: must be in \(0, 1\)"),
    (lambda: abm19.cover_points(1.0, 0.1, 1), r"alpha = 1.0: must be in \(0, 1\)"),
    (lambda: abm19.cover_points(0.1, 0.0, 1), r"beta = 0.0: must be in \(0, 1\)"),
    (lambda: abm19.cover_points(0.1, 1.5, 1), r"beta = 1.5: must be in \(0, 1\)"),
    (lambda: abm19.cover_points(0.1, 0.1, math.inf), "VC dimension = inf: must be finite"),
    (lambda: abm19.private_size(0.1, 0.1, 0, 1.0), r"epsilon = 0: must be > 0"),
    (lambda: abm19.private_size(0.1, 0.1, 1e-320, 1.0), "exceeds the floating-point numbers"),
    (lambda: abm19.private_size(1e-200, 0.1, 1.0, 1.0), "exceeds the floating-point numbers"),
    (lambda: abm19.private_size_realizable(0.1, 0.1, 1e-320, 1.0), "exceeds the floating-point numbers"),
    (lambda: abm19.cover_points(5e-324, 0.1, 1), "exceeds the floating-point numbers"),
    (lambda: reduction.shift_of_labels(2**53 + 2), "n_public = 9007199254740994: must be <= 9007199254740992"),
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
]


@refused.each({"bounds": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
