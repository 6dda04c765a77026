"""Rule split_table: split a real table into public, private and held-out parts.  It makes the private file."""

from typing import TYPE_CHECKING

from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.split_table import split_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    split_table(
        Experiment.from_json(snakemake.params.experiment),
        int(snakemake.wildcards.block),
        snakemake.input[0],
        snakemake.output.public,
        snakemake.output.private,
        snakemake.output.held,
    )
