"""Interruptions: a run that was killed, whose files were damaged or whose disk was full continues to the same bytes.

The marked tests, all kills, damages and disks that fill up, are run by ``make test-exhaustive``;
``tests/rules/test_damage.py`` looks at each job in a test's process.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from runs import WHOLE, command, contents, environment, family, snakemake

EXPERIMENT = "results/excess_intervals"
BLOCK = f"{EXPERIMENT}/blocks/0"
SYNTHETIC = "data/synthetic/results/excess_intervals/0"
SPLIT = "data/split/results/breast_cancer_mixture/0"
STUDY = "results/claims/abm19_private_need"
REMEDY = "it was not used: delete it and run again, and it is made anew where it is needed"


def contents_of_run(folder: Path) -> dict[str, bytes]:
    """Everything a run made, by path, hidden files included: all but logs, timings and what is Snakemake's own."""
    files = contents(folder, "results/**/*", "data/**/*")
    return {path: data for path, data in files.items() if not re.match(r"results/(logs|timings)/", path)}


def resume(folder: Path, *arguments: str) -> str:
    """Run again to the end, as a user would, without any flag that repairs; what was said.

    Two cores: the undisturbed run had one.
    """
    done = snakemake(folder, WHOLE, "--cores", "2", *arguments)
    return done.stdout + done.stderr


def copy(folder: Path, target: Path) -> Path:
    return shutil.copytree(folder, target, symlinks=True)


@pytest.fixture(scope="module")
def whole(undisturbed: Path) -> dict[str, bytes]:
    """Everything that a run makes which nobody disturbs."""
    return contents_of_run(undisturbed)


