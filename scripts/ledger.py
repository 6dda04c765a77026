"""Rule ledger: one row for each claim of the five papers."""

from typing import TYPE_CHECKING

from semipriv.claims.latex import write_latex
from semipriv.claims.ledger import write_ledger
from semipriv.claims.measured import STUDY
from semipriv.claims.page import write_ledger_page
from semipriv.experiments.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    write_ledger(
        snakemake.input.rows,
        snakemake.input.measurements,
        list(STUDY),
        snakemake.output.ledger,
        snakemake.output.measurements,
    )
    write_ledger_page(snakemake.output.ledger, snakemake.output.page)
    write_latex(snakemake.output.ledger, snakemake.output.latex)
