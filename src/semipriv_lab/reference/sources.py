"""Which algorithm, theorem or lemma of a paper a piece of code belongs to, as its docstring says it.

A docstring names its source by paper, kind and number: ``BNS15 algorithm 3``, ``algorithms 2 to 4 of ABM19``.  A number
without a paper belongs to what is named before it in that docstring, else first in the docstring around it, else to the
paper of the folder.  Numbers of other works, ``Higham 2002, section 3.1``, are passed over.  Nothing is imported.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from semipriv.core.overlay import PACKAGES
from semipriv.core.source import docstring, parsed
from semipriv_lab.experiments.papers import titles

KINDS = {
    "algorithm": "algorithm",
    "theorem": "theorem",
    "lemma": "lemma",
    "claim": "claim",
    "corollary": "corollary",
    "proposition": "proposition",
    "observation": "observation",
    "dichotomy": "dichotomy",
    "fact": "fact",
    "remark": "remark",
    "definition": "definition",
    "def.": "definition",
    "section": "section",
}
"""What the papers number, by the words for it; a plural has an s, or ies for y."""
_WORDS = KINDS | {
    f"{word[:-1]}ies" if word.endswith("y") else f"{word}s": kind for word, kind in KINDS.items() if word[-1] != "."
}
_NUMBER = r"(?:[A-Z]\.)?\d+(?:\.\d+)?"
_LIST = rf"{_NUMBER}(?:, {_NUMBER})*(?: (?:and|to) {_NUMBER})?"
_OTHER = r"(?P<other>(?:\b[A-Z][\w-]+|\bal\.) (?:18|19|20)\d\d\b)"
_NAMED = rf"\b(?P<word>{'|'.join(map(re.escape, sorted(_WORDS, key=len, reverse=True)))}) (?P<numbers>{_LIST})(?![\d])"


@cache
def _token(papers: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what names a source, another work or a paper by its id, in capitals: OWN, and not own."""
    known = f"(?-i:{'|'.join(papers)})"
    return re.compile(rf"{_OTHER}|{_NAMED}(?:,? of (?P<of>{known})\b)?|\b(?P<paper>{known})\b", re.IGNORECASE)


@cache
def _begins(papers: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what may stand before a source at the beginning of a sentence."""
    return re.compile(rf"[.:;] (?:{'|'.join(papers)}),? $")


@dataclass(frozen=True)
class Source:
    """What a paper numbers: its paper, kind and number, as in BNS15, algorithm, 3."""

    paper: str
    kind: str
    number: str

    def __str__(self) -> str:
        """Return its kind and number."""
        return f"{self.kind} {self.number}"

    @property
    def order(self) -> tuple[str, list[str]]:
        """What sorts the sources of a paper: by number, 2 before 10."""
        return self.kind, [part.zfill(4) for part in self.number.split(".")]


@dataclass(frozen=True)
class Place:
    """A docstring that names a source.

    file: path below the folder of the package.  name: dotted name of the type or function in it; empty for the module.
    summary: the docstring's first sentence.  first: whether that names the source, or a sentence begins with it.
    """

    source: Source
    file: str
    name: str
    summary: str
    first: bool

    @property
    def implements(self) -> bool:
        """Whether a module or a type says that it is the source's, or a part of it."""
        return self.first and (not self.name or self.name.rpartition(".")[2][0].isupper())


def named(text: str, around: str | None) -> Iterator[tuple[Source, int]]:
    """Yield each source that a text names, and where.  around: the paper of numbers before any name; None: of none.

    >>> [source.number for source, _ in named("Sharper than lemma 3.2 and claims 4.8 to 4.11.", "BNS15")]
    ['3.2', '4.8', '4.9', '4.10', '4.11']
    >>> list(named("Drawn as Canonne, Kamath and Steinke 2020 do, algorithm 3.", "BNS15"))
    []
    """
    current = around
    for token in _token(tuple(titles())).finditer(text):
        if token["other"]:
            current = None
        elif token["paper"]:
            current = token["paper"].upper()
        else:
            paper = token["of"].upper() if token["of"] else current
            word, numbers = token["word"].lower(), _expanded(token["numbers"])
            for number in numbers[:1] if word in KINDS else numbers:
                if paper is not None:
                    yield Source(paper, _WORDS[word], number), token.start()


def about(text: str) -> str | None:
    """Return the paper that a text names first; empty if it names another work before; None if it names nothing."""
    for token in _token(tuple(titles())).finditer(text):
        if token["other"]:
            return ""
        if token["paper"] or token["of"]:
            return str(token["paper"] or token["of"]).upper()
    return None


def _expanded(text: str) -> list[str]:
    """Return the numbers of a list in words: ``2 to 4`` is 2, 3, 4."""
    numbers: list[str] = []
    for part, number in re.findall(rf"(^|, | and | to )({_NUMBER})", text):
        if part == " to ":
            head, _, first = numbers[-1].rpartition(".")
            last = int(number.rpartition(".")[2])
            numbers += [f"{head}.{i}" if head else str(i) for i in range(int(first) + 1, last + 1)]
        else:
            numbers.append(number)
    return numbers


def first_sentence(text: str) -> str:
    r"""Return the first sentence of a docstring, on one line.

    >>> first_sentence("A learner (see def. 5,\n lemma 3.2).  It is private.")
    'A learner (see def. 5, lemma 3.2).'
    """
    flat = re.sub(r"\s*\n\s*", " ", text.strip().partition("\n\n")[0])
    return re.split(r"(?<=[.!?]) {2,}", flat)[0]


@cache
def places(package: Path) -> tuple[Place, ...]:
    """Return all docstrings of the packages in a folder that name a source; those of this room do not."""
    this_folder = Path(__file__).resolve().parent
    every = (file for name in PACKAGES for file in (package.resolve() / name).rglob("*.py"))
    files = sorted(file for file in every if file.parent != this_folder)
    return tuple(place for file in files for place in _of_file(file, package.resolve()))


def _of_file(file: Path, package: Path) -> Iterator[Place]:
    inside = file.relative_to(package)
    folders = [part.upper() for part in inside.parts if part.upper() in titles()]
    tree = parsed(file)
    yield from _of_node(tree, "", folders[0] if folders else None, inside.as_posix())


def _of_node(
    node: ast.Module | ast.ClassDef | ast.FunctionDef, name: str, around: str | None, file: str
) -> Iterator[Place]:
    """Yield what the docstring of a node names, and those inside of it; around: the paper of what is around it."""
    text = docstring(node)
    flat = " ".join(text.split())
    summary = first_sentence(text)
    seen: dict[Source, bool] = {}
    for source, start in named(flat, around or None):
        seen[source] = (
            seen.get(source, False) or start < len(summary) or bool(_begins(tuple(titles())).search(flat[:start]))
        )
    yield from (Place(source, file, name, summary, first) for source, first in seen.items())
    about_it = about(flat)
    inner = around if about_it is None else about_it
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            yield from _of_node(child, f"{name}.{child.name}" if name else child.name, inner, file)
