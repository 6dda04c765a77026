"""The environment of the jobs and the checked configuration, which all rules share."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
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
from semipriv.settings.reading import check_files, given_in, located
from semipriv_lab.workflow.locks import RunLock, remove_parts
from semipriv_lab.workflow.timings import last_seconds
from semipriv_lab.workflow.weights import DRAW, Weights
from semipriv_lab.figures.batches import batches
from semipriv_lab.figures.captions import caption
from semipriv_lab.figures.catalogue import drawings
from semipriv.core.fingerprint import fingerprint
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
