"""Work that learners share within one trial of a simulation.

Learners with equal public stages need the same intermediate results of the same sample, for example the mistakes of
every hypothesis.  Inside ``with sharing():`` each of these results is made once.  Nothing is kept afterwards, and
nothing is attached to what a public stage made: a result may depend on private data.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_Kept = dict[tuple[object, ...], tuple[tuple[object, ...], Any]]
_kept: ContextVar[_Kept | None] = ContextVar("_kept", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Share results inside the block; arrays that are used inside must not be changed there."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def shared(name: str, arguments: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return ``make()``; inside ``sharing`` it is called once for each name and arguments.

    Arguments are compared by identity: equal arrays are not the same argument.

    >>> x = [1]
    >>> with sharing():
    ...     shared("list", (x,), lambda: [2]) is shared("list", (x,), lambda: [2])
    True
    >>> shared("list", (x,), lambda: [2]) is shared("list", (x,), lambda: [2])
    False
    """
    kept = _kept.get()
    if kept is None:
        return make()
    key = (name, *map(id, arguments))
    if key not in kept:
        kept[key] = arguments, make()  # the arguments are kept alive, so that no other object gets their identity
    value: T = kept[key][1]
    return value
