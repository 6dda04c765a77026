"""What mechanisms did to the data, as one tree of events, and the accountants that read it.

A mechanism says what it does by frozen values, not by a number: pure accounting adds up epsilons, zero-concentrated
accounting (`semipriv.privacy.zcdp`) adds up rhos, that of Gaussian noise alone (`semipriv.privacy.gaussians`) adds up
squares of sensitivity over sigma and converts them exactly, and all read the same tree.  All numbers are rational and
exact; a total is rounded up once.  Events of one tree are adaptive: each may depend on the outputs of the earlier ones,
its parameters are fixed before.

>>> round_ = Composed([(BoundedRange(0.25), 1), (Pure(0.25), 1)])
>>> all_ = Composed([(round_, 2)])
>>> pure_guarantee(all_).epsilon, concentrated(all_).rho
(1.0, 0.078125)
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.rounding import Bracket, rational, rounded_down, rounded_up
from semipriv.privacy.gaussians import composed_epsilon, largest_rho
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated

_REPLACE = Neighbours.REPLACE_PRIVATE_EXAMPLE


def _exact_or_zero(name: str, given: Any) -> Fraction:
    return Fraction(0) if checks.real(name, given) == 0 else rational(name, given)


def _chance(name: str, given: Any) -> Fraction:
    checks.between(name, given, 0, 1)
    return rational(name, given)


class Event(ABC):
    """One use of the data by a mechanism."""

    @property
    @abstractmethod
    def pure(self) -> Fraction | None:
        """The epsilon for which it is epsilon-DP, unless it fails; None if no epsilon is."""

    @property
    def rho(self) -> Fraction:
        """The rho for which it is rho-zCDP, unless it fails.

        By default epsilon^2 / 2, which any epsilon-DP mechanism is (Bun and Steinke 2016, proposition 1.4).
        """
        assert self.pure is not None, f"{self!r}: without an epsilon it has a rho of its own"
        return self.pure**2 / 2

    @property
    def delta(self) -> Fraction:
        """The probability with which it may fail, and then tell everything: 0 except for ``Approximate`` events."""
        return Fraction(0)

    @property
    def gaussian(self) -> "Gaussians | None":
        """What it does at most if all of it is Gaussian noise, which is accounted exactly; None if it is not."""
        return None

    def renyi(self, order: Fraction) -> Fraction:
        """Return a bound of its Renyi divergence of this order > 1, unless it fails: order rho, or epsilon if less."""
        cost = order * self.rho
        return cost if self.pure is None else min(cost, self.pure)


@value
class Pure(Event):
    """Any epsilon-DP mechanism, epsilon > 0: rho = epsilon^2 / 2."""

    epsilon: float | Fraction = checked(rational)

    @property
    def pure(self) -> Fraction:
        """The epsilon itself."""
        return Fraction(self.epsilon)


@value
class BoundedRange(Event):
    """The exponential mechanism with its epsilon > 0: rho = epsilon^2 / 8 (Cesar and Rogers 2021).

    Its log-ratios lie in one interval of length epsilon: see ``ZeroConcentrated.of_exponential_mechanism``.
    """

    epsilon: float | Fraction = checked(rational)

    @property
    def pure(self) -> Fraction:
        """The epsilon itself."""
        return Fraction(self.epsilon)

    @property
    def rho(self) -> Fraction:
        """epsilon^2 / 8."""
        return self.pure**2 / 8


_SCALES = Fraction(1, 10**154), Fraction(10**161)
"""Scales of Gaussian noise over the sensitivity: their rhos are floats > 0."""


@value
class GaussianEvent(Event):
    """Gaussian noise of scale sigma > 0 on values that change by at most ``sensitivity`` > 0 in L2.

    rho = sensitivity^2 / (2 sigma^2); the same for discrete Gaussian noise on integers, if the sensitivity is an
    integer (Canonne, Kamath and Steinke 2020).  M values that change by 1 each are M events of sensitivity 1.  The same
    event holds for discrete noise of scale T sigma on integers that change by at most T ``sensitivity``, T >= 1.
    """

    sigma: float | Fraction = checked(rational)
    sensitivity: float | Fraction = checked(rational, default=Fraction(1))

    pure = None
    """No epsilon bounds the log-ratios."""

    def __attrs_post_init__(self) -> None:
        least, most = _SCALES
        if not least <= Fraction(self.sigma) / Fraction(self.sensitivity) <= most:
            raise ValueError(
                f"sigma = {float(self.sigma)!r}: must be between {float(least):.0e} and {float(most):.0e} times the "
                f"sensitivity, {float(self.sensitivity)!r}"
            )

    @property
    def rho(self) -> Fraction:
        """sensitivity^2 / (2 sigma^2)."""
        return (Fraction(self.sensitivity) / Fraction(self.sigma)) ** 2 / 2

    @property
    def gaussian(self) -> "Gaussians":
        """One step."""
        return Gaussians(self.rho, self.sigma, Fraction(self.sensitivity) ** 2)


@value
class Gaussians(Event):
    """Steps of Gaussian noise alone, each as a ``GaussianEvent``: the sum of their rhos, all > 0.

    Its exact epsilon, at a delta, is that of ``semipriv.privacy.gaussians.composed_epsilon``.

    least: at most the smallest of their sigmas.  changed: at least the sum of their squared sensitivities.
    """

    rho: Fraction = checked(rational)
    least: float | Fraction = checked(rational)
    changed: Fraction = checked(rational)

    pure = None
    """No epsilon bounds the log-ratios."""

    @property
    def gaussian(self) -> "Gaussians":
        """Itself."""
        return self

    def within(self, other: "Gaussians") -> bool:
        """Return whether no number makes it cost more than another one."""
        return self.rho <= other.rho and self.least >= other.least and self.changed <= other.changed


@value
class SparseVectorEpoch(Event):
    """AboveThreshold: answers are compared with one noisy threshold, one after the other, until one is above it.

    threshold, comparison: scales > 0 of the (discrete) Laplace noise of the threshold, drawn once, and of each
    comparison, drawn anew each time.  sensitivity: the largest change of one answer, > 0; if the noise is on integers,
    an integer.  Pure, with

        epsilon = sensitivity / threshold + 2 sensitivity / comparison,

    however many answers there are (Dwork and Roth 2014, theorem 3.23; proof in
    `semipriv.mechanisms.sparse_vector`).
    """

    threshold: float | Fraction = checked(rational)
    comparison: float | Fraction = checked(rational)
    sensitivity: float | Fraction = checked(rational, default=Fraction(1))

    @property
    def pure(self) -> Fraction:
        """Cost of the threshold and of the one answer that is above it."""
        return Fraction(self.sensitivity) * (1 / Fraction(self.threshold) + 2 / Fraction(self.comparison))


@value
class Concentrated(Event):
    """Any rho-zCDP mechanism, rho > 0 (Bun and Steinke 2016)."""

    rho: Fraction = checked(rational)

    pure = None
    """No epsilon bounds the log-ratios."""


@value
class Approximate(Event):
    """Any (epsilon, delta)-DP mechanism, epsilon >= 0 and delta in (0, 1), of which nothing better is known.

    For each pair of neighbours it is a mechanism that fails with probability delta, and is epsilon-DP unless it fails
    (Kairouz, Oh and Viswanath 2015, theorem 3.3): so rho = epsilon^2 / 2 unless it fails.
    """

    epsilon: float | Fraction = checked(_exact_or_zero)
    delta: Fraction = checked(_chance)

    @property
    def pure(self) -> Fraction:
        """The epsilon itself."""
        return Fraction(self.epsilon)


def _parts(name: str, given: Iterable[Any]) -> tuple[tuple[Event, int], ...]:
    parts = tuple((event, checks.size(f"{name}: multiplicity", times)) for event, times in given)
    for event, _ in parts:
        if not isinstance(event, Event):
            raise ValueError(f"{name}: {event!r}: must be an event")
    return parts


@value
class Composed(Event):
    """Events on the same data, one after the other: (event, multiplicity >= 1) pairs.  No part: nothing is read."""

    parts: Sequence[tuple[Event, int]] = checked(_parts)

    @cached_property
    def pure(self) -> Fraction | None:
        """Sum of epsilons; None if a part has none."""
        costs = [times * event.pure for event, times in self.parts if event.pure is not None]
        return sum(costs, Fraction(0)) if len(costs) == len(self.parts) else None

    @cached_property
    def rho(self) -> Fraction:
        """Sum of rhos (Bun and Steinke 2016, lemma 1.7)."""
        return sum((times * event.rho for event, times in self.parts), Fraction(0))

    @cached_property
    def delta(self) -> Fraction:
        """Sum of deltas."""
        return sum((times * event.delta for event, times in self.parts), Fraction(0))

    @property
    def only(self) -> Event | None:
        """The one event that reads data, if there is no other one."""
        parts = [(event, times) for event, times in self.parts if event.rho or event.delta]
        return parts[0][0] if len(parts) == 1 and parts[0][1] == 1 else None

    @cached_property
    def gaussian(self) -> Gaussians | None:
        """Sum of rhos and of squared sensitivities, smallest sigma; None if a part is something else."""
        parts = [(event.gaussian, times) for event, times in self.parts if event.rho or event.delta]
        own = [(part, times) for part, times in parts if part is not None]
        if not own or len(own) < len(parts):
            return None
        changed = sum((times * part.changed for part, times in own), Fraction(0))
        return Gaussians(self.rho, min(part.least for part, _ in own), changed)

    def renyi(self, order: Fraction) -> Fraction:
        """Return the sum over the parts."""
        return sum((times * event.renyi(order) for event, times in self.parts), Fraction(0))


def _events(name: str, given: Iterable[Any]) -> tuple[Event, ...]:
    parts = tuple(event for event, _ in _parts(name, ((event, 1) for event in given)))
    if not parts:
        raise ValueError(f"{name}: must be at least one event")
    return parts


@value
class Parallel(Event):
    """Events on parts of the data that share no example, declared before: each costs, and the largest cost counts.

    The parts are sets of *indices* fixed without looking at private data, such as every tenth row.  A replaced example
    stays in its slot, so one part changes, and the other events read the same as before; they may depend on outputs of
    each other, which is post-processing.  See ``parallel_composition`` for what is not covered.
    """

    parts: Sequence[Event] = checked(_events)

    @cached_property
    def pure(self) -> Fraction | None:
        """Largest epsilon; None if a part has none."""
        epsilons = [event.pure for event in self.parts if event.pure is not None]
        return max(epsilons) if len(epsilons) == len(self.parts) else None

    @cached_property
    def rho(self) -> Fraction:
        """Largest rho."""
        return max(event.rho for event in self.parts)

    @cached_property
    def delta(self) -> Fraction:
        """Largest delta."""
        return max(event.delta for event in self.parts)

    @cached_property
    def gaussian(self) -> Gaussians | None:
        """Largest rho and squared sensitivity, smallest sigma; None if a part is something else."""
        own = [event.gaussian for event in self.parts]
        parts = [part for part in own if part is not None]
        if len(parts) < len(own):
            return None
        return Gaussians(self.rho, min(part.least for part in parts), max(part.changed for part in parts))

    def renyi(self, order: Fraction) -> Fraction:
        """Return the largest of the parts."""
        return max(event.renyi(order) for event in self.parts)


NOTHING = Composed(())
"""The event of a mechanism that reads no data."""


def event_of(guarantee: Guarantee) -> Event:
    """Return the event of a mechanism of which nothing but its guarantee is known.

    >>> event_of(Guarantee(0.5)), event_of(Guarantee(0.0)) == NOTHING
    (Pure(epsilon=Fraction(1, 2)), True)
    """
    if guarantee.delta:
        return Approximate(guarantee.epsilon, Fraction(guarantee.delta))
    return Pure(guarantee.epsilon) if guarantee.epsilon else NOTHING


def budget_event(guarantee: Guarantee, alone: int = 0) -> Event:
    """Return the event of a release that pays for all it does from ``Account(guarantee, alone)``: its rho is at most
    the ``whole`` of the guarantee if delta > 0, else its epsilon.

    alone: see ``whole``.
    """
    if not guarantee.delta:
        return event_of(guarantee)
    return _noise(guarantee, alone) or Concentrated(whole(guarantee))


# ---------------------------------------------------------------------------------------------------- accountants
def _check_sure(event: Event) -> None:
    if event.delta:
        raise ValueError(f"events: a part fails with probability {float(event.delta):.3g}, its delta must be accounted")


def pure_guarantee(event: Event, neighbours: Neighbours = _REPLACE) -> Guarantee:
    """Return the sum of epsilons, rounded up; raises ValueError if a part has none, as Gaussian noise."""
    _check_sure(event)
    if event.pure is None:
        raise ValueError("events: Gaussian noise has no pure guarantee, delta = 0 needs other noise")
    return Guarantee(rounded_up(event.pure), 0.0, neighbours)


def concentrated(event: Event, neighbours: Neighbours = _REPLACE) -> ZeroConcentrated:
    """Return the sum of rhos, rounded up; raises ValueError if a part may fail."""
    _check_sure(event)
    return ZeroConcentrated(rounded_up(event.rho), neighbours)


def guarantee_of(event: Event, budget: Guarantee) -> Guarantee:
    """Return what an event spends at the delta of a budget: pure accounting for delta = 0, else zero-concentrated.

    An event that fails with some probability spends that of delta; where all parts have epsilons, their sum counts if
    it is smaller.  Gaussian noise alone is accounted exactly, if that is smaller; of ``Parallel`` events each part, of
    which the largest counts.  Raises ValueError if the delta is too small.
    """
    if event.delta:
        return _with_failures(event, budget)
    if isinstance(event, Composed) and (only := event.only) is not None:
        return guarantee_of(only, budget)
    if isinstance(event, Parallel):
        return max((_of_part(part, budget) for part in event.parts), key=lambda spent: (spent.epsilon, spent.delta))
    if budget.delta == 0 or event.rho == 0:
        return pure_guarantee(event, budget.neighbours)
    spent, alone = concentrated(event, budget.neighbours).guarantee(budget.delta), event.gaussian
    exact = None
    if alone is not None:
        exact = composed_epsilon(alone.rho, Fraction(alone.least), alone.changed, budget.delta)
    return spent if exact is None or exact >= spent.epsilon else Guarantee(exact, budget.delta, budget.neighbours)


def _of_part(event: Event, budget: Guarantee) -> Guarantee:
    """Return what a part spends at the delta of the budget: the sum of its epsilons, if that is smaller."""
    spent = guarantee_of(event, budget)
    if event.pure is None or (epsilon := rounded_up(event.pure)) >= spent.epsilon:
        return spent
    return Guarantee(epsilon, budget.delta, budget.neighbours)


def _with_failures(event: Event, budget: Guarantee) -> Guarantee:
    left = rounded_down(Fraction(budget.delta) - event.delta)
    if left < 0:
        raise ValueError(f"delta = {budget.delta!r}: must be >= {rounded_up(event.delta)!r}, the chance of failing")
    epsilons = [] if event.pure is None else [rounded_up(event.pure)]
    if left > 0:
        epsilons.append(ZeroConcentrated(rounded_up(event.rho)).guarantee(left).epsilon)
    if not epsilons:
        raise ValueError(f"delta = {budget.delta!r}: must be larger, the event fails with all of it")
    return Guarantee(min(epsilons), rounded_up(event.delta) if left == 0 else budget.delta, budget.neighbours)


def whole(budget: Guarantee, alone: int = 0) -> Fraction:
    """Return what a budget, epsilon > 0, holds: epsilon if delta = 0, else the largest rho that implies it.

    alone: if all that is done is Gaussian noise, each use of a part of the budget on values that change by at least
    this in squared L2; else 0.  Then the rho is larger where that is accounted exactly.

    >>> whole(Guarantee(0.5)), round(float(whole(Guarantee(1.0, 1e-6))), 5)
    (Fraction(1, 2), 0.02436)
    >>> round(float(whole(Guarantee(1.0, 1e-6), alone=2)), 5)
    0.02744
    """
    if budget.delta == 0:
        return Fraction(budget.epsilon)
    noise = _noise(budget, alone)
    return _largest(budget) if noise is None else noise.rho


_CHANGED = 2**24
"""Values that may change, of a release that is accounted exactly whatever is asked."""


@cache
def _largest(budget: Guarantee) -> Fraction:
    return Fraction(ZeroConcentrated.within(budget).rho)


@cache
def _noise(budget: Guarantee, single: Fraction | int, changed: Fraction | int = _CHANGED) -> Gaussians | None:
    """Return what Gaussian noise alone may do within a budget: by the exact account, or by the sum of rhos if that is
    more.  None for ``single`` = 0, of a release that does something else, and for budgets that hold nothing.
    """
    rho = _largest(budget)
    if not single or not rho:
        return None
    limits = largest_rho(budget.epsilon, budget.delta, single, changed)
    if limits is None or limits[0] <= rho:
        limits = rho, _scale(single, rho)
    return Gaussians(*limits, Fraction(changed))


def _scale(single: Fraction | int, rho: Fraction) -> Fraction:
    """Return the scale, rounded down, of one step that spends a rho on values that change by this in squared L2."""
    return Fraction((single / (2 * Bracket.of(rho))).sqrt().down)


def resized(event: Event, budget: Guarantee) -> Event:
    """Return the largest release of the kind of an event without an epsilon that is within a budget, delta > 0.

    Of Gaussian noise alone, also beside events on other parts of the data, all scales are multiplied by one number, and
    the release is sized as every release is: for ``_CHANGED`` values, whatever it asks for.  Of all others it is the
    largest rho.  NOTHING if the budget is too small for any.
    """
    part, rho = _gaussian_part(event), _largest(budget)
    noise = None if part is None else _noise(budget, _single(part), _sized(part))
    return noise or (Concentrated(rho) if rho else NOTHING)


def with_rho(event: Event, rho: Fraction) -> Event:
    """Return the event of the kind of one without an epsilon, as in ``resized``, that has this rho > 0."""
    part = _gaussian_part(event)
    return Concentrated(rho) if part is None else Gaussians(rho, _scale(_single(part), rho), _sized(part))


def _gaussian_part(event: Event) -> Event | None:
    """Return what the Gaussian noise of an event does at most, if other noise is on other parts of the data alone."""
    parts = [part for part in (event.parts if isinstance(event, Parallel) else [event]) if part.gaussian is not None]
    return max(parts, key=lambda part: part.rho, default=None)


def _sized(part: Event) -> Fraction:
    """Return for how many values that may change a release of Gaussian noise is sized."""
    assert part.gaussian is not None
    return max(part.gaussian.changed, Fraction(_CHANGED))


def _single(part: Event) -> Fraction:
    """Return the least squared L2 distance of the steps of Gaussian noise, which is the same for all scales."""
    if isinstance(part, Composed):
        return min(
            _single(step) * (times if isinstance(step, GaussianEvent) else 1) for step, times in part.parts if step.rho
        )
    noise = part.gaussian
    assert noise is not None
    if isinstance(part, GaussianEvent):
        return noise.changed
    single = 2 * noise.rho * Fraction(noise.least) ** 2  # but for the rounding of the scale
    near = round(single)
    return Fraction(near) if abs(single - near) * 2**40 <= near else single


class Account:
    """A budget that pays for events before they happen: epsilons if its delta is 0, else rhos.

    What is paid for is within the budget: the sum is exact, and at most ``whole(budget, alone)``.

    alone: see ``whole``; if it is not 0, all events are paid at once, and a second payment is refused.
    """

    def __init__(self, budget: Guarantee, alone: int = 0) -> None:
        self.budget = budget
        self.left = whole(budget, alone)
        self._noise = _noise(budget, alone) if budget.delta else None
        self._closed = False

    def pay(self, event: Event) -> None:
        """Take the cost of an event; raises ValueError if less is left, and then takes nothing."""
        _check_sure(event)
        cost = event.pure if self.budget.delta == 0 else event.rho
        if cost is None:
            raise ValueError(f"{self.budget}: has delta = 0, and pays for no Gaussian noise")
        if cost > self.left:
            raise ValueError(f"{self.budget}: {float(self.left):.6g} is left, the next step costs {float(cost):.6g}")
        if self._noise is not None and not (event.gaussian is not None and event.gaussian.within(self._noise)):
            raise ValueError(f"{self.budget}: pays for Gaussian noise alone, of a part of the budget at most")
        if self._closed:
            raise ValueError(f"{self.budget}: has paid for Gaussian noise alone, all of it at once, and pays no more")
        self.left, self._closed = self.left - cost, self._noise is not None


# ---------------------------------------------------------------------------------------------------- scales
def gaussian_scale(rho: Fraction, sensitivity: int = 1) -> float:
    """Return sigma, rounded up, with which Gaussian noise on values of this sensitivity in L2 is rho-zCDP.

    >>> round(gaussian_scale(Fraction("2.911e-4")), 2)
    41.44

    Raise ValueError for rho = 0, that of the smallest budgets.
    """
    if not rho:
        raise ValueError("rho = 0.0: no Gaussian noise is so wide: take a larger epsilon or delta")
    return (Bracket.of(sensitivity**2 / (2 * rho))).sqrt().up


def selection_epsilon(rho: Fraction) -> float:
    """Return epsilon = sqrt(8 rho), rounded down, with which the exponential mechanism is rho-zCDP.

    >>> round(selection_epsilon(Fraction("2.911e-4")), 5)
    0.04826
    """
    return Bracket.of(8 * rho).sqrt().down


# ---------------------------------------------------------------------------------------------------- JSON
_LEAVES = (Pure, BoundedRange, GaussianEvent, Gaussians, SparseVectorEpoch, Concentrated, Approximate)


def described(event: Event) -> dict[str, Any]:
    """Return an event as values of JSON: its name, and its numbers as exact fractions.

    >>> described(Pure(0.5))
    {'event': 'Pure', 'epsilon': '1/2'}
    """
    if isinstance(event, Composed):
        return {"event": "Composed", "parts": [[described(part), times] for part, times in event.parts]}
    if isinstance(event, Parallel):
        return {"event": "Parallel", "parts": [described(part) for part in event.parts]}
    numbers = {name: str(number) for name, number in vars(event).items()}
    return {"event": type(event).__name__, **numbers}


def restored(description: Mapping[str, Any]) -> Event:
    """Return the event that ``described`` described; raises ValueError for an unknown name."""
    name = description["event"]
    if name == "Composed":
        return Composed([(restored(part), times) for part, times in description["parts"]])
    if name == "Parallel":
        return Parallel([restored(part) for part in description["parts"]])
    leaves = {event.__name__: event for event in _LEAVES}
    if name not in leaves:
        raise ValueError(f"event = {name!r}: must be one of {sorted([*leaves, 'Composed', 'Parallel'])}")
    return leaves[name](**{key: Fraction(number) for key, number in description.items() if key != "event"})
