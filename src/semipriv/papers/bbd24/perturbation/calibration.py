"""Stability of regularised and perturbed minimisers, and the noise that makes their predictions private (BBD24).

Algorithms 2 and 3 fit a function on private records and release its values on m public points with noise gamma on each
(algorithm 1).  Let ||f||_m^2 = (1/m) sum_i f(Z_i)^2.  The fit is rho-stable if replacing one record moves it by at most
rho in that norm.  Its m values then move by at most sqrt(m) rho in L2 and by m rho in L1.

eta is in the scale of sums: it stands beside a sum of losses in [0, 1], not beside their mean.  All stabilities and
noise scales are rounded up, all sizes that they ask for are the least that the rounded formulas accept.  Logarithms are
natural.
"""

import math
import sys
from fractions import Fraction
from functools import cache

from semipriv.core import checks
from semipriv.core.least import least_size
from semipriv.core.rounding import Bracket, above, rational, rounded_up
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv.privacy.search import smallest

_PI = Bracket.of(Fraction(314159265358979323846, 10**20)), Bracket.of(Fraction(314159265358979323847, 10**20))
_STEIN = (2 / Bracket(_PI[0].low, _PI[1].high)).sqrt()
"""sqrt(2 / pi), the mean of |xi|."""


# ---------------------------------------------------------------------------------------------------- stability
def rho_regularised(eta: float, lipschitz: float = math.inf, spread: float = math.inf) -> float:
    """Return min(1 / sqrt(eta), lipschitz spread / eta), rounded up: the stability of algorithm 3.

    eta > 0: weight of ||f||_m^2 beside the sum of losses.  lipschitz: of the loss in the prediction; spread: the
    largest ratio of |f(x) - f'(x)| to ||f - f'||_m over two functions and a point, public; infinite if unknown.  Needs
    a convex class, a convex loss within [0, 1] and the exact minimiser.  At most half of the paper's 2 / sqrt(eta)
    (BBD24-L2).

    Adding the two inequalities of strong convexity gives 2 eta ||f - f'||_m^2 <= Delta(f') - Delta(f), where Delta is
    the change of the loss: at most 2, and at most 2 lipschitz spread ||f - f'||_m.

    >>> rho_regularised(100.0), rho_regularised(100.0, lipschitz=0.5, spread=2.0)
    (0.1, 0.01)
    """
    weight = rational("eta", eta)
    bounded = (1 / Bracket.of(weight).sqrt()).up
    below = math.nextafter(bounded, 0.0)
    if weight * Fraction(below) ** 2 >= 1:  # a root that a float can hold
        bounded = below
    if math.isinf(lipschitz) or math.isinf(spread):
        return bounded
    return min(bounded, rounded_up(rational("lipschitz", lipschitz) * rational("spread", spread) / weight))


def rho_perturbed(eta: float, count: int, delta: float, width: float = math.inf) -> float:
    """Return the smaller of ``rho_mcdiarmid`` and ``rho_bernstein``: the stability of algorithm 2.

    It holds except with a chance of delta.  eta > 0: weight of the Gaussian process beside the sum of losses; count:
    number J of perturbed minimisers that are averaged; width: a public bound on E sup w, infinite if there is none.
    Any class of functions within [-1, 1], any loss within [0, 1], exact minimisers.  Which of the two is taken
    depends on these four numbers alone, all of them public; so the smaller one may be.

    >>> round(rho_perturbed(eta=20.0, count=100_000, delta=1e-6), 4)
    0.0803
    >>> round(rho_perturbed(eta=20.0, count=100_000, delta=1e-6, width=2.54), 4)
    0.0491
    """
    known = rho_mcdiarmid(eta, count, delta)
    return known if width == math.inf else min(known, rho_bernstein(eta, count, delta, width))


