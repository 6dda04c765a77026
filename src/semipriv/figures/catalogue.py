"""The figures of a run: which there are, and what each is drawn from.  Nothing is drawn or imported here."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from semipriv import registry
from semipriv.experiments.config import Experiment
from semipriv.experiments.loading import Run

STUDY_FIGURES = {
    "bad_event": "abm19_bad_event",
    "public_points": "abm19_public_need",
    "private_need": "abm19_private_need",
    "proven_sizes": "abm19_learning",
    "reduction": "abm19_reduction",
    "lower_bound": "abm19_lower_bound",
    "mixture_gap": "bmn20_geometry",
    "mixture_rates": "bmn20_rates",
    "mixture_dimension": "bmn20_dimension",
    "mixture_separation": "bmn20_separation",
    "mixture_relaxations": "bmn20_relaxations",
    "mixture_subsample": "bmn20_subsample",
}
"""The study whose measurements a figure of the ledger shows; the figure's module has the figure's name."""


@dataclass(frozen=True)
class Drawing:
    """One figure: the module that draws it with its options, and the tables that it reads, by name.

    paper: the paper that it is about, if any.  experiment: the one that it shows; None for a figure of the ledger.
    """

    name: str
    paper: str | None
    inputs: dict[str, str | list[str]]
    options: dict[str, Any] = field(default_factory=dict)
    experiment: Experiment | None = None

    @property
    def module(self) -> str:
        """Module of the package that draws it."""
        return registry.module("figures", self.name)

    @property
    def specification(self) -> str:
        """Name and options as JSON."""
        return json.dumps({"name": self.name, **self.options}, sort_keys=True)


def drawings(run: Run, studies: Sequence[str]) -> dict[str, Drawing]:
    """The figures of a run's experiments and of the given studies, by the stem of their files."""
    found = {
        f"{name}__{figure['name']}": Drawing(
            figure["name"],
            experiment.paper,
            _tables(run, experiment),
            {key: value for key, value in figure.items() if key != "name"},
            experiment,
        )
        for name, experiment in run.experiments.items()
        for figure in experiment.figures
    }
    for name, study in STUDY_FIGURES.items():
        if study in studies:
            measurements = f"{run.results}/claims/{study}.measurements.parquet"
            found[name] = Drawing(name, study.partition("_")[0].upper(), {"measurements": measurements})
    return found


def _tables(run: Run, experiment: Experiment) -> dict[str, str | list[str]]:
    """The gathered tables of an experiment; of a real table also the public parts, and a held-out one."""
    folder = f"{run.results}/{experiment.name}"
    found: dict[str, str | list[str]] = {name: f"{folder}/{name}.parquet" for name in ("summary", "slopes", "trials")}
    if experiment.kind == "table":
        splits = f"{run.splits}/{experiment.name}"
        found["public"] = [f"{splits}/{block}/public.parquet" for block in range(experiment.number_of_blocks)]
        found["held"] = f"{splits}/0/held.parquet"
    return found
