"""Rule evaluate_held_out: compute errors on the held-out part of a table, which no learner saw, and gather them."""

from typing import TYPE_CHECKING

from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.evaluate_held_out import evaluate_held_out
from semipriv_lab.workflow.gather import gather
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    experiment, output = Experiment.from_json(snakemake.params.experiment), snakemake.output
    rows = evaluate_held_out(experiment, snakemake.input.releases, snakemake.input.held)
    gather(experiment, rows, output.trials, output.summary, output.slopes)
