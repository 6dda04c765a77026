"""No accountant is below its formula, by however little: against fractions, and against decimals of 80 digits.

The formulas are written out here once more, plainly, in numbers so long that their own rounding does not matter: a
result must be at least the exact value, without tolerance, and the float before it at most that value.
"""

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.amplification import (
    with_replacement,
    with_replacement_bns15,
    with_replacement_by_position,
    with_replacement_closed_form,
    without_replacement,
    without_replacement_bns15,
)
from semipriv.privacy.composition import (
    advanced_composition,
    basic_composition,
    group_privacy,
    optimal_composition,
    optimal_delta,
)
from semipriv.privacy.events import BoundedRange, GaussianEvent, gaussian_scale, selection_epsilon
from semipriv.privacy.gaussian import classical_gaussian_sigma, gaussian_delta, gaussian_epsilon, gaussian_sigma
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated

EXAMPLE = Neighbours.REPLACE_PRIVATE_EXAMPLE
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    """80 digits, for every formula below."""
    with localcontext(prec=80):
        yield


def least(actual: float, exact: Fraction | Decimal, slack: Decimal | int = 0) -> bool:
    """Whether a float is the smallest that is >= exact; slack: relative, of the float before it only."""
    before = math.nextafter(actual, -math.inf)
    return bool(actual >= exact and (before < exact if not slack else Decimal(before) <= exact * (1 + slack)))


def logs(seed: int, count: int, *ranges: tuple[float, float]) -> list[list[float]]:
    """Numbers of random size: uniform logarithms to the base of 10."""
    rng = np.random.default_rng(seed)
    return (10 ** np.array([rng.uniform(*ends, count) for ends in ranges]).T).tolist()


def expm1(x: Decimal) -> Decimal:
    """e^x - 1; x > 10^-30 loses 30 digits of 130."""
    with localcontext(prec=130):
        return x.exp() - 1


# ---------------------------------------------------------------------------------------------------- composition
@pytest.mark.parametrize("seed", range(3))
def test_sums_are_the_least_floats_above_them(seed):
    for numbers in np.array(logs(seed, 500, *[(-6, 1)] * 6)):
        parts = [Guarantee(e, d) for e, d in zip(numbers[:3], numbers[3:] / 100, strict=True)]
        computed_basic_composition = basic_composition(parts)
        assert least(computed_basic_composition.epsilon, sum(Fraction(p.epsilon) for p in parts))
        assert least(computed_basic_composition.delta, sum(Fraction(p.delta) for p in parts))


def test_exact_sums_stay_exact():
    assert basic_composition([Guarantee(0.5)] * 2) == Guarantee(1.0)
    assert basic_composition([Guarantee(2.0**-k, 2.0**-60) for k in range(50)]) == Guarantee(
        2 - 2.0**-49, 50 * 2.0**-60
    )
    assert ZeroConcentrated.from_pure(Guarantee(0.5)).rho == 0.125
    assert ZeroConcentrated.of_gaussian(2.0, 1.0, EXAMPLE).repeated(3).rho == 0.375
    assert group_privacy(Guarantee(0.5, 0.25), 1) == (0.5, 0.25)
    assert optimal_composition(Guarantee(0.25), 8, 0.0).epsilon == 2.0
    assert optimal_delta(Guarantee(0.25, 0.5), 2, 0.5) == 0.75
    assert optimal_composition(Guarantee(0.25, 0.5), 2, 0.75).epsilon == 0.5
    assert without_replacement(Guarantee(0.5, 0.25), 1) == Guarantee(0.5, 0.25)
    assert without_replacement(Guarantee(0.5, 0.25), Fraction(1, 2)).delta == 0.125


def test_fractions_that_are_no_floats_are_rounded_up():
    third = Fraction(1, 3)
    assert least(Guarantee(third).epsilon, third)
    assert least(Guarantee(1, third).delta, third)
    assert least(ZeroConcentrated(third).rho, third)
    assert Guarantee(2**53 + 1).epsilon == 2**53 + 2


