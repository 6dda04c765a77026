"""Claims of ABM19 section 3 as they are printed, where a condition is missing: exact counterexamples.

Bound (1) needs 2 m >= d.  The sizes of lemma 3.3 and theorem 3.1 are printed with d ln(1/alpha), which vanishes as
alpha nears 1, while d public points are still needed: for each constant C unions of k intervals refute them.
"""

import math
from fractions import Fraction

from semipriv.papers.abm19.bounds.reduction import PREMISE_PRINTED
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, highest_over_bound

SMALL = ((6, 1), (10, 1), (20, 3), (100, 1), (100, 10))
"""VC dimension d and number m of public points, 2 m < d."""
ALPHA = 0.2

CONSTANTS = (1, 2, 8, 100)
"""Constants that the printed orders may hide."""
BETA = 0.5


# ---------------------------------------------------------------------------------------------------- bound (1)
@claim(
    "ABM19-E1-literal",
    "exact: all subsets of d atoms of mass 1/d, m public points",
    shown=highest_over_bound,
)
def bound_without_condition(table: Table) -> str:
    """Hold bound (1) at 2 m < d against P[Bad] = 1."""
    for d, m in SMALL:
        certain = float(least_diameter(d, m) > Fraction(ALPHA))
        table.refutable("P[Bad]", {"d": d, "m": m, "alpha": ALPHA}, certain, printed_bound(m, ALPHA, d))
    return (
        "the condition 2 m >= d is missing, without which Sauer's lemma does not give (2 e m / d)^d. Counterexample: "
        "all subsets of d = 6 atoms of mass 1/6 and one public point: the empty set and the five other atoms agree on "
        "it and differ with probability 5/6, so that Bad is certain; the formula gives .58 at alpha = .2. With the "
        "condition: ABM19-E1"
    )


def least_diameter(d: int, m: int) -> Fraction:
    """Return the least Bad diameter of the class of all subsets of d equal atoms, over all samples of m < d points.

    A sample hits at most m atoms.  The empty set and the set of all others agree on it and differ on at least 1 - m/d.
    """
    return Fraction(d - m, d)


def printed_bound(m: int, alpha: float, d: int) -> float:
    """Return 2 (2 e m / d)^(2 d) exp(-alpha m / 4), whatever m is."""
    return math.exp(math.log(2) + 2 * d * math.log(2 * math.e * m / d) - alpha * m / 4)


# ---------------------------------------------------------------------------------------------------- printed sizes
def alpha_near_one(constant: int) -> Fraction:
    """Return 1 - 1 / (8 C), an accuracy at which C d ln(1/alpha) / alpha is at most .31 k for d = 2 k."""
    return 1 - Fraction(1, 8 * constant)


def printed_size(constant: int, alpha: Fraction, beta: float, d: int) -> int:
    """Return ceil(C (d ln(1/alpha) + ln(1/beta)) / alpha)."""
    return math.ceil(constant * (d * math.log(1 / alpha) + math.log(1 / beta)) / alpha)


def enough_intervals(constant: int, beta: float) -> int:
    """Return a power of 2, k, for which the printed size is at most k at alpha near 1 and VC dimension 2 k."""
    k = 1
    while printed_size(constant, alpha_near_one(constant), beta, 2 * k) > k:
        k *= 2
    return k


def unseen_mass(k: int, n: int, atoms: int) -> Fraction:
    """Return the least distance of the union that holds all atoms from a cover of unions of k intervals, n <= k points.

    The distribution is uniform on the atoms 1, ..., N.  Step 5 may take any union that agrees with a dichotomy.  Let it
    take the
    atoms that are seen and have the label 1: n <= k intervals of one atom each.  No member of the cover then holds more
    than n atoms, whatever the sample, and all atoms are one interval.  So its distance from each member, and the error
    of each member if all labels are 1, is at least (N - n) / N.
    """
    if not n <= k <= atoms // 2:
        raise ValueError(f"n = {n}: must be at most k = {k}, and k at most {atoms} / 2")
    return Fraction(atoms - n, atoms)


def _measure(table: Table, quantity: str) -> None:
    for constant in CONSTANTS:
        alpha, k = alpha_near_one(constant), enough_intervals(constant, BETA)
        n, atoms = printed_size(constant, alpha, BETA, 2 * k), 8 * constant * k + 1
        fails = float(unseen_mass(k, n, atoms) > alpha)
        settings = {"C": constant, "alpha": float(alpha), "beta": BETA, "d": 2 * k, "n_public": n, "atoms": atoms}
        table.refutable(quantity, settings, fails, BETA)


HOW = "exact: unions of k intervals, d = 2 k, uniform on 8 C k + 1 atoms; C (d ln(1/alpha) + ln(1/beta)) / alpha points"
SAID = (
    "d ln(1/alpha) vanishes as alpha nears 1. Counterexample for each constant C: alpha = 1 - 1/(8 C), beta = 1/2 and "
    "unions of k intervals, k large; the printed size is then at most k, so that for each dichotomy a union of single "
    "atoms may be taken"
)


@claim("ABM19-L3.3-literal", HOW, shown=highest_over_bound)
def lemma_as_printed(table: Table) -> str:
    """Hold the printed order of lemma 3.3 against a cover that is none for any sample."""
    _measure(table, "P[no alpha-cover]")
    return (
        f"{SAID}, and the union that holds all atoms is farther than alpha from each of them, whatever the sample. "
        "With ln(16/alpha), as in m1, it stands: ABM19-L3.3"
    )


@claim("ABM19-T3.1-literal", HOW, shown=highest_over_bound)
def theorem_as_printed(table: Table) -> str:
    """Hold the printed orders of theorem 3.1 against labels that are all 1, for any number of private examples."""
    _measure(table, "P[excess error > alpha]")
    return (
        f"{SAID}, each of which errs with probability above alpha where all labels are 1; more private examples or a "
        "larger epsilon do not help. With the explicit sizes it stands: ABM19-T3.1"
    )


# ---------------------------------------------------------------------------------------------------- lower bound
def floor(alpha: Fraction) -> Fraction:
    """Return 1 / (1600 alpha), whatever alpha is."""
    return 1 / (1600 * alpha)


def constant_failure(alpha: Fraction) -> float:
    """Return the largest P[excess error > alpha] of the constant 0 over all distributions, thresholds on the line.

    The excess error is 1 where all labels are 1, and never more.
    """
    return float(alpha < 1)


def _at_one(table: Table) -> str:
    alpha = Fraction(1)
    settings: Settings = {"class": "thresholds on the line", "epsilon": 0.0, "delta": 0.0, "alpha": float(alpha)}
    table.recorded(
        "P[excess error > alpha] of a constant answer", settings, constant_failure(alpha), float(PREMISE_PRINTED)
    )
    table.refutable("floor of public points, over what a constant answer has", settings, float(floor(alpha)), 0.0)
    return (
        "counterexample: at alpha = 1 a constant answer without any example is accurate enough on every distribution, "
        "and the floor 1 / 1600 is above its 0 public points; thresholds on the line have no private learner at small "
        "alpha. The proof needs alpha <= 1/100"
    )


AT_ONE = "exact: a constant answer at alpha = 1, without public points"


@claim("ABM19-T4.1-literal", AT_ONE, shown=highest_over_bound)
def floor_as_printed(table: Table) -> str:
    """Hold the floor at alpha = 1 against a learner without public points."""
    return _at_one(table)


@claim("ABM19-T4.2-literal", AT_ONE, shown=highest_over_bound)
def dichotomy_as_printed(table: Table) -> str:
    """Hold the dichotomy at alpha = 1 against the same learner."""
    return _at_one(table)
