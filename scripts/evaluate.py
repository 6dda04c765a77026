"""Rule evaluate: compute errors under the known distribution, and gather them.  No private sample is read."""

from typing import TYPE_CHECKING

from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.evaluate import evaluate
from semipriv_lab.workflow.gather import gather
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    experiment, output = Experiment.from_json(snakemake.params.experiment), snakemake.output
    rows = evaluate(experiment, snakemake.input.releases)
    gather(experiment, rows, output.trials, output.summary, output.slopes)
