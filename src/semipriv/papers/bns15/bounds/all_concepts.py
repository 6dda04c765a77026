"""Sample size and excess error of the exponential mechanism over a whole finite class (BNS15 algorithm 5)."""

import math

from semipriv.core import checks


def labelled_need(log_concepts: float, alpha: float, beta: float, epsilon: float) -> int:
    """Return n = ceil((max(8, 4 / epsilon) / alpha) (ln |C| + ln(2 / beta))), which is enough for realizable labels.

    A concept of error above alpha has an empirical one of at most alpha / 2 with probability at most exp(-alpha n / 8),
    and the mechanism returns one whose empirical error is above alpha / 2 with probability at most
    |C| exp(-epsilon alpha n / 4); both are at most beta / 2 in all.  log_concepts: ln |C|.  alpha, beta: in (0, 1).

    >>> [labelled_need(math.log(2**b + 1), 0.2, 0.2, 1.0) for b in (10, 60, 256)]
    [370, 1756, 7190]
    """
    checks.between("log_concepts", log_concepts, 0, math.inf, closed="l")
    alpha, beta = checks.between("alpha", alpha, 0, 1), checks.between("beta", beta, 0, 1)
    return math.ceil(max(8.0, 4.0 / checks.positive("epsilon", epsilon)) / alpha * (log_concepts + math.log(2 / beta)))


def excess_bound(log_concepts: float, n: int, epsilon: float, beta: float, *, realizable: bool) -> float:
    """Return a bound on the excess error that holds with probability 1 - beta.  It may exceed 1.

    Always 2 sqrt(ln(4 |C| / beta) / (2 n)) + (2 / (epsilon n)) ln(2 |C| / beta): Hoeffding's inequality for all
    concepts, and the mechanism.  For realizable labels ``labelled_need`` solved for alpha, too; the smaller one counts.
    """
    checks.real("log_concepts", log_concepts)
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    checks.between("beta", beta, 0, 1)
    weight = log_concepts + math.log(2 / beta)
    agnostic = 2 * math.sqrt((weight + math.log(2)) / (2 * n)) + 2 * weight / (epsilon * n)
    return min(agnostic, max(8.0, 4.0 / epsilon) * weight / n) if realizable else agnostic
