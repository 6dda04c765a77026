"""Faults of settings, collected, so that all of them are told at once."""

from collections.abc import Callable, Iterable
from typing import Any, ParamSpec

from semipriv.core.errors import PublicError

_P = ParamSpec("_P")


def together(faults: Iterable[str]) -> str:
    """Return one message for several; each fault once.

    >>> together(["a: b"]), together(["a: b", "c: d", "a: b"])
    ('a: b', '2 faults: (1) a: b; (2) c: d')
    """
    distinct = list(dict.fromkeys(faults))
    if len(distinct) == 1:
        return distinct[0]
    return f"{len(distinct)} faults: " + "; ".join(f"({place}) {fault}" for place, fault in enumerate(distinct, 1))


class FaultsError(ValueError):
    """Several faults, each a message of its own."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(together(self.faults))


def faults_in(error: ValueError) -> tuple[str, ...]:
    """Return the faults of which an error tells."""
    return error.faults if isinstance(error, FaultsError) else (str(error),)


class Faults:
    """Faults that were found so far.

    >>> faults = Faults()
    >>> faults.of(int, "1"), faults.of(int, "x")
    (1, None)
    >>> faults.check()
    Traceback (most recent call last):
    semipriv.settings.faults.FaultsError: invalid literal for int() with base 10: 'x'
    """

    def __init__(self) -> None:
        self._found: list[str] = []

    @property
    def some(self) -> bool:
        """Whether there is a fault."""
        return bool(self._found)

    def of(self, make: Callable[_P, Any], *args: _P.args, **kwargs: _P.kwargs) -> Any:
        """Return what a function returns; None if it raises ValueError, which is kept, and which ``check`` tells.

        An error of a type below ValueError passes, unless it is one of this package: its text may hold a cell.
        """
        try:
            return make(*args, **kwargs)
        except ValueError as error:
            kind = type(error)
            if not (kind is ValueError or isinstance(error, PublicError) or kind.__module__.startswith("semipriv.")):
                raise
            self._found.extend(faults_in(error))
            return None

    def add(self, faults: Iterable[str]) -> None:
        """Keep faults that were found elsewhere."""
        self._found.extend(faults)

    def check(self) -> None:
        """Raise ValueError, which tells all faults, if there are some."""
        if self._found:
            raise FaultsError(self._found)
