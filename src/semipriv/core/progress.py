"""Progress of long loops: how much of them is done, how fast, and how long the rest will take.

``track`` is silent unless a ``Reporter`` listens, as in the jobs of the workflow (semipriv_lab.workflow.log).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")

FEW = 0.01
"""Share of the work before which nothing is said of the rest: first items compile kernels, and may be small."""


@dataclass(eq=False)
class Loop:
    """A loop under way, and how many of its items are done.  work: how long each takes, in any unit; None: equally."""

    what: str
    total: int
    work: Sequence[float] | None = None
    done: int = 0

    def __str__(self) -> str:
        return f"{self.done:,}/{self.total:,} {self.what}"

    def share(self, present: float) -> float:
        """Return the share of the work that is done; ``present``: the share of the present item that is done."""
        if self.done >= self.total:
            return 1.0
        if self.work is None:
            return (self.done + present) / self.total
        return (sum(self.work[: self.done]) + present * self.work[self.done]) / sum(self.work)


@dataclass(eq=False)
class Reporter:
    """Writes lines on the outermost loop that is tracked: one every ``interval`` seconds, and one at its end.

    A loop inside of it tells how much of its present item is done.

    log: gets every line.  terminal: gets a loop's lines from its first interval on, so that short loops are silent.
    """

    name: str
    log: Callable[[str], None]
    terminal: Callable[[str], None] | None = None
    interval: float = 10.0
    clock: Callable[[], float] = time.monotonic
    loops: list[Loop] = field(default_factory=list, init=False)
    start: float = field(default=0.0, init=False)
    last: float = field(default=0.0, init=False)

    def follow(self, items: Iterable[Item], loop: Loop) -> Iterator[Item]:
        """Yield the items of a loop, and report how many are done."""
        depth = len(self.loops)
        if not depth:
            self.start = self.last = self.clock()
        self.loops.append(loop)
        try:
            for item in items:
                yield item
                loop.done += 1
                if self.clock() - self.last >= self.interval and self.loops[0].done < self.loops[0].total:
                    self._tell()
            if not depth:
                self._tell()
        finally:
            del self.loops[depth:]

    def _tell(self) -> None:
        now = self.clock()
        text = line(self.name, self.loops, now - self.start)
        self.log(text)
        if self.terminal is not None and now - self.start >= self.interval:
            self.terminal(text)
        self.last = now


_listening: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Let a reporter listen to all loops tracked inside the ``with`` block."""
    token = _listening.set(reporter)
    try:
        yield
    finally:
        _listening.reset(token)


def track(
    items: Iterable[Item], what: str, total: int | None = None, work: Sequence[float] | None = None
) -> Iterable[Item]:
    """Yield the items one by one; a reporter that listens tells how many are done.

    what: the items in the plural ("trials").  total: how many there are, if ``items`` has no length.  work: how long
    each takes, in any unit, if some take much longer than others.  Of nested loops the outermost is reported, and
    the others say how much of its present item is done.
    """
    reporter = _listening.get()
    if reporter is None:
        return items
    if total is None:
        if not isinstance(items, Sized):
            raise ValueError(f"track: the number of {what} must be given")
        total = len(items)
    return reporter.follow(items, Loop(what, total, work))


def line(name: str, loops: Sequence[Loop], seconds: float) -> str:
    """Return one line of progress on nested loops, the outermost first.

    The time left supposes that the rest goes as fast; it is left out until a share FEW of the work is done.

    >>> line("evaluate excess_grid_0", [Loop("trials", 400, done=120)], 3.0)
    'evaluate excess_grid_0: 120/400 trials, 40.0/s, 7 s left'
    >>> line("measure_study bmn20_rates", [Loop("sizes", 8, done=2), Loop("trials", 120, done=60)], 50.0)
    'measure_study bmn20_rates: 2/8 sizes (60/120 trials), 3.0/min, 1 min 50 s left'
    >>> line("measure_study bmn20_rates", [Loop("sizes", 3, work=[100, 300, 600], done=2)], 50.0)
    'measure_study bmn20_rates: 2/3 sizes, 2.4/min, 1 min 15 s left'
    >>> line("evaluate excess_grid_0", [Loop("trials", 400, done=400)], 0.5)
    'evaluate excess_grid_0: 400/400 trials, 800.0/s, 0.5 s in all'
    """
    first, *inner = loops
    present = 0.0
    for loop in reversed(inner):
        present = loop.share(present)
    share, done = first.share(present), first.done + present
    counts = f" ({', '.join(map(str, inner))})" if inner else ""
    rate = f", {_rate(done / seconds)}" if done and seconds > 0 else ""
    if first.done >= first.total:
        rest = f", {duration(seconds)} in all"
    else:
        rest = f", {duration(seconds * (1 - share) / share)} left" if share >= FEW else ""
    return f"{name}: {first}{counts}{rate}{rest}"


def _rate(a_second: float) -> str:
    return f"{a_second:,.1f}/s" if a_second >= 1 else f"{60 * a_second:,.1f}/min"


def duration(seconds: float) -> str:
    """Return a duration as text.

    >>> duration(0.04), duration(9.6), duration(59.7), duration(3599), duration(7260)
    ('0.0 s', '10 s', '1 min 00 s', '59 min 59 s', '2 h 01 min')
    """
    if seconds < 9.5:
        return f"{seconds:.1f} s" if seconds < 5 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
