"""Markdown: text, anchors, and links between the pages and to the files of the repository."""

import posixpath
import re
from dataclasses import dataclass

GLOSSARY = "docs/glossary.md"
FOLDER = "docs/reference"
"""Where the pages stand if their links are relative: from there they lead to the files of the repository."""


@dataclass(frozen=True)
class Page:
    """A page, which links to others and to files of the repository.

    name: its path among the pages, as ``papers/abm19.md``.  root: the address of the repository's files; None: relative
    links, from ``docs/reference``.
    """

    name: str
    root: str | None = None

    def file(self, text: str, path: str) -> str:
        """Return a link to a file of the repository."""
        here = posixpath.dirname(f"{FOLDER}/{self.name}")
        return f"[{text}]({posixpath.relpath(path, here) if self.root is None else f'{self.root}/{path}'})"

    def code(self, path: str) -> str:
        """Return a link to a file of the package, by its path in it, which is the link's text."""
        return self.file(f"`{path.partition('/')[2]}`", f"src/{path}")

    def to(self, text: str, page: str, anchor: str = "") -> str:
        """Return a link to another page, or to a place on it."""
        path = "" if page == self.name and anchor else posixpath.relpath(page, posixpath.dirname(self.name) or ".")
        return f"[{text}]({path}{f'#{anchor}' if anchor else ''})"


def anchor(name: str) -> str:
    """Return a place that links lead to."""
    return f'<a id="{name}"></a>'


def slug(text: str) -> str:
    """Return text as the name of an anchor.

    >>> slug("ABM19-T3.1"), slug("theorem A.3")
    ('abm19-t3-1', 'theorem-a-3')
    """
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")


def plain(text: str) -> str:
    r"""Return text of a docstring for Markdown, on one line: code and emphasis stay, other marks are escaped.

    >>> print(plain("``x``: <w, x> is *not* a_b * c[0](1)"))
    `x`: &lt;w, x> is *not* a_b \* c[0]\(1)
    """
    parts = re.split(r"``?([^`]+)``?", " ".join(text.split()))
    parts[::2] = [_MARKS.sub(lambda mark: mark[1] or _ESCAPED[mark[0]], part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


_MARKS = re.compile(r"(\*\w[^*]*\w\*|\*\w\*)|\*|\\|\]\(|<(?=[A-Za-z/!?])")
_ESCAPED = {"*": "\\*", "\\": "\\\\", "](": "]\\(", "<": "&lt;"}


def page_of(title: str, *parts: str) -> str:
    """Return the text of a page: a title, then its parts, of which empty ones are left out."""
    return "\n".join([f"# {title}\n", *(f"{part.rstrip()}\n" for part in parts if part.strip())])


def count(number: int, single: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number} {single if number == 1 else many or f'{single}s'}"
