"""Rule summary: write the summary of the run as text."""

from typing import TYPE_CHECKING

from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.summary import summarise

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    summarise(
        snakemake.input.ledger,
        snakemake.input.measurements,
        snakemake.input.trials,
        snakemake.input.summaries,
        snakemake.input.slopes,
        snakemake.input.figures,
        snakemake.output[0],
    )
