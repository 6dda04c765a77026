"""Rule runtimes: tabulate the time and memory of each job of the run."""

from pathlib import Path
from typing import TYPE_CHECKING

from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.runtimes import write_runtimes

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    write_runtimes(
        Path(snakemake.output.table).parent,
        Path(snakemake.log[0]).parent,
        snakemake.params.jobs,
        snakemake.output.table,
        snakemake.output.page,
        snakemake.output.minutes,
    )
