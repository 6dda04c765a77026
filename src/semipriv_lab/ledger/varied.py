r"""A claim at sizes of one's own: the constants of its study are replaced, and the study is carried out.

What is found is no part of the ledger, whose cells were fixed before they were measured.

>>> tree = ast.parse("ALPHA = 1 / 20\nSIZES = (100, 200)\nTITLE = 'a title'")
>>> {name: one.value for name, one in numbers(tree).items()}
{'ALPHA': 0.05, 'SIZES': (100, 200)}
>>> read("SIZES", "400", (100, 200))
(400,)
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from semipriv.core import source
from semipriv.core.fingerprint import source as file_of
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.ledger.studies import Study

__all__ = ["Number", "measured_at", "module_at", "numbers", "read", "sizes"]

NOT_SIZES = ("SECONDS",)
"""Constants of a study that are no sizes."""
_LITERAL = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Dict, ast.operator, ast.unaryop, ast.expr_context)


@dataclass(frozen=True)
class Number:
    """A constant that is a number, or a tuple or a dictionary of numbers, and what its docstring says."""

    value: Any
    about: str


def _is_numeric(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and _is_numeric(tuple(value)) and _is_numeric(tuple(value.values()))
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_numeric, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def numbers(tree: ast.Module) -> dict[str, Number]:
    """Return the constants of a module that are written out as numbers, in their order."""
    found: dict[str, Number] = {}
    for node, following in zip(tree.body, [*tree.body[1:], ast.Pass()], strict=True):
        if not isinstance(node, ast.Assign) or not all(isinstance(part, _LITERAL) for part in ast.walk(node.value)):
            continue
        value = eval(compile(ast.Expression(node.value), "<constant>", "eval"), {"__builtins__": {}})
        names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        if len(names) == len(node.targets) and _is_numeric(value):
            about = following.value if isinstance(following, ast.Expr) else None
            said = str(about.value) if isinstance(about, ast.Constant) else ""
            found.update((name, Number(value, said)) for name in names if name not in NOT_SIZES and name.isupper())
    return found


def _tree(study: Study) -> ast.Module:
    return source.parsed(file_of(study.module))


def sizes(study: Study) -> dict[str, Number]:
    """Return the constants of a study that can be set."""
    return numbers(_tree(study))


def read(name: str, text: str, given: Any) -> Any:
    """Return the value that a text gives to a constant; raise ValueError unless it is of the kind of its own value."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        value = None
    if isinstance(given, tuple) and not isinstance(value, tuple):
        value = (value,)
    if not _alike(value, given):
        raise ValueError(f"--set {name}={text}: must be written like {name}={_written(given)}")
    return value


def _alike(value: Any, given: Any) -> bool:
    """Return whether two values have the same kinds of numbers; an integer stands for a float."""
    if not _is_numeric(value) or isinstance(value, tuple | dict) != isinstance(given, tuple | dict):
        return False
    if isinstance(given, dict):
        return isinstance(value, dict) and _alike(tuple(value.values()), tuple(given.values()))
    if isinstance(given, tuple):
        return isinstance(value, tuple) and all(any(_alike(one, other) for other in given) for one in value)
    return isinstance(value, int) or isinstance(given, float)


def _written(value: Any) -> str:
    return ",".join(map(repr, value)) if isinstance(value, tuple) and len(value) > 1 else repr(value)


@contextmanager
def module_at(study: Study, values: Mapping[str, Any]) -> Iterator[ModuleType]:
    """Give the module of a study with other constants; what it computes from them follows.

    It is a file of its own for the time: compiled functions hold constants, and are kept by their file.
    """
    tree, left = _tree(study), dict(values)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in left:
            node.value = ast.parse(repr(left.pop(node.targets[0].id)), mode="eval").body
    before = sys.modules.get(study.module)
    with TemporaryDirectory() as folder:
        file = Path(folder, f"{study.name}.py")
        file.write_text(ast.unparse(tree), encoding="utf-8")
        spec = spec_from_file_location(study.module, file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[study.module] = module_from_spec(spec)  # its data classes look for it
        try:
            spec.loader.exec_module(module)
            yield module
        finally:
            del sys.modules[study.module]
            if before is not None:
                sys.modules[study.module] = before


def measured_at(study: Study, claim: str, values: Mapping[str, Any], seed: int, effort: float = 1.0) -> Finding:
    """Measure one claim of a study with other constants; with none it is what the ledger has.

    Raise ValueError if the study cannot be carried out with them.
    """
    randomness = Simulation(seed).spawn("study", study.id)
    try:
        with module_at(study, values) as module:
            (one,) = (found for found in vars(module).values() if isinstance(found, Claim) and found.id == claim)
            return one(Run(randomness, effort, constants=vars(module)))
    except (ValueError, ArithmeticError, LookupError, AssertionError) as error:
        if not values:
            raise
        raise ValueError(f"{claim} cannot be measured at these sizes: {error or type(error).__name__}") from error
