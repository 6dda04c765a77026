"""Docstrings of the public face: sections that tools read, with all that a signature and a body promise."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import Enum
from typing import Any

import griffe
import pytest

import semipriv
from semipriv.core import docstrings, registry, rooms
from semipriv_lab.experiments.papers import titles


def definitions(found: type, name: str) -> list[Any]:
    """The functions that define a public method in the package, the nearest first; none for what is no method."""
    raw = [vars(base)[name] for base in found.__mro__ if name in vars(base)]
    functions = [getattr(one, "__func__", one) for one in raw]
    own = [one for one in functions if str(getattr(one, "__module__", "")).startswith("semipriv")]
    return own if own and inspect.isfunction(own[0]) else []


def titled(found: Any, title: str) -> tuple[str, ...]:
    return docstrings.read(found.__doc__ or "").sections.get(title, ())


def raised(function: Any) -> set[str]:
    """Names of the errors that the body of a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raising = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return {exc.func.id for exc in raising if isinstance(exc, ast.Call) and isinstance(exc.func, ast.Name)}


def not_named(function: Any, where: Any) -> Iterator[str]:
    for error in raised(function) - docstrings.items(titled(where, "Raises")).keys():
        yield f"raises {error} without a word"


def malformed(found: Any, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Problems of sections by themselves: none is empty, griffe reads all of them, doctests are examples."""
    read = docstrings.read(found.__doc__ or "")
    if not read.paragraphs[0]:
        yield "says nothing first"
        return
    yield from (f"{title} is empty" for title, lines in read.sections.items() if not any(lines))
    for title in ("Args", "Raises"):
        lines = [line for line in read.sections.get(title, ()) if not line.startswith(" ")]
        if len(docstrings.items(tuple(lines))) != len(lines):
            yield f"{title} has an item twice, or one without a name"
    if any(">>>" in paragraph for paragraph in read.paragraphs):
        yield "has doctests outside Examples"
    if list(read.sections) != [title for title in docstrings.TITLES if title in read.sections]:
        yield f"has sections in another order: {list(read.sections)}"
    known = [griffe.Parameter(name, annotation="Any") for name in inspect.signature(found).parameters]
    parent = griffe.Function("found", parameters=griffe.Parameters(*known), returns="Any")
    caplog.clear()
    parsed = griffe.parse_google(griffe.Docstring(inspect.cleandoc(found.__doc__ or ""), parent=parent))
    yield from (record.getMessage() for record in caplog.records)
    if sum(section.kind is not griffe.DocstringSectionKind.text for section in parsed) != len(read.sections):
        yield f"is read otherwise by griffe: {[section.title or section.kind.value for section in parsed]}"


def unsaid(functions: list[Any]) -> Iterator[str]:
    """Problems of a method, or of a function, whose definitions are given, the nearest first."""
    signature = inspect.signature(functions[0])
    known = {name for one in functions for name in docstrings.parameters(one.__doc__ or "")}
    for name in signature.parameters.keys() - known - {"self", "cls"}:
        yield f"says nothing of {name}"
    silent = signature.return_annotation in (None, "None", inspect.Signature.empty)
    if not silent and not any(titled(one, title) for one in functions for title in ("Returns", "Yields")):
        yield "does not say what it returns"
    yield from not_named(functions[0], functions[0])


def unsaid_of_type(found: type) -> Iterator[str]:
    if not issubclass(found, Enum):
        for name in inspect.signature(found).parameters.keys() - docstrings.parameters_of(found).keys():
            yield f"says nothing of {name}"
    for function in (vars(found).get("__init__"), vars(found).get("__attrs_post_init__")):
        if function is not None and not function.__code__.co_filename.startswith("<"):  # not made by a decorator
            yield from not_named(function, found)
    said = f"{found.__doc__} {inspect.getmodule(found).__doc__}"
    if any(paper in said for paper in titles()) and not any(titled(base, "Source") for base in found.__mro__):
        yield "has no Source"


def test_the_face_has_sections(caplog: pytest.LogCaptureFixture) -> None:
    face = [getattr(semipriv, name) for name in dir(semipriv) if not name.startswith("_")]
    problems = {}
    for found in face:
        where = f"{found.__module__}: {found.__qualname__}"
        named = unsaid_of_type(found) if inspect.isclass(found) else unsaid([found])
        problems[where] = [*malformed(found, caplog), *named]
    for found in filter(inspect.isclass, face):
        for name in (name for name in dir(found) if not name.startswith("_")):
            functions = definitions(found, name)
            if functions and (where := f"{functions[0].__module__}: {functions[0].__qualname__}") not in problems:
                problems[where] = [*malformed(functions[0], caplog), *unsaid(functions)]
    assert len(problems) > 250
    assert not [f"{where} {problem}" for where, several in problems.items() for problem in several]


@pytest.mark.parametrize("room", [room.name for room in rooms.every() if room.key or room.name == "queries/sanitizers"])
def test_plug_ins_tell_the_meaning_of_their_parameters(room: str) -> None:
    for plugin in (registry.load(room, name) for name in registry.names(room)):
        assert docstrings.parameters_of(plugin).keys() == inspect.signature(plugin).parameters.keys(), plugin
