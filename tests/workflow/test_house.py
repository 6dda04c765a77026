"""The house: imports run downhill, no room knows a paper, scripts stay thin."""

import ast
import re
from itertools import combinations
from pathlib import Path

import pytest
from places import ROOT, matching

from semipriv.core import overlay
from semipriv.core.fingerprint import imports
from semipriv_lab.reference import house

FLOORS = {
    "semipriv": {
        1: {"core"},
        2: {"geometry", "privacy", "settings", "drawing"},
        3: {"mechanisms"},
        4: {"classes"},
        5: {"queries", "distributions"},
        6: {"learners"},
        7: {"audit", "papers", "practice"},
        8: {"cli"},
    },
    "semipriv_lab": {
        1: {"measures", "controls"},
        2: {"experiments"},
        3: {"ledger"},
        4: {"figures", "workflow"},
        5: {"cli", "papers"},
        6: {"reference"},
    },
}
"""A room imports rooms of lower floors of its package, and a paper no other paper; the laboratory imports all rooms of
the library but ``cli``, and the library knows no laboratory."""
PLACES = {f"{package}.{room}": floor for package, of in FLOORS.items() for floor, rooms in of.items() for room in rooms}
PACKAGES = {package: ROOT / "src" / package for package in FLOORS}
FILES = [path for package in PACKAGES.values() for path in matching(package, "*/**/*.py")]
EVERY = [path for package in PACKAGES.values() for path in matching(package, "**/*.py")]
"""Those of no room, too: ``__init__`` and ``__main__`` of the packages."""


def room(module: str) -> str:
    """Return the room of a module with its package; each paper is one of its own."""
    parts = module.split(".")
    return ".".join(parts[:3] if parts[1:2] == ["papers"] else parts[:2])


def floor(room: str) -> int:
    return PLACES[".".join(room.split(".")[:2])]


