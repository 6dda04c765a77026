"""Random classes of functions with values +1 and -1, perturbed under two neighbours by the same processes."""

import math
from dataclasses import dataclass

import numpy as np

from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.papers.bbd24.perturbation.average import chunks


@dataclass(frozen=True, eq=False)
class Drawn:
    """Independent processes w on N functions: w (draws, N), covariance (N, N), and first (N,), values at one point."""

    functions: int
    m: int
    w: Floats
    covariance: Floats
    first: Floats

    def losses(self) -> tuple[Floats, Floats]:
        """Return 1[f(Z_1) != 1] and 1[f(Z_1) != -1], (N,) each: one record, and its neighbour.  They differ by 1."""
        return (1 - self.first) / 2, (1 + self.first) / 2

    def distances(self, eta: float) -> Floats:
        """Return ||f - f'||_m of the two minimisers with one process, (draws,)."""
        first, second = (np.argmin(losses + eta * self.w, axis=1) for losses in self.losses())
        return np.sqrt(np.maximum(2 - 2 * self.covariance[first, second], 0.0))

    def gaps(self, eta: float, share: float) -> Floats:
        """Return how far above the minimum the best s with K(s, t) <= 1 - share is, (draws,); infinite if none is."""
        values = self.losses()[0] + eta * self.w
        best = np.argmin(values, axis=1)
        far = self.covariance[best] <= 1 - share + 1e-12
        return np.where(far, values, math.inf).min(axis=1) - values[np.arange(len(values)), best]


def drawn(functions: int, m: int, draws: int, stream: Simulation) -> Drawn:
    """Return a class of random signs at m points, and draws of its process."""
    values = stream.spawn("signs").generator.choice([-1.0, 1.0], (functions, m))
    generator = stream.spawn("processes").generator
    parts = [generator.standard_normal((size, m)) @ values.T / math.sqrt(m) for size in chunks(draws, functions)]
    return Drawn(functions, m, np.concatenate(parts), values @ values.T / m, values[:, 0])


def width_below(own: Drawn, level: float) -> float:
    """Return a lower confidence limit of E sup w, or 0: sup w is a 1-Lipschitz function of m normals.

    The mean of n draws is therefore above its expectation by sqrt(2 ln(1 / level) / n) with a chance of level at most.
    """
    highest = own.w.max(axis=1)
    return max(0.0, float(highest.mean()) - math.sqrt(2 * math.log(1 / level) / len(highest)))