def rho_mcdiarmid(eta: float, count: int, delta: float) -> float:
    """Return sqrt(2 / pi) / eta + 2 (1 + sqrt(2 ln(2 / delta))) / sqrt(count), rounded up.

    The first term bounds the expectations by Stein's identity; the second one is McDiarmid's inequality for the two
    averages, whose norms are at most 1 and change by 2 / J with one minimiser (BBD24-L1, sharper and without its
    complexity term).

    >>> round(rho_mcdiarmid(eta=20.0, count=100_000, delta=1e-6), 4)
    0.0803
    """
    weight, size = rational("eta", eta), checks.size("count", count)
    chance = Fraction(checks.between("delta", delta, 0, 1))
    spread = 1 + (2 * Bracket.of(2 / chance).ln()).sqrt()
    return (_STEIN / weight + 2 * spread / Bracket.of(size).sqrt()).up


def rho_bernstein(eta: float, count: int, delta: float, width: float) -> float:
    """Return sqrt(2 / pi) / eta + 4 L / count + sqrt(4 width L / (eta count)), rounded up, with L = ln(2 / delta).

    The count that a stability rho asks for is of the order 1 / rho, not 1 / rho^2.  width: a public bound on E sup w,
    such as sqrt(2 ln N) for N functions, or 1 for the linear ball; 0 for one function.  With common draws the
    differences d_j = f_j - f_j' of the minimisers are independent, at most 2 long, with ||E d|| <= sqrt(2 / pi) / eta
    by Stein's identity, and E ||d||^2 <= 2 W / eta by theorem A (docs/findings.md).  The rest is Bernstein's inequality
    in Hilbert space (Smale and Zhou 2007, lemma 2, after Pinelis 1994) with M = 2.

    >>> round(rho_bernstein(eta=20.0, count=100_000, delta=1e-6, width=2.54), 4)
    0.0491
    """
    weight, size = rational("eta", eta), checks.size("count", count)
    log = Bracket.of(2 / Fraction(checks.between("delta", delta, 0, 1))).ln()
    spread = Fraction(checks.between("width", width, 0, math.inf, closed="l")) * log * 4 / (weight * size)
    return (_STEIN / weight + 4 * log / size + spread.sqrt()).up


def finite_width(functions: int) -> float:
    """Return sqrt(2 ln N), rounded up: a bound on E sup w for N functions of norm at most 1.

    >>> finite_width(1), round(finite_width(200), 3)
    (0.0, 3.255)
    """
    return (2 * Bracket.of(checks.size("functions", functions)).ln()).sqrt().up if functions > 1 else 0.0


# ---------------------------------------------------------------------------------------------------- noise
def gaussian_scale(epsilon: float, delta: float, m: int, rho: float) -> float:
    """Return the least gamma for which N(0, gamma^2) on m values that are rho-stable is (epsilon, delta)-DP.

    Rounded up; exact, for every epsilon >= 0 (Balle and Wang 2018): sqrt(m) rho times the noise for a distance of 1.

    >>> round(gaussian_scale(1.0, 1e-5, m=100, rho=0.01), 4)
    0.3731
    """
    distance = Bracket.of(checks.size("m", m)).sqrt() * rational("rho", rho)
    return (distance * Fraction(gaussian_unit(epsilon, delta))).up


@cache
def gaussian_unit(epsilon: float, delta: float) -> float:
    """Return the scale of Gaussian noise for values that move by 1 in L2."""
    return gaussian_sigma(epsilon, delta)


def laplace_scale(epsilon: float, m: int, rho: float) -> float:
    """Return m rho / epsilon, rounded up: Laplace noise of that scale on m values that are rho-stable is epsilon-DP.

    >>> laplace_scale(1.0, m=100, rho=0.25)
    25.0
    """
    return _finite(epsilon, rounded_up(checks.size("m", m) * rational("rho", rho) / rational("epsilon", epsilon)))


def paper_gaussian_scale(epsilon: float, delta: float, m: int, rho: float) -> float:
    """Return the least gamma with (m / (2 gamma^2)) (1 + gamma sqrt(ln(1 / delta))) rho <= epsilon, rounded up.

    BBD24-L9; the factor m is read from its proof.  For comparison only: it is private for m >= 8 and epsilon <= 1
    (docs/findings.md), not for every smaller m nor for every larger epsilon.  No learner calibrates with it.

    >>> round(paper_gaussian_scale(1.0, 1e-5, m=100, rho=0.01), 4)
    1.9526
    """
    budget, load = rational("epsilon", epsilon), checks.size("m", m) * rational("rho", rho)
    log = Bracket.of(1 / Fraction(checks.between("delta", delta, 0, 1))).ln()
    return _finite(epsilon, ((load * log.sqrt() + (load * load * log + 8 * budget * load).sqrt()) / (4 * budget)).up)


