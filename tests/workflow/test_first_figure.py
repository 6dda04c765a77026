"""``make first``: one cheap figure, through every stage of the workflow."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT
from runs import Job, snakemake

CONFIG = ROOT / "config/first.yaml"
RECIPE = re.search(r"^FIRST := (.*)\n(?:.*\n)*?^first: .*\n\t(.*)", (ROOT / "Makefile").read_text(), flags=re.M)
STAGES = ["generate_data", "construct_cover", "private_select", "measure_without_privacy", "evaluate", "draw_figures"]


def test_its_jobs_are_one_of_each_stage(plan: Callable[..., list[Job]]) -> None:
    """And none of a claim, nor of another experiment: each would take longer than the figure."""
    assert RECIPE is not None
    figure, command = RECIPE.groups()
    assert command == "$(BIN)/snakemake $(FIRST) --cores $(CORES) --configfile config/first.yaml"
    jobs = plan(config=CONFIG)
    makes = {path: job for job in jobs for path in job.outputs}
    needed: dict[int, Job] = {}
    asked = [figure]
    while asked:
        job = makes[asked.pop()]
        if id(job) not in needed:
            needed[id(job)] = job
            asked += job.inputs
    assert sorted(job.rule for job in needed.values()) == sorted(STAGES)


@pytest.mark.exhaustive
def test_it_is_drawn(tmp_path: Path) -> None:
    assert RECIPE is not None
    snakemake(tmp_path, "--cores", "2", RECIPE[1], config=CONFIG)
    assert (tmp_path / RECIPE[1]).read_bytes().startswith(b"\x89PNG")
