"""Rule draw_figures: draw a batch of figures from the tables of results."""

from typing import TYPE_CHECKING

from semipriv_lab.figures.drawing import draw_figures
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    draw_figures(snakemake.params.figures, dict(snakemake.input.items()), dict(snakemake.output.items()))
