"""The distribution of the net mechanism as a mixture of layers: tuples with probability proportional to exp(-rate u).

With x = exp(-rate), the weight of a tuple of score u is x^u = sum_{tau = u}^{n - 1} x^tau (1 - x) + x^n.  So a tau
drawn with probability proportional to G(tau) x^tau (1 - x), for tau = n to x^n, and then a uniform tuple with u <= tau,
have the distribution.  No tau is left out: those beyond a table are one outcome, which is worked further when it is
drawn.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.sampling.choice import choose
from semipriv.mechanisms.sampling.weights import exponential, exponential_sum
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers

_NEGLIGIBLE = 42.0
"""A table ends where all that is beyond it weighs less than e^-42 of what is in it."""
_FIRST = 64


@dataclass(frozen=True, eq=False)
class Table:
    """Layers from ``start`` on: ln of G(tau) times its weight over x^start, (t,), and ln of a bound of those beyond.

    beyond: -inf if there are none.
    """

    start: int
    logs: Floats
    beyond: float

    @property
    def taus(self) -> Integers:
        """The values of tau."""
        return np.arange(self.start, self.start + len(self.logs))


@dataclass(frozen=True, eq=False)
class LayerDistribution:
    """Layers with a rate > 0: epsilon / 2 for the exponential mechanism, as u has sensitivity 1."""

    layers: PrefixLayers
    rate: Fraction

    def table(self, start: int = 0) -> Table:
        """Tabulate from ``start`` on until what is beyond is negligible: at most x^end, as G <= 1."""
        n, rate = self.layers.n, float(self.rate)
        logs, end = np.empty(0), start
        wanted = start + _FIRST
        while end <= n and wanted > end:
            stop = min(n + 1, wanted)
            logs = np.append(logs, self._logs(np.arange(end, stop), start))
            end = stop
            best = float(logs.max())
            far = start + math.ceil(min((_NEGLIGIBLE - best) / rate, 2.0**53)) if best > -math.inf else 2 * end - start
            wanted = far if far > end else end
        return Table(start, logs, -rate * (end - start) if end <= n else -math.inf)

    def _logs(self, taus: Integers, start: int) -> Floats:
        rate = float(self.rate)
        step = np.where(taus < self.layers.n, math.log(-math.expm1(-rate)), 0.0)
        return np.asarray(self.layers.log_shares(taus) - rate * (taus - start) + step)

    # ------------------------------------------------------------------ exact numbers
    def tail(self, score: int) -> float:
        """Return P[u >= score], up to rounding and the e^-42 beyond the table, which is counted in.

        sum_{tau >= score} of the weight of the layer, times 1 - G(score - 1) / G(tau).
        """
        if score <= 0:
            return 1.0
        table = self.table()
        weights = np.exp(table.logs - table.logs.max())
        total = float(weights.sum())
        beyond = math.exp(table.beyond - float(table.logs.max()))
        reached = table.taus >= score
        if not reached.any():
            return beyond / total
        with np.errstate(invalid="ignore"):
            ratio = np.exp(self.layers.log_shares(np.array([score - 1])) - self.layers.log_shares(table.taus[reached]))
        missed = np.where(weights[reached] > 0, 1.0 - np.nan_to_num(ratio), 0.0)
        return (float(weights[reached] @ missed) + beyond) / total

    def log_mass(self) -> float:
        """Return ln E[x^u] over uniform tuples: a tuple of score u has probability x^u / E[x^u] times the uniform
        one.
        """
        table = self.table()
        return float(np.logaddexp.reduce(table.logs))

    # ------------------------------------------------------------------ draws
    def draw(self, randomness: Randomness) -> list[int]:
        """Draw a tuple, sorted: exactly so under Secure randomness."""
        return self.layers.draw(self.draw_layer(randomness), randomness)

    def draw_layer(self, randomness: Randomness) -> int:
        """Draw tau.

        Errors of the floats: that of G, a share of ``relative_error``; rounding of logarithms up to L, which leaves a
        share of 2^-47 (1 + L) with room; where exp gives a number that is not normal, 2^-1000.
        """
        start = 0
        while True:
            table = self.table(start)
            chosen = self._chosen(table, randomness)
            if chosen < len(table.logs):
                return start + chosen
            start += len(table.logs)

    def _chosen(self, table: Table, randomness: Randomness) -> int:
        """Draw a place in the table; its length stands for the layers beyond."""
        best = float(table.logs.max())
        masses = np.exp(table.logs - best)
        largest = float(np.abs(table.logs[np.isfinite(table.logs)]).max())
        share = self.layers.relative_error + 2.0**-47 * (1 + largest)
        errors = 1.01 * share * masses + 2.0**-1000
        if table.beyond > -math.inf:
            masses = np.append(masses, 0.0)
            errors = np.append(errors, 1.01 * math.exp(table.beyond - best))
        return choose(masses, errors, lambda i, digits: self._share(table, i, digits), randomness)

    def _share(self, table: Table, i: int, digits: int) -> tuple[Fraction, Fraction]:
        """Return bounds of the share of the first i + 1 layers of the table of all from there on, 10^-digits apart.

        By exact numbers of tuples.  The layers beyond those that are counted are bounded by x^end: there are as many
        tuples as 2^(bits k) in each at most.
        """
        n, most = self.layers.n, Fraction(2 ** (self.layers.bits * self.layers.size))
        start = table.start
        counts = [self.layers.count(start + j) for j in range(len(table.logs))]
        while True:
            (low, high), (least, whole) = (self._weight(part, start, digits) for part in (counts[: i + 1], counts))
            rest = Fraction(0)
            if start + len(counts) <= n:
                rest = most * Fraction(exponential(self.rate * len(counts), digits)[1])
            if rest * 10 ** (digits + 1) <= least:
                return low / (whole + rest), high / least
            reach = min(n + 1 - start, 2 * len(counts))
            counts += [self.layers.count(start + j) for j in range(len(counts), reach)]

    def _weight(self, counts: list[int], start: int, digits: int) -> tuple[Fraction, Fraction]:
        """Return bounds of the weight of the layers from start on with these numbers of tuples, over x^start."""
        places = digits + 3 + len(str(math.ceil(1 / self.rate)))  # 1 - x is about the rate, if that is small
        inner = counts[: self.layers.n - start]
        low, high = (
            exponential_sum(range(len(inner)), inner, self.rate, places) if inner else (Fraction(0), Fraction(0))
        )
        first, last = exponential(self.rate, places)
        low, high = low * (1 - Fraction(last)), high * (1 - Fraction(first))
        if len(counts) > len(inner):
            below, above = exponential(self.rate * len(inner), places)
            low, high = low + counts[-1] * Fraction(below), high + counts[-1] * Fraction(above)
        return low, high
