"""The house: imports run downhill, scripts stay thin."""

import ast
from pathlib import Path

import pytest
from runs import ROOT

from semipriv.core.fingerprint import imports

PACKAGE = ROOT / "src/semipriv"
FLOORS = {
    1: {
        "randomness",
        "statistics",
        "samples",
        "entries",
        "tables",
        "checks",
        "fields",
        "roles",
        "overlay",
        "registry",
        "docstrings",
        "fingerprint",
        "files",
        "progress",
        "papers",
        "pages",
        "markdown",
        "arrays",
        "sharing",
        "rounding",
        "rows",
        "kernels",
        "machine",
        "losses",
        "functions",
        "deviation",
    },
    2: {"geometry", "sampling", "privacy", "bounds"},
    3: {"mechanisms", "classes", "regressors", "ledger", "budget"},
    4: {"distributions", "oracles", "regions"},
    5: {"designs", "stages", "outputs", "queries", "semisupervised", "perturbation", "measures"},
    6: {"learners"},
    7: {"audit", "experiments", "planner", "estimators", "practice"},
    8: {"studies", "rules"},
    9: {"figures", "laws"},
    10: {"cli", "reference", "__main__"},
}
FLOOR = {room: floor for floor, rooms in FLOORS.items() for room in rooms}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room(module: str) -> str:
    return module.split(".")[1]


def name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(["semipriv", *(p for p in parts if p != "__init__")])


def test_no_import_runs_uphill() -> None:
    for path in FILES:
        own = room(name(path))
        assert own in FLOOR, f"{own} stands on no floor"
        for module in imports(path):
            assert FLOOR[room(module)] <= FLOOR[own], f"{name(path)} imports {module} from above"
            if FLOOR[room(module)] == FLOOR[own] and room(module) != own:
                assert FLOOR[own] in (1, 5, 7, 8, 10), f"{name(path)} imports {module} beside it"


COMPUTING = ("learners", "regions", "studies", "stages", "mechanisms", "distributions")


def test_plots_draw_tables() -> None:
    """A figure computes nothing but curves of formulas."""
    plots = sorted((PACKAGE / "figures/plots").rglob("[!_]*.py"))
    found = {path.stem: {module for module in imports(path) if room(module) in COMPUTING} for path in plots}
    assert {figure: modules for figure, modules in found.items() if modules} == {}


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
