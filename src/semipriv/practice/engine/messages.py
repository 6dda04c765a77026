"""What a release may say when it fails: nothing that a private cell could be part of."""

import traceback

STEPS = ("tally", "draw")
"""Functions of the engine below which private rows are read."""
PUBLIC = ("semipriv.practice.engine.possible", "check_possible")
"""Module and function below which no private byte is at hand."""
CHARGED = "; the charge stays in the ledger, and the same request may still draw once"
_ROOMS = ("columns", "sources", "asking", "engine", "published", "databases")
_TOLD = (*(f"semipriv.practice.{room}" for room in _ROOMS), "semipriv.privacy.budget")
"""Packages whose own modules may tell what they raise once private rows are read; those of folders in them may not."""
_SILENT = ("semipriv.practice.engine.jobs", "semipriv.practice.engine.figure")
"""Modules of these packages that may not."""


def message(error: BaseException) -> str:
    """Return an error in one line: the text of our own errors and of the operating system's, else its type alone.

    Errors of other libraries may hold cells of the table.  So may those of our own modules that simulations use, too:
    once private rows are read, only what the modules of ``_TOLD`` raise is told.  Whatever is raised where public
    numbers alone are at hand is told.

    >>> message(ValueError("a.csv: has no row")), message(ArithmeticError("17.5"))
    ('a.csv: has no row', 'an error inside (ArithmeticError); its text is withheld, it may hold a private value')
    """
    kind = type(error)
    room = kind.__module__.split(".")[0]
    ours = room == "semipriv" or kind is ValueError or (isinstance(error, OSError) and room == "builtins")
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [(frame.f_globals.get("__name__", ""), frame.f_code.co_name) for frame in frames]
    read = any(name == "semipriv.practice.engine.stages" and step in STEPS for name, step in places)
    raising = places[-1][0] if places else ""
    shown = ours and not (read and (raising.rpartition(".")[0] not in _TOLD or raising in _SILENT))
    if PUBLIC in places:
        return " ".join((str(error) if ours else f"{kind.__name__}: {error}").split())
    withheld = f"an error inside ({kind.__name__}); its text is withheld, it may hold a private value"
    return (" ".join(str(error).split()) if shown else withheld) + (CHARGED if read else "")