@pytest.mark.parametrize("seed", range(2))
def test_advanced_composition_is_its_formula(seed):
    for first, second, slack in logs(seed, 200, (-8, 0.5), (-8, 0.5), (-12, -0.1)):
        actual = advanced_composition([Guarantee(first), Guarantee(second), Guarantee(first, 1e-9)], slack)
        parts = [Decimal(first), Decimal(second), Decimal(first)]
        spread = (-2 * Decimal(slack).ln() * sum(e * e for e in parts)).sqrt()
        assert least(actual.epsilon, spread + sum(e * expm1(e) for e in parts))
        assert least(actual.delta, Fraction(slack) + Fraction(1e-9))


@pytest.mark.parametrize("seed", range(2))
def test_group_privacy_is_its_formula(seed):
    for size in (1, 2, 7):
        for epsilon, delta in logs(seed, 100, (-6, 0.5), (-12, -6)):
            computed_group_privacy = group_privacy(Guarantee(epsilon, delta), size)
            assert least(computed_group_privacy[0], size * Fraction(epsilon))
            with localcontext(prec=130):
                growth = sum((j * Decimal(epsilon)).exp() for j in range(size))
                assert computed_group_privacy[1] == 1 or least(computed_group_privacy[1], Decimal(delta) * growth)


def exact_optimal_delta(own: Guarantee, count: int, epsilon: float) -> Decimal:
    """Theorem 3.3 of Kairouz, Oh and Viswanath, all 2^count outcomes pooled by their number of ones."""
    with localcontext(prec=130):
        e, target = Decimal(own.epsilon), Decimal(epsilon)
        heads = 1 / (1 + (-e).exp())
        excess = Decimal(0)
        for i in range(count + 1):
            mass = math.comb(count, i) * heads ** (count - i) * (1 - heads) ** i
            excess += mass * max(Decimal(0), 1 - (target - (count - 2 * i) * e).exp())
        return 1 - (1 - Decimal(own.delta)) ** count * (1 - excess)


@pytest.mark.parametrize("seed", range(2))
def test_optimal_composition_is_the_smallest_epsilon(seed):
    """Deltas from 10^-18: the epsilon before has an exact delta above what was asked, this one has not."""
    rng = np.random.default_rng(seed)
    for epsilon, delta in logs(seed, 60, (-2, 0.3), (-18, -1)):
        count = int(rng.integers(1, 40))
        own = Guarantee(epsilon, delta * 1e-4 if rng.random() < 0.5 else 0.0)
        actual_epsilon = optimal_composition(own, count, delta).epsilon
        assert exact_optimal_delta(own, count, actual_epsilon) <= Decimal(delta)
        if actual_epsilon:
            assert exact_optimal_delta(own, count, math.nextafter(actual_epsilon, 0)) > Decimal(delta)


@pytest.mark.parametrize("seed", range(2))
def test_optimal_delta_is_its_formula(seed):
    rng = np.random.default_rng(seed)
    for epsilon, share in logs(seed, 60, (-12, 0.5), (-2, 0)):
        count = int(rng.integers(1, 30))
        own = Guarantee(epsilon, 1e-7 if rng.random() < 0.5 else 0.0)
        target = share * count * epsilon
        assert least(optimal_delta(own, count, target), exact_optimal_delta(own, count, target))


def test_optimal_composition_at_delta_zero_is_the_sum():
    actual_epsilon = optimal_composition(Guarantee(0.1), 10, 0.0).epsilon
    assert least(actual_epsilon, 10 * Fraction(0.1))
    assert actual_epsilon > 1  # 0.1 is stored as a little more than a tenth
    tiny = Guarantee(1e-300)
    assert optimal_composition(tiny, 100, 0.0).epsilon == basic_composition([tiny] * 100).epsilon
    assert 0 < optimal_delta(tiny, 100, 1e-300) < 1e-298
    assert optimal_composition(Guarantee(1e300), 2, 0.1).epsilon == 2e300


