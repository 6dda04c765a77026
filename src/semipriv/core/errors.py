"""Errors that may be told to anybody: their types say so, wherever they are raised."""

from collections.abc import Iterator
from contextlib import contextmanager


class PublicError(ValueError):
    """An error whose message holds no private cell.

    Whoever raises one vouches for that: its message is made of settings, paths, names of columns, numbers of rows and
    types.  Once private rows were read, a release tells these messages and no others
    (``semipriv.practice.engine.messages``).
    """


class PublicOSError(OSError, PublicError):
    """An error of the operating system whose message was written here: ``PublicOSError(errno, message, path)``."""


@contextmanager
def public_data_only() -> Iterator[None]:
    """Turn every error into a PublicError with the same text: for code at which no private cell is at hand.

    It is a decorator, too.  PublicError and OSError pass as they are.

    >>> with public_data_only():
    ...     [1, 2].index(3)
    Traceback (most recent call last):
    semipriv.core.errors.PublicError: 3 is not in list
    >>> with public_data_only():
    ...     {}["size"]
    Traceback (most recent call last):
    semipriv.core.errors.PublicError: KeyError: 'size'
    """
    try:
        yield
    except (PublicError, OSError):
        raise
    except Exception as error:
        message = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise PublicError(message) from error
