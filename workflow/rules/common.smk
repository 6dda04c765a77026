"""The checked configuration and the functions that rules share."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod
from snakemake.utils import min_version

min_version("9.18")

# The checkout, from wherever this file is included: `Snakefile`, `workflow/Snakefile`, or a module of another workflow.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
SOURCE = ROOT / "src"
sys.path.insert(0, str(SOURCE))
# Scripts find the package whether or not it is installed.
inherited = dict(os.environ).get("PYTHONPATH")
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(SOURCE), inherited])))

from semipriv.core import machine, overlay

overlay.hold()
machine.pin()  # the same kernels, and one thread a job, on every machine: sums, and so results, are the same
# The C library keeps freed memory for the next array instead of giving it back: half of the time in the kernel is saved.
for threshold in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
    os.environ.setdefault(threshold, str(2**30))

from semipriv_lab.ledger.studies import studies, studies_for
from semipriv_lab.experiments.loading import check_writable, load_run
from semipriv.settings.reading import located
from semipriv.settings.reading import check_files, given_in
from semipriv_lab.workflow import missing
from semipriv_lab.workflow.locks import RunLock, remove_parts
from semipriv_lab.workflow.time_left import TimeLeft, at_once
from semipriv_lab.workflow.timings import last_seconds
from semipriv_lab.workflow.weights import DRAW, Weights
from semipriv_lab.figures.batches import batches
from semipriv_lab.figures.captions import caption
from semipriv_lab.figures.catalogue import drawings
from semipriv.core.fingerprint import fingerprint
from semipriv.learners.base import Protection
from semipriv_lab.experiments.modules import modules, output_modules
from semipriv_lab.experiments.papers import titles
from semipriv_lab.ledger.claims import files as lists_of_claims
from semipriv_lab.ledger.page import assets as assets_of_ledger

if not config:
    raise WorkflowError(
        f"no configuration: a module is given one by `config: config`, after `configfile: '{ROOT}/config/config.yaml'`, "
        "which has the defaults"
    )

CONFIGURATIONS = workflow.configfiles if workflow.is_main_process else []
# The request of the target `release` is a file of its own, that nothing else reads.
RELEASE = config.pop("release", "config/release.yaml")

try:
    check_files(CONFIGURATIONS)
    RUN = load_run(
        config,
        ROOT / "config" / "experiments",
        files=CONFIGURATIONS,
        check=workflow.is_main_process,
    )
    with located(given_in(CONFIGURATIONS, "claims")):
        STUDIES = studies_for(RUN.claims)
    check_writable(RUN.results)
    check_writable("data")
except ValueError as error:
    raise WorkflowError(str(error)) from None

RESULTS = RUN.results
SAMPLES = RUN.samples
SPLITS = RUN.splits

if workflow.is_main_process:
    RUN_LOCK = RunLock(Path(".snakemake"))
    if RUN_LOCK.message:
        print(f"semipriv: {RUN_LOCK.message}", file=sys.stderr)
    if RUN_LOCK.after_kill:
        remove_parts(RESULTS)
        remove_parts("data")

SIMULATIONS = [name for name, e in RUN.experiments.items() if e.kind == "simulation"]
TABLES = [name for name, e in RUN.experiments.items() if e.kind == "table"]
DRAWINGS = drawings(RUN, STUDIES)
BATCHES = batches(DRAWINGS)
# Only the process that schedules jobs asks how long they took in the last run that came to its end.
TIMINGS = Path(RESULTS, "timings", "jobs.parquet")
WEIGHTS = Weights(
    RUN,
    studies(),
    {name: (batch.paper, len(batch.figures)) for name, batch in BATCHES.items()},
    last_seconds(TIMINGS) if workflow.is_main_process else {},
)


wildcard_constraints:
    experiment="[^/]+",
    block=r"\d+",
    study="[^/]+",
    table="[^/]+",


def one_of(names):
    """Regular expression that matches exactly the given names."""
    return "|".join(names) or "(?!)"


def experiment_json(*without):
    """Parameter function: the experiment without the keys and settings on which a rule does not depend."""
    return lambda wildcards: RUN.experiments[wildcards.experiment].to_json(
        without=("description", "paper", "seconds", *without)
    )


def samples_folder(experiment):
    return SPLITS if RUN.experiments[experiment].kind == "table" else SAMPLES


def sample(kind):
    """Input function: the public, private or held-out file of a block."""
    return (
        lambda wildcards: f"{samples_folder(wildcards.experiment)}/{wildcards.experiment}/{wildcards.block}/{kind}.parquet"
    )


def releases(wildcards):
    """Input function: what learners released in every block, and the baselines without privacy if there are any."""
    experiment = RUN.experiments[wildcards.experiment]
    learners = [learner for cell in experiment.cells for learner in cell.learners.values()]
    files = {Protection.PRIVATE: "releases", Protection.NONE: "without_privacy"}
    return [
        f"{RESULTS}/{wildcards.experiment}/blocks/{block}/{files[kind]}.parquet"
        for block in range(experiment.number_of_blocks)
        for kind in sorted({learner.protection for learner in learners})
    ]


def held(wildcards):
    """Input function: the held-out parts of every block."""
    return [
        f"{SPLITS}/{wildcards.experiment}/{block}/held.parquet"
        for block in range(RUN.experiments[wildcards.experiment].number_of_blocks)
    ]


def code(script, *kinds):
    """Parameter function: fingerprint of the modules that a script and the experiment's plug-ins use."""
    path = ROOT / "scripts" / script
    return lambda wildcards: fingerprint(
        [path, *modules(RUN.experiments[wildcards.experiment], kinds)]
    )


def figure_files():
    """Every figure of the run, PDF and PNG."""
    return [
        f"{RESULTS}/figures/{stem}.{end}" for stem in DRAWINGS for end in ("pdf", "png")
    ]


def table_of(experiment):
    """Name of the table of an experiment."""
    return RUN.experiments[experiment].cells[0].table.name


def check_packages():
    """Leave before the first job if packages are missing; rules in conda environments do not look here for them."""
    apart = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
    problem = missing.missing(
        missing.Job(job.rule.name, job.params.get("code"), job.wildcards_dict)
        for job in workflow.dag.needrun_jobs()
        if job.rule.script and not (apart and job.rule.conda_env)
    )
    if problem:
        raise WorkflowError(problem)


def tell_time_left():
    """Tell from now on how far the run is; of releases nothing is told."""
    if any(job.rule.name == "release" for job in workflow.dag.needrun_jobs()):
        return
    weights = {
        workflow.dag.jobid(job): WEIGHTS.of(job) for job in workflow.dag.needrun_jobs()
    }
    say = lambda line: print(f"semipriv: {line}", file=sys.stderr, flush=True)
    logger.addHandler(TimeLeft(weights, at_once(workflow), say))
