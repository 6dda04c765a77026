"""Rule measure_study: carry out a study, the experiment for one or more claims."""

from typing import TYPE_CHECKING

from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.measure_study import measure

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    study = snakemake.wildcards.study
    randomness = Simulation(snakemake.params.seed).spawn("study", study)
    findings = measure(study, snakemake.params.claims, randomness, snakemake.params.effort)
    write_findings(findings, snakemake.output.rows, snakemake.output.measurements)
