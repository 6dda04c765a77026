"""Rule ledger: write one row for each claim of the five papers and of our learners."""

from typing import TYPE_CHECKING

from semipriv_lab.ledger.latex import write_latex
from semipriv_lab.ledger.page import write_ledger_page
from semipriv_lab.ledger.studies import study_of
from semipriv_lab.ledger.writing import write_ledger
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    write_ledger(
        snakemake.input.rows,
        snakemake.input.measurements,
        list(study_of()),
        snakemake.output.ledger,
        snakemake.output.measurements,
    )
    write_ledger_page(snakemake.output.ledger, snakemake.output.measurements, snakemake.output.page)
    write_latex(snakemake.output.ledger, snakemake.output.latex)
