"""Exact privacy of many releases of discrete Gaussian noise, without the detour by Renyi divergences.

Continuous noise N(0, sigma^2) on values of L2 sensitivity D has the profile of `semipriv.privacy.gaussian` with h = D
/ sigma, and many, each chosen by the outputs of the earlier ones, that of h^2 = sum of D^2 / sigma^2 (Dong, Roth and
Su 2022; Smith and Thakurta 2022, where scales are chosen, too).  Discrete noise has not: with sigma = 1/5 it hides
less than this.  But it is nearly a post-processing of continuous noise that is a little narrower.

**Theorem.** Let step t add discrete Gaussian noise of scale sigma_t >= s to integers that change by at most D_t in L2.
Step, sigma_t and D_t may depend on the earlier outputs; there are at most so many steps, and s, rho, k and r are fixed
in advance.  On every path, let sum D_t^2 / sigma_t^2 <= 2 rho and sum D_t^2 <= k.  Let 1/4 <= r^2 < s^2,

    mu^2 = 2 rho / (1 - r^2 / s^2),
    x = exp(-2 pi^2 r^2),      y = x exp(-2 pi^2 r^2 (1 - r^2 / s^2)),
    u = 2 x / (1 - x^3),    v = 2 y / (1 - y^3),    lambda = v + u^2 / (1 - u) + v / (1 - v).

If noise N(0, 1 / mu^2) on a value that changes by 1 is (epsilon, delta)-DP, then all steps together are (epsilon + k
lambda, e^(k lambda) delta)-DP.  The same holds if values and noise of a step are divided by a T >= 1, which may depend
on the earlier outputs, too.

Proof.  Let tau^2 = sigma^2 - r^2, and let K(z | y) be discrete Gaussian noise of scale r around a real y: g_r(z - y),
g_r(a) = exp(-a^2 / (2 r^2)), over Z(y) = sum over integers z of g_r(z - y).  By Poisson's summation Z(y) = r sqrt(2
pi) (1 + w(y)), where w is the sum over j != 0 of x^(j^2) e^(2 pi i j y), and |w| <= u, as j^2 >= 1 + 3 (j - 1) for j
>= 1.  Draw Y from N(m, tau^2) for an integer m, then z from K( . | Y).  Completing the square, g_tau(Y - m) g_r(z - Y)
is g_sigma(z - m) times the density of a normal Y', of variance b^2 = r^2 tau^2 / sigma^2, times a constant.  So z has
the probability q(z) = c g_sigma(z - m) E 1 / (1 + w(Y')), with a c that depends on nothing.  Since 1 / (1 + w) = 1 - w
+ w^2 / (1 + w), and E e^(2 pi i j Y') has the modulus exp(-2 pi^2 b^2 j^2), the expectation is in [1 - v, 1 + v + u^2
/ (1 - u)].  So p(z) / q(z), with the discrete Gaussian p around m, is within factors of e^lambda for all z; it is
within [b_, a_], a_ / b_ <= e^lambda, b_ <= 1 <= a_, as both add up to 1.

*Continuous noise.* Take a pair of neighbours, and let step t add N(0, tau_t^2) to vectors that are h_t tau_t apart,
where h_t follows from the earlier outputs, and sum h_t^2 <= mu^2 on every path.  A last step that tells how the sum
was filled up to mu^2, by noise of its own, hides nothing: let the sum be mu^2.  Given the earlier outputs the loss l_t
of step t is normal with mean h_t^2 / 2 and variance h_t^2, so e^(i x l_t - i x h_t^2 / 2 + x^2 h_t^2 / 2) has the mean
1 for each real x.  By induction from the last step to the first the product over t has the mean 1, and its second and
third terms are constants: the sum of the losses has the characteristic function of N(mu^2 / 2, mu^2).  The excess, the
sum over paths of max(0, P - e^epsilon P'), follows from the distribution of the loss.  So it is that of one step with h
= mu, at most delta.

*Discrete noise.* Given the earlier outputs a step changes at most D_t^2 of its integers, each by at least 1.  Compare
the steps with others that draw all changed integers from q in the place of p.  The latter are a post-processing of
continuous noise of scales tau_t >= sigma_t sqrt(1 - r^2 / s^2): their distributions Q, Q' of the path have an excess of
at most delta.  Let A be the product of a_ over all integers that are changed on a path, and B that of b_.  There are at
most k, so A <= e^(k lambda) B, and B <= 1.  Then P <= A Q and P' >= B Q', so P - e^(epsilon + k lambda) P' <= A (Q -
e^epsilon Q'), and the excess of P is at most e^(k lambda) delta.

Divided by T: the values are integers again after multiplication by T, of scale T sigma and r' = T r, and at most T^2
D_t^2 of them change.  x and y become x^(T^2) and y^(T^2).  lambda is a power series in x and y without negative
coefficients and without constant, and T^2 a^(T^2) <= a for a <= 1/e: so T^2 D_t^2 lambda' <= D_t^2 lambda.  QED
"""

