"""What the source of a module says of itself, read as text: nothing is imported."""

import ast
from contextlib import suppress
from pathlib import Path
from typing import Any


def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """Return the docstring of a module, a class or a function; empty if it has none."""
    return ast.get_docstring(node) or ""


def constants(module: ast.Module) -> dict[str, Any]:
    r"""Return the constants of a module that are literals, by name.

    >>> constants(ast.parse("SECONDS = 20\nSIZES = (1, 2)\nBOUND = 2 * SECONDS"))
    {'SECONDS': 20, 'SIZES': (1, 2)}
    """
    literals: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError):
                literals[node.targets[0].id] = ast.literal_eval(node.value)
    return literals
