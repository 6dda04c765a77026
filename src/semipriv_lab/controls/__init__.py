"""Negative controls: each breaks one step of a privacy proof, and the exact audit must tell it from its honest sibling.

A negative control is a pair of output distributions on a tiny domain, one honest and one broken; both claim one
epsilon. Folders named ``controls`` hold them: here, in another room, or in a paper.  A study imports those that it
measures, and ``gathered`` finds them all.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from semipriv.core import overlay
from semipriv_lab.controls.base import CONTROLS, Controls, controls_of

__all__ = ["controls_of", "folders", "gathered"]


def folders() -> list[Path]:
    """Return the folders that hold negative controls: this one, then those of papers."""
    return [Path(__file__).parent, *(paper / "controls" for paper in overlay.parts())]


def gathered(places: Iterable[Path] | None = None) -> Controls:
    """Import the modules of negative controls of some folders, by default of all, and return the registry."""
    for place in folders() if places is None else places:
        for path in sorted(place.glob("*.py")):
            if path.stem not in {"__init__", "base"}:
                import_module(overlay.module_of(path))
    return CONTROLS
