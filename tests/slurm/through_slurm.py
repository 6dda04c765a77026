"""The workflow through Slurm: a private cluster gives the bytes of a local run, also when jobs are killed on the way.

`make test-slurm` runs it.  Its name keeps it out of the ordinary test run, which needs no Slurm.  Four runs:

- tests/fixtures/slurm.yaml: each rule but those of releases; each design of samples; classification and regression,
  simulated and on tables, and query release; each bundled table; a study and a figure of each paper; two blocks.
  tests/workflow/test_slurm_covers.py holds it to that.
- config/tiny.yaml, of which a study's job is cancelled and a block's process is killed.
- A release of a table in two parts that takes each rule of releases, and is then published again.
- An experiment with a learner and a class of a plug-in folder, and a head to head on a table.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from places import ROOT
from private_cluster import obstacle, private_cluster, queue
from releases import EVERY_RULE, ledger, people, project
from runs import SLURM, contents
from strangers import written

CHECKOUT = ("Snakefile", "config", "envs", "profiles", "scripts", "src", "workflow")
TINY = "config/tiny.yaml"
PATTERNS = ("*.parquet", "*.png", "*.pdf", "*.html", "*.tex")
"""What must not depend on where it was computed; timings lie in a folder of their own."""
WITH_PLUGIN = ROOT / ".venv-slurm" / "bin" / "snakemake"
HASTE = ("--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1")
"""A cluster's controller is asked less often."""
LIMIT = 3600
"""Seconds that a run may take."""
Local = dict[str, Future[tuple[Path, float]]]
"""Folders of runs without Slurm, and their seconds, by configuration."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[dict[str, str]]:
    """Environment of a private cluster; it is stopped when the tests end, by Ctrl-C and SIGTERM too."""
    if reason := obstacle():
        pytest.fail(reason, pytrace=False)
    if not WITH_PLUGIN.exists():
        pytest.fail(f"{WITH_PLUGIN} is missing: `make slurm` installs it", pytrace=False)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    with private_cluster() as environment:
        yield environment
    signal.signal(signal.SIGTERM, before)


def checkout(folder: Path) -> Path:
    """A copy of the workflow, in which a run is started as a user would."""
    folder.mkdir()
    for part in CHECKOUT:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
        else:
            shutil.copy(ROOT / part, folder)
    return folder


def run(
    folder: Path, command: list[str], environment: dict[str, str], meanwhile: Callable[[], None] = lambda: None
) -> tuple[str, float]:
    """Run a command in a folder until it succeeds; return what it wrote and the seconds it took."""
    log = folder / "run.log"
    start = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            while process.poll() is None and time.monotonic() < start + LIMIT:
                meanwhile()
                time.sleep(0.2)
        finally:
            end(process)
    assert process.returncode == 0, f"{' '.join(command)} failed:\n{log.read_text(errors='replace')[-5000:]}"
    return log.read_text(errors="replace"), time.monotonic() - start


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group, first by the signal on which Snakemake cancels its jobs."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, kind)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            continue


def locally(folder: Path, config: str | Path) -> tuple[Path, float]:
    """Run on one core, without Slurm; return the folder and the seconds."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", str(config)]
    return folder, run(checkout(folder), command, environment)[1]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Local runs by configuration, one after the other, while those through Slurm wait for jobs to start and to end."""
    folder = tmp_path_factory.mktemp("local")
    with ThreadPoolExecutor(1) as executor:
        yield {str(path): executor.submit(locally, folder / Path(path).stem, path) for path in (SLURM, TINY)}
        executor.shutdown(cancel_futures=True)


def through_slurm(
    folder: Path, config: str | Path, cluster: dict[str, str], meanwhile: Callable[[], None] = lambda: None
) -> tuple[str, float]:
    return by_profile(folder, ["--configfile", str(config)], cluster, meanwhile)


def by_profile(
    folder: Path, arguments: list[str], cluster: dict[str, str], meanwhile: Callable[[], None] = lambda: None
) -> tuple[str, float]:
    return run(folder, [str(WITH_PLUGIN), "--profile", "profiles/slurm", *arguments, *HASTE], cluster, meanwhile)


def computed(folder: Path, part: str) -> dict[str, bytes]:
    """Bytes of what was computed, timings apart, by path."""
    return {
        name: data for name, data in contents(folder / part, *PATTERNS).items() if "timings" not in Path(name).parts
    }


def assert_same_bytes(expected: Path, actual: Path) -> None:
    for part in ("results", "data"):
        there, here = computed(expected, part), computed(actual, part)
        assert there.keys() == here.keys()
        assert there, "something was computed"
        assert [name for name in there if there[name] != here[name]] == []


def submissions(log: str) -> dict[int, str]:
    """Snakemake's name of each job by its id in Slurm, in the order of submission."""
    submitted = re.findall(r"Job (\S+) has been submitted with SLURM jobid (\d+)", log)
    return {int(identifier): name for name, identifier in submitted}


