"""Rule measure_without_privacy: run baselines that read private files without protection, in simulations only."""

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
        Protection.NONE,
        snakemake.input.prepared,
        snakemake.input.private,
        snakemake.output.without_privacy,
    )
