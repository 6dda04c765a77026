"""How learners look in figures: each has one colour everywhere, and each role one line and one marker."""

import zlib
from collections.abc import Mapping
from typing import Any

import seaborn as sns

from semipriv.core import registry
from semipriv.core.roles import Role
from semipriv.drawing.style import PALETTE

Colour = tuple[float, float, float]

NAMES = ("blue", "orange", "green", "vermilion", "purple", "brown", "pink", "grey", "sky", "yellow")
HUES: dict[str, Colour] = dict(zip(NAMES, PALETTE, strict=True)) | {"black": (0.15, 0.15, 0.15)}
"""The colours that a learner may declare as its ``hue``."""

MARKERS = "osD^vP"
"""Markers of curves that differ in one number; their colours differ, too."""

_LOOK: dict[str, Any] = {"linewidth": 1.2, "marker": "o", "markersize": 3}
_ROLES: dict[Role, dict[str, Any]] = {
    Role.PAPER: _LOOK,
    Role.VARIANT: {"linewidth": 1.2, "linestyle": (0, (2, 3)), "marker": "^", "markersize": 2},
    Role.MINIMISER: _LOOK | {"marker": "s"},
    Role.CANDIDATES_MINIMISER: {"linewidth": 4, "alpha": 0.5},
    Role.PUBLIC_ONLY: _LOOK | {"marker": "v"},
    Role.NO_PUBLIC: _LOOK | {"marker": "D"},
    Role.DISCARD: _LOOK | {"marker": "P"},
    Role.OTHER_MODEL: _LOOK | {"marker": "X"},
    Role.AS_IF_PUBLIC: _LOOK | {"marker": "<", "linestyle": (0, (5, 2))},
}
"""Line and marker of each role.  Each role has its own marker, so that roles differ without colours too.  Lines that
often coincide stay visible: a wide pale line lies below a paper's learner, and dashes lie above it."""
_FURTHER = ("s", "v", "p", "h", "*", "<", ">")
_SHADES = ((0.0, "white"), (0.45, "black"), (0.5, "white"), (0.25, "black"), (0.3, "white"), (0.65, "black"))
"""Learners that differ in parameters alone: by how much the colour goes to white or black, one after the other."""


def hue(name: str) -> Colour:
    """Return the colour of a learner by its registered name.

    It is the one that the learner declares, else one that its name decides.
    """
    if name in registry.names("learners"):
        declared = registry.load("learners", name).hue
        if declared:
            return HUES[registry.check_name("hue", declared, list(HUES))]
    return PALETTE[zlib.crc32(name.encode()) % (len(PALETTE) - 1)]


def shade(colour: Colour, place: int) -> Colour:
    """Return the colour of the place-th of several learners of one name."""
    share, end = _SHADES[place % len(_SHADES)]
    return tuple(sns.blend_palette([colour, end], 101)[round(100 * share)][:3])


def look(role: Role, place: int) -> Mapping[str, Any]:
    """Return line and marker of the place-th of several learners of one name and role."""
    known = _ROLES[role]
    return known if place == 0 else known | {"marker": _FURTHER[(place - 1) % len(_FURTHER)], "markersize": 3}
