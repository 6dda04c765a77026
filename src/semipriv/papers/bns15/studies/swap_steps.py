"""Claim BNS15-T5.6-steps: the steps of theorem 5.6's proof, in rational arithmetic and exact laws."""

import math
from fractions import Fraction
from itertools import product

from semipriv.papers.bns15.bounds.active import count_outside
from semipriv.papers.bns15.studies._algorithms import leaking
from semipriv.report.ledger.claim import Table, claim
from semipriv.report.ledger.findings import Settings

SECONDS = 2

ROUNDING = 1e-12
POINTS = (32, 64, 1024)
BETAS = tuple(Fraction(k, 100) for k in range(1, 26))
BETA = Fraction(1, 4)
INVERSE = (9, 18, 36, 72, 144)
FEW = 4
"""Points times alpha of the control; with so few their number in B is often off.  At 1 / alpha = 9 and 18 B is most of
the domain, and the number is nearly certain."""
LEAK = 0.01

SERVED = "share of the thresholds of B that one hypothesis is good for, less 1 / |B|"
ASKED = "(1 - 25 beta / 9) - (1 - beta) (1 - 16 beta / 9), largest"
OUTSIDE = "P[number of points in B is not within 7 and 9 alpha n]"
SWAPPED = "change of a probability by two replaced entries, at epsilon = 0, over delta (1 + e^-epsilon)"


def served(points: int, alpha: Fraction) -> Fraction:
    """Return the largest share of the thresholds 1, ..., 8 alpha |X| of which all lie within alpha of some labeling.

    Two thresholds t and t' differ on |t - t'| points, so that labelings within alpha |X| of both exist only if that is
    at most 2 alpha |X|; the threshold in the middle is within alpha |X| of that many.  By counting, over all middles.
    """
    inside, near = math.floor(8 * alpha * points), math.floor(alpha * points)
    most = max(sum(abs(t - middle) <= near for t in range(1, inside + 1)) for middle in range(1, inside + 1))
    return Fraction(most, inside)


@claim("BNS15-T5.6-steps", "steps of theorem 5.6's proof in rational arithmetic; exact laws of counts and of a leak")
def theorem_5_6(table: Table) -> str:
    """Check the steps one by one, each with a constant or a size that must fail."""
    shares = []
    for points, alpha in product(POINTS, (Fraction(1, 16), Fraction(1, 32))):
        where: Settings = {"points": points, "alpha": float(alpha)}
        share, slip = served(points, alpha), 1 / (8 * alpha * points)
        shares.append(share)
        table.at_most(SERVED, where, float(share - slip), 0.25)
        table.exceeding("control: the same, nothing taken off", where, float(share), 0.25)
    exact = max((1 - 25 * beta / 9) - (1 - beta) * (1 - 16 * beta / 9) for beta in BETAS)
    table.show(table.at_most(ASKED, {"beta": ".01 to .25"}, float(exact), 0.0))
    printed = max((1 - 24 * beta / 9) - (1 - beta) * (1 - 16 * beta / 9) for beta in BETAS)
    table.exceeding("control: the same with 24 in place of 25", {"beta": ".01 to .25"}, float(printed), 0.0, rounding=0)
    half = (1 - BETA) * Fraction(3, 4)
    table.at_most("9/16 - 3 (1 - beta) / 4 at beta = 1/4", {}, float(Fraction(9, 16) - half), 0.0)
    above = Fraction(9, 16) - (1 - BETA - Fraction(1, 100)) * Fraction(3, 4)
    table.exceeding("control: the same at beta = .26", {}, float(above), 0.0, rounding=0)
    for inverse in INVERSE:
        alpha_ = 1 / inverse
        n = math.ceil(100 / alpha_**2 * math.log(1 / (alpha_ * float(BETA))))
        table.at_most(OUTSIDE, {"1 / alpha": inverse, "n": n}, count_outside(n, alpha_), float(BETA))
        if inverse >= 36:
            few: Settings = {"1 / alpha": inverse, "n": FEW * inverse}
            table.exceeding(f"control: {OUTSIDE}", few, count_outside(FEW * inverse, alpha_), float(BETA))
    law = leaking(LEAK)
    for n in (2, 3, 8):
        one, other = law((1, 1) + (0,) * (n - 2)), law((0,) * n)
        moved, delta = float(one[1] - other[1]), LEAK / n
        table.at_most(SWAPPED, {"entries": n}, moved / (2 * delta), 1.0, rounding=ROUNDING)
        table.exceeding("control: the same over delta alone", {"entries": n}, moved / delta, 1.0)
    return (
        "a hypothesis is good for at most a quarter of the thresholds of B and one more, 1/4 + 1/(8 alpha 2^d) of "
        f"them ({max(map(float, shares)):.3f} on 32 points): the print leaves the one out, which the 1/alpha covers. "
        "25/9 is what (1 - beta)(1 - 16 beta / 9) gives, and 24/9 is too little; 9/16 needs beta <= 1/4; the number "
        "of points in B is within 7 and 9 alpha n with much to spare: a thousandth of n would do. Two swapped "
        "entries cost delta (e^-epsilon + e^(-2 epsilon)), at most the printed delta (1 + e^-epsilon), which a leak "
        "attains at epsilon = 0"
    )
