"""Progress of long loops: how much of them is done, how fast, and how long the rest will take.

``track`` is silent unless a ``Reporter`` listens, as in the jobs of the workflow (semipriv.experiments.log).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(eq=False)
class Reporter:
    """Writes lines on the outermost loop that is tracked: one every ``interval`` seconds, and one at its end.

    log: gets every line.  terminal: gets a loop's lines from its first interval on, so that short loops are silent.
    """

    name: str
    log: Callable[[str], None]
    terminal: Callable[[str], None] | None = None
    interval: float = 5.0
    clock: Callable[[], float] = time.monotonic
    busy: bool = field(default=False, init=False)

    def follow(self, items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
        """Yield the items, and report how many of the total are done."""
        if self.busy:
            yield from items
            return
        self.busy = True
        try:
            start = last = self.clock()
            done, shown = 0, False
            for item in items:
                yield item
                done += 1
                now = self.clock()
                if now - last >= self.interval and done < total:
                    last, shown = now, True
                    self._tell(line(self.name, done, total, what, now - start), shown)
            self._tell(line(self.name, done, total, what, self.clock() - start), shown)
        finally:
            self.busy = False

    def _tell(self, text: str, shown: bool) -> None:
        self.log(text)
        if shown and self.terminal is not None:
            self.terminal(text)


_listening: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Let a reporter listen to all loops that are tracked inside."""
    token = _listening.set(reporter)
    try:
        yield
    finally:
        _listening.reset(token)


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterable[Item]:
    """The items themselves, one by one, while the reporter that listens, if any, tells how many are done.

    what: the items in the plural ("trials").  total: how many there are, if ``items`` has no length.  Of nested loops
    only the outermost is reported.
    """
    reporter = _listening.get()
    if reporter is None:
        return items
    if total is None:
        if not isinstance(items, Sized):
            raise ValueError(f"track: the number of {what} must be given")
        total = len(items)
    return reporter.follow(items, what, total)


def line(name: str, done: int, total: int, what: str, seconds: float) -> str:
    """One line of progress; the time left supposes that the rest goes as fast.

    >>> line("evaluate excess_grid_0", 120, 400, "trials", 3.0)
    'evaluate excess_grid_0: 120/400 trials, 40.0/s, 7 s left'
    >>> line("evaluate excess_grid_0", 400, 400, "trials", 0.5)
    'evaluate excess_grid_0: 400/400 trials, 800.0/s, 0.5 s in all'
    """
    rate = f", {done / seconds:,.1f}/s" if done and seconds > 0 else ""
    if done == total:
        rest = f", {duration(seconds)} in all"
    else:
        rest = f", {duration(seconds * (total - done) / done)} left" if done else ""
    return f"{name}: {done:,}/{total:,} {what}{rate}{rest}"


def duration(seconds: float) -> str:
    """A time to read.

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
