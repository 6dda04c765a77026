"""Mistakes that RRSPM's Laplace weights cost on the hardest data of a line, exactly (BBD24 algorithm 4, lemma 23).

All thresholds make T mistakes but those of one cell, which make none.  RRSPM's excess is T unless it chooses that cell.
So P[excess > x] is largest for T just above x, and then that of any other choice.  All is in units of the scale b.
"""

from semipriv.core.statistics import loglog_slope
from semipriv.papers.bbd24.bounds.rrspm import gamma_excess, union_excess
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import largest
from semipriv_lab.papers.bbd24.random_walks import survivals

POINTS = (4, 8)
BETAS = (0.1, 0.05, 0.01)
CORNERS = ((1, 1e-6), (1, 0.999), (2, 1e-6), (2, 0.999))
"""m and beta."""
TAIL = "P[excess mistakes > bound]"
SMALLER = {4: 4.0, 8: 6.0}
"""By how much the union bound is divided for its negative control, by m; the plan's controls, as SMALLER_SHARP."""
SMALLER_SHARP = 3.1
NEED = "least excess x / b with P[excess mistakes > x] <= 0.05"
SIZES = (4, 8, 16, 32)


def tail(points: int, excess: float) -> float:
    """Return P[another cell is chosen] with T = ``excess``, in units of b, for the worst cell.

    A cell with k points on its left is chosen iff walks of k and of m - k steps both stay above -T.
    """
    walks = [(-float(excess),) * steps for steps in range(points + 1)]
    chances = survivals(walks)
    return 1 - min(chances[left] * chances[right] for left, right in zip(walks, walks[::-1], strict=True))


def need(points: int, beta: float) -> float:
    """Return the least excess, in units of b and to a part of 1e-4, with ``tail`` <= beta."""
    low, high = 0.0, union_excess(points, 1.0, beta)
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(points, middle) > beta else (low, middle)
    return high


@claim(
    "BBD24-L23",
    "exact distribution of thresholds, all cells but one equally bad",
    shown=lambda gates: largest([row for row in gates if row.quantity == TAIL]),
    constants="repaired",
)
def union(table: Table) -> str:
    """Compare the tail at the union bound with beta."""
    for m in POINTS:
        for beta in BETAS:
            table.at_most(TAIL, {"m": m, "beta": beta}, tail(m, union_excess(m, 1.0, beta)), beta)
        missed = tail(m, union_excess(m, 1.0, 0.05) / SMALLER[m])
        table.exceeding(f"{TAIL}, control", {"m": m, "beta": 0.05, "factor": SMALLER[m]}, missed, 0.05)
    for m, beta in CORNERS:
        table.at_most(TAIL, {"m": m, "beta": beta}, tail(m, union_excess(m, 1.0, beta)), beta)
    return (
        "m b ln(m / beta), that is 2 m^2 ln(m / beta) / epsilon: the constant 2 by our proof, the paper's is "
        "partly illegible and its argument gives 4.  A bound 4 (m = 4) or 6 (m = 8) times smaller is noticed"
    )


@claim(
    "BBD24-L23-sharp",
    "exact distribution of thresholds, all cells but one equally bad",
    shown=lambda gates: largest([row for row in gates if row.quantity == TAIL]),
    constants="ours",
)
def sharp(table: Table) -> str:
    """Compare the tail at the sharper bound with beta, and record how the need grows."""
    for m in POINTS:
        for beta in BETAS:
            table.at_most(TAIL, {"m": m, "beta": beta}, tail(m, gamma_excess(m, 1.0, beta, m + 1)), beta)
        missed = tail(m, gamma_excess(m, 1.0, 0.05, m + 1) / SMALLER_SHARP)
        table.exceeding(f"{TAIL}, control", {"m": m, "beta": 0.05, "factor": SMALLER_SHARP}, missed, 0.05)
    for m, beta in CORNERS:
        table.at_most(TAIL, {"m": m, "beta": beta}, tail(m, gamma_excess(m, 1.0, beta, m + 1)), beta)
    for m in SIZES:
        table.recorded(NEED, {"m": m}, need(m, 0.05))
    slope = loglog_slope(SIZES, table.values(NEED)).value
    for name, added in (("2 m / epsilon", 1), ("4 / epsilon", 0)):
        table.recorded("exponent of m in the need", {"scale": name}, slope + added)
    return (
        "2 b (sqrt(m t) + t / 2), t = ln(2 N / beta).  On these data the need grows with m to the power "
        f"{slope + 1:.2f} for b = 2 m / epsilon (the paper's bound: 2), and {slope:.2f} for 4 / epsilon"
    )
