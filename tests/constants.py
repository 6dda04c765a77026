"""Numbers that modules name: sizes, levels, budgets, shares, windows, limits, and defaults of parameters and of fields.

They are decisions.  Of the studies they are set before a result is seen: what a study measures would change with them,
and its ledger would not say so.  Of the other modules they are limits of listing and of time, tolerances, defaults that
a user gets who says nothing, looks, and which way a function rounds.  ``tests/unit/studies/constants.json`` and
``tests/unit/constants.json`` hold them as they were when these were written, so that none changes by accident.
``python tests/constants.py`` writes the files anew: read the difference, a change is deliberate.  Where a result of a
study was seen before, the reason of its row says so.
"""

import ast
import inspect
import json
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import semipriv
import semipriv.studies

FILE = Path(__file__).parent / "unit" / "studies" / "constants.json"
ELSEWHERE = Path(__file__).parent / "unit" / "constants.json"


def constants() -> dict[str, dict[str, str]]:
    """Return by module of the studies the values of its names that hold numbers, defaults, and numbers in functions."""
    found = {}
    for info in pkgutil.walk_packages(semipriv.studies.__path__, "semipriv.studies."):
        if not info.ispkg:
            module = import_module(info.name)
            source = inspect.getsource(module)
            own = _of(module) | _defaults(source) | _within(source) | _seeds(source)
            found[info.name.removeprefix("semipriv.studies.")] = own
    return {name: values for name, values in found.items() if values}


def elsewhere() -> dict[str, dict[str, str]]:
    """Return by module outside the studies what its names that hold numbers are, as written, and defaults."""
    root = Path(semipriv.__file__).parent
    found = {}
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root)
        if path.parts[0] != "studies":
            source = file.read_text(encoding="utf-8")
            named = {name: ast.unparse(node.value) for node, names in _named(source) for name in sorted(names)}
            found[".".join(path.with_suffix("").parts)] = named | _defaults(source) | _roundings(source)
    return {name: values for name, values in found.items() if values}


def _of(module: ModuleType) -> dict[str, str]:
    """Return the constants of a module that hold numbers; as written where a value is not told by its ``repr``.

    Not SECONDS, an estimate of running times.
    """
    found = {}
    for node, names in _named(inspect.getsource(module)):
        for name in sorted(names - {"SECONDS"}):
            value = repr(getattr(module, name))
            found[name] = ast.unparse(node.value) if " at 0x" in value or "..." in value else value
    return found


def _named(source: str) -> Iterator[tuple[ast.Assign | ast.AnnAssign, set[str]]]:
    """Yield what a module assigns to names of its own, where numbers occur in it."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _numbers(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield node, {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _defaults(source: str) -> dict[str, str]:
    """Return as written the defaults of parameters and of fields where numbers occur, how classes are decorated, and
    how many zips may be of sequences of different lengths, and may not.
    """
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "strict":
            told = f"zip(strict={ast.unparse(node.value)})"
            found[told] = str(int(found.get(told, 0)) + 1)
        if isinstance(node, ast.FunctionDef):
            given = node.args
            plain = [*given.posonlyargs, *given.args]
            pairs = [*zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True)]
            pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
            for name, default in pairs:
                if default is not None and _numbers(default):
                    found[f"{node.name}({name.arg})"] = ast.unparse(default)
        if isinstance(node, ast.ClassDef):
            for one in node.decorator_list:
                if _numbers(one):
                    found[f"@{node.name}"] = ast.unparse(one)
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and field.value is not None and _numbers(field.value):
                    found[f"{node.name}.{ast.unparse(field.target)}"] = ast.unparse(field.value)
    return found


def _within(source: str) -> dict[str, str]:
    """Return the numbers in each function of a study: not 0, 1 and 2 without a point, which count and halve."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            numbers = [
                one.value
                for line in node.body
                for one in ast.walk(line)
                if isinstance(one, ast.Constant) and type(one.value) in (int, float) and repr(one.value) not in "012"
            ]
            if numbers:
                found[f"{node.name}()"] = ", ".join(map(repr, numbers))
    return found


def _seeds(source: str) -> dict[str, str]:
    """Return the fixed seeds of a study, which are data that it measures on: in each function, as written."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            calls = [ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Call)]
            seeds = [call for call in calls if call.startswith("np.random.default_rng(")]
            if seeds:
                found[f"seeds of {node.name}()"] = ", ".join(seeds)
    return found


def _roundings(source: str) -> dict[str, str]:
    """Return which way each function of a module rounds, in order: a cost that is rounded down is too small."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            inside = [*ast.walk(node)]
            ways = [one.attr for one in inside if isinstance(one, ast.Attribute) and one.attr in ("up", "down")]
            names = [one.id for one in inside if isinstance(one, ast.Name)]
            ways += [name for name in names if name in ("rounded_up", "rounded_down")]
            if ways:
                name = f"roundings of {node.name}()"
                found[name] = ", ".join([*filter(None, [found.get(name)]), *ways])
    return found


def _numbers(value: ast.AST) -> bool:
    return any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in ast.walk(value))


def main() -> None:
    """Write the files."""
    FILE.write_text(json.dumps(constants(), indent=0) + "\n")
    ELSEWHERE.write_text(json.dumps(elsewhere(), indent=0) + "\n")


if __name__ == "__main__":
    main()
