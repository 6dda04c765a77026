"""Private examples that A_SSPP needs (ABM19 algorithm 1, theorem 3.1), exactly on hard families of two hypotheses.

Agnostic: two constants, and labels that are 0 nearly as often as 1.  Realizable: two hypotheses that differ on mass
alpha.  With a fixed margin (Massart noise) the agnostic need would be of order 1 / alpha, too.  So the margin of these
distributions shrinks with alpha.
"""

import math
from collections.abc import Callable, Sequence

from semipriv.core.progress import track
from semipriv.core.statistics import loglog_slope
from semipriv.papers.abm19.bounds.need import MECHANISMS, private_points_realizable, private_points_two_point
from semipriv.papers.abm19.bounds.sizes import private_size, private_size_realizable
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

BETA = 0.05
NEED = "private examples needed"
RAW = "exponent in alpha"
AGAINST_BOUND = "exponent in the bound of theorem 3.1 for two hypotheses"

_Need = Callable[[float, float, float, str], int]
_Grid = Sequence[tuple[float, tuple[float, ...], tuple[float, float] | None]]

EPSILONS = (10.0, 1.0, 0.01)
"""Values of epsilon at which the agnostic exponent is judged: the first two far above alpha, the last below it."""
ALPHAS = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Values of alpha, some of them at each epsilon."""
AGNOSTIC: _Grid = (
    (EPSILONS[0], ALPHAS[1:], (-2.1, -1.9)),
    (EPSILONS[1], ALPHAS[2:], (-2.1, -1.9)),
    (0.1, (*ALPHAS, 0.005, 0.002), None),
    (EPSILONS[2], ALPHAS[:4], (-1.1, -0.95)),
)
"""epsilon, values of alpha, and the allowed exponents; at epsilon = 0.1 one regime passes into the other."""
REALIZABLE_EPSILONS = (10.0, 1.0, 0.1)
REALIZABLE_ALPHAS = (0.2, 0.1, 0.05, 0.02, 0.01)
REALIZABLE: _Grid = tuple((epsilon, REALIZABLE_ALPHAS, (-1.03, -0.99)) for epsilon in REALIZABLE_EPSILONS)


@claim(
    "ABM19-T3.1-agnostic",
    "two constants, P[y = 1] = 1/2 + alpha/2: least n_private with excess error <= alpha, exactly",
)
def agnostic(table: Table) -> str:
    """Measure the exponents of the agnostic need; they are exact."""
    _measure(
        table,
        AGNOSTIC,
        private_points_two_point,
        lambda alpha, epsilon: private_size(alpha, BETA, epsilon, math.log(2)),
    )
    other = loglog_slope(AGNOSTIC[0][1], [private_points_realizable(a, 10.0, BETA) for a in AGNOSTIC[0][1]]).value
    table.exceeding("control: exponent in alpha of the realizable need", {"epsilon": 10.0}, other, -1.9)
    (between,) = table.values(RAW, epsilon=0.1, mechanism="exponential")
    return (
        "allowed: [-2.1, -1.9] for epsilon = 10 and 1, [-1.1, -0.95] for epsilon = 0.01; at epsilon = 0.1 one regime "
        f"passes into the other, {between:.2f}, and nothing is judged; shown: epsilon = 1; " + _left_on_the_table(table)
    )


@claim(
    "ABM19-T3.1-realizable",
    "two hypotheses that differ on mass alpha, labels by one of them: least n_private, exactly",
)
def realizable(table: Table) -> str:
    """Measure the exponents of the realizable need; they are exact."""
    _measure(
        table,
        REALIZABLE,
        private_points_realizable,
        lambda alpha, epsilon: private_size_realizable(alpha, BETA, epsilon, math.log(2)),
    )
    grid = REALIZABLE[0][1]
    steeper = loglog_slope(grid, [private_points_two_point(alpha, 10.0, BETA) for alpha in grid]).value
    table.exceeding("control: exponent in 1 / alpha of the agnostic need", {"epsilon": 10.0}, -steeper, 1.03)
    return f"allowed: [-1.03, -0.99] for epsilon = 10, 1 and 0.1; shown: epsilon = 1; {_left_on_the_table(table)}"


def _measure(table: Table, grid: _Grid, need: _Need, bound: Callable[[float, float], int]) -> None:
    """Measure the needs of all mechanisms, and their exponents in alpha; the exponential mechanism's are judged."""
    for epsilon, alphas, allowed in track(grid, "values of epsilon"):
        for mechanism in MECHANISMS:
            sizes = [need(alpha, epsilon, BETA, mechanism) for alpha in alphas]
            bounds = [bound(alpha, epsilon) for alpha in alphas]
            settings: Settings = {"epsilon": epsilon, "mechanism": mechanism, "beta": BETA}
            for alpha, size, most in zip(alphas, sizes, bounds, strict=True):
                table.recorded(NEED, settings | {"alpha": alpha}, size, most)
            slope = loglog_slope(alphas, sizes)
            if allowed is not None and mechanism == "exponential":
                low, high = allowed
                gate = table.within(RAW, settings | {"least": low, "greatest": high}, slope, low, high)
                if epsilon == 1.0:
                    table.show(gate)
            else:
                table.recorded(RAW, settings, slope)
            table.recorded(AGAINST_BOUND, settings, loglog_slope(bounds, sizes))


def _left_on_the_table(table: Table) -> str:
    """Say which part of the exponential mechanism's need permute-and-flip has."""
    pairs = zip(*(table.values(NEED, mechanism=name) for name in ("permute_and_flip", "exponential")), strict=True)
    shares = [size / of for size, of in pairs]
    return f"permute-and-flip needs {min(shares):.2f} to {max(shares):.2f} of the exponential mechanism's examples"
