"""Rule construct_cover: carry out the public stage of every learner.  It reads public files only."""

from typing import TYPE_CHECKING

from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.construct_cover import construct_cover
from semipriv_lab.workflow.log import logged

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with logged(snakemake.log[0]):
    experiment = Experiment.from_json(snakemake.params.experiment)
    construct_cover(experiment, snakemake.input.public, snakemake.output.prepared)
