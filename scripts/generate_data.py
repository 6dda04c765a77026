"""Rule generate_data: draw public and private samples for a block of simulated trials."""

from typing import TYPE_CHECKING

from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.generate_data import generate_data
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    generate_data(
        Experiment.from_json(snakemake.params.experiment),
        int(snakemake.wildcards.block),
        snakemake.output.public,
        snakemake.output.private,
    )
