"""Rule gather: all blocks of an experiment as tables of trials, means and slopes."""

from typing import TYPE_CHECKING

from semipriv.experiments.config import Experiment
from semipriv.experiments.gather import gather
from semipriv.experiments.log import logged

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
