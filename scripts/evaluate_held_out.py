"""Rule evaluate_held_out: compute errors on the held-out part of a table, which no learner saw."""

from typing import TYPE_CHECKING

from semipriv.experiments.config import Experiment
from semipriv.workflow.evaluate_held_out import evaluate_held_out
from semipriv.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    evaluate_held_out(
        Experiment.from_json(snakemake.params.experiment),
        snakemake.input.releases,
        snakemake.input.held,
        snakemake.output.evaluations,
    )
