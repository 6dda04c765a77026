"""Why a text is not as declared: what it looks like, and how it differs from a declared text."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress

_NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?"
_DATES = "a date {}: say how it is spelt beside the path of its file, dates: {}; and a `unit` of the column"
WITH_A_UNIT = "a number with a unit or a currency"
_LIKE = (
    (
        r"[+-]?[0-9]+,[0-9]{1,2}|[+-]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?|[+-]?[0-9]+,[0-9]{4,}",
        "a decimal comma: declare `decimal`",
    ),
    (r"[+-]?[0-9]{1,3}([, '\u00a0\u202f][0-9]{3})+(\.[0-9]+)?", "a separator of thousands: declare `thousands`"),
    (r"[0-3]?[0-9]\.[01]?[0-9]\.[0-9]{4}", _DATES.format("as day.month.year", '"%d.%m.%Y"')),
    (r"[0-3]?[0-9]\.[01]?[0-9]\.[0-9]{2}", _DATES.format("as day.month.year", '"%d.%m.%y"')),
    (
        r"[0-3]?[0-9]/[0-3]?[0-9]/[0-9]{4}",
        _DATES.format("with slashes", '"%d/%m/%Y", or "%m/%d/%Y" if months come first'),
    ),
    (
        r"[0-3]?[0-9]/[0-3]?[0-9]/[0-9]{2}",
        _DATES.format("with slashes", '"%d/%m/%y", or "%m/%d/%y" if months come first'),
    ),
    (r"[0-3]?[0-9]-[01]?[0-9]-[0-9]{4}", _DATES.format("as day-month-year", '"%d-%m-%Y"')),
    (r"[0-9]{4}/[01]?[0-9]/[0-3]?[0-9]", _DATES.format("as year/month/day", '"%Y/%m/%d"')),
    (r"(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])", _DATES.format("as eight digits", '"%Y%m%d"')),
    (r"[0-3]?[0-9][ -][A-Za-z]{3}[ -][0-9]{4}", _DATES.format("with the name of a month", '"%d %b %Y", or "%d-%b-%Y"')),
    (r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*", "a date, which needs a `unit`"),
    (rf"[^0-9+-]{{1,3}} ?{_NUMBER}|{_NUMBER} ?[^0-9.]{{1,3}}", WITH_A_UNIT),
)
"""What a text is like that is no number."""
_LETTERS = 40
"""Letters of a text that are shown."""
_LOST = "\ufffd"
"""Stands for bytes that are no text."""


def hint(text: str, declared: Sequence[str] = ()) -> str:
    """Return what a text seems to be, or how it differs from a declared text; nothing if neither is recognised.

    declared: the declared texts; none where numbers or dates are declared.

    >>> hint("NO", ["yes", "no"]), hint("1,5")
    ("'no' in other capitals", 'a decimal comma: declare `decimal`')
    """
    if _LOST in text:
        return "letters in another encoding: declare `encoding`"
    for declared_text in declared:
        if declared_text != text:
            for differs, plain in _DIFFERENT:
                if plain(declared_text) == plain(text):
                    return f"{declared_text!r} {differs}"
    if declared:
        return ""
    return next((what for like, what in _LIKE if re.fullmatch(like, text.strip())), "")


def shown(text: str) -> str:
    """Return a text in quotes, of at most 40 letters.

    >>> shown("a"), len(shown(50 * "a"))
    ("'a'", 45)
    """
    return repr(text if len(text) <= _LETTERS else text[:_LETTERS] + "...")


def _stripped(text: str) -> str:
    return " ".join(text.split())


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", _stripped(text))


def _read_as_latin(text: str) -> str:
    """Return a text in UTF-8 that was read as Latin-1, or with marks of replacement, without what was lost."""
    with suppress(UnicodeError):
        text = text.encode("cp1252").decode()
    return re.sub(r"[^\x00-\x7f]", "", _composed(text)).casefold()


def _as_number(text: str) -> str:
    """Return the shortest digits of a number; any other text with a blank before it, so that it is none."""
    stripped = text.strip()
    return repr(float(stripped)) if re.fullmatch(_NUMBER, stripped) else f" {text}"


_DIFFERENT = (
    ("with other blanks", _stripped),
    ("in another form of Unicode", _composed),
    ("in other capitals", lambda text: _composed(text).casefold()),
    ("as a number that is spelt otherwise", _as_number),
    ("in another encoding", _read_as_latin),
)
"""In what two texts differ that are the same by a function."""
