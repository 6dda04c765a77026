"""What dp-accounting answers, most of it by privacy loss distributions (PLDs).

A PLD on a grid is rounded down (optimistic) or up (pessimistic): the true number is between the two.  Neighbours:
dp-accounting speaks of adding, removing or replacing a record, semipriv of replacing one.  A pair of output
distributions knows nothing of that: what is compared is always the same pair of distributions, or the same sensitivity.
"""

import math
from collections.abc import Iterable

import dp_accounting
from dp_accounting import rdp
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as plds

Answer = tuple[float | None, float | None]
"""A lower and an upper bound of what semipriv may say, None for none."""

FINE = 1e-4
"""Width of a grid of losses; of noise of scale sigma it is FINE / sigma."""
ROUNDING = 2.0**-52
"""Of a Fourier coefficient; its n-th power has n of them."""
SOLVED = 2e-12
"""Error of what dp-accounting solves for, within 1e-12."""
EXCESSES = [10 ** (k / 1000) for k in range(-1900, 6001)]
"""Orders of Renyi divergence less 1: the next is 0.23 % larger."""


def leaking(epsilon: float, delta: float, count: int) -> plds.PrivacyLossDistribution:
    """Return the PLD of ``count`` randomised responses that tell everything with probability delta.

    The grid has the width epsilon, so that both losses are on it and none is rounded.
    """
    own = common.DifferentialPrivacyParameters(epsilon, delta)
    return plds.from_privacy_parameters(own, value_discretization_interval=epsilon).self_compose(count)


def noise(count: int) -> float:
    """Return the error of a delta that was composed: roundings, and tails of 1e-15 that are left out."""
    return 1e-15 + count * ROUNDING


def epsilons(distribution: plds.PrivacyLossDistribution, count: int, delta: float) -> tuple[float, float]:
    """Return what epsilon is at least and at most, if delta is known up to ``noise``."""
    low, high = (float(distribution.get_epsilon_for_delta(delta + end)) for end in (noise(count), -noise(count)))
    return low, high


def optimistic(p: Iterable[float], q: Iterable[float], count: int, width: float) -> plds.PrivacyLossDistribution:
    """Return the optimistic PLD of ``count`` draws from p or from q, distributions on the same few outcomes."""
    upper, lower = ({place: math.log(mass) for place, mass in enumerate(distribution)} for distribution in (p, q))
    return plds.from_two_probability_mass_functions(
        lower, upper, pessimistic_estimate=False, value_discretization_interval=width
    ).self_compose(count)


