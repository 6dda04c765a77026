"""Rule gather: collect all blocks of an experiment in tables of trials, means and slopes."""

from typing import TYPE_CHECKING

from semipriv.experiments.config import Experiment
from semipriv.workflow.gather import gather
from semipriv.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    gather(
        Experiment.from_json(snakemake.params.experiment),
        snakemake.input.blocks,
        snakemake.output.trials,
        snakemake.output.summary,
        snakemake.output.slopes,
    )
