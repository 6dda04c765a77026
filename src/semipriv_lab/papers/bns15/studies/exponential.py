"""Claims of BNS15 on the exponential mechanism (algorithm 5, proposition A.1): privacy, and the errors of its draw.

All of it is exact.
"""

import math
from itertools import product

import numpy as np
import scipy

from semipriv.audit.exact import exact_privacy_loss
from semipriv.core.randomness import Simulation
from semipriv.core.types import Integers
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.output_distribution import OutputDistribution
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest, nearest_to_bound

ROUNDING = 1e-9
"""Rounding error of a log-ratio over epsilon."""
POINTS, MOST = 4, 3
EPSILONS = (0.1, 0.5, 1.0, 2.0)
LOSS = "largest privacy loss / epsilon"


def tables(randomness: Simulation) -> dict[str, Integers]:
    """Return concepts (k, 4) on four points: all thresholds of two bits, and random labelings."""
    random = randomness.spawn("concepts").generator.integers(0, 2, (6, POINTS))
    return {"THRESH_2": np.tri(POINTS + 1, POINTS, -1, dtype=np.int64), "six random labelings": random}


def privacy_loss(concepts: Integers, epsilon: float, n: int) -> float:
    """Return the largest loss of the mechanism with parameter epsilon, over all data sets of n examples and neighbours.

    concepts: (k, points).  Only numbers of mistakes matter, so that data sets are multisets.
    """
    mechanism = ExponentialMechanism(epsilon)

    def distribution(data: tuple[tuple[int, int], ...]) -> OutputDistribution:
        mistakes = sum(concepts[:, x] != y for x, y in data)
        return OutputDistribution(enumerate(mechanism.log_probabilities(-np.asarray(mistakes, np.int64))))

    records = tuple(product(range(concepts.shape[1]), (0, 1)))
    return exact_privacy_loss(distribution, [records] * n, exchangeable=True).loss


@claim("BNS15-A.1", f"exact audit: all data sets of up to {MOST} examples on {POINTS} points, all neighbours")
def privacy(table: Table) -> str:
    """Audit the mechanism exactly; with exp(epsilon q) instead of exp(epsilon q / 2) it must lose more."""
    for (name, concepts), epsilon in product(tables(table.randomness).items(), EPSILONS):
        settings: Settings = {"concepts": name, "epsilon": epsilon}
        for n in range(1, MOST + 1):
            loss = privacy_loss(concepts, epsilon, n) / epsilon
            table.at_most(LOSS, settings | {"examples": n}, loss, 1.0, rounding=ROUNDING)
        control = privacy_loss(concepts, 2 * epsilon, MOST) / epsilon
        table.exceeding(f"{LOSS}, negative control", settings | {"examples": MOST}, control, 1.0)
    table.show(largest(table(LOSS)))
    most = {epsilon: max(table.values(LOSS, epsilon=epsilon)) for epsilon in EPSILONS}
    shares = ", ".join(f"{share:.2f} at epsilon = {epsilon:g}" for epsilon, share in most.items())
    return (
        f"largest loss as a share of epsilon: {shares}; so a loss {1 / most[1.0]:.1f} times as large is noticed "
        "at epsilon = 1"
    )


SIZES = (20, 100, 400)
CONCEPTS = (2, 17, 1025)
DELTAS = (0.05, 0.1, 0.2, 0.4)
EPSILON = 1.0
TAIL = "P[error of the chosen concept > least error + Delta]"
TIES = "the same, where all concepts but one are just above Delta"


def tail(mistakes: Integers, allowed: float) -> float:
    """Return P[mistakes of the chosen concept > least mistakes + allowed] at epsilon = 1, from the weights."""
    weights = -EPSILON / 2 * (mistakes - mistakes.min())
    wrong = weights[mistakes > mistakes.min() + allowed]
    return float(np.exp(scipy.special.logsumexp(wrong) - scipy.special.logsumexp(weights))) if wrong.size else 0.0


@claim("BNS15-A.1-tail", "tails of the output distribution, from its weights")
def tails(table: Table) -> str:
    """Compare exact tails with |H| exp(-epsilon Delta m / 2), where that is below 1.

    The mistakes are those of k thresholds of [0, 1], evenly spaced, on m uniform points with fair labels; and all but
    one as near above Delta as possible.
    """
    vacuous = 0
    for m, k, delta in product(SIZES, CONCEPTS, DELTAS):
        bound = k * math.exp(-EPSILON * delta * m / 2)
        if bound >= 1:
            vacuous += 1
            continue
        settings: Settings = {"examples": m, "concepts": k, "Delta": delta}
        generator = table.randomness.spawn(m, k, str(delta)).generator
        points, labels = generator.random(m), generator.integers(0, 2, m)
        mistakes = np.count_nonzero((points >= np.linspace(0, 1, k)[:, None]) != labels, axis=1)
        table.at_most(TAIL, settings, tail(mistakes, delta * m), bound)
        above = math.floor(delta * m + 1e-9) + 1  # the least number of mistakes above Delta m
        tight = k * math.exp(-EPSILON * above / 2)  # Delta as near as possible to what all but one make
        if k > 2 and tight < 1:
            tied = tail(np.append(0, np.full(k - 1, above)), np.nextafter(above, 0))
            table.at_most(TIES, settings, tied, tight)
            table.exceeding("the same, control with |H| / 4", settings, tied, tight / 4)
    table.show(nearest_to_bound([*table(TAIL), *table(TIES)]))
    return (
        f"random thresholds and labels, and the worst table, where a quarter of the bound fails; {vacuous} of "
        f"{len(SIZES) * len(CONCEPTS) * len(DELTAS)} cells have a bound of 1 or more and say nothing"
    )