def renyi(rho: float) -> rdp.RdpAccountant:
    """Return an accountant of one rho-zCDP mechanism."""
    accountant = rdp.RdpAccountant(
        orders=[1 + excess for excess in EXCESSES], neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    return accountant.compose(dp_accounting.ZCDpEvent(rho))


# ---------------------------------------------------------------------------------------------------- composition
def optimal_delta(epsilon: float, delta: float, count: int, at: float) -> Answer:
    """PLD of randomised response that leaks with probability delta, composed, on a grid that holds its losses."""
    value = float(leaking(epsilon, delta, count).get_delta_for_epsilon(at))
    return value - noise(count), value + noise(count)


def optimal_epsilon(epsilon: float, delta: float, count: int, target: float) -> Answer:
    """The same PLD, asked for epsilon."""
    return epsilons(leaking(epsilon, delta, count), count, target)


def basic_epsilon(parts: list[float]) -> Answer:
    """PLDs of randomised responses, composed, at delta = 0: attained, so nothing smaller holds.  Grid of 0.01."""
    together = plds.identity(value_discretization_interval=0.01)
    for epsilon in parts:
        own = common.DifferentialPrivacyParameters(epsilon, 0.0)
        together = together.compose(plds.from_privacy_parameters(own, value_discretization_interval=0.01))
    composed = float(together.get_epsilon_for_delta(0.0))
    return composed, composed


def advanced_epsilon(epsilon: float, count: int, slack: float) -> Answer:
    """PLD of randomised response, composed: one mechanism that the bound must cover, hence no upper end."""
    return epsilons(leaking(epsilon, 0.0, count), count, slack)[0], None


def failing_epsilon(epsilon: float, delta: float, count: int, target: float) -> Answer:
    """PLD of randomised response that leaks: one mechanism that an accountant of events that fail must cover."""
    return epsilons(leaking(epsilon, delta, count), count, target)[0], None


def group_delta(sigma: float, epsilon: float, size: int) -> Answer:
    """PLD of Gaussian noise at ``size`` times the sensitivity: one mechanism that group privacy must cover."""
    distribution = _gaussian(sigma / size, pessimistic=False)
    return float(distribution.get_delta_for_epsilon(size * epsilon)), None


# ---------------------------------------------------------------------------------------------------- Gaussian noise
def _gaussian(sigma: float, pessimistic: bool, count: int = 1, rate: float = 1.0) -> plds.PrivacyLossDistribution:
    return plds.from_gaussian_mechanism(
        sigma,
        sampling_prob=rate,
        pessimistic_estimate=pessimistic,
        value_discretization_interval=FINE / sigma,
        use_connect_dots=pessimistic,  # closer from above, and from above only
    ).self_compose(count)


def gaussian_delta(sigma: float, epsilon: float) -> Answer:
    """Optimistic and pessimistic PLD of Gaussian noise, sensitivity 1."""
    low, high = (float(_gaussian(sigma, end).get_delta_for_epsilon(epsilon)) for end in (False, True))
    return low, high


def gaussian_epsilon(sigma: float, delta: float) -> Answer:
    """get_epsilon_gaussian: the formula of Balle and Wang in floats, solved within 1e-12."""
    value = float(dp_accounting.get_epsilon_gaussian(sigma, delta))
    return value - SOLVED, value + SOLVED


def gaussian_sigma(epsilon: float, delta: float) -> Answer:
    """get_sigma_gaussian: the formula of Balle and Wang in floats, solved within 1e-12."""
    value = float(dp_accounting.get_sigma_gaussian(epsilon, delta))
    return value - SOLVED, value + SOLVED


def classical_sigma(epsilon: float, delta: float) -> Answer:
    """get_sigma_gaussian: the smallest sigma, which the classical one must reach."""
    return float(dp_accounting.get_sigma_gaussian(epsilon, delta)), None


# ---------------------------------------------------------------------------------------------------- zCDP
def zcdp_epsilon(rho: float, delta: float) -> Answer:
    """Below: exact Gaussian noise with that rho (get_epsilon_gaussian).  Above: RdpAccountant on 7,901 orders."""
    low = float(dp_accounting.get_epsilon_gaussian(1 / math.sqrt(2 * rho), delta))
    return low, float(renyi(rho).get_epsilon(delta))


def zcdp_delta(rho: float, epsilon: float) -> Answer:
    """Below: optimistic PLD of Gaussian noise with that rho.  Above: RdpAccountant on 7,901 orders."""
    low = float(_gaussian(1 / math.sqrt(2 * rho), pessimistic=False).get_delta_for_epsilon(epsilon))
    return low, float(renyi(rho).get_delta(epsilon))


def gaussian_composed(sigma: float, count: int, delta: float) -> Answer:
    """Below: optimistic PLD of Gaussian noise, composed.  Above: RdpAccountant on 7,901 orders of count / 2 sigma^2."""
    low, _ = epsilons(_gaussian(sigma, pessimistic=False, count=count), count, delta)
    return low, float(renyi(count / (2 * sigma * sigma)).get_epsilon(delta))


def renyi_pure(epsilon: float, order: float) -> Answer:
    """Renyi divergence of randomised response with two answers (RdpAccountant): one mechanism to be covered."""
    accountant = rdp.RdpAccountant(
        orders=[order], neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    ).compose(dp_accounting.RandomizedResponseDpEvent(2 / (1 + math.exp(epsilon)), 2))
    return float(accountant._rdp[0]), None


def filter_gaussian(epsilon: float, delta: float, sigma: float) -> Answer:
    """The most Gaussian releases within the budget, by get_epsilon_gaussian at sigma / sqrt(number): no more fit."""
    most = 0
    while dp_accounting.get_epsilon_gaussian(sigma / math.sqrt(most + 1), delta) <= epsilon:
        most += 1
    return None, most


# ---------------------------------------------------------------------------------------------------- selection
def exponential_composed(epsilon: float, count: int, delta: float) -> Answer:
    """Optimistic PLD of the exponential mechanism on scores (0, 0) against (1, -1), sensitivity 1, composed."""
    best = 1 / (1 + math.exp(-epsilon))
    distribution = optimistic((0.5, 0.5), (best, 1 - best), count, FINE)
    return epsilons(distribution, count, delta)[0], None


def permute_and_flip_composed(epsilon: float, count: int, delta: float) -> Answer:
    """Optimistic PLD of permute-and-flip on scores (0, 0) against (1, -1), sensitivity 1, composed."""
    worst = math.exp(-epsilon) / 2
    distribution = optimistic((0.5, 0.5), (1 - worst, worst), count, FINE)
    return epsilons(distribution, count, delta)[0], None


# ---------------------------------------------------------------------------------------------------- discrete noise
def discrete_gaussian_delta(sigma: float, sensitivity: int, epsilon: float) -> Answer:
    """Optimistic and pessimistic PLD of discrete Gaussian noise."""
    low, high = (
        float(
            plds.from_discrete_gaussian_mechanism(
                sigma, sensitivity, pessimistic_estimate=end, value_discretization_interval=FINE
            ).get_delta_for_epsilon(epsilon)
        )
        for end in (False, True)
    )
    return low, high


def discrete_laplace_delta(scale: float, sensitivity: int, epsilon: float) -> Answer:
    """Optimistic and pessimistic PLD of discrete Laplace noise; its parameter is 1 / scale."""
    low, high = (
        float(
            plds.from_discrete_laplace_mechanism(
                1 / scale, sensitivity, pessimistic_estimate=end, value_discretization_interval=FINE
            ).get_delta_for_epsilon(epsilon)
        )
        for end in (False, True)
    )
    return low, high


# ---------------------------------------------------------------------------------------------------- sampling
def subsampled_pure(epsilon: float, rate: float) -> Answer:
    """PLD of Laplace noise on a sample that holds the example with probability rate, at delta = 0, both directions.

    dp-accounting calls it Poisson sampling under adding or removing.  The pair of distributions,
    (1 - q) L(0) + q L(1) against L(0), is that of fixed-size sampling under replacing as well: an example of value 1
    among zeros replaced by a zero.
    """
    low, high = (
        float(
            plds.from_laplace_mechanism(
                1 / epsilon,
                sampling_prob=rate,
                pessimistic_estimate=end,
                value_discretization_interval=FINE * epsilon * rate,
                use_connect_dots=False,
            ).get_epsilon_for_delta(0.0)
        )
        for end in (False, True)
    )
    return low, high


def subsampled_gaussian(sigma: float, rate: float, delta: float) -> Answer:
    """Optimistic and pessimistic PLD of Gaussian noise on the same sample.

    Amplification of the exact profile of Gaussian noise is exact for this pair of distributions.
    """
    low, high = (
        float(_gaussian(sigma, pessimistic=end, rate=rate).get_epsilon_for_delta(delta)) for end in (False, True)
    )
    return low, high


def _resampled(epsilon: float, draws: int, total: int, pessimistic: bool) -> plds.PrivacyLossDistribution:
    """Return the PLD of a noisy count of the copies of one example in a resample, against a count of 0.

    The noise is geometric; what leaves [0, draws] is moved to its ends.  Replaced by a zero, the example is not there.
    """
    q, places = math.exp(-epsilon), range(draws + 1)

    def noisy(count: int) -> list[float]:
        ends = (0, draws)
        return [q ** abs(place - count) * (1 if place in ends else 1 - q) / (1 + q) for place in places]

    copies = [math.comb(draws, k) * (total - 1) ** (draws - k) / total**draws for k in places]
    upper = [sum(share * noisy(k)[place] for k, share in enumerate(copies)) for place in places]
    distributions = (
        {place: math.log(mass) for place, mass in enumerate(distribution)} for distribution in (noisy(0), upper)
    )
    return plds.from_two_probability_mass_functions(
        *distributions, pessimistic_estimate=pessimistic, value_discretization_interval=FINE * epsilon
    )


def resampled_pure(epsilon: float, draws: int, total: int) -> Answer:
    """Optimistic and pessimistic PLD of a noisy count of one example in a resample, at delta = 0.

    By position no smaller epsilon holds: so both ends are for that bound.
    """
    low, high = (float(_resampled(epsilon, draws, total, end).get_epsilon_for_delta(0.0)) for end in (False, True))
    return low, high


def resampled_at_once(epsilon: float, draws: int, total: int) -> Answer:
    """The same optimistic PLD: one mechanism that the two other bounds of resampling must cover."""
    return float(_resampled(epsilon, draws, total, False).get_epsilon_for_delta(0.0)), None


CASES = {
    optimal_delta: [
        (0.5, 0.0, 1, 0.0), (0.5, 0.0, 8, 0.0), (0.5, 0.0, 8, 0.75), (0.5, 0.0, 8, 3.0), (0.1, 1e-6, 30, 0.0),
        (0.1, 1e-6, 30, 1.0), (0.01, 0.0, 1000, 0.5), (0.01, 1e-9, 10_000, 2.0), (2.0, 1e-3, 5, 4.5),
        (6.0, 0.0, 3, 7.0),
    ],
    optimal_epsilon: [
        (0.5, 0.0, 8, 1e-2), (0.5, 0.0, 8, 1e-6), (0.1, 1e-9, 30, 1e-6), (0.1, 0.0, 100, 1e-6), (0.01, 0.0, 1000, 1e-8),
        (0.01, 0.0, 10_000, 1e-6), (2.0, 1e-3, 5, 0.01), (6.0, 0.0, 3, 1e-3),
    ],
    basic_epsilon: [([0.5, 0.25, 0.25],), ([0.01] * 7,), ([2.0, 0.3, 1.17],)],
    advanced_epsilon: [(0.01, 10_000, 1e-6), (0.1, 30, 1e-6), (0.5, 100, 1e-9), (1.0, 3, 1e-3)],
    failing_epsilon: [(0.5, 1e-8, 8, 1e-6), (0.1, 1e-9, 100, 1e-6), (1.0, 1e-3, 2, 3e-3), (0.1, 1e-8, 100, 1.01e-6)],
    group_delta: [(1.0, 1.0, 2), (3.0, 0.5, 3), (2.0, 0.25, 5)],
    gaussian_delta: [
        (1.0, 0.0), (1.0, 1.0), (1.0, 5.0), (0.3, 4.0), (3.7306317, 1.0), (10.0, 0.01), (10.0, 0.5), (50.0, 0.05),
    ],
    gaussian_epsilon: [(1.0, 1e-12), (0.3, 1e-5), (50.0, 1e-9)],
    gaussian_sigma: [(1.0, 1e-5), (0.01, 1e-3), (30.0, 1e-2)],
    classical_sigma: [(1.0, 1e-5), (0.1, 1e-6), (0.5, 1e-3), (1.0, 0.4)],
    zcdp_epsilon: [
        (1e-6, 1e-6), (1e-4, 1e-2), (1e-4, 1e-9), (0.01, 1e-6), (0.02, 1e-3), (0.5, 1e-6), (0.5, 0.1), (2.0, 1e-9),
        (20.0, 1e-6),
    ],
    zcdp_delta: [
        (1e-4, 0.0), (1e-4, 0.05), (0.01, 0.0), (0.01, 0.5), (0.5, 0.0), (0.5, 1.0), (0.5, 5.0), (5.0, 1.0),
        (5.0, 20.0),
    ],
    gaussian_composed: [(10.0, 1, 1e-6), (10.0, 100, 1e-6), (41.44, 1000, 1e-5), (2.0, 4, 1e-9)],
    renyi_pure: [(0.1, 1.5), (0.1, 32.0), (1.0, 1.1), (1.0, 2.0), (1.0, 16.0), (4.0, 1.2), (4.0, 3.0)],
    filter_gaussian: [(1.0, 1e-6, 20.0), (2.0, 1e-9, 15.0), (0.5, 1e-3, 10.0)],
    exponential_composed: [(0.5, 8, 1e-6), (0.1, 100, 1e-6), (1.0, 20, 1e-9), (2.0, 3, 1e-2)],
    permute_and_flip_composed: [(0.5, 8, 1e-6), (0.1, 100, 1e-6), (1.0, 20, 1e-9), (2.0, 3, 1e-2)],
    discrete_gaussian_delta: [
        (3.0, 1, 0.0), (3.0, 1, 0.1), (3.0, 1, 0.5), (3.0, 1, 1.0), (0.5, 1, 1.0), (0.5, 1, 4.0), (1.3, 2, 0.7),
        (20.0, 3, 0.2),
    ],
    discrete_laplace_delta: [
        (2.0, 1, 0.0), (2.0, 1, 0.3), (2.0, 2, 0.5), (2.0, 2, 1.0), (0.5, 1, 1.9), (10 / 3, 3, 0.123), (25.0, 7, 0.1),
    ],
    subsampled_pure: [(1.0, 0.01), (1.0, 0.5), (0.1, 0.1), (3.0, 0.25), (0.5, 0.9)],
    resampled_pure: [(1.0, 10, 10), (0.1, 5, 20), (2.0, 8, 3)],
    resampled_at_once: [(1.0, 10, 10), (0.1, 5, 20), (2.0, 8, 3)],
    subsampled_gaussian: [(1.0, 0.01, 1e-6), (4.0, 0.5, 1e-9)],
}  # fmt: skip
