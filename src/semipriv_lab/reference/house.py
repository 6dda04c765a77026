"""The house in two pictures, one for each package: its rooms, their floors and who imports whom, read from the imports.

``python -m semipriv_lab.reference.house docs`` writes them into a folder.  Tools that draw import graphs need Graphviz,
and place modules by their own rules: here a floor says who may import whom, and equal imports give equal bytes.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from xml.sax.saxutils import escape

from semipriv.core.fingerprint import imports
from semipriv.core.overlay import PACKAGES

Rooms = Mapping[str, frozenset[str]]
"""The rooms that each room imports."""
Spot = tuple[str, str, int]
"""What takes a place on a floor: a room (room, room, floor), or an arrow on its way (from, to, floor)."""
PICTURES = {"semipriv": "house.svg", "semipriv_lab": "laboratory.svg"}
"""The file of the picture of each package."""
PAPER = "papers/<paper>"
MARGIN, ROW, BOX, LETTER, GAP = 100, 66, 24, 8, 24
"""Pixels: left margin, step between floors, height of a box, width of a letter, least gap between neighbours."""
SWEEPS = 40


def rooms(package: Path) -> dict[str, frozenset[str]]:
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

    pairs = [(room, end) for room in house for end in sorted(house[room])]
    return [(room, end) for room, end in pairs if not any(end in below(via) for via in house[room])]


def ways(house: Rooms) -> list[list[Spot]]:
    """Return the way of each arrow, from floor to floor.

    >>> ways({"a": frozenset(), "b": frozenset("a"), "c": frozenset("bd"), "d": frozenset()})[-1]
    [('c', 'c', 3), ('c', 'd', 2), ('d', 'd', 1)]
    """
    level = floors(house)
    between = {(a, b): [(a, b, floor) for floor in range(level[a] - 1, level[b], -1)] for a, b in arrows(house)}
    return [[(a, a, level[a]), *way, (b, b, level[b])] for (a, b), way in between.items()]


def half(spot: Spot) -> int:
    """Return half of the width of a room's box, or of an arrow."""
    return len(spot[0]) * LETTER // 2 + 15 if spot[0] == spot[1] else 0


def _apart(row: Sequence[Spot], wanted: Mapping[Spot, float]) -> dict[Spot, float]:
    """Return places of a row, in its order and apart: the mean of those nearest to the wanted ones on either side."""
    place: dict[Spot, float] = defaultdict(float)
    for side, order in ((1, row), (-1, row[::-1])):
        end = -float("inf")
        for spot in order:
            here = max(side * wanted[spot], end + half(spot))
            place[spot] += side * here / 2
            end = here + half(spot) + GAP
    return place


def places(house: Rooms) -> dict[Spot, int]:
    """Return the middle of each room and of each arrow that passes a floor, in pixels from the left.

    An arrow has a place on each floor that it passes, so that it runs behind no room.  Sweeps up and down the floors
    move each room to the mean of what it is joined to, and each arrow above the next spot on its way.
    """
    joined: dict[Spot, list[Spot]] = defaultdict(list)
    for way in ways(house):
        for start, end in pairwise(way):
            joined[start].append(end)
            if half(end):
                joined[end].append(start)
    level = floors(house)
    spots = {(room, room, floor) for room, floor in level.items()} | joined.keys()
    rows = [sorted(spot for spot in spots if spot[2] == floor) for floor in range(1, max(level.values()) + 1)]
    place: dict[Spot, float] = {}
    for row in rows:
        place |= _apart(row, dict.fromkeys(row, 0.0))
    for sweep in range(SWEEPS):
        for row in rows[:: -1 if sweep % 2 else 1]:
            wanted = {spot: fmean(place[end] for end in joined[spot] or [spot]) for spot in row}
            place |= _apart(sorted(row, key=wanted.__getitem__), wanted)
    left = min(x - half(spot) for spot, x in place.items())
    return {spot: round(x - left) + MARGIN for spot, x in place.items()}


def picture(package: Path) -> str:
    """Return the picture of a package as SVG: a row for each floor, a box for each room, a line for each arrow."""
    house = rooms(package)
    place, top = places(house), max(floors(house).values())
    width, height = max(x + half(spot) for spot, x in place.items()) + 14, top * ROW + 8
    title = f"The rooms of {package.name} by floors; an arrow leads from a room to one that it imports"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#52796f"/></marker>',
    ]

    def middle(floor: int) -> int:
        return (top - floor) * ROW + 30

    for way in ways(house):
        curve = f"M{place[way[0]]} {middle(way[0][2]) + BOX // 2}"
        for start, other in pairwise(way):
            x, y, u, v = place[start], middle(start[2]) + BOX // 2, place[other], middle(other[2]) - BOX // 2
            curve += f"V{y}C{x} {(y + v) // 2} {u} {(y + v) // 2} {u} {v}"
        lines.append(f'<path d="{curve}" fill="none" stroke="#52796f" marker-end="url(#tip)"/>')
    for floor in range(1, top + 1):
        lines.append(f'<text x="14" y="{middle(floor) + 5}" font-size="13" fill="#666666">floor {floor}</text>')
    for spot, x in sorted(place.items()):
        room, end, floor = spot
        if room == end:
            box = f'x="{x - half(spot)}" y="{middle(floor) - BOX // 2}" width="{2 * half(spot)}" height="{BOX}" rx="4"'
            name = f'x="{x}" y="{middle(floor) + 5}" font-size="14" text-anchor="middle"'
            lines.append(f'<rect {box} fill="#e8f0ee" stroke="#52796f"/>')
            lines.append(f"<text {name}>{escape(room)}</text>")
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    for package, file in PICTURES.items():
        (Path(sys.argv[1]) / file).write_text(picture(PACKAGES[package]), encoding="utf-8")
