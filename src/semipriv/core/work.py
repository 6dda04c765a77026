"""Work of which public numbers tell beforehand what it takes: told if that is much, refused if it is too much.

Whoever begins work that may be long asks ``check_work`` first.  What is allowed, ``limits`` says; what work takes,
``core.estimates``.
"""

import logging
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import add

from semipriv.core.progress import duration

__all__ = [
    "GIB",
    "NOTHING",
    "USUAL",
    "Cost",
    "Limits",
    "WorkError",
    "Works",
    "check_work",
    "count",
    "in_force",
    "limits",
    "tell_all",
    "total",
]

GIB = 2**30
"""Bytes."""
TOLD = 20.0
"""Seconds from which on work is told when it begins."""
TOLD_BYTES = GIB / 4
"""Memory from which on it is."""
_MOST_GIB, _MOST_MINUTES = 10_000, 365 * 24 * 60
"""Nobody is advised to allow what takes more."""
_LONG, _FLOATS = 10**8, 10**300
"""Numbers from which on their digits are left out; and those that are no floats."""
_UNHEARD = 1e15
"""GiB of which no number is told."""
_LOG = logging.getLogger("semipriv")


@dataclass(frozen=True)
class Cost:
    """What work takes, about.  seconds: of one core.  bytes: of memory at once, besides what is there before."""

    seconds: float = 0.0
    bytes: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """Return what one takes after the other."""
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes))

    def __str__(self) -> str:
        """Return it in words.

        >>> str(Cost(75, 3e9)), str(Cost(0.2, 1e6))
        ('about 1 min 15 s and 2.8 GiB', 'about 0.2 s')
        """
        size = f" and {memory(self.bytes)}" if self.bytes >= TOLD_BYTES else ""
        return f"about {duration(self.seconds)}{size}"

    @property
    def announced(self) -> bool:
        """Whether it takes so long, or so much memory, that a line says so when it begins."""
        return self.seconds >= TOLD or self.bytes >= TOLD_BYTES


@dataclass(frozen=True)
class Limits:
    """The most that one piece of work may take, by an estimate.

    Args:
        minutes: of one core.
        memory: in GiB.

    Raises:
        ValueError: for what is no number > 0.
    """

    minutes: float = 10.0
    memory: float = 2.0

    def __post_init__(self) -> None:
        for name, unit in (("minutes", "minutes"), ("memory", "GiB")):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
                raise ValueError(f"limits.{name} = {given!r}: must be a number of {unit} > 0")

    @property
    def bytes(self) -> float:
        """Most bytes."""
        return GIB * self.memory


NOTHING, USUAL = Cost(), Limits()
"""What no work takes; and the limits where nobody says any."""
Works = dict[str, Cost]
"""Pieces of work, by what there is to do, with its number."""


@dataclass(frozen=True)
class _Force:
    limits: Limits = USUAL
    works: tuple[Works, ...] = ()


_FORCE: ContextVar[_Force] = ContextVar("work", default=_Force())  # noqa: B039  (frozen)


class WorkError(ValueError):
    """Work that takes longer, or more memory, than is allowed, by an estimate.

    Args:
        message: what there is to do, what it takes, and what to change.
        memory: whether it takes too much memory, rather than time.
    """

    def __init__(self, message: str, *, memory: bool = False) -> None:
        super().__init__(message)
        self.memory = memory


def in_force() -> Limits:
    """Return the limits in force."""
    return _FORCE.get().limits


@contextmanager
def limits(minutes: float = USUAL.minutes, memory: float = USUAL.memory) -> Iterator[Works]:
    """Allow work to take so long, and so much memory, inside the ``with`` block, by estimates.

    Args:
        minutes: the most that one piece of work may take, on one core.
        memory: the most memory in GiB.

    Yields:
        The pieces of work that are asked for inside, in blocks within as well, with what each takes, as they come.

    Raises:
        ValueError: for what is no number > 0.
    """
    works: Works = {}
    token = _FORCE.set(_Force(Limits(minutes, memory), (*_FORCE.get().works, works)))
    try:
        yield works
    finally:
        _FORCE.reset(token)


def total(costs: Iterable[Cost]) -> Cost:
    """Return what work takes, one piece after the other."""
    return reduce(add, costs, NOTHING)


def memory(size: float) -> str:
    """Return a number of bytes as text.

    >>> memory(3e9), memory(3e7)
    ('2.8 GiB', '29 MiB')
    """
    return f"{size / GIB:.2g} GiB" if size >= GIB else f"{size / 2**20:.0f} MiB"


def count(number: int) -> str:
    """Return a number as text, a long one without its last digits.

    >>> count(12_345_678), count(123_456_789), count(10**400)
    ('12,345,678', '1.235e+08', '1.000e+400')
    """
    return f"{number:,}" if number < _LONG else f"{number if number < _FLOATS else Decimal(number):.4g}"


def check_work(what: str, cost: Cost, instead: str, *, begins: bool = True) -> None:
    """Raise WorkError if work takes longer, or more memory, than is allowed.

    what: what there is to do, with its number.  cost: an estimate.  instead: what the message advises.  begins:
    whether the work follows at once; then a line of the log, which Python shows on stderr, tells of it if it is long.
    """
    most = in_force()
    for works in _FORCE.get().works:
        works[what] = cost
    if cost.bytes > most.bytes:
        taken = cost.bytes / GIB
        told = f"{taken:.3g} GiB" if taken < _UNHEARD else f"more than {_UNHEARD:g} GiB"
        size, allowed = f"{told} (limit {most.memory:g} GiB)", _allowed("memory", taken, _MOST_GIB)
        raise WorkError(f"{what}, {size}: {instead}{allowed}", memory=True)
    if cost.seconds > 60 * most.minutes:
        taken = cost.seconds / 60
        about = f"about {duration(cost.seconds)}" if taken < _MOST_MINUTES else "more than a year"
        size, allowed = f"{about} (limit {duration(60 * most.minutes)})", _allowed("minutes", taken, _MOST_MINUTES)
        raise WorkError(f"{what}, {size}: {instead}{allowed}")
    if begins and cost.announced:
        _LOG.warning("%s, %s", what, cost)


def tell_all() -> None:
    """Write a line of the log on all work that was asked for inside ``limits``, if it is much."""
    cost = total(cost for works in _FORCE.get().works[-1:] for cost in works.values())
    if cost.announced:
        _LOG.warning("public numbers tell what the release takes, besides reading rows of a database: %s", cost)


def _allowed(name: str, taken: float, most: float) -> str:
    """Return how to allow it, in a request and in Python; nothing for what no machine does."""
    if taken >= most:
        return ""
    number = math.ceil(taken)
    return f", or allow it by limits: {{{name}: {number}}} (in Python: with semipriv.limits({name}={number}))"
