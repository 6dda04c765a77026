"""Rule draw_figure: draw a figure from the tables of results."""

from typing import TYPE_CHECKING

from semipriv.figures.base import draw_figure
from semipriv.rules.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    draw_figure(snakemake.params.figure, dict(snakemake.input.items()), snakemake.output.pdf, snakemake.output.png)
