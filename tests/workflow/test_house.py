"""The house: imports run downhill, scripts stay thin, environment and lock agree, nothing names a host."""

import ast
import re
from pathlib import Path

import pytest
import yaml
from runs import ROOT

from semipriv.fingerprint import imports

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


LOWEST = "tests/lowest/requirements.lock"
LOCKS = ["requirements.lock", "benchmarks/requirements.lock", "profiles/slurm/requirements.lock", LOWEST]


def lock(path: str = LOCKS[0]) -> dict[str, str]:
    """Versions of a lock that Python 3.11 gets."""
    found = {}
    for line in (ROOT / path).read_text().splitlines():
        match = re.match(r"([A-Za-z0-9_.-]+)==([^ ;\\]+)(?: ; (.*?))? ?\\?$", line)
        if match and "python_full_version >= '3.12'" not in (match[3] or ""):
            found[match[1]] = match[2]
    return found


@pytest.mark.parametrize("path", LOCKS)
def test_locks_pin_hashes_and_name_neither_host_nor_folder(path: str) -> None:
    text = (ROOT / path).read_text()
    assert not re.search(r"https?://|--index-url|--find-links|--extra-index|\s/\w", text)
    pinned = re.findall(r"^[A-Za-z0-9_.-]+==", text, flags=re.M)
    assert len(pinned) > 50
    for entry in re.split(r"\n(?=[A-Za-z0-9_.-]+==)", text)[1:]:
        assert "--hash=sha256:" in entry


def test_jobs_on_a_cluster_run_the_versions_of_the_lock() -> None:
    import tomllib

    main, cluster = lock(), lock("profiles/slurm/requirements.lock")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["project"]["dependencies"], *project["dependency-groups"]["slurm"]]
    assert {re.match(r"[A-Za-z0-9_.-]+", entry)[0].lower() for entry in needed} <= cluster.keys()
    plugins = {"snakemake-executor-plugin-slurm", "snakemake-executor-plugin-slurm-jobstep"}
    assert cluster.keys() - main.keys() == plugins, "nothing but the executor is added"
    assert {name: main[name] for name in cluster.keys() - plugins} == {
        name: version for name, version in cluster.items() if name not in plugins
    }


def test_conda_environment_is_in_step_with_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "envs/semipriv.yaml").read_text())
    versions = dict(re.fullmatch(r"(\S+) =(\S+)", entry).groups() for entry in environment["dependencies"])
    assert versions.pop("python") == "3.11"
    renamed = {"matplotlib-base": "matplotlib", "seaborn-base": "seaborn"}
    pinned = lock()
    for package, version in versions.items():
        assert pinned[renamed.get(package, package)] == version, package
    imported = {
        node.module.split(".")[0] if isinstance(node, ast.ImportFrom) else node.names[0].name.split(".")[0]
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    tables = yaml.safe_load((ROOT / "envs/tables.yaml").read_text())["dependencies"]
    assert set(tables) - set(environment["dependencies"]) == {f"statsmodels ={pinned['statsmodels']}"}
    distribution = {
        "sklearn": "scikit-learn",
        "yaml": "pyyaml",
        "seaborn": "seaborn-base",
        "matplotlib": "matplotlib-base",
    }
    needed = {distribution.get(module, module) for module in imported & {
        "numpy", "scipy", "pandas", "pyarrow", "seaborn", "matplotlib", "sklearn", "yaml", "attrs", "pydantic"
    }}  # fmt: skip
    assert needed <= versions.keys()


def test_lock_satisfies_the_package() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["develop"], *groups["tables"]]
    names = {re.match(r"[A-Za-z0-9_.-]+", entry)[0].replace("_", "-").lower() for entry in wanted}
    assert names <= lock().keys()
    assert set(project["project"]["optional-dependencies"]["check"]) <= set(groups["develop"])


def test_the_lowest_lock_has_the_versions_that_the_package_declares() -> None:
    """The tests of the oldest dependencies would say nothing of a bound below what they run with."""
    import tomllib

    lowest = lock(LOWEST)
    for entry in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]:
        name, _, bound = entry.partition(">=")
        assert f"{lowest[name]}.".startswith(f"{bound}."), f"{entry}: tested from {lowest[name]} on"
    (needed,) = re.findall(r'min_version\("(.*)"\)', (ROOT / "workflow/rules/common.smk").read_text())
    assert f"{lowest['snakemake']}.".startswith(f"{needed}.")


def test_claims_list_is_complete() -> None:

    from semipriv.ledger.claims import KINDS, claims

    found = claims()
    assert {c.kind for c in found.values()} == set(KINDS)
    assert all(c.statement for c in found.values())