def name(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(p for p in parts if p != "__init__")


def test_no_import_runs_uphill() -> None:
    """So no room knows a paper by name, no paper another one, and there is no circle of rooms."""
    for path in FILES:
        own = room(name(path))
        for module in imports(path):
            other = room(module)
            package, paper = other.partition(".")[0], own.split(".")[2:]
            if package == own.partition(".")[0]:
                below = other == own or floor(other) < floor(own)
            else:
                below = package == "semipriv" and (".papers" not in other or other.split(".")[2:] in (paper, []))
            assert below, f"{name(path)} imports {module}: {other} is not below {own}"


def written(path: Path) -> set[str]:
    """Return modules that a file imports, and texts that could name one to ``import_module``; lazy ones as well."""
    imports = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                imports |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                imports |= {module, *(f"{module}.{alias.name}" for alias in names)}
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+", text):
                imports.add(text)
    return imports


def test_nothing_names_what_is_not_below_it() -> None:
    """By whatever import: bare, inside a function, or by a text."""
    for path in EVERY:
        own = name(path)
        for module in written(path):
            package, _, inside = module.partition(".")
            paper = inside.removeprefix("papers.").partition(".")[0] if inside.startswith("papers.") else None
            if package not in PACKAGES:
                continue
            asks_for_it = path == PACKAGES["semipriv"] / "cli/__init__.py" and module == "semipriv_lab"
            assert package == "semipriv" or own.startswith("semipriv_lab") or asks_for_it, f"{own} names {module}"
            assert not paper or f".papers.{paper}" in own, f"{own} names {module}"
            assert not (own.startswith("semipriv_lab") and inside.split(".")[0] == "cli" and package == "semipriv"), own


def test_the_pictures_show_these_imports() -> None:
    for package, folder in PACKAGES.items():
        rooms = house.rooms(folder)
        own = {room: at for at, of in FLOORS[package].items() for room in of}
        assert house.floors(rooms) == {room if room != "papers" else house.PAPER: at for room, at in own.items()}
        drawn = (ROOT / "docs" / house.PICTURES[package]).read_text()
        assert drawn == house.picture(folder), "python -m semipriv_lab.reference.house docs"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_arrow_of_a_picture_runs_behind_a_room(package: str) -> None:
    """Neither do rooms touch."""
    place = house.places(house.rooms(PACKAGES[package]))
    passing = 0
    for spot, other in combinations(place, 2):
        if spot[2] == other[2]:
            assert abs(place[spot] - place[other]) > house.half(spot) + house.half(other)
            passing += 0 in (house.half(spot), house.half(other))
    assert passing


PRACTICE = {
    1: {"columns"},
    2: {"databases", "sources"},
    3: {"asking"},
    4: {"published", "sums"},
    5: {"planner"},
    6: {"engine", "estimators"},
}
"""The rooms of practice, by floors of their own."""


def test_practice_has_floors_too() -> None:
    folder = PACKAGES["semipriv"] / "practice"
    level = {room: floor for floor, rooms in PRACTICE.items() for room in rooms}
    assert {path.parent.name for path in folder.glob("*/*.py")} == level.keys()
    assert [path.name for path in folder.glob("*.py")] == ["__init__.py"], "each module is in a room"
    for path in folder.glob("*/*.py"):
        for module in imports(path):
            if module.startswith("semipriv.practice."):
                own, other = path.parent.name, module.split(".")[2]
                assert own == other or level[other] < level[own], f"{name(path)} imports {module}"


COMPUTING = {"learners", "regions", "studies", "stages", "mechanisms", "distributions"}


def test_plots_draw_tables() -> None:
    """A figure computes nothing but curves of formulas."""
    lab = PACKAGES["semipriv_lab"]
    plots = matching(lab, "papers/*/figures/**/[!_]*.py", "figures/plots/[!_]*.py")
    assert all([*paper.glob("figures/**/[!_]*.py")] for paper in lab.glob("papers/*/") if paper.name[0] != "_")
    for path in plots:
        rooms = {overlay.room_of(module).partition("/")[0] for module in imports(path)}
        assert not rooms & COMPUTING, f"{name(path)} computes"


def test_imports_name_their_module() -> None:
    """Imports of the package's face or relative ones would be invisible to fingerprints and floors."""
    for path in [*FILES, *matching(ROOT, "scripts/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert all(alias.asname or alias.name.partition(".")[0] not in PACKAGES for alias in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if node.module == "semipriv":
                    defined = all(alias.name == "__version__" or alias.name[0].islower() for alias in node.names)
                    assert defined, f"{path}: import from the module that defines it"


def test_no_circle() -> None:
    graph = {name(path): {m for m in imports(path) if m != name(path)} for path in FILES}
    while graph:
        leaves = {module for module, needs in graph.items() if not needs & graph.keys()}
        assert leaves, f"circle among {sorted(graph)}"
        graph = {module: needs for module, needs in graph.items() if module not in leaves}


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("*.py")), ids=lambda p: p.stem)
def test_scripts_hold_no_algorithm(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 60
    tree = ast.parse(text)
    assert not any(isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.BinOp)) for node in ast.walk(tree))
    assert ast.get_docstring(tree).startswith("Rule")


def test_claims_list_is_complete() -> None:

    from semipriv_lab.ledger.claims import KINDS, claims

    known = claims()
    assert {c.kind for c in known.values()} == set(KINDS)
    assert all(c.statement for c in known.values())


def test_contributing_leads_from_a_papers_name_to_its_files() -> None:
    head, _, *rows = (
        line.strip("| ").split(" | ")
        for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines()
        if line.startswith(("| paper, ", "| `")) or line.startswith("|---|---|---|---|---|---|---|")
    )
    folders = [heading.partition(": ")[2].strip("`") for heading in head[1:-1]]
    papers = []
    for first, *files, test in (row for row in rows if len(row) == len(head)):
        papers.append(first.partition(",")[0].strip("`"))
        parts = [package / "papers" / papers[-1] for package in PACKAGES.values()]
        if parts[0].is_dir():
            for folder, file in zip(folders, files, strict=True):
                assert any((part / folder / file.strip("`")).is_file() for part in parts)
            assert any(
                (ROOT / "tests" / part / "papers" / papers[-1] / test.strip("`")).is_file() for part in ("unit", "lab")
            )
    ours = {"own"}  # no paper: its learners are in rooms
    assert {path.parent.name for path in matching(PACKAGES["semipriv_lab"], "papers/*/claims.csv")} <= {*papers, *ours}
