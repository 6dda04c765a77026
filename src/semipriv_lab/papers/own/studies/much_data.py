"""What the learners of this project tend to as epsilon and the number of private rows grow, in closed form."""

import math
from itertools import product
from typing import Any

import numpy as np

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.learners.multiclass.plan import multiclass_plan
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_ridge_regression import PublicRidgeRegression
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.papers.own.bounds.selection import lost_mistakes
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.own.transcripts import noted, silent

NONE = "none: no paper has it"
FEATURES, POINTS = 8, 60
PUBLIC = np.random.default_rng(2).normal(size=(POINTS, FEATURES))
LEARNER_EPSILONS = (1e-6, 0.3, 1e4)
ROWS = (1, 300, 10**9)
BETAS = (1e-6, 0.1, 0.999)
COUNTS = (2, 100, 10_000)
"""Candidates."""
MISSED = "chance that the selected candidate loses more mistakes than the bound, exactly"


# ---------------------------------------------------------------------------------------------------- selection
def missing(mechanism: SelectionMechanism, count: int, most: float) -> float:
    """Return the chance of more than ``most`` mistakes, where all candidates but the best one have just as many."""
    scores = np.full(count, -min(math.floor(most) + 1, 2**60))
    scores[0] = 0
    return float(-np.expm1(mechanism.log_probabilities(scores)[0]))


@claim(
    "OWN-SELECTION",
    "the exact distribution of the selection of each plan, all candidates but the best one just beyond the bound",
    shown=MISSED,
    constants=NONE,
)
def selection(table: Table) -> str:
    """Compare the chance with beta, at the corners of epsilon, private rows and beta; half of the bound must fail."""
    prepared = PublicMetricDiscriminant(1.0).prepare(PUBLIC, Halfspaces(FEATURES))
    for epsilon, n, delta in product(LEARNER_EPSILONS, ROWS, (0.0, 1e-6)):
        two = PublicMetricDiscriminant(epsilon, delta).plan(prepared, n).selector
        several = multiclass_plan(epsilon, n, FEATURES, 3, 10, delta=delta).selector
        for labels, mechanism in ((2, two), (3, several)):
            for count, beta in product(COUNTS, BETAS):
                bound = lost_mistakes(count, mechanism.epsilon, beta)
                settings = {"epsilon": epsilon, "delta": delta, "n_private": n, "K": labels, "c": count, "beta": beta}
                table.at_most(MISSED, settings, missing(mechanism, count, bound), beta)
                if (epsilon, n) == (LEARNER_EPSILONS[1], ROWS[1]) and count > 2 and beta < 0.5:
                    half = missing(mechanism, count, bound / 2)
                    table.exceeding(MISSED, settings | {"broken": "half of the bound"}, half, beta)
    return "the bound is that of the exponential mechanism, which permute-and-flip does not exceed"


BEST = "expected share of private mistakes less that of the best candidate, exactly"
MANY = 1e4
"""Epsilon."""
ONES = 101
"""Of 200 rows at each point."""


def lost_shares(times: int, coins: Simulation) -> tuple[float, float, int, int]:
    """Return what a selection loses in the mean, and one of a hundredth of the rows; then rows and candidates.

    Labels depend on no feature: 101 of 200 rows at each of 40 points have label 1.  The table is there ``times`` times.
    """
    points = np.random.default_rng(1).normal(size=(40, FEATURES))
    labels = (np.arange(200) < ONES).astype(np.int8)
    x, y = np.tile(np.repeat(points, 200, axis=0), (times, 1)), np.tile(np.tile(labels, 40), times)
    learner = PublicMetricDiscriminant(MANY)
    prepared: Any = learner.prepare(PUBLIC, Halfspaces(FEATURES))
    with noted() as asked, silent():
        learner.release(prepared, x, y, coins)
    scores, wrong = asked[-1].values, -asked[-1].values / len(x)
    limited = PermuteAndFlip(200 * math.log(len(scores)) / len(x))
    own, other = (np.exp(step.log_probabilities(scores)) for step in (asked[-1].mechanism, limited))
    return float(own @ wrong - wrong.min()), float(other @ wrong - wrong.min()), len(x), len(scores)


@claim(
    "OWN-SELECTION-MANY",
    "labels that depend on no feature, 101 of 200 at each of 40 points: the distribution of the selection, sums "
    "without noise",
    shown=BEST,
    constants=NONE,
)
def best_candidate(table: Table) -> str:
    """Compare what the selection loses with its bound, with once, four times and 16 times the same rows."""
    for times in (1, 4, 16):
        share, limited, n, count = lost_shares(times, table.randomness.spawn("best", times))
        settings: Settings = {"epsilon": MANY, "n_private": n, "n_public": POINTS}
        bound = 40 * (1 + math.log(count)) / (n * MANY)
        table.at_most(BEST, settings, share, bound)
        table.exceeding(BEST, settings | {"broken": "200 ln(c) / n instead of a share of epsilon"}, limited, bound)
    return (
        "the selection gets a twentieth of epsilon at least; with what a hundredth of the rows takes alone, its loss "
        "would tend to .0012 for any epsilon and number of rows"
    )


# ---------------------------------------------------------------------------------------------------- ridge
LEVELS, TOGETHER, SHARE = 60, 3, 5
"""Public rows, of which so many have both levels; one in so many private rows has one level alone, each of both."""
WORSE = "mean squared error of the release less that of the public model, exactly"


def _rows(n: int, places: tuple[slice, slice]) -> tuple[Floats, Floats]:
    """Return rows of two levels and a binary feature, and responses whose noise is +-.1 in turn."""
    x = np.zeros((n, 3))
    x[places[0], 0], x[places[1], 1], x[:, 2] = 1.0, 1.0, np.arange(n) % 2
    noise = np.where(np.arange(n) // 2 % 2 == 0, 0.1, -0.1)
    return x, 0.5 * x[:, 0] - 0.5 * x[:, 1] + 0.2 * x[:, 2] + noise


@claim(
    "OWN-RIDGE-FIT-literal",
    f"{LEVELS} public rows, {TOGETHER} of which have two levels at once, and private rows that have one: no noise",
    shown=WORSE,
    constants=NONE,
)
def private_rows_that_mislead(table: Table) -> str:
    """Find the errors of the release and of its public model on the private rows, without noise."""
    both = slice(0, TOGETHER)
    public, known = _rows(LEVELS, (both, both))
    functions: Any = Linear(3)
    reason = ""
    for n in (2_000, 20_000, 200_000):
        part = n // SHARE
        x, y = _rows(n, (slice(0, part), slice(part, 2 * part)))
        learner = PublicRidgeRegression(1e4)
        prepared = learner.prepare(public, functions, known)
        with silent():
            output = learner.release(prepared, x, y, table.randomness.spawn("sum", n)).output
        model = learner.release(prepared, x[:0], y[:0], table.randomness.spawn("model", n)).output
        released, alone = (float(((model_.predict(x) - y) ** 2).mean()) for model_ in (output, model))
        table.refutable(WORSE, {"epsilon": 1e4, "n_private": n, "n_public": LEVELS}, released - alone, 0.0)
        reason = f"{released:.4f} instead of {alone:.4f}, and .01 is possible"
    return (
        f"{reason}: along the difference of both levels no public row varies, private ones do, and the step by the "
        "public Gram matrix goes too far. Neither epsilon nor private rows change that"
    )