class Living:
    """A run in a process group of its own, which can be killed as a whole."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.start = folder, time.time()
        self._output = folder.with_name(f"{folder.name}.output")
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                command(folder, WHOLE, "--cores", "2", *arguments),
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(),
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    def begun(self, rule: str) -> int:
        """How many jobs of a rule began in this run: those whose log is younger than it."""
        logs = self.folder / "results/logs"
        paths = [*logs.glob(f"{rule}.log"), *logs.glob(f"{rule}/*.log")]
        return sum(self.is_young(path) for path in paths)

    def is_young(self, log: Path) -> bool:
        try:
            return log.stat().st_mtime >= self.start
        except FileNotFoundError:  # Snakemake removes the log of a job that it is about to start
            return False

    def ended(self, rule: str) -> int:
        name = rf"{rule}_\w+" if rule == "draw_figures" else rule
        return len(re.findall(rf"\(Rule: {name}\)", self.output))

    def wait_for(self, event: Callable[[], object], seconds: float = 900) -> None:
        """Wait until something happened, or the run ended."""
        end = time.monotonic() + seconds
        while not event() and self.process.poll() is None:
            assert time.monotonic() < end, self.output
            time.sleep(0.002)

    def kill(self) -> bool:
        """SIGKILL to the whole group; whether that struck a living run."""
        living = self.process.poll() is None
        if living:
            os.killpg(self.process.pid, signal.SIGKILL)
        struck = living and self.process.wait() == -signal.SIGKILL
        while struck and group_lives(self.process.pid):
            time.sleep(0.01)
        return struck


def group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def start() -> Iterator[Callable[..., Living]]:
    started: list[Living] = []

    def begin(folder: Path, *arguments: str) -> Living:
        folder.mkdir(exist_ok=True)
        started.append(Living(folder, *arguments))
        return started[-1]

    yield begin
    for run in started:
        run.kill()


LOCKS_REMOVED = "removed the locks of a run that was killed here"


def strike(start: Callable[..., Living], folder: Path, rule: str, moment: float, *arguments: str) -> str:
    """Kill a run while a job of a rule is at work, some time after it began; return what was said until that worked."""
    output = ""
    for attempt in range(4):
        run = start(folder, *arguments, *(["--forcerun", *forced(folder, rule)] if attempt else []))
        run.wait_for(lambda run=run: run.begun(rule))
        time.sleep(moment / 10**attempt)
        struck = run.kill()
        output += run.output
        if struck and run.begun(rule) > run.ended(rule):
            return output
    raise AssertionError(f"{rule} was over before it could be killed, four times:\n{output}")


def forced(folder: Path, rule: str) -> list[str]:
    """What makes Snakemake carry out a rule again: its name, or its files if there is a rule for each batch of them."""
    drawn = (folder / "results/figures").glob("*.pdf")
    return sorted(str(path.relative_to(folder)) for path in drawn) if rule == "draw_figures" else [rule]


def test_killed_twice(tmp_path: Path, whole: dict[str, bytes], start: Callable[..., Living]) -> None:
    """A part of a run, killed while a job is at work, then at a random moment, and continued."""
    randomness, folder, target = random.Random(3), tmp_path / "run", f"{EXPERIMENT}/trials.parquet"
    strike(start, folder, "construct_cover", randomness.uniform(0, 0.1), target)
    run = start(folder, target)
    run.wait_for(lambda: LOCKS_REMOVED in run.output)
    time.sleep(randomness.uniform(0, 3))
    struck = run.kill()
    assert struck or run.process.returncode == 0, run.output
    left = any((folder / ".snakemake/locks").glob("*.lock"))  # Snakemake lists its files some time after its start
    assert struck or not left
    assert (LOCKS_REMOVED in resume(folder, target)) == left
    files = contents_of_run(folder)
    assert files == {path: whole[path] for path in files}
    own = {path for path in whole if "excess_intervals/" in path}
    assert files.keys() == own
    assert len(own) >= 8


@pytest.mark.exhaustive
def test_killed_at_its_stages(
    tmp_path: Path, undisturbed: Path, whole: dict[str, bytes], start: Callable[..., Living]
) -> None:
    """One run, killed while a job of each rule is at work, and continued each time."""
    logs = sorted((undisturbed / "results/logs").rglob("*.log"), key=lambda path: path.stat().st_mtime)
    stages = list(dict.fromkeys(log.stem if log.parent.name == "logs" else log.parent.name for log in logs))
    assert len(stages) >= 13
    randomness, folder = random.Random(1), tmp_path / "run"
    reports = [strike(start, folder, rule, randomness.uniform(0, 0.1)) for rule in stages]
    assert all(LOCKS_REMOVED in text for text in reports[1:]), (
        "each found the locks of the one that was killed before it"
    )
    resume(folder)
    files = contents_of_run(folder)
    assert files == {path: whole[path] for path in files}
    missing = whole.keys() - files.keys()  # --forcerun removed it when all that is made from it was there already
    assert not any(is_result(path) for path in missing)


@pytest.mark.exhaustive
def test_killed_at_random_moments(tmp_path: Path, whole: dict[str, bytes], start: Callable[..., Living]) -> None:
    """Runs, each killed and continued until it is done; then the next one, until enough kills struck."""
    begin = time.monotonic()
    resume(tmp_path / "first")
    seconds = time.monotonic() - begin
    randomness = random.Random(2)
    wanted, struck, runs = 10, 0, 0
    while struck < wanted:
        runs += 1
        assert runs <= 4 * wanted
        folder = tmp_path / f"run{runs}"
        while struck < wanted:
            run = start(folder)
            moment = time.monotonic() + randomness.uniform(0, seconds)
            run.wait_for(lambda moment=moment: time.monotonic() > moment)
            if not run.kill():
                assert run.process.returncode == 0, run.output
                break
            struck += 1
        resume(folder)
        assert contents_of_run(folder) == whole
    assert struck == wanted


@pytest.mark.exhaustive
def test_killed_alone_it_leaves_jobs_that_do_no_harm(
    tmp_path: Path, whole: dict[str, bytes], start: Callable[..., Living]
) -> None:
    """SIGKILL to Snakemake only: its jobs go on beside the next run, which makes the same files again."""
    run = start(tmp_path / "run")
    run.wait_for(lambda: run.begun("construct_cover") or run.begun("measure_study"))
    run.process.kill()
    run.process.wait()
    resume(tmp_path / "run")
    deadline = time.monotonic() + 60
    while group_lives(run.process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert contents_of_run(tmp_path / "run") == whole


def check_refusal(folder: Path, start: Callable[..., Living], looks: Sequence[Sequence[str]]) -> None:
    """Stop a living run, and see its locks respected; then kill it, and see the next run remove them."""
    locks = folder / ".snakemake/locks"
    shutil.rmtree(locks, ignore_errors=True)
    run = start(folder, "--forcerun", "summary")
    run.wait_for(lambda: len(list(locks.glob("*.lock"))) == 2)
    os.killpg(run.process.pid, signal.SIGSTOP)
    before = contents(locks, "*")
    assert len(before) == 2
    for arguments in looks:
        snakemake(folder, WHOLE, *arguments, check=False)
        assert contents(locks, "*") == before, arguments
    second = snakemake(folder, WHOLE, "--cores", "1", "--forcerun", "runtimes", check=False)
    assert second.returncode != 0
    assert "Directory cannot be locked" in second.stdout + second.stderr
    assert "removed the locks" not in second.stdout + second.stderr
    assert contents(locks, "*") == before
    os.killpg(run.process.pid, signal.SIGCONT)
    assert run.kill()
    assert LOCKS_REMOVED in resume(folder)


def test_a_second_run_is_refused_while_the_first_is_alive(
    tmp_path: Path, undisturbed: Path, whole: dict[str, bytes], start: Callable[..., Living]
) -> None:
    folder = copy(undisturbed, tmp_path / "run")
    check_refusal(folder, start, [["--dry-run"]])
    assert contents_of_run(folder) == whole


@pytest.mark.exhaustive
def test_nothing_that_only_looks_removes_locks(tmp_path: Path, undisturbed: Path, start: Callable[..., Living]) -> None:
    looks = [["--report", str(tmp_path / "report.html")], ["--lint"], ["--detailed-summary"], ["--list-rules"]]
    check_refusal(copy(undisturbed, tmp_path / "run"), start, looks)


KINDS = {
    f"{SYNTHETIC}/public.parquet": ["construct_cover"],
    f"{SYNTHETIC}/private.parquet": ["private_select", "measure_without_privacy"],
    f"{BLOCK}/prepared.parquet": ["private_select", "measure_without_privacy"],
    f"{BLOCK}/releases.parquet": ["evaluate"],
    f"{BLOCK}/without_privacy.parquet": ["evaluate"],
    "data/breast_cancer.parquet": ["split_table"],
    f"{SPLIT}/public.parquet": ["construct_cover", "draw_figures"],
    f"{SPLIT}/held.parquet": ["evaluate_held_out", "draw_figures"],
    f"{EXPERIMENT}/trials.parquet": ["summary"],
    f"{EXPERIMENT}/summary.parquet": ["draw_figures", "summary"],
    f"{EXPERIMENT}/slopes.parquet": ["draw_figures", "summary"],
    f"{STUDY}.rows.parquet": ["ledger"],
    f"{STUDY}.measurements.parquet": ["ledger", "draw_figures"],
    "results/claims.parquet": ["summary"],
    "results/measurements.parquet": ["summary"],
}
"""Every table that one job of a run hands to another, and the rules that read it."""


def damage(path: Path, how: str) -> None:
    """Cut a file off in its middle, or flip one bit there."""
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    if how == "truncated":
        del data[middle:]
    else:
        data[middle] ^= 1
    path.write_bytes(bytes(data))


def failures(text: str) -> dict[str, list[str]]:
    """Outputs of the jobs that failed, by rule, from Snakemake's report of them."""
    outputs: dict[str, list[str]] = {}
    for rule, report in re.findall(r"Error in rule (\w+):\n((?:    .*\n)+)", text):
        outputs.setdefault(family(rule), []).extend(re.search(r" output: (.*)", report)[1].split(", "))
    return outputs