import math
from fractions import Fraction
from functools import lru_cache

from semipriv.core.rounding import Bracket
from semipriv.privacy.gaussian import PI, gaussian_epsilon, near_epsilon, near_sigma

RADII = tuple(Fraction(k, 8) for k in (2, 3, 4, 5, 6, 7, 8, 10, 12, 16))
"""Values of r^2 that are tried; all of them are valid."""
_SMALL, _TRIED = 30, 2
"""k lambda is at most this part of epsilon, for so many of the smallest values of r^2 with that."""
_RANGE = 1e-6, 64.0
"""Epsilons for which a rho is looked for; beyond them little is gained, or nothing."""
_STEPS = 30
"""Steps down, each twice as long, from about the largest rho to one that is proven."""
_TIE = 1e-6
"""Values that are this near to the best one, in proportion, are worked out exactly."""


def blur(square: Fraction, least: Fraction) -> Bracket:
    """Return lambda for r^2 and s^2, see the theorem; 1/4 <= square < least."""
    exponent = 2 * PI * PI * square
    x = (-exponent).exp()
    y = x * (-exponent * (1 - square / least)).exp()
    u, v = 2 * x / (1 - x * x * x), 2 * y / (1 - y * y * y)
    return v + u * u / (1 - u) + v / (1 - v)


@lru_cache(maxsize=256)
def composed_epsilon(rho: Fraction, least: Fraction, changed: Fraction, delta: float) -> float | None:
    """Return the smallest epsilon that the theorem gives at a delta in (0, 1), rounded up; None if it gives none.

    Args:
        rho: half of the sum of D_t^2 / sigma_t^2.
        least: the smallest sigma_t.
        changed: k.
        delta: of all together.

    >>> round(composed_epsilon(Fraction(1, 60), Fraction(11, 2), Fraction(1), 1e-9), 4)
    1.0083
    """
    tried = []
    if rho > _RANGE[1] ** 2:
        return None
    for square in RADII:
        if square >= least**2 or (extra := changed * blur(square, least**2)).high >= 1:
            continue
        scale = ((1 - square / least**2) / (2 * Bracket.of(rho))).sqrt().down
        left = (Bracket.of(delta) * (-extra).exp()).down
        if scale > 0 and left > 0:
            tried.append((near_epsilon(scale, left) + extra.up, scale, left, extra))
    if not tried:
        return None
    best = min(option[0] for option in tried)
    return min(
        (gaussian_epsilon(scale, left) + extra).up for near, scale, left, extra in tried if near <= best * (1 + _TIE)
    )


def largest_rho(
    epsilon: float, delta: float, single: Fraction | int, changed: Fraction | int
) -> tuple[Fraction, Fraction] | None:
    """Return the largest rho of Gaussian noise alone that the theorem finds within a budget, and its smallest sigma.

    It is for steps whose rhos add up to at most this one, each on values that change by at least ``single`` in squared
    L2: then sigma_t^2 >= single / (2 rho).  None if there is none.

    Args:
        epsilon: > 0.
        delta: in (0, 1).
        single: least D_t^2.
        changed: most k.
    """
    if not _RANGE[0] <= epsilon <= _RANGE[1]:
        return None
    most = float(near_sigma(epsilon, delta)) ** -2  # mu^2 of continuous noise: s^2 - r^2 >= single / most, about
    squares = [(square, square + single / Fraction(most)) for square in RADII]
    extras = [(float(square), float((changed * blur(square, least)).high)) for square, least in squares]
    small = [(square, extra) for square, extra in extras if _SMALL * extra <= epsilon][:_TRIED]
    largest = max((_near_rho(epsilon, delta, single, *option) for option in small), default=0.0)
    for step in range(_STEPS):
        rho = _few_bits(largest * (1 - 2.0 ** (step - 46)))
        if not rho:
            return None
        least = Fraction((single / (2 * Bracket.of(rho))).sqrt().down)
        spent = composed_epsilon(rho, least, Fraction(changed), delta)
        if spent is not None and spent <= epsilon:
            return rho, least
    return None


def _few_bits(value: float) -> Fraction:
    """Return a number >= 0 rounded down to 36 bits: nearly always the same, whatever the last bits of floats are."""
    mantissa, exponent = math.frexp(value)
    return Fraction(math.ldexp(math.floor(math.ldexp(mantissa, 36)), exponent - 36))


def _near_rho(epsilon: float, delta: float, single: Fraction | int, square: float, extra: float) -> float:
    """Return about the largest rho for r^2 and k lambda: mu^2 (1 - r^2 / s^2) / 2, if s^2 = single / (2 rho)."""
    mu = near_sigma(epsilon - extra, delta * math.exp(-extra)) ** -2
    return mu / (1 + square * mu / float(single)) / 2
