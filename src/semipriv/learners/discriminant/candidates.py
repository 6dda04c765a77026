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


def constants(metric: Metric) -> Parameters:
    """Return the functions that are 0 and 1 everywhere, (2, d + 1)."""
    parameters = np.zeros((2, metric.functions.width))
    parameters[:, -1] = -1.0, 1.0
    return parameters


def stumps(metric: Metric) -> Parameters:
    """Return 1[z_j >= t] and 1[z_j < t] for the metric's quantiles t of each feature j, (s, d + 1)."""
    d, parts = metric.functions.dimension, []
    for j, quantiles in enumerate(metric.quantiles):
        cuts = distinct_numbers(quantiles)
        rules = np.zeros((2, len(cuts), d + 1))
        rules[:, :, j] = [[1.0], [-1.0]]
        rules[:, :, -1] = -cuts, np.nextafter(cuts, -np.inf)
        parts.append(rules.reshape(-1, d + 1))
    return np.concatenate([*parts, np.zeros((0, d + 1))])


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
