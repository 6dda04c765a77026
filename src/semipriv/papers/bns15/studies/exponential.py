"""Claims of BNS15 on the exponential mechanism (algorithm 5, proposition A.1): privacy, and the errors of its draw.

All of it is exact.
"""

import math
from itertools import product

import numpy as np
import scipy
from numpy.typing import NDArray

from semipriv.audit.exact import exact_privacy_loss
from semipriv.core.randomness import Simulation
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.laws import OutputLaw
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    largest,
    nearest_to_bound,
)

CLAIMS = ("BNS15-A.1", "BNS15-A.1-tail")
SECONDS = 3

ROUNDING = 1e-9
"""Rounding error of a log-ratio over epsilon."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-A.1 and BNS15-A.1-tail.  Effort plays no part."""
    return {"BNS15-A.1": _privacy(randomness), "BNS15-A.1-tail": _tail(randomness)}


# ---------------------------------------------------------------------------------------------------- privacy
POINTS, MOST = 4, 3
EPSILONS = (0.1, 0.5, 1.0, 2.0)
LOSS, TWIN = "largest privacy loss / epsilon", "largest privacy loss / epsilon, broken twin"


def tables(randomness: Simulation) -> dict[str, NDArray[np.int64]]:
    """Return concepts (k, 4) on four points: all thresholds of two bits, and random labelings."""
    random = randomness.spawn("concepts").generator.integers(0, 2, (6, POINTS))
    return {"THRESH_2": np.tri(POINTS + 1, POINTS, -1, dtype=np.int64), "six random labelings": random}


def privacy_loss(concepts: NDArray[np.int64], epsilon: float, n: int) -> float:
    """Return the largest loss of the mechanism with parameter epsilon, over all data sets of n examples and neighbours.

    concepts: (k, points).  Only numbers of mistakes matter, so that data sets are multisets.
    """
    mechanism = ExponentialMechanism(epsilon)

    def law(data: tuple[tuple[int, int], ...]) -> OutputLaw:
        mistakes = sum(concepts[:, x] != y for x, y in data)
        return OutputLaw(enumerate(mechanism.log_probabilities(-np.asarray(mistakes, np.int64))))

    records = tuple(product(range(concepts.shape[1]), (0, 1)))
    return exact_privacy_loss(law, [records] * n, exchangeable=True).loss


def _privacy(randomness: Simulation) -> Finding:
    """Audit the mechanism exactly; with exp(epsilon q) in place of exp(epsilon q / 2) it must lose more."""
    rows: list[Measurement] = []
    for (name, concepts), epsilon in product(tables(randomness).items(), EPSILONS):
        for n in range(1, MOST + 1):
            where: Settings = {"concepts": name, "epsilon": epsilon, "examples": n}
            found = privacy_loss(concepts, epsilon, n) / epsilon
            rows.append(at_most(LOSS, where, found, 1.0, rounding=ROUNDING))
        twin = privacy_loss(concepts, 2 * epsilon, MOST) / epsilon
        rows.append(exceeding(TWIN, {"concepts": name, "epsilon": epsilon, "examples": MOST}, twin, 1.0))
    losses = [row for row in rows if row.quantity == LOSS]
    most = {e: max(row.measured.value for row in losses if row.settings["epsilon"] == e) for e in EPSILONS}
    shares = ", ".join(f"{share:.2f} at epsilon = {epsilon:g}" for epsilon, share in most.items())
    return conclude(
        f"exact audit: all data sets of up to {MOST} examples on {POINTS} points, all neighbours",
        rows,
        deciding=largest(losses),
        reason=f"largest loss as a share of epsilon: {shares}; so a loss {1 / most[1.0]:.1f} times as large is noticed "
        "at epsilon = 1",
    )


# ---------------------------------------------------------------------------------------------------- tail
SIZES = (20, 100, 400)
CONCEPTS = (2, 17, 1025)
DELTAS = (0.05, 0.1, 0.2, 0.4)
EPSILON = 1.0
TAIL = "P[error of the chosen concept > least error + Delta]"
TIES = "the same, where all concepts but one are just above Delta"
QUARTER = "the same, control with |H| / 4"


def tail(mistakes: NDArray[np.int64], allowed: float) -> float:
    """Return P[mistakes of the chosen concept > least mistakes + allowed] at epsilon = 1, from the weights."""
    weights = -EPSILON / 2 * (mistakes - mistakes.min())
    wrong = weights[mistakes > mistakes.min() + allowed]
    return float(np.exp(scipy.special.logsumexp(wrong) - scipy.special.logsumexp(weights))) if wrong.size else 0.0


def _tail(randomness: Simulation) -> Finding:
    """Compare exact tails with |H| exp(-epsilon Delta m / 2), where that is below 1."""
    rows, vacuous = [], 0
    for m, k, delta in product(SIZES, CONCEPTS, DELTAS):
        bound = k * math.exp(-EPSILON * delta * m / 2)
        if bound >= 1:
            vacuous += 1
            continue
        where: Settings = {"examples": m, "concepts": k, "Delta": delta}
        rows.append(
            at_most(TAIL, where, tail(_random_mistakes(m, k, randomness.spawn(m, k, str(delta))), delta * m), bound)
        )
        above = math.floor(delta * m + 1e-9) + 1  # the least number of mistakes above Delta m
        tied = np.append(0, np.full(k - 1, above))
        tight = k * math.exp(-EPSILON * above / 2)  # Delta as near as possible to what all but one make
        if k > 2 and tight < 1:
            found = tail(tied, np.nextafter(above, 0))
            rows.append(at_most(TIES, where, found, tight))
            rows.append(exceeding(QUARTER, where, found, tight / 4))
    return conclude(
        "tails of the output law, from its weights",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity in (TAIL, TIES)]),
        reason=f"random thresholds and labels, and the worst table, where a quarter of the bound fails; {vacuous} of "
        f"{len(SIZES) * len(CONCEPTS) * len(DELTAS)} cells have a bound of 1 or more and say nothing",
    )


def _random_mistakes(m: int, k: int, stream: Simulation) -> NDArray[np.int64]:
    """Return the mistakes of k thresholds of [0, 1], evenly spaced, on m uniform points with fair labels."""
    points, labels = stream.generator.random(m), stream.generator.integers(0, 2, m)
    predictions = points >= np.linspace(0, 1, k)[:, None]
    return np.count_nonzero(predictions != labels, axis=1)
