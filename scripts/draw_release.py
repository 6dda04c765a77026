"""Rule draw_release: draw once from the sums of all parts, and publish model and certificate."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.jobs import draw, errors_logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    draw(snakemake.input.request, snakemake.input.sums)
