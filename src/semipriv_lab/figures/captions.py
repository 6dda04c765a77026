"""Captions of figures in the report: what is plotted, from which theorem or claims, with which constants."""

import re
from collections.abc import Iterable
from typing import Any

from semipriv.core import docstrings, fingerprint, overlay, registry
from semipriv.distributions.designs._inference import size_keys
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.figures.catalogue import Drawing
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.sizes import sizes
from semipriv_lab.ledger.studies import ROOM


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
        module = drawing.study.module
        imported = fingerprint.imports(fingerprint.source(module))
        helpers = sorted(name for name in imported if "._" in name and overlay.room_of(name) == ROOM)
        constants = [(name, str(value)) for part in (module, *helpers) for name, value in sizes(part).items()]
        parts = [drawn, ("Claims", stated), ("How they were measured", [plain(drawing.study.documentation)])]
        parts += [("Constants", _items([*constants, ("effort", f"{effort:g}")]))]
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
