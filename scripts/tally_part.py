"""Rule tally_part: sum up the private rows of a part."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.jobs import errors_logged, tally

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    tally(snakemake.input.request, int(snakemake.wildcards.part), snakemake.output[0])
