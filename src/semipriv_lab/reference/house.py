"""The house in a picture: its rooms, their floors and who imports whom, all read from the imports.

``python -m semipriv_lab.reference.house docs/house.svg`` writes it.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from semipriv.core.fingerprint import imports
from semipriv.core.overlay import PACKAGE

Rooms = Mapping[str, frozenset[str]]
"""The rooms that each room imports."""
PAPER = "papers/<paper>"
WIDTH, MARGIN, ROW, BOX, LETTER = 760, 60, 66, 24, 8
"""Pixels: width of the picture, left margin, step between floors, height of a box, width of a letter."""


def rooms(package: Path = PACKAGE) -> dict[str, frozenset[str]]:
    """Return the rooms that each room of a package imports; all papers are one."""
    imported: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        if path.parent != package:
            room = _room(path.relative_to(package).parts[0])
            modules = (m.split(".") for m in imports(path) if m.split(".")[0] == package.name)
            imported.setdefault(room, set()).update(_room(parts[1]) for parts in modules if len(parts) > 1)
    return {room: frozenset(others & imported.keys()) - {room} for room, others in imported.items()}


def _room(folder: str) -> str:
    return PAPER if folder == "papers" else folder


def floors(house: Rooms) -> dict[str, int]:
    """Return the floor of each room, one above the highest of those that it imports.

    >>> floors({"a": frozenset(), "b": frozenset("a"), "c": frozenset("ab")})
    {'a': 1, 'b': 2, 'c': 3}
    """
    level: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in level:
            level[room] = 1 + max(map(floor, house[room]), default=0)
        return level[room]

    return {room: floor(room) for room in house}


def arrows(house: Rooms) -> list[tuple[str, str]]:
    """Return the imports that follow from no others: from a room to one that nothing else it imports leads to.

    >>> arrows({"a": frozenset(), "b": frozenset("a"), "c": frozenset("ab")})
    [('b', 'a'), ('c', 'b')]
    """

    def below(room: str) -> set[str]:
        return set(house[room]).union(*map(below, house[room]))

    pairs = [(room, other) for room in house for other in sorted(house[room])]
    return [(room, other) for room, other in pairs if not any(other in below(via) for via in house[room])]


def picture(house: Rooms) -> str:
    """Return the picture as SVG: a row for each floor, a box for each room, an arrow for each import of ``arrows``.

    A room that is alone on its floor stands above the middle of what it leads to, so that no arrow runs behind it.
    """
    level = floors(house)
    top = max(level.values())
    drawn = arrows(house)
    place: dict[str, tuple[int, int]] = {}
    for floor in range(1, top + 1):
        row = sorted(room for room in house if level[room] == floor)
        for i, room in enumerate(row):
            below = [place[other][0] for one, other in drawn if one == room and len(row) == 1]
            x = sum(below) // len(below) if below else 60 + (i + 1) * (WIDTH - 60) // (len(row) + 1)
            place[room] = x, (top - floor) * ROW + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top * ROW + 8}" font-family="sans-serif">',
        "<title>The rooms of semipriv by floors; an arrow leads from a room to one that it imports</title>",
        f'<rect width="{WIDTH}" height="{top * ROW + 8}" fill="#ffffff"/>',
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#52796f"/></marker>',
    ]
    for room, other in drawn:
        (x, y), (u, v) = place[room], place[other]
        bend = (v - y) // 2
        curve = f"M{x} {y + BOX // 2}C{x} {y + bend} {u} {v - bend} {u} {v - BOX // 2}"
        lines.append(f'<path d="{curve}" fill="none" stroke="#52796f" marker-end="url(#tip)"/>')
    for floor in range(1, top + 1):
        lines.append(f'<text x="14" y="{(top - floor) * ROW + 35}" font-size="13" fill="#666666">floor {floor}</text>')
    for room, (x, y) in place.items():
        half, name = len(room) * LETTER // 2 + MARGIN // 4, escape(room)
        box = f'x="{x - half}" y="{y - BOX // 2}" width="{2 * half}" height="{BOX}" rx="4"'
        lines.append(f'<rect {box} fill="#e8f0ee" stroke="#52796f"/>')
        lines.append(f'<text x="{x}" y="{y + 5}" font-size="14" text-anchor="middle">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(rooms()), encoding="utf-8")
