"""Work of which public numbers tell beforehand how long it takes: told if that is long, refused if it is too long.

Estimates are for one core, by rates that were measured; a machine may be off by a factor of three.
"""

import logging
import math
import os

from semipriv.core.progress import duration

__all__ = ["MOST", "VARIABLE", "WorkError", "check_work", "most_seconds"]

VARIABLE = "SEMIPRIV_MOST_MINUTES"
"""Environment variable: the longest estimate, in minutes, that is not refused."""
MOST = 10.0
"""Its default."""
TOLD = 20.0
"""Seconds from which on work is told when it begins."""
_LOG = logging.getLogger("semipriv")


class WorkError(ValueError):
    """Work that takes longer than is allowed, by an estimate."""


def most_seconds() -> float:
    """Return the seconds of the longest work that is not refused; raise ValueError for a setting that is no number."""
    given = os.environ.get(VARIABLE, "")
    try:
        minutes = float(given) if given.strip() else MOST
    except ValueError:
        minutes = math.nan
    if not minutes > 0:
        raise ValueError(f"{VARIABLE} = {given!r}: must be a number of minutes > 0")
    return 60 * minutes


def check_work(what: str, seconds: float, instead: str, *, begins: bool = True) -> None:
    """Raise WorkError if work takes longer than allowed.

    what: what there is to do, with its number.  seconds: an estimate.  instead: what the message advises.  begins:
    whether the work follows at once; then a line of the log, which Python shows on stderr, tells of it if it is long.
    """
    most = most_seconds()
    if seconds > most:
        allow = f"{VARIABLE}={math.ceil(seconds / 60)}"
        raise WorkError(
            f"{what}, about {duration(seconds)} (limit {duration(most)}): {instead}, or allow it by the environment "
            f"variable {allow}"
        )
    if begins and seconds >= TOLD:
        _LOG.warning("%s, about %s", what, duration(seconds))