# ---------------------------------------------------------------------------------------------------- zCDP
@pytest.mark.parametrize("seed", range(2))
def test_rhos_are_the_least_floats_above_them(seed):
    for epsilon, sigma, sensitivity in logs(seed, 500, (-160, 100), (-3, 3), (-3, 3)):
        exact = Fraction(epsilon) ** 2
        pure = ZeroConcentrated.from_pure(Guarantee(epsilon))
        ranged = ZeroConcentrated.of_exponential_mechanism(epsilon, EXAMPLE)
        noisy = ZeroConcentrated.of_gaussian(sigma, sensitivity, EXAMPLE)
        assert least(pure.rho, exact / 2)
        assert least(ranged.rho, exact / 8)
        assert least(noisy.rho, (Fraction(sensitivity) / Fraction(sigma)) ** 2 / 2)
        assert least((pure + noisy).rho, Fraction(pure.rho) + Fraction(noisy.rho))
        assert least(noisy.repeated(7).rho, 7 * Fraction(noisy.rho))


def order_at(rho: Decimal, log_inverse: Decimal) -> Decimal:
    """The order less 1 at which rho x^2 + ln(1 + x) = ln(1 / delta), by bisection."""
    low, high = Decimal(0), (log_inverse / rho).sqrt()
    for _ in range(250):
        x = (low + high) / 2
        low, high = (x, high) if rho * x * x + (1 + x).ln() < log_inverse else (low, x)
    return low


@pytest.mark.parametrize("seed", range(2))
def test_conversion_is_not_below_the_minimum_over_orders(seed):
    for rho, delta in logs(seed, 25, (-6, 2), (-15, -0.1)):
        bound = ZeroConcentrated(rho)
        r, inverse = Decimal(rho), -Decimal(delta).ln()
        x = order_at(r, inverse)
        exact = (1 + x) * r - (1 + 1 / x).ln() + (inverse - (1 + x).ln()) / x
        actual_epsilon = bound.guarantee(delta).epsilon
        assert actual_epsilon >= exact
        assert actual_epsilon <= max(0, exact) + (1 + inverse / x) * Decimal("1e-15")
        assert least(bound.guarantee(delta, tight=False).epsilon, r + 2 * (r * inverse).sqrt())
        if actual_epsilon:
            assert bound.delta(actual_epsilon) <= delta * (1 + 1e-6)
            exact_delta = (x * ((1 + x) * r - Decimal(actual_epsilon)) - (1 + x) * (1 + 1 / x).ln()).exp() / x
            assert bound.delta(actual_epsilon) >= exact_delta * (1 - Decimal("1e-9"))


@pytest.mark.parametrize("tight", [True, False])
def test_within_never_promises_more_than_it_is_given(tight):
    for epsilon, delta in logs(4, 25, (-3, 1), (-15, -0.1)):
        rho = ZeroConcentrated.within(Guarantee(epsilon, delta), tight=tight).rho
        assert ZeroConcentrated(rho).guarantee(delta, tight=tight).epsilon <= epsilon
        assert ZeroConcentrated(rho * (1 + 1e-12)).guarantee(delta, tight=tight).epsilon > epsilon
        assert rho <= ZeroConcentrated.within(Guarantee(epsilon, delta)).rho


