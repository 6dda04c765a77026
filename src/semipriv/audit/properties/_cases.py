"""Plug-ins that are held to properties, and what the cases of a property said of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semipriv.core import registry

PROPERTIES = {
    "classes": ("test_classes", "test_draws", "test_same_coins"),
    "learners": (
        "test_learners",
        "test_same_coins",
        "test_events_of_learners",
        "test_regression_learners",
        "test_multiclass_learners",
    ),
    "regressors": ("test_regressors",),
    "classifiers": ("test_multiclass_learners",),
    "mechanisms/selection": ("test_events_of_learners",),
    "distributions/marginals": ("test_distributions",),
    "distributions/labelings": ("test_distributions",),
    "distributions/shifts": ("test_distributions",),
    "distributions/statuses": ("test_distributions",),
    "distributions/responses": ("test_responses",),
}
"""Rooms that have properties, and the modules in which these are."""
WITHOUT_PROPERTIES = ("mechanisms/noise", "oracles", "queries/methods", "queries/sanitizers")
"""Other rooms of the library that plug-in folders may have: tests of its own hold what is in them."""


@dataclass(frozen=True)
class Plugin:
    """A plug-in file, with its room and its type."""

    path: Path
    room: str
    kind: Any

    @property
    def name(self) -> str:
        """Its name in configurations."""
        return self.path.stem

    @property
    def module(self) -> str:
        """The dotted name of its module."""
        return registry.module(self.room, self.name)

    def concerns(self, module: str, parameters: Mapping[str, Any]) -> bool:
        """Return whether a case of a property is about it."""
        values = parameters.values()
        return module in PROPERTIES[self.room] and any(
            (isinstance(value, str) and value == self.name) or self.module in registry.modules(value)
            for value in values
        )


@dataclass
class Property:
    """What the cases of one property said of one plug-in.

    left: cases that are still to be checked.  failures: the first counterexamples, by case.
    """

    plugin: Plugin
    name: str
    says: str
    left: int = 0
    cases: int = 0
    seconds: float = 0.0
    failed: int = 0
    failures: dict[str, str] = field(default_factory=dict)
