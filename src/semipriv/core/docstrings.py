"""Docstrings as data: what they say first, and their sections in Google style, such as ``Args:``.

A section is a title on a line of its own, and an indented block below it.  In ``Args`` and ``Raises`` each item begins
with a name and a colon, and its further lines are indented once more.
"""

import inspect
import re
from typing import Any, NamedTuple

TITLES = ("Args", "Returns", "Yields", "Raises", "Source", "Examples")
"""Titles of sections, in their order."""


class Docstring(NamedTuple):
    """A docstring: its paragraphs before the first section, and the lines of each section by title."""

    paragraphs: tuple[str, ...]
    sections: dict[str, tuple[str, ...]]

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return joined(self.paragraphs[0])


def read(text: str) -> Docstring:
    r"""Return a docstring in its parts.

    >>> read("Return nothing.\n\nLong.\n\nRaises:\n    ValueError: Never.")
    Docstring(paragraphs=('Return nothing.', 'Long.'), sections={'Raises': ('ValueError: Never.',)})
    """
    section = re.compile(rf"^({'|'.join(TITLES)}):\n((?: +.*\n|\n)*)", flags=re.MULTILINE)
    text = inspect.cleandoc(text) + "\n"
    sections = {title: tuple(inspect.cleandoc("\n" + block).split("\n")) for title, block in section.findall(text)}
    return Docstring(tuple(section.sub("", text).strip("\n").split("\n\n")), sections)


def items(lines: tuple[str, ...]) -> dict[str, str]:
    """Return the items of a section by name, each text on one line.

    >>> items(("low: The least number.", "high: The greatest,", "    may be infinite."))
    {'low': 'The least number.', 'high': 'The greatest, may be infinite.'}
    """
    names_and_texts = re.split(r"^([\w*]+): ", "\n".join(lines), flags=re.MULTILINE)[1:]
    return {name: joined(text) for name, text in zip(names_and_texts[::2], names_and_texts[1::2], strict=True)}


def parameters(text: str) -> dict[str, str]:
    """Return the meaning of the parameters in a docstring by name: the items of ``Args``."""
    return items(read(text).sections.get("Args", ()))


def parameters_of(documented: Any) -> dict[str, str]:
    """Return the meaning of the parameters of a type or a function, in the order of its signature.

    A type that is silent on a parameter has it from the nearest base that is not.
    """
    meanings: dict[str, str] = {}
    for base in getattr(documented, "__mro__", (documented,)):
        meanings = parameters(base.__doc__ or "") | meanings
    return {name: meanings[name] for name in inspect.signature(documented).parameters if name in meanings}


def joined(text: str) -> str:
    """Return a paragraph on one line."""
    return " ".join(text.split())