@pytest.mark.parametrize("epsilon", [1e-150, 1e-163, 1e-170, 1e-300, 5e-324])
def test_nothing_underflows_to_perfect_privacy(epsilon):
    bound = ZeroConcentrated.from_pure(Guarantee(epsilon))
    assert bound.rho > 0
    assert ZeroConcentrated.of_exponential_mechanism(epsilon, EXAMPLE).rho > 0
    assert bound.guarantee(1e-300, tight=False).epsilon > 0
    assert bound.delta(1.0) > 0
    assert without_replacement(Guarantee(epsilon), 1e-300).epsilon > 0
    assert with_replacement(Guarantee(epsilon), 2, 10**300).epsilon > 0
    assert with_replacement_closed_form(Guarantee(epsilon), 2, 10**300).epsilon > 0
    assert advanced_composition([Guarantee(epsilon)], 0.5).epsilon >= epsilon
    assert without_replacement(Guarantee(1.0, 5e-324), 1e-3).delta > 0


# ---------------------------------------------------------------------------------------------------- sampling
@pytest.mark.parametrize("seed", range(2))
def test_subsampling_is_its_formula(seed):
    for epsilon, rate, delta in logs(seed, 500, (-10, 2), (-10, 0), (-300, -1)):
        computed_without_replacement = without_replacement(Guarantee(epsilon, delta), rate)
        with localcontext(prec=130):
            assert least(computed_without_replacement.epsilon, (1 + Decimal(rate) * expm1(Decimal(epsilon))).ln())
        assert least(computed_without_replacement.delta, Fraction(rate) * Fraction(delta))
        if rate * (3 + math.exp(epsilon)) < 0.9:
            stated = without_replacement_bns15(Guarantee(epsilon, delta), rate)
            assert least(stated.epsilon, Decimal(rate) * (3 + Decimal(epsilon).exp()))
            assert least(stated.delta, 4 * Fraction(rate) * Fraction(delta))


def test_rates_may_be_fractions():
    """1 / 3 as a float is below a third."""
    computed_without_replacement = without_replacement(Guarantee(1.0, 0.1), Fraction(1, 3))
    assert least(computed_without_replacement.epsilon, ((2 + Decimal(1).exp()) / 3).ln())
    assert least(computed_without_replacement.delta, Fraction(0.1) / 3)
    assert with_replacement(Guarantee(1.0, 0.1), 1, 3).epsilon == computed_without_replacement.epsilon


def test_subsampling_at_large_epsilon():
    rate = 0.3
    actual_epsilon = without_replacement(Guarantee(1e4), rate).epsilon
    assert least(
        actual_epsilon, 10_000 + Decimal(rate).ln() + (1 + (1 / Decimal(rate) - 1) * Decimal(-10_000).exp()).ln()
    )


@pytest.mark.parametrize("seed", range(2))
def test_subsampling_where_the_rate_makes_up_for_a_large_epsilon(seed):
    """At rates about e^-epsilon both summands of 1 - q + q e^epsilon count, for every way to work out its logarithm."""
    for epsilon, factor in logs(seed, 100, (2, math.log10(690)), (-15, 15)):
        with localcontext(prec=400):
            rate = float(min(Decimal(1), Decimal(factor) * Decimal(-epsilon).exp()))
            actual_epsilon = without_replacement(Guarantee(epsilon), rate).epsilon
            assert least(actual_epsilon, (1 + Decimal(rate) * (Decimal(epsilon).exp() - 1)).ln())


def resampled(factor: Decimal, epsilon: Decimal, draws: int, total: int) -> tuple[Decimal, Decimal]:
    """The averages that ``with_replacement`` names, at a factor l: of the first summand and of the second."""
    first = second = Decimal(0)
    for k in range(draws + 1):
        mass = Decimal(math.comb(draws, k) * (total - 1) ** (draws - k)) / Decimal(total) ** draws
        weight = sum((j * epsilon).exp() for j in range(k))
        shrunk = factor * (-k * epsilon).exp()
        first += mass * max((k * epsilon).exp() - factor, 1 - shrunk)
        second += mass * max(Decimal(1), shrunk) * weight
    return first, second


