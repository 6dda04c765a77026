"""The exact distribution of PMW with two cells, each a query: ``fit`` draws it, and it is as private as paid for."""

import math
from itertools import pairwise, product

import numpy as np
from scipy.stats import chisquare

from semipriv.core.randomness import Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.workloads import Runs

METHOD, BUDGET = PMW(0.99, failure=0.9, scales="book"), Guarantee(10.0)
PLAN = METHOD.plan(2, 2, BUDGET)
LEVEL = PLAN.threshold(0)
"""The book's threshold is of no number of records."""
CELLS = Runs(2, np.array([0, 1]), np.array([1, 2]))
FAR = 60
"""Noise beyond it has a probability below e^-20."""
NOISES = np.arange(-FAR, FAR + 1)
AWAY = LEVEL - round(2 * PLAN.lot)
OPEN = (2 * AWAY, 0)
"""Counts at which a comparison has the chances of its noise: both queries are two lots below the threshold."""
KINDS = list(product((False, True), repeat=2))
"""Whether the first and the second query are measured."""


def shares() -> tuple[float, float]:
    """What the weights give to the first cell after its query was measured: below, and not below one half."""
    low, high = (1 / (1 + math.exp(-METHOD.step(0.5, answer, PLAN.rate))) for answer in (0.0, 1.0))
    return low, high


def distribution(counts: tuple[int, int], comparison: int = 2) -> dict[tuple[bool, bool], np.ndarray]:
    """Return by kind the probabilities of the noisy counts of what is measured, (v,), (v, 1), (1, v) or (v, v).

    comparison: scale of the noise of a comparison over that of the threshold.
    """
    n = sum(counts)
    lot, compared = (np.exp(DiscreteLaplace(scale * PLAN.lot).log_probability(NOISES)) for scale in (1, comparison))
    noisy = np.arange(-FAR, n + FAR + 1)
    actual_first, other = (np.exp(DiscreteLaplace(PLAN.numeric).log_probability(noisy - count)) for count in counts)

    def above(query: int, share: float) -> np.ndarray:
        """Return P[gap + N >= T + t or N' - gap >= T + t], N, N' of a comparison, for each noise t of the threshold."""
        gap, wanted = counts[query] - round(n * share), LEVEL + NOISES[:, None]
        below = [((sign * gap + NOISES < wanted) * compared).sum(axis=1) for sign in (1, -1)]
        return 1 - below[0] * below[1]

    first, second = above(0, 0.5), above(1, 0.5)
    low, high = (float(lot @ above(1, 1 - share)) for share in shares())
    again = np.where(noisy / n < 0.5, low, high)
    measured = float(lot @ first) * actual_first
    return {
        (False, False): np.array([[lot @ ((1 - first) * (1 - second))]]),
        (False, True): (lot @ ((1 - first) * second)) * other[None, :],
        (True, False): (measured * (1 - again))[:, None],
        (True, True): (measured * again)[:, None] * other[None, :],
    }


def test_fit_draws_the_distribution() -> None:
    """Noise of a comparison of the threshold's scale, half of what is paid for, would be seen."""
    assert PLAN.updates > 2, "updates are not used up, which the distribution leaves out"
    trials, seen = 3000, dict.fromkeys(KINDS, 0)
    for seed in range(trials):
        fitted = METHOD.fit(CELLS, np.array(OPEN), BUDGET, Simulation(seed))
        after = np.isclose(fitted.answers[1], [1 - share for share in shares()], rtol=1e-12).any()
        updates = fitted.cost["updates"]
        seen[updates == 2 or bool(updates == 1 and after), updates == 2 or bool(updates == 1 and not after)] += 1
    for comparison, drawn in ((2, True), (1, False)):
        chances = np.array([distribution(OPEN, comparison)[kind].sum() for kind in KINDS])
        np.testing.assert_allclose(chances.sum(), 1, atol=1e-6)
        chance = chisquare(list(seen.values()), trials * chances / chances.sum()).pvalue
        assert chance > 1e-4 if drawn else chance < 1e-9


def loss(comparison: int) -> float:
    """Return the privacy loss over all counts of so many records and all neighbours."""
    n = sum(OPEN)
    distributions = [distribution((k, n - k), comparison) for k in range(n + 1)]
    pairs = [(first[kind], other[kind]) for first, other in pairwise(distributions) for kind in KINDS]
    likely = [(first > 1e-12) & (other > 1e-12) for first, other in pairs]
    ratios = [
        np.log(first[place_settings] / other[place_settings])
        for (first, other), place_settings in zip(pairs, likely, strict=True)
    ]
    return max(float(np.abs(ratio).max(initial=0)) for ratio in ratios)


def test_all_neighbours_lose_less_than_is_paid_for() -> None:
    """Two queries use two of the three updates, and so two thirds of the budget at most."""
    assert PLAN.updates == 3
    assert loss(2) <= BUDGET.epsilon * 2 / 3
    assert loss(1) > 1.5 * loss(2)