def test_a_run_of_each_kind_has_the_bytes_of_a_local_run(
    cluster: dict[str, str], local: Local, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, seconds_slurm = through_slurm(checkout(tmp_path / "slurm"), SLURM, cluster)
    jobs = submissions(log)
    expected, seconds = local[str(SLURM)].result()
    with capsys.disabled():
        print(f"\n{SLURM.name}: {seconds:.0f} s locally, {seconds_slurm:.0f} s through Slurm as {len(jobs)} jobs")
    assert "rule_measure_study" in log
    assert len(jobs) == len(set(jobs.values())), "every job succeeded at once"
    assert_same_bytes(expected, tmp_path / "slurm")


def running(folder: Path, rule: str) -> list[int]:
    """Processes that run a rule's script in a folder."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = path.read_bytes()
            if f"{folder}/.snakemake/scripts/".encode() in command and f".{rule}.py".encode() in command:
                processes.append(int(path.parent.name))
    return processes


def test_killed_jobs_are_tried_again(cluster: dict[str, str], local: Local, tmp_path: Path) -> None:
    """A study's job is cancelled, as by an operator; a block's process is killed, as where memory runs out."""
    folder = checkout(tmp_path / "slurm")
    struck: dict[str, int] = {}

    def strike() -> None:
        for job, comment in queue(cluster, "RUNNING"):
            if "measure_study" in comment and "study" not in struck:
                subprocess.run(["scancel", str(job)], env=cluster, check=True, timeout=60)
                struck["study"] = job
            elif "measure_study" not in comment and "block" not in struck:
                for process in running(folder, "private_select"):
                    os.kill(process, signal.SIGKILL)
                    struck["block"] = job

    log, _ = through_slurm(folder, TINY, cluster, strike)
    assert struck.keys() == {"study", "block"}
    states = dict(queue(cluster, "all", "%T"))
    assert states[struck["study"]] == "CANCELLED"
    assert states[struck["block"]] == "FAILED"
    jobs = submissions(log)
    for job in struck.values():
        again = [other for other, name in jobs.items() if name == jobs[job]]
        assert again[0] == job
        assert len(again) == 2
        assert states[again[1]] == "COMPLETED"
    assert_same_bytes(local[TINY].result()[0], folder)


def test_a_release_sums_up_its_parts_on_the_cluster_and_is_charged_once(
    cluster: dict[str, str], tmp_path: Path
) -> None:
    folder = checkout(tmp_path / "slurm")
    project(folder, results="results", private={"path": "parts"}, **EVERY_RULE)
    (folder / "parts").mkdir()
    for part in range(2):
        people(40, part).to_parquet(folder / "parts" / f"{part}.parquet")
    log, _ = by_profile(folder, ["release", "--config", "release=release.yaml"], cluster)
    assert len(submissions(log)) == log.count("slurm_logs/rule_tally_part/") == 2, "nothing else goes to the cluster"
    folder_of_release = folder / "results/releases/visits"
    first = (folder_of_release / "model.json").read_bytes()
    assert not list(folder_of_release.glob("private/*"))
    assert {path.suffix for path in folder_of_release.iterdir()} >= {".json", ".parquet", ".pdf", ".png"}
    shutil.rmtree(folder_of_release)
    by_profile(folder, ["release", "--config", "release=release.yaml"], cluster)
    assert (folder_of_release / "model.json").read_bytes() == first
    assert sum(entry.kind == "reserved" for entry in ledger(folder).entries) == 1


def test_plug_ins_from_outside_run_on_the_cluster(cluster: dict[str, str], tmp_path: Path) -> None:
    """A learner, a class and an experiment of docs/adding.md, beside a head to head, have the bytes of a local run."""
    settings = {
        "results": "results",
        "plugins": ["mine"],
        "experiments": ["which_feature", "rand_many"],
        "claims": [],
        "trials": 2,
        "overrides": {"rand_many": {"n_private": 300}},
    }
    folders = []
    for name in ("local", "slurm"):
        folder = checkout(tmp_path / name)
        written(folder)
        (folder / "run.yaml").write_text(yaml.safe_dump(settings))
        folders.append(folder)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}
    run(folders[0], [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "run.yaml"], environment)
    log, _ = through_slurm(folders[1], "run.yaml", cluster)
    assert len(submissions(log)) >= 4, "they went to the cluster, some in groups"
    assert_same_bytes(*folders)
    figures = {path.name for path in (folders[1] / "results/figures").iterdir()}
    assert {"which_feature__excess.png", "rand_many__head_to_head.png"} <= figures
