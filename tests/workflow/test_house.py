"""The house: imports run downhill, no room knows a paper, scripts stay thin."""

import ast
from pathlib import Path

import pytest
from runs import ROOT

from semipriv.cli.reference import house
from semipriv.core import overlay
from semipriv.core.fingerprint import imports

PACKAGE = ROOT / "src/semipriv"
FLOORS = {
    1: {"core"},
    2: {"geometry", "privacy"},
    3: {"mechanisms"},
    4: {"classes"},
    5: {"queries", "distributions"},
    6: {"learners"},
    7: {"experiments", "audit"},
    8: {"report"},
    9: {"papers", "workflow", "practice"},
    10: {"cli"},
}
"""A room imports rooms of lower floors, and a paper no other paper."""
FLOOR = {room: floor for floor, rooms in FLOORS.items() for room in rooms}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def room(module: str) -> str:
    """Return the room of a module; each paper is one of its own."""
    parts = module.split(".")[1:]
    return ".".join(parts[:2]) if parts[0] == "papers" else parts[0]


def name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(["semipriv", *(p for p in parts if p != "__init__")])


def test_no_import_runs_uphill() -> None:
    """So no room knows a paper by name, no paper another one, and there is no circle of rooms."""
    for path in FILES:
        own = room(name(path))
        for module in imports(path):
            other = room(module)
            assert other == own or FLOOR[other.partition(".")[0]] < FLOOR[own.partition(".")[0]], (
                f"{name(path)} imports {module}: {other} is not below {own}"
            )


def test_the_picture_shows_these_imports() -> None:
    rooms = house.rooms()
    assert house.floors(rooms) == {room if room != "papers" else house.PAPER: floor for room, floor in FLOOR.items()}
    remedy = "python -m semipriv.cli.reference.house docs/house.svg"
    assert (ROOT / "docs/house.svg").read_text() == house.picture(rooms), remedy


COMPUTING = {"learners", "regions", "studies", "stages", "mechanisms", "distributions"}


def test_plots_draw_tables() -> None:
    """A figure computes nothing but curves of formulas."""
    plots = [*PACKAGE.glob("papers/*/figures/**/[!_]*.py"), *(PACKAGE / "report/figures/plots").glob("[!_]*.py")]
    assert all([*paper.glob("figures/**/[!_]*.py")] for paper in PACKAGE.glob("papers/*/") if paper.name[0] != "_")
    for path in plots:
        rooms = {overlay.room_of(module).partition("/")[0] for module in imports(path)}
        assert not rooms & COMPUTING, f"{name(path)} computes"


def test_imports_name_their_module() -> None:
    """Imports of the package's face or relative ones would be invisible to fingerprints and floors."""
    for path in [*FILES, *sorted((ROOT / "scripts").glob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert all(alias.name != "semipriv" for alias in node.names), path
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

    from semipriv.report.ledger.claims import KINDS, claims

    found = claims()
    assert {c.kind for c in found.values()} == set(KINDS)
    assert all(c.statement for c in found.values())


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
        paper = PACKAGE / "papers" / papers[-1]
        if paper.is_dir():
            for folder, file in zip(folders, files, strict=True):
                assert (paper / folder / file.strip("`")).is_file()
            assert (ROOT / "tests/unit/papers" / papers[-1] / test.strip("`")).is_file()
    assert {path.name for path in (PACKAGE / "papers").iterdir() if (path / "claims.csv").is_file()} <= set(papers)
