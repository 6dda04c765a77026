"""Rule reserve_release: charge for a release in the budget ledger, before a private row is read."""

from typing import TYPE_CHECKING

from semipriv.practice.engine.jobs import charge, errors_logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with errors_logged(snakemake.log[0]):
    charge(snakemake.input.request, snakemake.output[0])
