"""About how long each job of a run takes, and which paper it is about, from what studies and experiments declare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from semipriv_lab.experiments.loading import Run
from semipriv_lab.ledger.studies import Study
from semipriv_lab.workflow.time_left import Weight
from semipriv_lab.workflow.timings import job_of

COMMON = "all papers"
"""Where jobs count that are about no paper."""
DRAW = "draw_figures_"
"""What the names of the rules that draw figures begin with."""
START_UP = 0.6
"""Seconds in which a job starts."""
FIGURE = 1.2
"""Seconds in which a figure is drawn, in a job that has started."""
SHARES = {
    "generate_data": 0.02,
    "split_table": 0.02,
    "construct_cover": 0.15,
    "private_select": 0.5,
    "measure_without_privacy": 0.25,
    "evaluate": 0.06,
    "evaluate_held_out": 0.06,
}
"""About which share of the seconds of an experiment each rule takes."""


@dataclass(frozen=True)
class Weights:
    """The jobs of a run, weighed.

    studies: all that may be asked for, by id.  batches: paper and number of the figures that one job draws, by name.
    last: seconds of one core of each job of the last run, by rule and job, as ``timings.last_seconds`` reads them.
    """

    run: Run
    studies: Mapping[str, Study]
    batches: Mapping[str, tuple[str | None, int]]
    last: Mapping[tuple[str, str], float]

    def declared(self, rule: str, wildcards: Mapping[str, str]) -> Weight:
        """Return the paper of a job, and the seconds that its study or experiment declares."""
        if "study" in wildcards:
            study = self.studies[wildcards["study"]]
            return Weight(study.paper.upper(), START_UP + study.seconds * self.run.effort)
        if "experiment" in wildcards:
            experiment = self.run.experiments[wildcards["experiment"]]
            jobs = experiment.number_of_blocks if "block" in wildcards else 1
            return Weight(experiment.paper or COMMON, START_UP + experiment.seconds * SHARES.get(rule, 0) / jobs)
        if rule.startswith(DRAW):
            paper, count = self.batches[rule.removeprefix(DRAW)]
            return Weight(paper or COMMON, START_UP + FIGURE * count)
        return Weight(COMMON, START_UP)

    def priority(self, rule: str) -> Callable[[Any], float]:
        """Return the priority of the jobs of a rule: their declared seconds, so that what takes long starts first.

        Without priorities a run on 8 cores takes 8 % longer.  The seconds of all that waits for a job, the critical
        path, would win 1 % more.
        """
        return lambda wildcards: self.declared(rule, dict(wildcards.items())).seconds

    def of(self, job: Any) -> Weight:
        """Return the paper of a job of Snakemake, and its seconds: those of the last run where they are known."""
        weight = self.declared(job.rule.name, job.wildcards_dict)
        known = self.last.get(job_of(job.benchmark)) if job.benchmark else None
        return Weight(weight.paper, known or weight.seconds)

    def papers(self) -> dict[str, str]:
        """Return the paper of each job that may run, by the name that its log has."""
        names = {name: paper for name, (paper, _) in self.batches.items()}
        names.update((name, study.paper.upper()) for name, study in self.studies.items())
        tables = {
            experiment.cells[0].table.name for experiment in self.run.experiments.values() if experiment.kind == "table"
        }
        names.update(dict.fromkeys(["ledger", "summary", *sorted(tables)]))
        for name, experiment in self.run.experiments.items():
            blocks = [f"{name}_{block}" for block in range(experiment.number_of_blocks)]
            names.update(dict.fromkeys([name, *blocks], experiment.paper))
        return {name: paper or COMMON for name, paper in names.items()}
