"""Numbers that the studies' modules name: sizes, levels, budgets, shares, windows, and tables of them.

They are set before a result is seen.  ``tests/unit/studies/constants.json`` holds them as they were when it was
written, so that none changes by accident: what a study measures would change, and its ledger would not say so.
``python tests/constants.py`` writes the file anew.  A difference is a change of what is measured: where a result was
seen before, the reason of its row says so.
"""

import ast
import inspect
import json
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import semipriv.studies

FILE = Path(__file__).parent / "unit" / "studies" / "constants.json"


def constants() -> dict[str, dict[str, str]]:
    """Return by module the values of its names that hold numbers."""
    found = {}
    for info in pkgutil.walk_packages(semipriv.studies.__path__, "semipriv.studies."):
        if not info.ispkg:
            found[info.name.removeprefix("semipriv.studies.")] = _of(import_module(info.name))
    return {name: values for name, values in found.items() if values}


def _of(module: ModuleType) -> dict[str, str]:
    """Return the constants of a module that hold numbers; as written where a value is not told by its ``repr``.

    Not SECONDS, an estimate of running times.
    """
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _numbers(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
            for name in sorted(names - {"SECONDS"}):
                value = repr(getattr(module, name))
                found[name] = ast.unparse(node.value) if " at 0x" in value or "..." in value else value
    return found


def _numbers(value: ast.AST) -> bool:
    return any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in ast.walk(value))


def main() -> None:
    """Write the file."""
    FILE.write_text(json.dumps(constants(), indent=0) + "\n")


if __name__ == "__main__":
    main()
