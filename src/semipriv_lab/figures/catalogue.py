"""The list of the figures of a run, each with the tables that it reads.  Nothing is drawn or imported here."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from semipriv.core import registry
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.loading import PLOTS, Run
from semipriv_lab.experiments.values import file_of
from semipriv_lab.ledger.studies import Study, studies


@dataclass(frozen=True)
class Drawing:
    """One figure: the module that draws it with its options, and the tables that it reads, by name.

    room: of its module.  paper: its paper, if it has one.  experiment or study: what it shows.
    """

    room: str
    name: str
    paper: str | None
    inputs: dict[str, str | list[str]]
    options: dict[str, Any] = field(default_factory=dict)
    experiment: Experiment | None = None
    study: Study | None = None

    @property
    def module(self) -> str:
        """Module of the package that draws the figure."""
        return registry.module(self.room, self.name)

    @property
    def seconds(self) -> float:
        """About how long it takes on one core to measure what the figure shows."""
        shown = self.study or self.experiment
        return 0.0 if shown is None else shown.seconds

    @property
    def specification(self) -> str:
        """Room, name and options of the figure as JSON."""
        return json.dumps({"room": self.room, "name": self.name, **self.options}, sort_keys=True)


def drawings(run: Run, measured: Sequence[str]) -> dict[str, Drawing]:
    """Return the figures of a run's experiments and of the studies with the given ids, by the stem of their files."""
    by_stem = {
        f"{name}__{file_of(figure)}": Drawing(
            PLOTS,
            figure["name"],
            experiment.paper,
            _tables(run, experiment, figure["name"]),
            {key: value for key, value in figure.items() if key not in ("name", "file")},
            experiment,
        )
        for name, experiment in run.experiments.items()
        for figure in experiment.figures
    }
    for study in map(studies().__getitem__, measured):
        if study.figure is not None:
            measurements = f"{run.results}/claims/{study.id}.measurements.parquet"
            room = f"papers/{study.paper}/figures"
            paper = study.paper.upper()
            headline = registry.constants(room, study.figure).get("HEADLINE")
            options = {} if headline is None else {"headline": headline}
            by_stem[study.figure] = Drawing(
                room, study.figure, paper, {"measurements": measurements}, options, study=study
            )
    return by_stem


def _tables(run: Run, experiment: Experiment, figure: str) -> dict[str, str | list[str]]:
    """Return the tables that a figure reads, and no others, which nobody would check.

    They are gathered tables of the experiment; of a real table also the public parts and one held-out part.
    """
    folder, splits = f"{run.results}/{experiment.name}", f"{run.splits}/{experiment.name}"
    every: dict[str, str | list[str]] = {name: f"{folder}/{name}.parquet" for name in ("summary", "slopes", "trials")}
    every["public"] = [f"{splits}/{block}/public.parquet" for block in range(experiment.number_of_blocks)]
    every["held"] = f"{splits}/0/held.parquet"
    return {name: every[name] for name in registry.constants(PLOTS, figure)["TABLES"]}
