"""Results depend neither on how the work was cut up and spread, nor on who started it."""

import re
from pathlib import Path

from runs import FIXTURES, WHOLE, Job, contents, jobs_of, place, snakemake

RESULTS = (
    "trials.parquet",
    "summary.parquet",
    "slopes.parquet",
    "claims.parquet",
    "measurements.parquet",
    "claims.html",
    "claims.tex",
    "*.png",
    "*.pdf",
)


def test_bytes_do_not_depend_on_blocks(finished: Path, jobs: dict[str, Job], tmp_path: Path) -> None:
    """The finished run had one block of all trials, this one has three.

    A study, or a batch of figures that reads no block, is the same job in both: it is not done again if its
    inputs are the same.
    """
    same = 0
    for job in jobs_of(str(FIXTURES / "blocks_3.yaml")):
        if job.rule in ("measure_study", "draw_figures") and job.is_like(jobs[job.outputs[0]]):
            for path in job.inputs:
                assert (tmp_path / path).read_bytes() == (finished / path).read_bytes(), path
            place(tmp_path, finished, job.outputs)
            same += 1
        elif job.script is not None:
            job.run(tmp_path)
    assert same >= 3
    expected, actual = (contents(folder / "results", *RESULTS) for folder in (finished, tmp_path))
    assert len(expected) > 12
    assert actual.keys() == expected.keys()
    assert [name for name in actual if actual[name] != expected[name]] == []
    assert len(list((tmp_path / "results/excess_vs_shift/blocks").iterdir())) == 3


def test_bytes_do_not_depend_on_the_other_experiments_or_on_snakemake(finished: Path, undisturbed: Path) -> None:
    """A run of Snakemake, of a part of the experiments, each job in a process of its own, makes these tables too."""
    own = re.compile(r"results/(claims\.\w+|measurements\.parquet|summary\.txt|(logs|timings)/.*)")
    expected, actual = (contents(folder, "results/**/*", "data/**/*") for folder in (finished, undisturbed))
    actual = {path: data for path, data in actual.items() if not own.fullmatch(path)}
    assert actual.keys() <= expected.keys()
    assert len(actual) > 25
    assert [name for name in actual if actual[name] != expected[name]] == []


def test_a_finished_run_has_nothing_left_to_do(undisturbed: Path) -> None:
    again = snakemake(undisturbed, WHOLE, "--cores", "2")
    assert "Nothing to be done" in again.stdout + again.stderr
