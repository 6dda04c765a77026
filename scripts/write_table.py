"""Rule write_table: write a table that ships with scikit-learn."""

from typing import TYPE_CHECKING

from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.write_table import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    write_table(snakemake.wildcards.table, snakemake.output[0])
