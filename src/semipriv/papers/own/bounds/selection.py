"""What the selections of the linear learners lose, at most: mistakes, and chances of another rule."""

import math

from semipriv.core import checks
from semipriv.learners.discriminant.warm import FULL, MOST_WEIGHT, PRIOR, PUBLIC_PRIOR

__all__ = ["chance_of_another", "lost_mistakes", "one_feature_mistakes"]


def lost_mistakes(count: int, epsilon: float, beta: float) -> float:
    """Return how many mistakes the selected candidate makes more than the best one, at most, except for a chance beta.

    2 ln(count / beta) / epsilon: a candidate with more is selected with a chance of at most beta / count by the
    exponential mechanism, and permute-and-flip is never worse (McKenna and Sheldon 2020).

    Args:
        count: number of candidates.
        epsilon: of the selection, > 0.
        beta: in (0, 1).
    """
    count = checks.size("count", count)
    epsilon, beta = checks.positive("epsilon", epsilon), checks.between("beta", beta, 0, 1)
    return 2 * math.log(count / beta) / epsilon


def one_feature_mistakes(n: int, epsilon: float, classes: int = 2) -> tuple[float, float]:
    """Return the least and the largest expected share of private mistakes where no gradient is taken.

    Candidates err on 1 - 1 / classes of the rows on the average.  Permute-and-flip prefers fewer mistakes, and takes
    each candidate with a chance of at least e^(-n epsilon / 2) over their number.

    Args:
        n: number of private rows.
        epsilon: of the selection, > 0.
        classes: number of labels, >= 2.
    """
    n, epsilon = checks.size("n", n), checks.positive("epsilon", epsilon)
    mean = 1 - 1 / checks.size("classes", classes, minimum=2)
    return mean * math.exp(-n * epsilon / 2), mean


def chance_of_another(n: int, epsilon: float) -> float:
    """Return the largest chance that a public-model discriminant releases another rule than the public model.

    r / (2 (1 - r)) e^(epsilon (31 n / 2 + 1)), r = .15 n epsilon / 20: a prior of 1 - r is on the public model, where
    no gradient is taken, and of the others each gets its part of r; private and public mistakes move the difference of
    two scores by 31 n at most, and rounding by 2.  From n epsilon = 20 on r is .15.

    Args:
        n: number of private rows.
        epsilon: of the selection, > 0.
    """
    n, epsilon = checks.size("n", n), checks.positive("epsilon", epsilon)
    rest = (1 - PRIOR - PUBLIC_PRIOR) * min(1.0, n * epsilon / FULL)
    return rest / (2 * (1 - rest)) * math.exp(min(epsilon * ((MOST_WEIGHT + 1) * n / 2 + 1), 700.0))
