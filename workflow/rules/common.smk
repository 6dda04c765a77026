"""The checked configuration and the functions that rules share."""

import os
import sys
from functools import cache
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

from semipriv.core import machine

machine.pin()  # the same kernels, and one thread a job, on every machine: sums, and so results, are the same
# The C library keeps freed memory for the next array instead of giving it back: half of the time in the kernel is saved.
for threshold in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
    os.environ.setdefault(threshold, str(2**30))

from semipriv.core import registry, rooms
from semipriv_lab.ledger.studies import studies, studies_for
from semipriv_lab.experiments.loading import check_writable, load_run
from semipriv.settings.reading import located
from semipriv.settings.reading import check_files, given_in
from semipriv_lab.workflow import missing
from semipriv_lab.workflow.locks import RunLock, remove_parts
from semipriv_lab.workflow.time_left import (
    COMMON,
    FIGURE,
    SHARES,
    START_UP,
    TimeLeft,
    Weight,
    at_once,
)
from semipriv_lab.workflow.timings import job_of, last_seconds
from semipriv_lab.figures.batches import batches
from semipriv_lab.figures.captions import caption
from semipriv_lab.figures.catalogue import drawings
from semipriv.core.fingerprint import fingerprint
from semipriv.learners.base import Protection
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
    learners = [one for cell in experiment.cells for one in cell.learners.values()]
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


def output_modules():
    """Modules that restore outputs from disk."""
    return [registry.module("outputs", kind) for kind in registry.names("outputs")]


def named(key, given):
    """Module of the plug-in that a key of an experiment names."""
    return registry.module(
        registry.room_of(rooms.of(key), given["name"]), given["name"]
    )


def plugins(experiment, *kinds):
    """Modules of the package that an experiment names in its configuration, of the given kinds, and of its design."""
    found = set(output_modules()) if "outputs" in kinds else set()
    if "measures" in kinds:
        found.update(
            type(measure).__module__
            for measure in RUN.experiments[experiment].measures.values()
        )
    for cell in RUN.experiments[experiment].cells:
        found.add(type(cell.design).__module__)
        if "classes" in kinds:
            found.add(named("class", cell.settings["class"]))
        if "learners" in kinds:
            for learner in cell.learners.values():
                found.update(registry.modules(learner))
        if "distributions" in kinds:
            for key, given in (cell.settings.get("distribution") or {}).items():
                if given:
                    found.add(named(f"distribution.{key}", given))
    return sorted(found)


def code(script, *kinds):
    """Parameter function: fingerprint of the modules that a script and the experiment's plug-ins use."""
    path = ROOT / "scripts" / script
    return lambda wildcards: fingerprint([path, *plugins(wildcards.experiment, *kinds)])


def figure_files():
    """Every figure of the run, PDF and PNG."""
    return [
        f"{RESULTS}/figures/{stem}.{end}" for stem in DRAWINGS for end in ("pdf", "png")
    ]


def job_papers():
    """Paper of each job of the run, by the name that its log has."""
    found = {name: batch.paper or COMMON for name, batch in BATCHES.items()}
    for name, experiment in RUN.experiments.items():
        blocks = [f"{name}_{block}" for block in range(experiment.number_of_blocks)]
        found.update(dict.fromkeys([name, *blocks], experiment.paper or COMMON))
    found.update((name, studies()[name].paper.upper()) for name in STUDIES)
    tables = sorted(map(table_of, TABLES))
    return {**dict.fromkeys(["ledger", "summary", *tables], COMMON), **found}


@cache
def last_run():
    """Seconds of one core of each job in the last run that came to its end; known only where jobs are scheduled."""
    table = Path(RESULTS, "timings", "jobs.parquet")
    return last_seconds(table) if workflow.is_main_process else {}


def stages(experiment):
    """Rules of an experiment in the order in which a block goes through them, those that work side by side together."""
    simulated = experiment.kind == "simulation"
    learners = [one for cell in experiment.cells for one in cell.learners.values()]
    rules = {
        Protection.PRIVATE: "private_select",
        Protection.NONE: "measure_without_privacy",
    }
    return [
        ["generate_data" if simulated else "split_table"],
        ["construct_cover"],
        sorted({rules[learner.protection] for learner in learners}),
        ["evaluate" if simulated else "evaluate_held_out"],
    ]


