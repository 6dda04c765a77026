"""Rule write_release_intervals: write the limits of the marginals of a published model."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.jobs import errors_logged, write_intervals

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    write_intervals(snakemake.input.request)
