"""Rule evaluate: compute errors under the known law.  It reads releases, never a private sample."""

from typing import TYPE_CHECKING

from semipriv.experiments.config import Experiment
from semipriv.workflow.evaluate import evaluate
from semipriv.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    experiment = Experiment.from_json(snakemake.params.experiment)
    evaluate(experiment, snakemake.input.releases, snakemake.output.evaluations)