@cache
def longest(rule, name):
    """Seconds of the longest job of a rule in an experiment, as in the last run, or about as it is declared."""
    experiment = RUN.experiments[name]
    blocks = [f"{name}_{block}" for block in range(experiment.number_of_blocks)]
    jobs = [name] if rule.startswith("evaluate") else blocks
    known = [last_run()[rule, job] for job in jobs if (rule, job) in last_run()]
    about = START_UP + experiment.seconds * SHARES[rule] / len(jobs)
    return max(known, default=about)


@cache
def drawing(name):
    """Seconds in which the figures of a study or an experiment are drawn, with those that are drawn together."""
    showing = [
        batch
        for batch in BATCHES.values()
        if any(
            name == (one.study.id if one.study else one.experiment.name)
            for one in batch.figures.values()
        )
    ]
    return max(
        (START_UP + FIGURE * len(batch.figures) for batch in showing), default=0.0
    )


def urgency(rule):
    """Priority of a job: about the seconds from its start to the end of what waits for it, so that runs end soon."""

    def remaining(wildcards):
        if "write_table" == rule:
            of_table = (n for n in TABLES if table_of(n) == wildcards.table)
            return START_UP + max(map(from_stage, of_table), default=0.0)
        if "measure_study" == rule:
            study = studies()[wildcards.study]
            about = START_UP + study.seconds * RUN.effort
            return last_run().get((rule, study.id), about) + drawing(study.id)
        return from_stage(wildcards.experiment)

    def from_stage(name):
        every = stages(RUN.experiments[name])
        at = next((i for i, rules in enumerate(every) if rule in rules), 0)
        later = sum(
            max(longest(one, name) for one in rules) for rules in every[at + 1 :]
        )
        own = rule if rule in every[at] else every[at][0]
        return longest(own, name) + later + drawing(name)

    return remaining


def table_of(experiment):
    """Name of the table of an experiment."""
    return RUN.experiments[experiment].cells[0].table.name


def declared(rule, wildcards):
    """Paper of a job, and about how many seconds it takes, from what its study or experiment declares."""
    if "study" in wildcards:
        study = studies()[wildcards["study"]]
        return Weight(study.paper.upper(), START_UP + study.seconds * RUN.effort)
    if "experiment" in wildcards:
        experiment = RUN.experiments[wildcards["experiment"]]
        blocks = experiment.number_of_blocks if "block" in wildcards else 1
        work = experiment.seconds * SHARES.get(rule, 0) / blocks
        return Weight(experiment.paper or COMMON, START_UP + work)
    if rule.startswith(DRAW):
        batch = BATCHES[rule.removeprefix(DRAW)]
        work = FIGURE * len(batch.figures)
        return Weight(batch.paper or COMMON, START_UP + work)
    return Weight(COMMON, START_UP)


def weight(job):
    """Paper of a job, and about how many seconds it takes: those of the last run, if it is known there."""
    found = declared(job.rule.name, job.wildcards_dict)
    known = last_run().get(job_of(job.benchmark)) if job.benchmark else None
    return Weight(found.paper, known or found.seconds)


def check_packages():
    """Leave before the first job if packages are missing; rules in conda environments do not look here for them."""
    apart = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
    found = missing.missing(
        missing.Job(job.rule.name, job.params.get("code"), job.wildcards_dict)
        for job in workflow.dag.needrun_jobs()
        if job.rule.script and not (apart and job.rule.conda_env)
    )
    if found:
        raise WorkflowError(found)


def tell_time_left():
    """Tell from now on how far the run is; of releases nothing is told."""
    if any(job.rule.name == "release" for job in workflow.dag.needrun_jobs()):
        return
    weights = {
        workflow.dag.jobid(job): weight(job) for job in workflow.dag.needrun_jobs()
    }
    say = lambda line: print(f"semipriv: {line}", file=sys.stderr, flush=True)
    logger.addHandler(TimeLeft(weights, at_once(workflow), say))


def look_when_jobs_end():
    """Let Snakemake look for ready jobs when a job ends.

    Its limit on the jobs that it starts in a second makes it look again a second after each look, the looks after a job
    beside those before: a hundred times a second at the end of a run.  On one machine the cores are limit enough.
    """
    if workflow.local_exec and hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None
