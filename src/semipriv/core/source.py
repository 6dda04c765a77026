"""What the source of a module says of itself, read as text: nothing is imported."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

_COLLECTION = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_LITERAL = (ast.Constant, *_COLLECTION, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)


def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def of_module(name: str) -> ast.Module:
    """Return the syntax tree of a module, by its dotted name."""
    spec = find_spec(name)
    assert spec is not None, name
    assert spec.origin is not None, name
    return parsed(Path(spec.origin))


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """Return the docstring of a module, a class or a function; empty if it has none."""
    return ast.get_docstring(node) or ""


def constants(module: ast.Module) -> dict[str, Any]:
    r"""Return the constants of a module that are literals, or arithmetic of literals, by name.

    >>> constants(ast.parse("SECONDS = 20\nLEVELS = (1 / 20, 2)\nBOUND = 2 * SECONDS\nROWS, SHARE = 400, 0.3"))
    {'SECONDS': 20, 'LEVELS': (0.05, 2), 'ROWS': 400, 'SHARE': 0.3}
    """
    return {
        name: value
        for node in module.body
        if isinstance(node, ast.Assign) and all(isinstance(part, _LITERAL) for part in ast.walk(node.value))
        for name, value in _bound(node, eval(compile(ast.Expression(node.value), "<constant>", "eval")))
    }


def _bound(node: ast.Assign, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of an assignment with their values."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple):
            yield from (
                (element.id, part)
                for element, part in zip(target.elts, value, strict=True)
                if isinstance(element, ast.Name)
            )


def remarks(module: ast.Module) -> dict[str, str]:
    r"""Return what is said below constants of a module, by name.

    >>> remarks(ast.parse("A, B = 1, 2\n'''Two sizes.'''\nC = 3"))
    {'A': 'Two sizes.', 'B': 'Two sizes.'}
    """
    return {
        name.id: node.value.value
        for before, node in pairwise(module.body)
        if isinstance(before, ast.Assign) and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for target in before.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(node.value.value, str)
    }
