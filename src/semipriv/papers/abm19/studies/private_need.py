"""Private examples that A_SSPP needs (ABM19 algorithm 1, theorem 3.1), exactly on hard families of two hypotheses.

Agnostic: two constants, and labels that are 0 nearly as often as 1.  Realizable: two hypotheses that differ on mass
alpha.  With a fixed margin (Massart noise) the agnostic need would be of order 1 / alpha, too.  So the margin of these
laws shrinks with alpha.
"""

import math
from collections.abc import Callable, Sequence

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import loglog_slope
from semipriv.papers.abm19.bounds.need import MECHANISMS, private_points_realizable, private_points_two_point
from semipriv.papers.abm19.bounds.sizes import private_size, private_size_realizable
from semipriv.report.ledger.findings import Finding, Measurement, Settings, conclude, gates, recorded, within

CLAIMS = ("ABM19-T3.1-agnostic", "ABM19-T3.1-realizable")
FIGURE = "private_need"

BETA = 0.05
NEED = "private examples needed"
RAW = "exponent in alpha"
AGAINST_BOUND = "exponent in the bound of theorem 3.1 for two hypotheses"

_Need = Callable[[float, float, float, str], int]
_Grid = Sequence[tuple[float, tuple[float, ...], tuple[float, float] | None]]

AGNOSTIC: _Grid = (
    (10.0, (0.2, 0.1, 0.05, 0.02, 0.01), (-2.1, -1.9)),
    (1.0, (0.1, 0.05, 0.02, 0.01), (-2.1, -1.9)),
    (0.1, (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002), None),
    (0.01, (0.4, 0.2, 0.1, 0.05), (-1.1, -0.95)),
)
"""epsilon, values of alpha, and the allowed exponents; at epsilon = 0.1 one regime passes into the other."""
REALIZABLE: _Grid = tuple((epsilon, (0.2, 0.1, 0.05, 0.02, 0.01), (-1.03, -0.99)) for epsilon in (10.0, 1.0, 0.1))


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure ABM19-T3.1-agnostic and ABM19-T3.1-realizable.  Both are exact: neither randomness nor effort matters."""
    return {
        "ABM19-T3.1-agnostic": _needs(
            "two constants, P[y = 1] = 1/2 + alpha/2: least n_private with excess error <= alpha, exactly",
            AGNOSTIC,
            private_points_two_point,
            lambda alpha, epsilon: private_size(alpha, BETA, epsilon, math.log(2)),
            "allowed: [-2.1, -1.9] for epsilon = 10 and 1, [-1.1, -0.95] for epsilon = 0.01; shown: epsilon = 1",
        ),
        "ABM19-T3.1-realizable": _needs(
            "two hypotheses that differ on mass alpha, labels by one of them: least n_private, exactly",
            REALIZABLE,
            private_points_realizable,
            lambda alpha, epsilon: private_size_realizable(alpha, BETA, epsilon, math.log(2)),
            "allowed: [-1.03, -0.99] for epsilon = 10, 1 and 0.1; shown: epsilon = 1",
        ),
    }


def _needs(experiment: str, grid: _Grid, need: _Need, bound: Callable[[float, float], int], reason: str) -> Finding:
    """Measure the needs of all mechanisms, and their exponents in alpha; the exponential mechanism's are judged."""
    rows = []
    for epsilon, alphas, allowed in track(grid, "values of epsilon"):
        for mechanism in MECHANISMS:
            sizes = [need(alpha, epsilon, BETA, mechanism) for alpha in alphas]
            bounds = [bound(alpha, epsilon) for alpha in alphas]
            where: Settings = {"epsilon": epsilon, "mechanism": mechanism, "beta": BETA}
            for alpha, size, most in zip(alphas, sizes, bounds, strict=True):
                rows.append(recorded(NEED, where | {"alpha": alpha}, size, most))
            slope = loglog_slope(alphas, sizes)
            if allowed is not None and mechanism == "exponential":
                low, high = allowed
                rows.append(within(RAW, where | {"least": low, "greatest": high}, slope, low, high))
            else:
                rows.append(recorded(RAW, where, slope))
            rows.append(recorded(AGAINST_BOUND, where, loglog_slope(bounds, sizes)))
    shown = next(row for row in gates(rows) if row.settings["epsilon"] == 1.0)
    return conclude(experiment, rows, deciding=shown, reason=f"{reason}; {_left_on_the_table(rows)}")


def _left_on_the_table(rows: Sequence[Measurement]) -> str:
    """Say which part of the exponential mechanism's need permute-and-flip has."""
    sizes = {
        tuple(row.settings[key] for key in ("mechanism", "epsilon", "alpha")): row.measured.value
        for row in rows
        if row.quantity == NEED
    }
    shares = [n / sizes["exponential", *where] for (name, *where), n in sizes.items() if name == "permute_and_flip"]
    return f"permute-and-flip needs {min(shares):.2f} to {max(shares):.2f} of the exponential mechanism's examples"
