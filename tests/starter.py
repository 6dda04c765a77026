"""A process that has imported Snakemake and what reading the workflow imports of others, and forks for each command.

More than half of a start of Snakemake is imports.  Here each command is a child of one process that has done them: the
child parses its arguments, reads the workflow and imports the package anew, as any start of Snakemake does.

Each line of standard input is a task in JSON: ``arguments``, the files ``output`` and ``error``, and ``jobs``: null, or
the file for all jobs of the workflow, which is then read and not run.  The answer to each is its exit code.
"""

import gc
import importlib
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import snakemake.cli
from snakemake.iocontainers import Snakemake
from snakemake.workflow import Workflow

PRELOADED = (
    "numpy",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "pandas",
    "pyarrow.parquet",
    "numba",
    "smart_open",
    "packaging.version",
)


def write_jobs(workflow: Workflow, path: str) -> None:
    """Write rule, script, ``snakemake`` object, priority and sources of each job; a job comes after those it needs."""
    from semipriv.core.fingerprint import sources_of  # of the workflow that was read

    workflow._prepare_dag(forceall=False, ignore_incomplete=True, lock_warn_only=True)
    workflow._build_dag()
    jobs = []
    for job in (job for level in workflow.dag.toposorted() for job in sorted(level, key=str)):
        script = job.rule.script and os.path.normpath(Path(str(job.rule.basedir), job.rule.script))
        known = (job.input, job.output, job.params, job.wildcards, job.threads, job.resources, job.log)
        priority = job.rule.expand_priority(job.wildcards, job.input, job.attempt)
        given = Snakemake(*known, workflow.config, job.rule.name, None)
        jobs.append((job.rule.name, script, given, priority, sources_of(job.params.get("code", ""))))
    Path(path).write_bytes(pickle.dumps(jobs))


def begin(task: dict[str, Any]) -> None:
    """Do a task in this process, a child, and exit."""
    for number, path in enumerate((os.devnull, task["output"], task["error"])):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["snakemake", *task["arguments"]]
    if task["jobs"]:
        Workflow.printdag = lambda workflow: write_jobs(workflow, task["jobs"])
        sys.argv += ["--dag", "--nolock"]
    snakemake.cli.main()


if __name__ == "__main__":
    for package in PRELOADED:
        importlib.import_module(package)
    snakemake.cli.get_argument_parser()  # which imports plugins
    gc.freeze()  # else each child's collector walks through all of that, and so copies it: a third of its time
    for line in sys.stdin:
        child = os.fork()
        if not child:
            begin(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
