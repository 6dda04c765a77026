"""Rule write_table: writes a table that ships with scikit-learn."""

from typing import TYPE_CHECKING

from semipriv.experiments.bundled import write_table
from semipriv.experiments.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    write_table(snakemake.wildcards.table, snakemake.output[0])
