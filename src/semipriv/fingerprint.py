"""Fingerprints of code: which modules of the package a script or module uses, and a hash of their sources.

Snakemake reruns a rule if its script changes, but not if an imported module changes.  The fingerprint of the modules is
a parameter of the rule: if a module changes, the parameter changes, and the rule runs again.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from semipriv import overlay

_ROOT = Path(__file__).parent


def _path(module: str) -> Path | None:
    """Return the source file of a module of the package or of a plug-in folder; None if there is no such module."""
    parts = module.split(".")[1:]
    base = _ROOT.joinpath(*parts)
    if base.with_suffix(".py").is_file():
        return base.with_suffix(".py")
    return base / "__init__.py" if parts and (base / "__init__.py").is_file() else overlay.source(module)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a module, and those inside of them: expressions, which are most nodes, hold none."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo.extend(getattr(node, part, ()))


def _package(path: Path, level: int) -> str:
    """Return the package that a relative import in a file of a plug-in folder starts from; "" for an absolute one."""
    if level == 0:
        return ""
    inside = next((path.relative_to(folder) for folder in overlay.folders() if path.is_relative_to(folder)), None)
    return "" if inside is None else ".".join(["semipriv", *inside.parts[:-level]])


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules of the package that a source file imports itself, at its top or inside a function."""
    found: set[str] = set()
    for node in _statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [_package(path, node.level), node.module]))
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return frozenset(m for m in found if m.startswith("semipriv.") and _path(m) is not None)


def closure(sources: Iterable[Path | str]) -> frozenset[str]:
    """Return all modules of the package that the given files or modules import, directly or indirectly.

    sources: files, or modules by dotted name.  Raise ValueError for a name that is no module of the package.
    """
    reached: set[str] = set()
    todo: list[str] = []
    for source in sources:
        if isinstance(source, Path):
            todo.extend(imports(source) if source.suffix == ".py" else ())
        else:
            todo.append(source)
    while todo:
        module = todo.pop()
        if module in reached:
            continue
        path = _path(module)
        if path is None:
            raise ValueError(f"{module}: is not a module of the package")
        reached.add(module)
        todo.extend(imports(path))
    return frozenset(reached)


def fingerprint(sources: Iterable[Path | str]) -> str:
    """Return a hash of the given data files and of the sources of all modules that ``closure`` returns.

    It changes if one of them changes.
    """
    sources = list(sources)
    digest = hashlib.sha256()
    for data in (s for s in sources if isinstance(s, Path) and s.suffix != ".py"):
        digest.update(f"{data.name}\0".encode() + data.read_bytes() + b"\0")
    for module in sorted(closure(sources)):
        path = _path(module)
        assert path is not None
        digest.update(f"{module}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
