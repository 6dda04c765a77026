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

    >>> constants(ast.parse("SECONDS = 20\nSIZES = (1, 2)\nBOUND = 2 * SECONDS\nROWS, SHARE = 400, 0.3"))
    {'SECONDS': 20, 'SIZES': (1, 2), 'ROWS': 400, 'SHARE': 0.3}
    """
    literals: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            with suppress(ValueError):
                value = ast.literal_eval(node.value)
                match node.targets[0]:
                    case ast.Name(id=name):
                        literals[name] = value
                    case ast.Tuple(elts=names) if isinstance(value, tuple) and len(names) == len(value):
                        pairs = zip(names, value, strict=True)
                        literals |= {one.id: part for one, part in pairs if isinstance(one, ast.Name)}
    return literals
