"""Broken twins: each breaks one step of a privacy proof, and the exact audit must tell it from its honest sibling.

A twin is a pair of output laws on the data sets of a tiny domain, one honest and one broken; both claim one epsilon.
Folders named ``twins`` hold them: here, in another room, or in a paper.  A study imports those that it measures, and
``gathered`` finds them all.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from semipriv.core import overlay
from semipriv_lab.twins.base import TWINS, Twins, twins_of

__all__ = ["folders", "gathered", "twins_of"]


def folders() -> list[Path]:
    """Return the folders that hold twins: this one, then those of papers."""
    return [Path(__file__).parent, *(paper / "twins" for paper in overlay.parts())]


def gathered(places: Iterable[Path] | None = None) -> Twins:
    """Import the modules of twins of some folders, by default of all, and return the registry."""
    for place in folders() if places is None else places:
        for path in sorted(place.glob("*.py")):
            if path.stem not in {"__init__", "base"}:
                import_module(overlay.module_of(path))
    return TWINS
