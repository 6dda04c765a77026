"""Rule private_select: write releases with their guarantees.  In a release no other rule reads a private file."""

from typing import TYPE_CHECKING

from semipriv.learners.base import Protection
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.log import logged
from semipriv_lab.workflow.private_select import select

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    select(
        Experiment.from_json(snakemake.params.experiment),
        Protection.PRIVATE,
        snakemake.input.prepared,
        snakemake.input.private,
        snakemake.output.releases,
    )
