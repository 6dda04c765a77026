"""The reason of a verdict as readers meet it: at most three sentences, and a note with all else that a study says.

A study returns one text, in which a semicolon ends a sentence as a full stop does: parts that are joined from measured
values are sentences, too, so that their number is known only here.
"""

import re
from typing import NamedTuple

__all__ = ["Reason", "reason_of", "sentences"]

MOST_SENTENCES, MOST_WORDS = 3, 60
"""Of a reason; it has one sentence however long that is."""
_SYMBOLS = {
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "sigma",
    "kappa",
    "lambda",
    "rho",
    "eta",
    "mu",
    "xi",
    "ln",
    "sqrt",
}
"""Words that are names of numbers or functions, which stay as they are at the beginning of a sentence."""
_END = re.compile(r"(?:;|(?<!\be\.g)(?<!\bi\.e)[.!?])\s+")


class Reason(NamedTuple):
    """Why a verdict is as it is, and the rest of what a study says of it."""

    reason: str
    note: str


def reason_of(text: str) -> Reason:
    """Return what a study says as a reason and a note.

    >>> reason_of("one shift; n / 2 fails, too (by 3; not judged). Exponents are recorded; they are slack")
    Reason(reason='One shift. n / 2 fails, too (by 3; not judged). Exponents are recorded.', note='They are slack.')
    """
    parts = sentences(text)
    kept, words = 0, 0
    for part in parts[:MOST_SENTENCES]:
        words += len(part.split())
        if kept and words > MOST_WORDS:
            break
        kept += 1
    return Reason(" ".join(parts[:kept]), " ".join(parts[kept:]))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in which semicolons, too, end sentences; not those between brackets.

    >>> sentences("for every distribution (a bound; exact); kappa = 1 is enough.  it holds, e.g. at 3; A_PAP wins")
    ['For every distribution (a bound; exact).', 'kappa = 1 is enough.', 'It holds, e.g. at 3.', 'A_PAP wins.']
    """
    parts, start = [], 0
    for end in _END.finditer(text):
        before = text[start : end.start()]
        if all(before.count(left) <= before.count(right) for left, right in ("()", "[]")):
            parts.append(before)
            start = end.end()
    parts.append(text[start:])
    return [_begun(part.strip()) for part in parts if part.strip()]


def _begun(part: str) -> str:
    """Return a sentence with a capital, unless it begins with a symbol, and with a full stop."""
    first = re.match(r"[a-z]+(?=[\s,:]|$)", part)
    if first and first[0] not in _SYMBOLS and (len(first[0]) > 1 or re.match(r"a [a-z]{2}", part)):
        part = part[0].upper() + part[1:]
    return part if part[-1] in ".!?:" else f"{part}."