@pytest.mark.parametrize("seed", range(2))
def test_resampling_is_never_too_small_and_the_smallest(seed):
    """In particular where the closed form is as good, for one draw and for tiny epsilons: a cap must not round down."""
    rng = np.random.default_rng(seed)
    for epsilon, delta in logs(seed, 60, (-6, 0.7), (-40, -30)):
        draws, total = int(rng.integers(1, 15)), int(rng.integers(2, 15))
        computed_with_replacement = with_replacement(Guarantee(epsilon, delta), draws, total)
        e = Decimal(epsilon)
        average, growth = resampled(Decimal(computed_with_replacement.epsilon).exp(), e, draws, total)
        assert average <= 0
        assert computed_with_replacement.delta >= Decimal(delta) * growth
        assert computed_with_replacement.delta <= Decimal(delta) * growth * (1 + Decimal("1e-15"))
        assert resampled(Decimal(math.nextafter(computed_with_replacement.epsilon, 0)).exp(), e, draws, total)[0] > 0
        closed = with_replacement_closed_form(Guarantee(epsilon, delta), draws, total)
        q = 1 / Decimal(total)
        u, v = (1 + q * (e.exp() - 1)) ** draws, (1 - q * (1 - (-e).exp())) ** draws
        assert least(closed.epsilon, (u / v).ln(), slack=Decimal("1e-60"))  # e^epsilon itself for 1 of 2
        assert least(closed.delta, Decimal(delta) * (u - 1 + (1 - v) * u / v) / (e.exp() - 1))
        assert computed_with_replacement.epsilon <= closed.epsilon
        stepwise = with_replacement_by_position(Guarantee(epsilon, delta), draws, total)
        assert least(stepwise.epsilon, draws * (1 + q * (e.exp() - 1)).ln())
        assert least(stepwise.delta, Decimal(delta) * (u - 1) / (e.exp() - 1), slack=Decimal("1e-45"))  # delta / 3


@pytest.mark.parametrize(("draws", "total"), [(1, 3), (1, 10**9), (5, 10**6), (300, 300), (2000, 50)])
def test_resampling_of_many(draws, total):
    """The averages over copies by a recurrence; what is left out, above 400 copies, is negligible."""
    for epsilon in (1e-9, 0.01, 0.3):
        actual_epsilon = with_replacement(Guarantee(epsilon), draws, total).epsilon
        with localcontext(prec=60):
            e = Decimal(epsilon)
            q, average = Decimal(1) / total, [Decimal(0)] * 2
            factors = [Decimal(actual_epsilon).exp(), (Decimal(actual_epsilon) * (1 - Decimal("1e-12"))).exp()]
            mass = (1 - q) ** draws
            for k in range(min(draws, 400) + 1):
                for i, factor in enumerate(factors):
                    average[i] += mass * max((k * e).exp() - factor, 1 - factor * (-k * e).exp())
                mass *= Decimal(draws - k) / (k + 1) * q / (1 - q)
            assert average[0] <= 0 < average[1]


def test_all_draws_from_one_example_are_a_group():
    for draws in range(1, 30):
        actual_epsilon = with_replacement(Guarantee(0.1), draws, 1).epsilon
        assert least(actual_epsilon, draws * Fraction(0.1))


@pytest.mark.parametrize(("epsilon", "draws", "total"), [(0.1, 2 * 10**5, 50), (1e4, 2, 5), (1e-3, 10**7, 100)])
def test_where_resampling_is_useless_or_has_too_many_copies_the_closed_form_holds(epsilon, draws, total):
    """The first once divided by what was 0 in 50 digits."""
    own = Guarantee(epsilon)
    assert with_replacement(own, draws, total) == with_replacement_closed_form(own, draws, total)


@pytest.mark.parametrize("draws", [300, 1000, 1400, 1450, 1500])
def test_resampling_up_to_an_epsilon_of_60(draws):
    first, closed = (f(Guarantee(0.2), draws, 10) for f in (with_replacement, with_replacement_closed_form))
    assert 0.2 < first.epsilon <= closed.epsilon
    assert (first.epsilon < 0.9 * closed.epsilon) == (closed.epsilon <= 60)


