"""Rule measure_claim: carries out the experiment of one claim."""

from typing import TYPE_CHECKING

from semipriv.claims.ledger import write_finding
from semipriv.claims.measured import measure
from semipriv.experiments.log import logged
from semipriv.randomness import Simulation

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    claim = snakemake.wildcards.claim
    randomness = Simulation(snakemake.params.seed).spawn("claim", claim)
    finding = measure(claim, randomness, snakemake.params.effort)
    write_finding(claim, finding, snakemake.output.row, snakemake.output.measurements)