def check_damage(folder: Path, damaged: dict[str, str], whole: dict[str, bytes]) -> str:
    """Damage files of a finished run, see their readers fail and the remedy work; what the failed run said."""
    for path, how in damaged.items():
        damage(folder / path, how)
    failed = snakemake(folder, WHOLE, "--cores", "2", "--keep-going", check=False)
    printed = failed.stdout + failed.stderr
    assert failed.returncode != 0, printed
    for path in damaged:
        assert re.search(rf"^TableError: {re.escape(path)}: .*; {REMEDY} \(log: ", printed, flags=re.M), (path, printed)
        (folder / path).unlink()
    outputs = [output for listed in failures(printed).values() for output in listed]
    assert outputs
    assert [output for output in outputs if (folder / output).exists()] == []
    resume(folder)
    files = contents_of_run(folder)
    assert files == {path: whole[path] for path in files}
    missing = whole.keys() - files.keys()
    assert missing <= {*damaged, *outputs}
    assert not any(is_result(path) for path in missing), "what is not made again is what no result needed any more"
    return printed


def is_result(path: str) -> bool:
    """Whether a file is for users, not only for the next job."""
    return path.startswith("results/") and "/blocks/" not in path and "/claims/" not in path


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["truncated", "altered"])
@pytest.mark.parametrize("path", KINDS)
def test_a_damaged_table_is_refused(
    tmp_path: Path, undisturbed: Path, whole: dict[str, bytes], path: str, how: str
) -> None:
    output = check_damage(copy(undisturbed, tmp_path / "run"), {path: how}, whole)
    assert set(failures(output)) <= set(KINDS[path])