def test_constants_of_bns15_are_rounded_up():
    actual = with_replacement_bns15(Guarantee(1.0, 1e-9))
    assert least(actual.epsilon, Decimal(244).ln())
    assert least(actual.delta, 2467 * Fraction(1e-9))


# ---------------------------------------------------------------------------------------------------- Gaussian noise
def upper_tail(t: Decimal) -> Decimal:
    """1 - Phi(t), t >= 0, to 60 digits of itself: a series in enough digits, or the continued fraction."""
    if t > 50:
        ratio = t
        for k in range(80, 0, -1):
            ratio = t + k / ratio
        return (-t * t / 2).exp() / (2 * PI).sqrt() / ratio
    with localcontext(prec=100 + int(t * t / 4)):
        term = total = t
        k = 0
        while term > total * Decimal(10) ** -(90 + int(t * t / 4)):
            k += 1
            term *= t * t / (2 * k + 1)
            total += term
        return Decimal("0.5") - total * (-t * t / 2).exp() / (2 * PI_LONG).sqrt()


def long_pi() -> Decimal:
    """Machin's formula, to 900 digits."""
    unit = 10**920

    def arctan(x: int) -> int:
        total, power, k = 0, unit // x, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power, k = power // (x * x), k + 1
        return total

    with localcontext(prec=900):
        return Decimal(16 * arctan(5) - 4 * arctan(239)) / unit


PI_LONG = long_pi()


def phi(t: Decimal) -> Decimal:
    return upper_tail(-t) if t <= 0 else 1 - upper_tail(t)


def exact_profile(sigma: float, epsilon: float, sensitivity: float | int) -> Decimal:
    with localcontext(prec=120):
        h = Decimal(sensitivity) / Decimal(sigma)
        e = Decimal(epsilon)
        return phi(h / 2 - e / h) - e.exp() * phi(-h / 2 - e / h)


def test_the_oracle():
    assert abs(PI_LONG - PI) < Decimal("1e-78")
    for t in (Decimal("1e-3"), Decimal(1), Decimal(6)):
        assert float(upper_tail(t)) == pytest.approx(math.erfc(float(t) / math.sqrt(2)) / 2, rel=1e-13)
    near, far = upper_tail(Decimal(50)), upper_tail(Decimal(50) + Decimal("1e-60"))
    assert abs(near / far - 1) < Decimal("1e-55")


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.3, 5.0, 300.0, 1e4, 1.2e4, 1e5, 1e6])
def test_gaussian_profile_is_its_formula(epsilon):
    """Noise around which delta goes from nearly 0 to nearly 1, also beyond epsilon = 10^4."""
    middle = math.sqrt(2 * epsilon) if epsilon > 0.5 else 1.0
    for h in (middle * 0.5, middle - 3, middle, middle + 0.1, middle + 4, 1e-3, 1e-12):
        exact = exact_profile(1.0, epsilon, h) if h > 0 and epsilon / h < middle / 2 + 35 else None
        if exact is not None:
            assert least(gaussian_delta(1.0, epsilon, h), exact, slack=Decimal("1e-18"))


@pytest.mark.parametrize("t", [36.9, 37.1, 38.4, 39.9, 60.0])
def test_gaussian_profile_at_the_end_of_the_float_range(t):
    """delta near the least normal and the least positive float, and far below: rounded up, never 0."""
    for h in (1e-3, 1.0):
        epsilon = h * (h / 2 + t)
        with localcontext(prec=800):
            a = Decimal(h) / 2 - Decimal(epsilon) / Decimal(h)
            exact = upper_tail(-a) - Decimal(epsilon).exp() * upper_tail(Decimal(h) - a)
        assert least(gaussian_delta(1.0, epsilon, h), exact, slack=Decimal("1e-17"))


