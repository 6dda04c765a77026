"""Fingerprints of code: which modules of the package a script or module uses, and a hash of their sources.

The same look at the sources tells which other packages they import.

Snakemake reruns a rule if its script changes, but not if an imported module changes.  The fingerprint of the modules is
a parameter of the rule: if a module changes, the parameter changes, and the rule runs again.
"""

import ast
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from semipriv.core import overlay


def _path(module: str) -> Path | None:
    """Return the source file of a module of the package or of a plug-in folder; None if there is no such module."""
    package, _, inside = module.partition(".")
    if package not in overlay.PACKAGES:
        return None
    return _inside(_below(overlay.PACKAGES[package], inside)) or overlay.source(module)


@cache
def _below(folder: Path, inside: str) -> Path:
    """Return the path of a module below the folder of its package, without suffix."""
    return folder.joinpath(*inside.split("."))


@cache
def _inside(base: Path) -> Path | None:
    """Return the file of a module or of a package with the given path without suffix; None if there is none."""
    places = (base.with_suffix(".py"), base / "__init__.py")
    return next((place for place in places if place.is_file()), None)


def source(module: str) -> Path:
    """Return the source file of a module; raise ValueError for a name that is not a module of the package."""
    path = _path(module)
    if path is None:
        raise ValueError(f"{module}: is not a module of the package")
    return path


def _statements(tree: ast.AST, optional: bool = True) -> Iterator[ast.AST]:
    """Yield the statements of a module, and those inside of them: expressions, which are most nodes, hold none.

    optional: whether those count that are for type checkers alone, or whose imports may fail.
    """
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        parts = ("body", "orelse", "finalbody", "handlers", "cases")
        for part in parts if optional or not _is_optional(node) else parts[1:]:
            todo.extend(getattr(node, part, ()))


def _is_optional(node: ast.AST) -> bool:
    """Return whether the body of a statement is for type checkers alone, or its imports may fail."""
    if isinstance(node, ast.Try):
        caught = [ast.unparse(handler.type) if handler.type else "Exception" for handler in node.handlers]
        return re.search(r"\b(ImportError|ModuleNotFoundError|Exception)\b", " ".join(caught)) is not None
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _package(path: Path, level: int) -> str:
    """Return the package that a relative import in a file of a plug-in folder starts from; "" for an absolute one."""
    if level == 0:
        return ""
    outside = any(path.is_relative_to(folder) for folder in overlay.folders())
    return ".".join(overlay.module_of(path).split(".")[:-level]) if outside else ""


def _named(statements: Iterable[ast.AST], path: Path) -> set[str]:
    """Return the dotted names that import statements of a file import, or may import: modules, and what is in them."""
    modules: set[str] = set()
    for node in statements:
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [_package(path, node.level), node.module]))
            modules.add(module)
            modules.update(f"{module}.{alias.name}" for alias in node.names)
    return modules


def _by_function(tree: ast.AST) -> set[str]:
    """Return the names that ``import_module`` is called with, where they are written out."""
    return {
        str(node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and "import_module" in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
        and isinstance(node.args[0], ast.Constant)
    }


def _built(tree: ast.AST) -> set[tuple[str, str]]:
    """Return room and name of the plug-ins that ``registry.build`` is called with, where both are written out."""
    plugins = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="registry"), attr="build"),
                args=[
                    ast.Constant(value=str(room)),
                    ast.Dict(keys=[ast.Constant(value="name"), *_], values=[ast.Constant(value=str(name)), *_]),
                ],
            ):
                plugins.add((room, name))
    return plugins


@cache
def _imports(path: Path) -> tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]:
    """Return what a source file imports itself, modules of the package and other packages, and plug-ins that it builds.

    Other packages are those that it runs with.
    """
    text = path.read_text()
    tree = ast.parse(text)
    modules = _named(_statements(tree), path)
    run = _named(_statements(tree, optional=False), path)
    if "import_module(" in text:
        run |= _by_function(tree)
    others = {name.partition(".")[0] for name in run} - {"", *overlay.PACKAGES, *sys.stdlib_module_names}
    inside = (m for m in modules if overlay.is_ours(m) and _path(m) is not None)
    built = _built(tree) if "registry.build(" in text else set()
    return frozenset(inside), frozenset(others), frozenset(built)


def imports(path: Path) -> frozenset[str]:
    """Return the modules of the package that a source file imports itself, at its top or inside a function."""
    return _imports(path)[0]


def _needs(path: Path) -> set[str]:
    """Return the modules of the package that a source file imports itself, and those of plug-ins that it builds."""
    modules = set(imports(path))
    for room, name in _imports(path)[2]:
        if name in (known := overlay.files(room)):
            modules.add(overlay.module_of(known[name]))
    return modules


def _around(module: str) -> set[str]:
    """Return the packages in which a module is: what they import, and declare, is run before it."""
    parts = module.split(".")
    return {name for i in range(1, len(parts)) if _path(name := ".".join(parts[:i])) is not None}


def closure(sources: Iterable[Path | str]) -> frozenset[str]:
    """Return all modules of the package that the given files or modules import, directly or indirectly.

    A plug-in that a module builds by a name that is written out counts as imported.

    sources: files, or modules by dotted name.  Raise ValueError for a name that is no module of the package.
    """
    reached: set[str] = set()
    todo: list[str] = []
    for start in sources:
        if isinstance(start, Path):
            todo.extend(_needs(start) if start.suffix == ".py" else ())
        else:
            todo.append(start)
    while todo:
        module = todo.pop()
        if module in reached:
            continue
        reached.add(module)
        todo.extend(_needs(source(module)))
        todo.extend(_around(module))
    return frozenset(reached)


def packages(sources: Iterable[Path | str]) -> dict[str, Path]:
    """Return the other packages that run with the given files or modules and all that ``closure`` returns.

    Each has a file that imports it.  The standard library does not count, nor do imports that are for type checkers
    alone or that may fail.
    """
    sources = list(sources)
    files = [start for start in sources if isinstance(start, Path) and start.suffix == ".py"]
    modules = sorted(closure(sources))
    files += map(source, modules)
    return {name: path for path in sorted(files, reverse=True) for name in _imports(path)[1]}


_SOURCES: dict[str, tuple[Path | str, ...]] = {}


def sources_of(value: str) -> tuple[Path | str, ...]:
    """Return the files and modules of which a fingerprint was computed in this process; () if it was not."""
    return _SOURCES.get(value, ())


def fingerprint(sources: Iterable[Path | str]) -> str:
    """Return a hash of the given data files and of the sources of all modules that ``closure`` returns.

    It changes if one of them changes.
    """
    sources = list(sources)
    digest = hashlib.sha256()
    for data in (s for s in sources if isinstance(s, Path) and s.suffix != ".py"):
        digest.update(f"{data.name}\0".encode() + data.read_bytes() + b"\0")
    for module in sorted(closure(sources)):
        digest.update(f"{module}\0".encode() + source(module).read_bytes() + b"\0")
    value = digest.hexdigest()[:16]
    _SOURCES[value] = tuple(sources)
    return value
