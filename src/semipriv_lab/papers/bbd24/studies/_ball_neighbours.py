"""Least squares on the unit ball, regularised by public points: how far one record moves the minimiser."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation.calibration import rho_regularised

ETAS = (1.0, 10.0, 100.0, 1e3, 1e4)
NEIGHBOURS = 8
"""Random neighbours beside the adversarial ones."""

Moved = dict[tuple[int, int, float], tuple[float, float]]
"""By p, m and eta: the largest distance, and the largest ratio to the sharper bound, over data and neighbours."""


def _unit(generator: np.random.Generator, rows: int, p: int) -> Floats:
    """Return points (rows, p) in the unit ball, in uniform directions, at distances that are uniform."""
    points = generator.standard_normal((rows, p))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True) * generator.random((rows, 1)))


def _pairs(generator: np.random.Generator, n: int, gram: Floats) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Yield X^T X and X^T y of data sets and of a neighbour that differ in one record.

    Other records are at 0, so that they play no part, or random.  Adversarial neighbours flip the label at a unit
    vector: where public points say least, and in a random direction.
    """
    p = len(gram)
    weakest, direction = np.linalg.eigh(gram)[1][:, 0], generator.standard_normal(p)
    flips = weakest, direction / np.linalg.norm(direction)
    for others in (0, n - 1):
        x, y = _unit(generator, others, p), generator.choice([-1.0, 1.0], others)
        square, moment = x.T @ x, x.T @ y
        for unit in flips:
            yield square + np.outer(unit, unit), moment + unit, square + np.outer(unit, unit), moment - unit
        for _ in range(NEIGHBOURS):
            (first, second), labels = _unit(generator, 2, p), generator.uniform(-1, 1, 2)
            yield (
                square + np.outer(first, first),
                moment + labels[0] * first,
                square + np.outer(second, second),
                moment + labels[1] * second,
            )


def ball_distances(randomness: Simulation, _effort: float) -> Moved:
    """Return the largest distances on the grid of p, m, n and eta; effort plays no part."""
    largest: Moved = {}
    for p, m in product((2, 5, 20), (50, 200, 800)):
        generator = randomness.spawn("ball").spawn(p, m).generator
        z = _unit(generator, m, p)
        gram = z.T @ z / m
        spread = 1 / math.sqrt(float(np.linalg.eigvalsh(gram)[0]))
        pairs = [pair for n in (200, 2000) for pair in _pairs(generator, n, gram)]
        for eta in ETAS:
            bound = rho_regularised(eta, 1.0, spread)
            distances = [_moved(pair, gram, eta) for pair in pairs]
            largest[p, m, eta] = max(distances), max(distances) / bound
    return largest


def _moved(pair: tuple[Floats, Floats, Floats, Floats], gram: Floats, eta: float) -> float:
    """Return ||f - f'||_m of the minimisers of sum (<w, x> - y)^2 / 4 + eta w^T gram w on the unit ball."""
    first, second = (
        minimisers(Spectrum.of(square / 4 + eta * gram), moment / 4) for square, moment in (pair[:2], pair[2:])
    )
    return math.sqrt(max(0.0, float((first - second) @ gram @ (first - second))))
