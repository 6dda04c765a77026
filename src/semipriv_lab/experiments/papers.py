"""The papers, as their folders declare them: none is imported.

The folder ``papers/abm19`` is the paper ABM19.  Its ``__init__.py`` has the title as the first line of its docstring,
one paragraph on the paper below it, and ``ORDER``: ledger and pages tell of papers in this order, and of those without
it, by name, at the end.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from semipriv.core import overlay, source


@dataclass(frozen=True)
class Paper:
    """A paper: its id, such as ABM19, its title, a paragraph on it, and its folders, that of the library first."""

    id: str
    title: str
    about: str
    folders: tuple[Path, ...]


def papers() -> dict[str, Paper]:
    """Return all papers by id: those of the package, and those of plug-in folders.

    Raise ValueError for one without a title, naming the file, and for one that is there twice.
    """
    return dict(_read(tuple(overlay.papers().values())))


def titles() -> dict[str, str]:
    """Return the title of each paper by its id."""
    return {paper.id: paper.title for paper in papers().values()}


@lru_cache(maxsize=4)
def _read(folders: tuple[Path, ...]) -> tuple[tuple[str, Paper], ...]:
    placed = sorted((_paper(folder) for folder in folders), key=lambda paper: (paper[0], paper[1].id))
    return tuple((paper.id, paper) for _, paper in placed)


def _paper(folder: Path) -> tuple[float, Paper]:
    """Return a paper and its place among the others."""
    file = folder / "__init__.py"
    module = source.parsed(file)
    title, _, about = source.docstring(module).partition("\n")
    if not title:
        raise ValueError(f"{file}: must have a docstring, whose first line is the title of the paper")
    order = float(source.constants(module).get("ORDER", float("inf")))
    return order, Paper(folder.name.upper(), title.rstrip("."), " ".join(about.split()), overlay.parts(folder.name))
