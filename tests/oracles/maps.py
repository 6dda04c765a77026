"""What OpenDP answers: the privacy maps of its measurements and combinators, rounded up in floats.

Neighbours: a map takes the distance of two values, or of two data sets.  Under the symmetric distance of data sets of
known size, replacing one record is a distance of 2.
"""

import math
from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")

Answer = tuple[float | None, float]
"""A lower and an upper bound of what semipriv may say, None for none."""


def _both(value: float) -> Answer:
    return float(value), float(value)


def _integer() -> tuple[Any, Any]:
    return dp.atom_domain(T=int), dp.absolute_distance(T=int)


def laplace_epsilon(scale: float, sensitivity: int) -> Answer:
    """make_laplace on integers, L1 distance of the values."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return _both(dp.m.make_laplace(*space, scale=scale).map(sensitivity))


def gaussian_rho(sigma: float, sensitivity: float) -> Answer:
    """make_gaussian on integers, L2 distance of the values."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    return _both(dp.m.make_gaussian(*space, scale=sigma).map(sensitivity))


def composed_epsilon(scales: list[float]) -> Answer:
    """make_composition of make_laplace, one each."""
    return _both(dp.c.make_composition([dp.m.make_laplace(*_integer(), scale=scale) for scale in scales]).map(1))


def composed_rho(sigmas: list[float]) -> Answer:
    """make_composition of make_gaussian, one each."""
    return _both(dp.c.make_composition([dp.m.make_gaussian(*_integer(), scale=sigma) for sigma in sigmas]).map(1))


def pure_rho(epsilon: float) -> Answer:
    """make_pureDP_to_zCDP of make_laplace."""
    return _both(dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(*_integer(), scale=1 / epsilon)).map(1))


def _curve(rho: float) -> Any:
    noise = dp.m.make_gaussian(*_integer(), scale=1 / math.sqrt(2 * rho))
    return dp.c.make_zCDP_to_approxDP(noise).map(1)


def curve_epsilon(rho: float, delta: float) -> Answer:
    """make_zCDP_to_approxDP of make_gaussian: the same proposition 12 of Canonne, Kamath and Steinke 2020."""
    return _both(_curve(rho).epsilon(delta))


def curve_delta(rho: float, epsilon: float) -> Answer:
    """make_zCDP_to_approxDP of make_gaussian, asked for delta; where it says 1, only an upper end."""
    delta = float(_curve(rho).delta(epsilon))
    return None if delta == 1 else delta, delta


def budget_rho(epsilon: float, delta: float) -> Answer:
    """The largest rho whose curve is within a budget, by bisection."""
    low, high = 0.0, epsilon
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _curve(middle).epsilon(delta) <= epsilon else (low, middle)
    return _both(low)


def filter_gaussian(epsilon: float, delta: float, sigma: float) -> Answer:
    """The most releases of make_gaussian whose make_composition has a curve within the budget."""
    most, noise = 0, dp.m.make_gaussian(*_integer(), scale=sigma)
    while dp.c.make_zCDP_to_approxDP(dp.c.make_composition([noise] * (most + 1))).map(1).epsilon(delta) <= epsilon:
        most += 1
    return most, most


def _selection(measure: Any, epsilon: float, sensitivity: int, count: int) -> float:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    scale = 2 * sensitivity / epsilon
    if count > 1:
        return float(dp.m.make_noisy_top_k(*space, measure, k=count, scale=scale).map(sensitivity))
    return float(dp.m.make_noisy_max(*space, measure, scale=scale).map(sensitivity))


def selection_epsilon(epsilon: float, sensitivity: int, count: int) -> Answer:
    """make_noisy_max and make_noisy_top_k with exponential noise of scale 2 sensitivity / epsilon, scores that move in
    both directions (monotonic=False; if monotonic, OpenDP returns half of it).
    """
    return _both(_selection(dp.max_divergence(), epsilon, sensitivity, count))


def selection_rho(epsilon: float, sensitivity: int, count: int) -> Answer:
    """The same with Gumbel noise, which is the exponential mechanism: rho = count epsilon^2 / 8."""
    return _both(_selection(dp.zero_concentrated_divergence(), epsilon, sensitivity, count))


def _amplified(noise: Any, sample: int, population: int) -> Any:
    domain = dp.vector_domain(dp.atom_domain(T=int, bounds=(0, 1)), size=sample)
    counted = (domain, dp.symmetric_distance()) >> dp.t.then_sum() >> noise
    if dp.zero_concentrated_divergence() == counted.output_measure:
        counted = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(counted), delta=1e-6)
    return counted, dp.c.make_population_amplification(counted, population_size=population)


def sampled_epsilon(scale: float, sample: int, population: int) -> Answer:
    """make_population_amplification of a sum of 0 and 1 with Laplace noise, one record replaced (a distance of 2)."""
    return _both(_amplified(dp.m.then_laplace(scale=scale), sample, population)[1].map(2))


def sampled_approximate_epsilon(sigma: float, sample: int, population: int) -> Answer:
    """The same with Gaussian noise at delta = 1e-6."""
    return _both(_amplified(dp.m.then_gaussian(scale=sigma), sample, population)[1].map(2)[0])


def sampled_approximate_delta(sigma: float, sample: int, population: int) -> Answer:
    """The same, asked for delta."""
    return _both(_amplified(dp.m.then_gaussian(scale=sigma), sample, population)[1].map(2)[1])


CASES = {
    laplace_epsilon: [(10 / 3, 1), (10 / 3, 3), (0.05, 1), (400.5, 7), (3.0, 1)],
    gaussian_rho: [(3.7, 1.0), (41.44, 1.0), (0.3, 2.5), (3.0, 1.7320508075688772)],
    composed_epsilon: [([2.0, 3.0, 7.0],), ([0.1, 10.0],), ([3.0] * 9,)],
    composed_rho: [([2.0, 3.0, 7.0],), ([0.1, 10.0],), ([3.0] * 9,)],
    pure_rho: [(0.5,), (0.3,), (4.0,), (1e-3,)],
    curve_epsilon: [
        (1e-8, 1e-6), (1e-4, 1e-2), (1e-4, 1e-6), (0.01, 1e-2), (0.01, 1e-10), (0.5, 1e-6), (10.0, 1e-6),
        (1000.0, 1e-10),
    ],
    curve_delta: [
        (1e-8, 0.0), (1e-4, 0.0), (1e-4, 0.1), (0.01, 0.1), (0.01, 1.0), (0.5, 0.0), (0.5, 1.0), (0.5, 10.0),
        (10.0, 0.0), (10.0, 1.0), (10.0, 10.0),
    ],
    budget_rho: [(1.0, 1e-6), (0.1, 1e-9), (5.0, 1e-3), (0.01, 1e-12)],
    filter_gaussian: [(1.0, 1e-6, 20.0), (2.0, 1e-9, 15.0), (0.5, 1e-3, 10.0)],
    selection_epsilon: [(1.0, 1, 1), (0.3, 1, 1), (2.5, 4, 1), (0.3, 1, 5)],
    selection_rho: [(1.0, 1, 1), (0.3, 1, 1), (2.5, 4, 1), (0.3, 1, 5)],
    sampled_epsilon: [(1.0, 10, 100), (0.3, 1, 1000), (10.0, 999, 1000), (1.0, 7, 7)],
    sampled_approximate_epsilon: [(2.0, 10, 100), (0.5, 1, 1000), (10.0, 999, 1000)],
    sampled_approximate_delta: [(2.0, 10, 100), (0.5, 1, 1000), (10.0, 999, 1000)],
}  # fmt: skip
