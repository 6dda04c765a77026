"""Rule draw_release_figure: draw a published model over the public points."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.figure import draw_release
from semipriv.practice.engine.jobs import errors_logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    draw_release(snakemake.input.request)
