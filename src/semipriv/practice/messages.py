"""What a release may say when it fails: nothing that a private cell could be part of."""


def message(error: BaseException) -> str:
    """Return an error in one line: the text of our own errors and of the operating system's, else its type alone.

    Errors of other libraries may hold cells of the table.

    >>> message(ValueError("a.csv: has no row")), message(ArithmeticError("17.5"))
    ('a.csv: has no row', 'an error inside (ArithmeticError); its text is withheld, it may hold a private value')
    """
    kind = type(error)
    ours = kind.__module__.split(".")[0] == "semipriv" or kind is ValueError or isinstance(error, OSError)
    if ours and kind.__module__.split(".")[0] in ("semipriv", "builtins"):
        return " ".join(str(error).split())
    return f"an error inside ({kind.__name__}); its text is withheld, it may hold a private value"