@pytest.mark.exhaustive
def test_a_damaged_table_is_refused_and_other_jobs_go_on(
    tmp_path: Path, undisturbed: Path, whole: dict[str, bytes]
) -> None:
    """With --keep-going: jobs that do not need the damaged table finish, whatever fails beside them."""
    folder = copy(undisturbed, tmp_path / "run")
    (folder / "results/figures/breast_cancer_mixture__table_errors.pdf").unlink()
    output = check_damage(folder, {f"{BLOCK}/releases.parquet": "altered"}, whole)
    assert set(failures(output)) == {"evaluate"}
    assert "(Rule: draw_figures_bmn20_1)" in output, "the figures of the other paper do not need it"
    assert re.search(r"^semipriv: .*ABM19 0 %.*; about [\d.]+ s left$", output, flags=re.M), "how long it will take"


class SmallDisk:
    """A file system of a size of our own, in a mount namespace that ends with it."""

    def __init__(self, folder: Path) -> None:
        script = 'mount -t tmpfs -o size=16m tmpfs "$1" && echo ready && read end'
        self._holder = subprocess.Popen(
            ["unshare", "-rm", "sh", "-c", script, "sh", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        line = self._holder.stdout.readline().strip()
        if line != "ready":
            self.close()
            pytest.skip(f"this system mounts no small disk for a test: {line}")
        self.folder = folder
        self.inside = ["nsenter", "--preserve-credentials", "-U", "-m", "-t", str(self._holder.pid), "--"]
        self.seen_from_outside = Path(f"/proc/{self._holder.pid}/root{folder}")

    def resize(self, free: int) -> None:
        """Leave so many bytes free, a multiple of the page size.

        A file fills a page, since size 0 does not mean a full disk: it lifts the limit.
        """
        filler = self.seen_from_outside / ".filler"
        filler.write_bytes(bytes(1))
        usage = os.statvfs(self.seen_from_outside)
        size = (usage.f_blocks - usage.f_bfree) * usage.f_frsize + free
        subprocess.run([*self.inside, "mount", "-o", f"remount,size={size}", str(self.folder)], check=True)
        usage = os.statvfs(self.seen_from_outside)
        assert (usage.f_blocks > 0, usage.f_bfree * usage.f_frsize) == (True, free)

    def run(self, *, check: bool = True) -> tuple[int, str]:
        done = snakemake(self.folder, WHOLE, "--cores", "2", check=check, inside=self.inside)
        return done.returncode, done.stdout + done.stderr

    def close(self) -> None:
        self._holder.communicate("end\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    (tmp_path / "disk").mkdir()
    disk = SmallDisk(tmp_path / "disk")
    yield disk
    disk.close()


@pytest.mark.exhaustive
def test_a_full_disk_is_an_error_and_a_later_run_completes(
    undisturbed: Path, whole: dict[str, bytes], small_disk: SmallDisk
) -> None:
    """Room for Snakemake's own files, but not for one figure more: its job draws all of its batch again."""
    shutil.copytree(undisturbed, small_disk.seen_from_outside, dirs_exist_ok=True)
    figure = "results/figures/excess_intervals__excess.png"
    (small_disk.seen_from_outside / figure).unlink()
    small_disk.resize(64 * 1024)
    code, output = small_disk.run(check=False)
    assert code != 0
    pattern = (
        r"OSError: \[Errno 28\] No space left on device: 'results/figures/(\w+)\.png' \(log: (\S+); drawing (\w+)\)"
    )
    match = re.search(pattern, output)
    assert match is not None, output
    assert match[1] == match[3]
    assert match[2] == "results/logs/draw_figures/abm19_1.log"
    assert not (small_disk.seen_from_outside / figure).exists()
    small_disk.resize(16 * 2**20)
    small_disk.run()
    assert contents_of_run(small_disk.seen_from_outside) == whole


@pytest.mark.exhaustive
@pytest.mark.parametrize("free", [0, 4, 12, 32, 64, 128, 256])
def test_a_disk_that_is_full_at_any_moment(whole: dict[str, bytes], small_disk: SmallDisk, free: int) -> None:
    """A new run on a disk of so many KiB: whatever cannot be written, it says so, and what is there is whole."""
    small_disk.resize(free * 1024)
    code, output = small_disk.run(check=False)
    assert code != 0
    assert "No space left on device" in output
    files = contents_of_run(small_disk.seen_from_outside)
    assert {path: data for path, data in files.items() if whole.get(path) != data} == {}
    small_disk.resize(16 * 2**20)
    small_disk.run()
    assert contents_of_run(small_disk.seen_from_outside) == whole
