"""Packages that only some commands need, the extras of ``semipriv[...]``: a missing one is told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from semipriv.core.errors import PublicError


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Import inside what needs the extra of this name; ``what`` is what the user asked for, such as "pictures".

    Raise PublicError with the command that installs the extra if a package of others is missing.

    >>> with extra("database", "databases"):  # doctest: +ELLIPSIS
    ...     import ibid
    Traceback (most recent call last):
    semipriv.core.errors.PublicError: databases need ibid, ...: python -m pip install 'semipriv[database]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "semipriv").partition(".")[0]
        if package.startswith("semipriv"):  # a fault of ours
            raise
        missing = f"{what} need {package}, which is not installed"
        raise PublicError(f"{missing}: python -m pip install 'semipriv[{name}]'") from None
