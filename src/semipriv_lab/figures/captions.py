"""Captions of figures in the report: what is plotted, from which theorem or claims, with which constants."""

import ast
import re
from collections.abc import Iterable
from typing import Any

from semipriv.core import docstrings, fingerprint, registry
from semipriv.core.source import docstring, parsed
from semipriv.distributions.designs._inference import size_keys
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.figures.catalogue import Drawing
from semipriv_lab.ledger.claims import claims


def caption(drawing: Drawing, effort: float) -> str:
    """Return the caption of a figure in reStructuredText, from docstrings and from the configuration.

    For a figure of an experiment: the experiment's description, what is drawn, and the experiment's settings.  For a
    figure of a study: what is drawn, the study's claims, its description and its constants.  effort: factor of the
    trials of a study in this run.
    """
    documentation = docstrings.read(registry.documentation(drawing.room, drawing.name))
    drawn = ("What is drawn", [plain("\n\n".join(documentation.paragraphs))])
    if drawing.experiment is not None:
        about = [plain(drawing.experiment.description)]
        parts = [("", about), drawn, ("Settings", _items(_settings(drawing.experiment)))]
    else:
        assert drawing.study is not None
        known = claims()
        stated = _items((claim, f"{known[claim].statement} ({known[claim].kind})") for claim in drawing.study.claims)
        source = _source(drawing.study.module)
        helpers = sorted(name for name in _imports(source) if "._" in name)
        sources = [source, *map(_source, helpers)]
        constants = _items([*(pair for part in sources for pair in _constants(part)), ("effort", f"{effort:g}")])
        said = [plain(docstring(source))]
        parts = [drawn, ("Claims", stated), ("How they were measured", said), ("Constants", constants)]
    return "\n\n".join(_section(title, paragraphs) for title, paragraphs in parts if any(paragraphs))


def plain(text: str) -> str:
    r"""Return text without markup for reStructuredText: special characters are escaped, double backquotes removed.

    >>> print(plain("``n_public``: 2 * 3"))
    n\_public: 2 \* 3
    """
    return re.sub(r"([\\*|_`]|:(?=:))", r"\\\1", text.replace("``", "")).strip()


def _section(title: str, paragraphs: Iterable[str]) -> str:
    """Return paragraphs below a title in bold."""
    text = "\n\n".join(paragraphs)
    return f"**{title}**\n\n{text}" if title else text


def _items(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return ["\n".join(f"- {plain(key)}: {plain(value)}" for key, value in pairs)]


SETTINGS = ("class", "distribution", "table", *size_keys(), "sweep", "cases", "learners", "trials")
"""Keys of an experiment that a caption lists, in this order."""


def _settings(experiment: Experiment) -> list[tuple[str, str]]:
    specification = experiment.specification
    settings = [(key, _words(specification[key])) for key in SETTINGS if key in specification]
    return [*settings, ("beta", f"{experiment.beta:g}"), ("seed", str(experiment.seed))]


def _words(value: Any) -> str:
    """Return a value of a configuration as text; a plug-in as name (parameters)."""
    if isinstance(value, dict):
        rest = "; ".join(f"{key} {_words(item)}".strip() for key, item in value.items() if key != "name")
        return f"{value['name']}{f' ({rest})' if rest else ''}" if "name" in value else rest
    if isinstance(value, list | tuple):
        return ", ".join(f"[{_words(item)}]" if isinstance(item, list) else _words(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _source(name: str) -> ast.Module:
    """Return the source of a module of the package as a syntax tree, without importing it."""
    return parsed(fingerprint.source(name))


def _imports(source: ast.Module) -> set[str]:
    """Return the modules from which a module imports names."""
    return {node.module or "" for node in source.body if isinstance(node, ast.ImportFrom)}


def _constants(source: ast.Module) -> list[tuple[str, str]]:
    """Return the public constants of a module, as written: numbers, and lists and mappings of numbers."""
    constants = []
    for node in source.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and re.fullmatch("[A-Z][A-Z0-9_]*", target.id) and value is not None:
            numbers = not any(_is_no_number(inner) for inner in ast.walk(value))
            constants += [(target.id, ast.unparse(value))] if numbers else []
    return constants


def _is_no_number(node: ast.AST) -> bool:
    """Return whether an expression has a part that is neither a number nor a list or mapping of numbers."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, int | float)
    parts = (ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.USub, ast.BinOp, ast.operator, ast.Load)
    return not isinstance(node, parts)
