"""What a release may say when it fails: nothing that a private cell could be part of."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from semipriv.core.errors import PublicError

CHARGED = "; the charge stays in the ledger, and the same request may still draw once"
_AT_PRIVATE_ROWS = "semipriv: private rows were at hand"
_AFTER_THE_CHARGE = "semipriv: after the charge"


@contextmanager
def private_rows_at_hand(*, charged: bool = True) -> Iterator[None]:
    """Mark errors that pass, so that ``message`` tells their text only if their type vouches for it.

    It is a decorator, too: of each function that reads private rows, or their sums.  charged: whether the release is
    paid for by then; the message says that the charge stays.
    """
    try:
        yield
    except BaseException as error:
        error.add_note(_AT_PRIVATE_ROWS)
        if charged:
            error.add_note(_AFTER_THE_CHARGE)
        raise


def message(error: BaseException) -> str:
    """Return an error in one line.

    Errors of other libraries may hold cells of the table, so only their type is shown.  Before private rows are read,
    the text of a ValueError, of an OSError and of our own types is shown.  Afterwards, only the text of a PublicError
    is shown, and for an OSError the operating system's words for its number, with the path: modules that simulations
    also use put values into their messages.

    >>> message(ValueError("a.csv: has no row")), message(ArithmeticError("17.5"))
    ('a.csv: has no row', 'an error inside (ArithmeticError); its text is withheld, it may hold a private value')
    """
    notes = getattr(error, "__notes__", ())
    charge = CHARGED * (_AFTER_THE_CHARGE in notes)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted" + charge
    if _AT_PRIVATE_ROWS in notes:
        return _vouched_for(error) + charge
    kind = type(error)
    room = kind.__module__.partition(".")[0]
    if isinstance(error, PublicError) or kind is ValueError or room == "semipriv":
        return _in_a_line(error)
    return _in_a_line(error) if isinstance(error, OSError) and room == "builtins" else _withheld(error)


def _vouched_for(error: BaseException) -> str:
    """Return the text of an error that was raised when private rows were at hand, if its type vouches for it."""
    if isinstance(error, PublicError):
        return _in_a_line(error)
    if isinstance(error, OSError) and error.errno is not None and isinstance(error.filename, str | os.PathLike):
        return f"[Errno {error.errno}] {os.strerror(error.errno)}: {str(error.filename)!r}"
    return _withheld(error)


def _in_a_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _withheld(error: BaseException) -> str:
    return f"an error inside ({type(error).__name__}); its text is withheld, it may hold a private value"
