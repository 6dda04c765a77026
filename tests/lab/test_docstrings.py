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


def definitions(owner: type, name: str) -> list[Any]:
    """The functions that define a public method in the package, the nearest first; none for what is no method."""
    raw = [vars(base)[name] for base in owner.__mro__ if name in vars(base)]
    functions = [getattr(function, "__func__", function) for function in raw]
    own = [function for function in functions if str(getattr(function, "__module__", "")).startswith("semipriv")]
    return own if own and inspect.isfunction(own[0]) else []


def titled(documented: Any, title: str) -> tuple[str, ...]:
    return docstrings.read(documented.__doc__ or "").sections.get(title, ())


def raised(function: Any) -> set[str]:
    """Names of the errors that the body of a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raising = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return {exc.func.id for exc in raising if isinstance(exc, ast.Call) and isinstance(exc.func, ast.Name)}


def not_named(function: Any, place: Any) -> Iterator[str]:
    for error in raised(function) - docstrings.items(titled(place, "Raises")).keys():
        yield f"raises {error} without a word"


def malformed(documented: Any, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Problems of sections by themselves: none is empty, griffe reads all of them, doctests are examples."""
    read = docstrings.read(documented.__doc__ or "")
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
    known = [griffe.Parameter(name, annotation="Any") for name in inspect.signature(documented).parameters]
    parent = griffe.Function("found", parameters=griffe.Parameters(*known), returns="Any")
    caplog.clear()
    parsed = griffe.parse_google(griffe.Docstring(inspect.cleandoc(documented.__doc__ or ""), parent=parent))
    yield from (record.getMessage() for record in caplog.records)
    if sum(section.kind is not griffe.DocstringSectionKind.text for section in parsed) != len(read.sections):
        yield f"is read otherwise by griffe: {[section.title or section.kind.value for section in parsed]}"


def unsaid(functions: list[Any]) -> Iterator[str]:
    """Problems of a method, or of a function, whose definitions are given, the nearest first."""
    signature = inspect.signature(functions[0])
    known = {name for function in functions for name in docstrings.parameters(function.__doc__ or "")}
    for name in signature.parameters.keys() - known - {"self", "cls"}:
        yield f"says nothing of {name}"
    silent = signature.return_annotation in (None, "None", inspect.Signature.empty)
    if not silent and not any(titled(function, title) for function in functions for title in ("Returns", "Yields")):
        yield "does not say what it returns"
    yield from not_named(functions[0], functions[0])


def unsaid_of_type(documented: type) -> Iterator[str]:
    if not issubclass(documented, Enum):
        for name in inspect.signature(documented).parameters.keys() - docstrings.parameters_of(documented).keys():
            yield f"says nothing of {name}"
    for function in (vars(documented).get("__init__"), vars(documented).get("__attrs_post_init__")):
        if function is not None and not function.__code__.co_filename.startswith("<"):  # not made by a decorator
            yield from not_named(function, documented)
    text = f"{documented.__doc__} {inspect.getmodule(documented).__doc__}"
    if any(paper in text for paper in titles()) and not any(titled(base, "Source") for base in documented.__mro__):
        yield "has no Source"


def test_the_face_has_sections(caplog: pytest.LogCaptureFixture) -> None:
    face = [getattr(semipriv, name) for name in dir(semipriv) if not name.startswith("_")]
    problems = {}
    for documented in face:
        place = f"{documented.__module__}: {documented.__qualname__}"
        named = unsaid_of_type(documented) if inspect.isclass(documented) else unsaid([documented])
        problems[place] = [*malformed(documented, caplog), *named]
    for documented in filter(inspect.isclass, face):
        for name in (name for name in dir(documented) if not name.startswith("_")):
            functions = definitions(documented, name)
            if functions and (place := f"{functions[0].__module__}: {functions[0].__qualname__}") not in problems:
                problems[place] = [*malformed(functions[0], caplog), *unsaid(functions)]
    assert len(problems) > 250
    assert not [f"{place} {problem}" for place, several in problems.items() for problem in several]


@pytest.mark.parametrize("room", [room.name for room in rooms.every() if room.key or room.name == "queries/sanitizers"])
def test_plug_ins_tell_the_meaning_of_their_parameters(room: str) -> None:
    for plugin in (registry.load(room, name) for name in registry.names(room)):
        assert docstrings.parameters_of(plugin).keys() == inspect.signature(plugin).parameters.keys(), plugin