def paper_laplace_scale(epsilon: float, m: int, rho: float) -> float:
    """Return m^(3/2) rho / epsilon, rounded up (BBD24-L9): sqrt(m) times what is needed.

    >>> round(paper_laplace_scale(1.0, m=100, rho=0.25), 9)
    250.0
    """
    size = checks.size("m", m)
    return _finite(epsilon, (Bracket.of(size).sqrt() * (size * rational("rho", rho) / rational("epsilon", epsilon))).up)


def _finite(epsilon: float, scale: float) -> float:
    """Return a scale; raise ValueError if it is infinite."""
    if math.isinf(scale):
        raise ValueError(f"epsilon = {epsilon!r}: the scale would exceed the float range")
    return scale


# ---------------------------------------------------------------------------------------------------- least sizes
def largest_gaussian_rho(epsilon: float, delta: float, m: int, gamma: float) -> float:
    """Return the largest rho for which ``gaussian_scale`` is at most gamma.

    >>> round(largest_gaussian_rho(1.0, 1e-5, m=100, gamma=0.3731), 4)
    0.01
    """
    size = Bracket.of(checks.size("m", m)).sqrt()
    return (rational("gamma", gamma) / (size * Fraction(gaussian_unit(epsilon, delta)))).down


def largest_laplace_rho(epsilon: float, m: int, gamma: float) -> float:
    """Return the largest rho for which ``laplace_scale`` is at most gamma.

    >>> largest_laplace_rho(1.0, m=100, gamma=25.0)
    0.25
    """
    return Bracket.of(rational("gamma", gamma) * rational("epsilon", epsilon) / checks.size("m", m)).down


def least_regularised_eta(rho: float, lipschitz: float = math.inf, spread: float = math.inf) -> float:
    """Return the least eta for which ``rho_regularised`` is at most rho.

    >>> least_regularised_eta(0.5), least_regularised_eta(0.0625, lipschitz=0.5, spread=2.0)
    (4.0, 16.0)
    """
    limit = checks.positive("rho", rho)

    def holds(eta: float) -> bool:
        return rho_regularised(eta, lipschitz, spread) <= limit

    if not holds(sys.float_info.max):
        raise ValueError(f"rho = {rho!r}: eta would exceed the float range")
    return smallest(holds, 0.0, sys.float_info.max)


def least_perturbed_eta(rho: float, count: int, delta: float, width: float = math.inf) -> float:
    """Return the least eta for which ``rho_perturbed`` is at most rho.

    Raises ValueError if no eta does, and says how many minimisers would.

    >>> round(least_perturbed_eta(0.1, count=100_000, delta=1e-6), 2)
    13.39
    >>> round(least_perturbed_eta(0.1, count=100_000, delta=1e-6, width=2.54), 2)
    9.2
    """
    limit, most = checks.positive("rho", rho), sys.float_info.max

    def holds(eta: float) -> bool:
        return rho_perturbed(eta, count, delta, width) <= limit

    if not holds(most):
        least = least_count(limit, most, delta, width)
        raise ValueError(f"count = {count!r}: must be at least {least} for rho = {rho!r}, whatever eta")
    return smallest(holds, 0.0, most)


def least_count(rho: float, eta: float, delta: float, width: float = math.inf) -> int:
    """Return the least number J of minimisers for which ``rho_perturbed`` is at most rho.

    Raises ValueError if none does, and says how large eta must be.

    >>> least_count(0.1, eta=20.0, delta=1e-6), least_count(0.1, eta=20.0, delta=1e-6, width=2.54)
    (45164, 3721)
    """
    limit, weight = above("rho", rho), rational("eta", eta)
    if (Fraction(checks.positive("rho", rho)) - _STEIN / weight).low <= 0:
        need = (_STEIN / Fraction(limit)).up
        raise ValueError(f"eta = {eta!r}: must be above {need!r} for rho = {rho!r}, whatever the number of minimisers")
    return least_size(lambda count: rho_perturbed(eta, count, delta, width) > limit, 0.5)
