"""The hypotheses to select from: rules along noisy directions, stumps of single features, constants."""

from collections.abc import Sequence

import numpy as np

from semipriv.core.functions import Parameters
from semipriv.core.rows import distinct_numbers
from semipriv.core.types import Floats
from semipriv.learners.discriminant.gradients import Coordinates
from semipriv.learners.stages.public_metric import Metric

RULE_CUTS = 15
"""Cuts along a direction: quantiles of the public points."""
STUMP_CUTS = 19
"""Cuts of each feature, for both signs, at twentieths: a rule at the 90 % quantile is one of them."""


def constants(metric: Metric) -> Parameters:
    """Return the functions that are 0 and 1 everywhere, (2, d + 1)."""
    parameters = np.zeros((2, metric.functions.width))
    parameters[:, -1] = -1.0, 1.0
    return parameters


def stumps(metric: Metric) -> Parameters:
    """Return 1[z_j >= t] and 1[z_j < t] for public quantiles t of each feature j, (s, d + 1); none without points."""
    d, m = metric.functions.dimension, len(metric.rows)
    if not m:
        return np.zeros((0, d + 1))
    shares = np.linspace(0, 1, STUMP_CUTS + 2)[1:-1]
    parts = []
    for j, quantiles in enumerate(np.quantile(metric.rows, shares, axis=0, method="nearest").T):
        cuts = distinct_numbers(quantiles)
        rules = np.zeros((2, len(cuts), d + 1))
        rules[:, :, j] = [[1.0], [-1.0]]
        rules[:, :, -1] = -cuts, np.nextafter(cuts, -np.inf)
        parts.append(rules.reshape(-1, d + 1))
    return np.concatenate(parts)


def rules(metric: Metric, coordinates: Coordinates, directions: Sequence[Floats]) -> Parameters:
    """Return the rules along directions (k + 1,): cuts at public quantiles, then the intercept that the direction has.

    Weights are those of standardised features; the largest has absolute value 1.
    """
    parts = []
    for direction in directions:
        weights = metric.directions[:, : coordinates.count] @ direction[:-1]
        largest = np.abs(weights).max()
        if not 0 < largest < np.inf:  # no direction, or noise without end
            continue
        intercept = direction[-1] * coordinates.public[-1, 0] - weights @ metric.mean
        weights, intercept = weights / largest, intercept / largest
        cuts = np.quantile(metric.rows @ weights, np.linspace(0, 1, RULE_CUTS + 2)[1:-1])
        offsets = np.append(np.unique(-cuts), intercept)
        offsets = offsets[np.isfinite(offsets)]
        parts.append(np.column_stack([np.tile(weights, (len(offsets), 1)), offsets]))
    return np.concatenate([*parts, np.zeros((0, metric.functions.width))])
