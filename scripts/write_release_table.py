"""Rule write_release_table: write the table of a published model: a synthetic one, or a report."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.jobs import errors_logged, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    write_table(snakemake.input.request)
