"""Print the tests of the rooms that changed, for ``make check``: arguments of pytest, one a line; none if nothing did.

Changed is what differs from the last commit that the branch shares with the main branch, and what git does not know
yet.  A changed module stands for the tests of its room, its own doctests and the property tests of its folder.  Those
of one learner are a small part of all: ``--learners`` prints the learners that changed, for ``semipriv check``.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
PROPERTIES = {
    "audit/properties": ("test_draws", "test_same_coins"),
    "classes": ("test_classes", "test_draws", "test_learners"),
    "distributions": ("test_distributions",),
    "geometry": ("test_classes", "test_distributions"),
    "learners": ("test_learners", "test_same_coins"),
    "learners/outputs": ("test_learners",),
    "learners/stages": ("test_learners", "test_same_coins"),
    "mechanisms": ("test_learners",),
    "mechanisms/sampling": ("test_draws", "test_learners"),
}
"""Folders whose modules must have properties."""
TOOLS = ("test_draws", "test_learners")
"""Properties of the tools of a paper."""
GATES = "tests/lab/papers/test_gates.py"
"""Properties of every study."""
REFERENCE = "tests/lab/experiments/test_reading.py"
"""What is told of plug-ins, and of their defaults, in the reference of configurations."""
AWAY = {
    "drawing": "tests/lab/figures",
    "figures": "tests/lab/figures",
    "settings": "tests/lab/experiments",
    "controls": "tests/lab/audit",
}
"""Rooms whose tests stand in those of another."""
NAMED = ("classes", "distributions", "learners", "measures", "queries")
"""Folders whose modules configurations name."""
HOUSE = "tests/workflow/test_house.py"
PARTS = {"semipriv": "unit", "semipriv_lab": "lab"}
"""The tests of the library, and those of the laboratory and of what of the library is tested with its tools."""
MANY = 4
"""What more tests of other rooms import is a tool of theirs: the tests of its own room test it."""


def tests_of(path: str) -> list[str]:
    """Return the tests of a file of the checkout, whether or not they exist; [] if only ``make test`` tests it."""
    parts = PurePosixPath(path).parts
    match parts:
        case ("tests", "oracles", *_):
            return ["tests/unit/privacy/test_other_libraries.py"]
        case ("src", "semipriv", "audit", "properties", "class_cases", *_):
            return [HOUSE, "src/semipriv/audit/properties/test_classes.py"]
        case ("src", "semipriv", "audit", "properties", name) if name.startswith("test_"):
            return [HOUSE, path]
        case ("tests", *_) if parts[-1].startswith("test_"):
            return [path]
        case ("src", "semipriv_lab", "papers", paper, "studies", name):
            return [HOUSE, path, *of_a_study(paper, Path(name).stem)]
        case ("src", "semipriv_lab", "papers", _, "claims.csv" | "studies.csv"):
            return [HOUSE, "tests/lab/ledger"]
        case ("src", "semipriv_lab", "papers", _, ("figures" | "controls") as room, *_):
            return [HOUSE, path, AWAY[room]]
        case ("src", "semipriv", "core", name):
            own = [f"tests/{part}/core/test_{Path(name).stem}.py" for part in PARTS.values()]
            return [HOUSE, path, *own, *elsewhere(PurePosixPath(path).with_suffix(""))]
        case ("src", package, *inside, _) if inside:
            held = properties_of("/".join(inside)) if package == "semipriv" and not is_learner(path) else ()
            modules = [f"src/semipriv/audit/properties/{module}.py" for module in held] + [REFERENCE] * (
                inside[0] in NAMED
            )
            around = [AWAY[inside[0]]] if inside[0] in AWAY else beside(package, inside)
            return [HOUSE, path, *around, *modules, *elsewhere(PurePosixPath(path).with_suffix(""))]
        case ("benchmarks", *_):
            return ["tests/benchmarks"]
        case ("config", *_):
            return ["tests/lab/experiments"]
        case _:
            return []


def of_a_study(paper: str, name: str) -> list[str]:
    """Return the tests of a module of studies; of one that several studies share, the tests of all."""
    folder, named = f"tests/lab/papers/{paper}/studies", naming(paper, name)
    if name.startswith("_"):
        return [GATES, folder, *sorted(named)]
    own = {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(f"*{name}*.py")}
    return [f"{GATES}::test_properties_of_a_study[{paper}_{name}]", *(sorted(own | named) or [folder])]


def beside(package: str, inside: Sequence[str]) -> list[str]:
    """Return the folders of tests that stand where a folder of a package does, or else the nearest of its own part."""
    folders = [f"tests/{part}/{'/'.join(inside)}" for part in PARTS.values()]
    around = [f"tests/{PARTS[package]}/{'/'.join(inside[:depth])}" for depth in range(len(inside) - 1, 0, -1)]
    is_there = [folder for folder in folders if (ROOT / folder).is_dir()]
    return is_there or [folder for folder in around if (ROOT / folder).is_dir()][:1]


def properties_of(folder: str) -> tuple[str, ...]:
    """Return the properties of a folder of the package, or of the nearest one around it that has some.

    A folder of a paper has those of the room of its name; tools of a paper have ``TOOLS``.
    """
    if not folder.startswith("papers/"):
        around_it = [known for known in PROPERTIES if f"{folder}/".startswith(f"{known}/")]
        return PROPERTIES[max(around_it)] if around_it else ()
    room = "".join(folder.split("/")[2:3])
    return () if room == "bounds" else PROPERTIES.get(room, PROPERTIES.get(f"learners/{room}", TOOLS))


def is_learner(path: str) -> bool:
    """Return whether a file is a learner, which ``semipriv check`` holds to its properties by itself."""
    match PurePosixPath(path).parts:
        case ("src", "semipriv", *_, "learners", name):
            return name.endswith(".py") and not name.startswith("_") and name != "base.py"
    return False


def naming(paper: str, study: str) -> set[str]:
    """Return the test files that import a module of studies; those of the reduction are with its learner."""
    word = re.compile(rf"semipriv_lab\.papers\.{paper}\.studies(\.| import .*\b){study}\b")
    return {file for file, text in texts().items() if study in text and word.search(text)}


def elsewhere(module: PurePosixPath) -> list[str]:
    """Return the tests of other rooms that import a module, or use the command of its name; none if they are many."""
    *above, name = module.parts[1:]
    room, imported = above[1], re.compile(rf"{re.escape('.'.join(above))}(\.| import .*\b){name}\b")
    tests = []
    for file, text in texts().items():
        command = room == "cli" and "semipriv.cli" in text and f'"{name}"' in text
        if (
            name in text
            and (command or imported.search(text))
            and PurePosixPath(file).parts[2:-1] != module.parts[2:-1]
        ):
            tests.append(file)
    return tests if len(tests) <= MANY else []


@cache
def texts() -> dict[str, str]:
    """Return the tests of the package, by path."""
    files = sorted(file for part in PARTS.values() for file in (ROOT / "tests" / part).rglob("test_*.py"))
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def selected(paths: Iterable[str]) -> list[str]:
    """Return the tests of files, of which some may be gone, each once and none inside another."""
    tests = {test for path in paths for test in tests_of(path) if (ROOT / path).exists() or file_of(test) == test}
    tests = {test for test in tests if (ROOT / test).is_dir() or (ROOT / file_of(test)).is_file()}
    tests = {test for test in tests if (ROOT / test).is_dir() or file_of(test).endswith(".py")}
    return sorted(test for test in tests if not tests & around(test))


def file_of(test: str) -> str:
    """Return the file of a test, which may be one of its file: ``file::name``."""
    return test.partition("::")[0]


def around(test: str) -> set[str]:
    """Return the folders, and of a single test the file, in which it is."""
    file = file_of(test)
    return {*map(str, PurePosixPath(file).parents), *([file] if file != test else [])}


def git(*words: str) -> list[str]:
    """Return the lines that a command of git prints; [] if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed() -> list[str]:
    """Return the changed files of the checkout."""
    main = next((name for name in ("origin/main", "main") if git("rev-parse", "--verify", "--quiet", name)), "HEAD")
    base = (git("merge-base", "HEAD", main) or ["HEAD"])[0]
    return [*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")]


if __name__ == "__main__":
    if "--learners" in sys.argv:
        selection = [path for path in changed() if is_learner(path) and (ROOT / path).exists()]
    else:
        selection = selected(changed())
    print(*selection, sep="\n", end="\n" * bool(selection))