def test_gaussian_profile_of_very_wide_noise():
    """h near 10^-20, where a difference becomes a slope, and far below."""
    for h in (0.99e-20, 1.01e-20, 1e-25):
        for epsilon in (0.0, h * 0.7, h * 5):
            with localcontext(prec=120):
                exact = exact_profile(1.0, epsilon, h)
            assert least(gaussian_delta(1.0, epsilon, h), exact, slack=Decimal("1e-17"))


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 1e4, 2e4, 1e6])
@pytest.mark.parametrize("delta", [1e-9, 0.3])
def test_gaussian_calibration_is_the_smallest_that_holds(epsilon, delta):
    sigma = gaussian_sigma(epsilon, delta)
    assert exact_profile(sigma, epsilon, 1.0) <= Decimal(delta)
    assert exact_profile(math.nextafter(sigma, 0), epsilon, 1.0) > Decimal(delta)
    computed_gaussian_epsilon = gaussian_epsilon(sigma, delta)
    assert exact_profile(sigma, computed_gaussian_epsilon, 1.0) <= Decimal(delta)
    assert exact_profile(sigma, math.nextafter(computed_gaussian_epsilon, 0), 1.0) > Decimal(delta)
    assert computed_gaussian_epsilon <= epsilon


def test_classical_noise_is_its_formula():
    for epsilon, delta, sensitivity in logs(1, 300, (-5, 0), (-15, -0.1), (-3, 3)):
        exact = Decimal(sensitivity) * (2 * (Decimal("1.25") / Decimal(delta)).ln()).sqrt() / Decimal(epsilon)
        assert least(classical_gaussian_sigma(epsilon, delta, sensitivity), exact)


# ---------------------------------------------------------------------------------------------------- sensitivities
ODD = 2**53 + 1
"""An integer that is no float; the nearest one is below it."""


@pytest.mark.parametrize("mechanism", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("sensitivity", [ODD, np.int64(ODD), Fraction(1, 3), Fraction(ODD, 7)])
def test_sensitivities_of_selection_are_not_rounded_down(mechanism, sensitivity):
    exact = 1 / (2 * Fraction(int(sensitivity.numerator), int(sensitivity.denominator)))
    assert exact * (1 - Fraction(1, 2**52)) <= mechanism(1.0, sensitivity).rate <= exact


def test_sensitivities_of_gaussian_noise_are_not_rounded_down():
    delta = 0.1
    assert least(ZeroConcentrated.of_gaussian(1.0, ODD, EXAMPLE).rho, Fraction(ODD) ** 2 / 2)
    assert least(classical_gaussian_sigma(1.0, delta, ODD), ODD * (2 * (Decimal("1.25") / Decimal(delta)).ln()).sqrt())
    even, odd = (gaussian_sigma(1e-3, 1e-5, sensitivity) for sensitivity in (ODD - 1, ODD))
    assert even <= odd
    assert gaussian_delta(odd, 1e-3, ODD) <= 1e-5
    assert least(gaussian_delta(1e16, 1e-9, ODD), exact_profile(1e16, 1e-9, ODD))


@pytest.mark.parametrize("sensitivity", [1, 2, 7, ODD])
def test_scales_for_a_rho_are_rounded_to_the_side_of_privacy(sensitivity):
    """Noise is never smaller, and a selection never sharper, than the rho allows; both by a few roundings at most."""
    near = 1 - Fraction(1, 2**50)
    for (size,) in [*logs(3, 100, (-12, 4)), [2.0], [0.5]]:
        for rho in (Fraction(size), Fraction(size) / 3):
            sigma, epsilon = Fraction(gaussian_scale(rho, sensitivity)), Fraction(selection_epsilon(rho))
            assert 1 >= sensitivity**2 / (2 * sigma**2 * rho) >= near
            assert 1 >= epsilon**2 / (8 * rho) >= near
            assert GaussianEvent(sigma, sensitivity).rho <= rho
            assert BoundedRange(epsilon).rho <= rho
