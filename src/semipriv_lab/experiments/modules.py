"""The modules of the package that an experiment uses by name, on which the fingerprints of its jobs rest."""

from collections.abc import Collection, Mapping
from typing import Any

from semipriv.core import registry, rooms
from semipriv_lab.experiments.config import Experiment


def modules(experiment: Experiment, kinds: Collection[str]) -> list[str]:
    """Return the modules of the design of each cell, and of the plug-ins of the given kinds, in alphabetical order.

    kinds: of ``"classes"``, ``"distributions"``, ``"learners"``, ``"measures"`` and ``"outputs"``; the last are all
    modules that restore outputs from disk.
    """
    names = set(output_modules()) if "outputs" in kinds else set()
    if "measures" in kinds:
        names.update(type(measure).__module__ for measure in experiment.measures.values())
    for cell in experiment.cells:
        names.add(type(cell.design).__module__)
        if "classes" in kinds:
            names.add(_named("class", cell.settings["class"]))
        if "learners" in kinds:
            names.update(module for learner in cell.learners.values() for module in registry.modules(learner))
        if "distributions" in kinds:
            parts = cell.settings.get("distribution") or {}
            names.update(_named(f"distribution.{key}", part) for key, part in parts.items() if part)
    return sorted(names)


def output_modules() -> list[str]:
    """Return the modules that restore outputs from disk."""
    return [registry.module("outputs", kind) for kind in registry.names("outputs")]


def _named(key: str, part: Mapping[str, Any]) -> str:
    """Return the module of the plug-in that a key of an experiment names."""
    return registry.module(registry.room_of(rooms.of(key), part["name"]), part["name"])
