"""A rule reruns exactly when the modules that it uses change."""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from runs import WHOLE, Job, jobs_of, snakemake

from semipriv.core.fingerprint import closure, fingerprint
from semipriv.core.overlay import PACKAGES

SCRIPTS = ROOT / "scripts"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the workflow, of which a test may change the sources."""
    root = tmp_path_factory.mktemp("checkout")
    for part in ("Snakefile", "workflow", "scripts", "src", "config", "envs", "profiles"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, root / part)
    return root


@contextmanager
def changed(root: Path, modules: Iterable[str]) -> Iterator[None]:
    """While it lasts, modules of the package have another text."""
    before = {path: path.read_text() for path in (root / "src" / module for module in modules)}
    for path, text in before.items():
        path.write_text(f"{text}ABM19-X,ours,a change\n" if path.suffix == ".csv" else f"{text}\n# a change\n")
    try:
        yield
    finally:
        for path, text in before.items():
            path.write_text(text)


BLOCKS = {
    "generate_data",
    "split_table",
    "construct_cover",
    "private_select",
    "measure_without_privacy",
    "evaluate",
    "evaluate_held_out",
}
"""Rules that know an experiment."""
LEARNERS = BLOCKS - {"generate_data"}
"""Those that build its learners."""
SIMULATED = BLOCKS - {"split_table", "construct_cover", "evaluate_held_out"}
"""Those that build its distribution."""
OTHERS = {"write_table", "draw_figures", "measure_study", "ledger", "summary", "runtimes"}
RULES = BLOCKS | OTHERS

UNUSED = "what only reads configurations, asks or is not used"
CASES: dict[str, tuple[tuple[str, ...], set[str]]] = {
    UNUSED: (
        (
            "semipriv_lab/figures/batches.py",
            "semipriv_lab/figures/catalogue.py",
            "semipriv_lab/experiments/loading.py",
            "semipriv_lab/workflow/locks.py",
            "semipriv/core/fingerprint.py",
            "semipriv/practice/planner/plan.py",
            "semipriv_lab/cli/claim.py",
            "semipriv/classes/decision_stumps.py",
            "semipriv/papers/abm19/learners/public_data_reduction.py",
            "semipriv/mechanisms/stable_vote.py",
            "semipriv_lab/papers/bmn20/studies/_distributions.py",
            "semipriv_lab/papers/bmn20/studies/rates.py",
            "semipriv_lab/papers/bmn20/figures/mixture_rates.py",
        ),
        set(),
    ),
    "progress of loops": (("semipriv/core/progress.py",), RULES),
    "log of a job": (("semipriv_lab/workflow/log.py",), RULES),
    "whole files": (("semipriv/core/files.py",), RULES),
    "random streams": (("semipriv/core/randomness.py",), RULES - {"write_table", "ledger", "summary", "runtimes"}),
    "a learner": (("semipriv/learners/fixed_grid.py",), LEARNERS),
    "a mechanism of learners": (("semipriv/mechanisms/selection/exponential.py",), LEARNERS),
    "a class of simulations and of a study": (
        ("semipriv/classes/thresholds.py",),
        BLOCKS - {"split_table", "evaluate_held_out"} | {"measure_study"},
    ),
    "a shift": (("semipriv/distributions/shifts/tilt.py",), SIMULATED),
    "a kind of output": (
        ("semipriv/learners/outputs/hypothesis.py",),
        {"evaluate", "evaluate_held_out", "draw_figures"},
    ),
    "a public stage": (("semipriv/learners/stages/fixed_grid.py",), LEARNERS),
    "a figure of an experiment": (("semipriv_lab/figures/plots/excess.py",), {"draw_figures"}),
    "a figure of a study": (("semipriv_lab/papers/abm19/figures/public_points.py",), {"draw_figures"}),
    "a study": (("semipriv_lab/papers/abm19/studies/public_need.py",), {"measure_study"}),
    "bounds of learners, of studies and of figures": (
        ("semipriv/papers/abm19/bounds/sizes.py",),
        LEARNERS | {"measure_study", "draw_figures"},
    ),
    "checks of parameters": (("semipriv/core/checks.py",), BLOCKS | {"measure_study", "draw_figures", "summary"}),
    "the finding of plug-ins": (("semipriv/core/registry.py",), RULES - {"ledger", "summary", "runtimes"}),
    "a sweep of the geometry": (("semipriv/geometry/sweep.py",), BLOCKS),
    "compiled kernels": (
        ("semipriv/classes/_interval_tally.py",),
        BLOCKS - {"split_table", "evaluate_held_out"},
    ),
    "the list of claims": (("semipriv_lab/papers/abm19/claims.csv",), {"ledger"}),
    "the list of studies": (("semipriv_lab/papers/abm19/studies.csv",), {"ledger"}),
    "the work of two rules": (
        ("semipriv_lab/workflow/private_select.py",),
        {"private_select", "measure_without_privacy"},
    ),
    "modules of one rule each": (
        (
            "semipriv_lab/workflow/generate_data.py",
            "semipriv_lab/workflow/write_table.py",
            "semipriv_lab/workflow/construct_cover.py",
            "semipriv_lab/workflow/evaluate.py",
            "semipriv_lab/workflow/evaluate_held_out.py",
            "semipriv_lab/ledger/page.py",
            "semipriv_lab/ledger/studies.py",
            "semipriv_lab/workflow/summary.py",
            "semipriv_lab/workflow/runtimes.py",
        ),
        {
            "generate_data",
            "write_table",
            "construct_cover",
            "evaluate",
            "evaluate_held_out",
            "ledger",
            "summary",
            "runtimes",
        },
    ),
}
"""By what is changed: modules of the package, changed together, and the rules whose outputs are then out of date."""


Parameters = dict[tuple[str, ...], tuple[str, dict[str, Any]]]
"""Rule and parameters of each job, by its outputs."""


def parameters(jobs: Iterable[Job]) -> Parameters:
    return {job.outputs: (job.rule, job.params) for job in jobs if job.script}


def predicted(jobs: Iterable[Job], root: Path) -> Parameters:
    """The parameters that jobs would have in a copy of the workflow: their fingerprints are computed anew there."""

    @cache
    def code(sources: tuple[Path | str, ...]) -> str:
        return fingerprint(root / s.relative_to(ROOT) if isinstance(s, Path) else s for s in sources)

    with pytest.MonkeyPatch.context() as patch:
        for package in PACKAGES:
            patch.setitem(PACKAGES, package, root / "src" / package)
        return {
            outputs: (rule, given | {"code": code(job.sources)})
            for job in jobs
            for outputs, (rule, given) in parameters([job]).items()
        }


def stale(before: Parameters, after: Parameters) -> set[tuple[str, ...]]:
    """Outputs of the jobs whose parameters are others."""
    assert after.keys() == before.keys()
    assert {rule for rule, _ in after.values()} == RULES
    return {outputs for outputs in after if after[outputs] != before[outputs]}


@pytest.mark.parametrize("case", CASES)
def test_changing_a_module_changes_the_parameters_of_the_rules_that_use_it(
    checkout: Path, plan: Callable[..., list[Job]], case: str
) -> None:
    modules, rules = CASES[case]
    before = parameters(plan())
    with changed(checkout, modules):
        after = predicted(plan(), checkout)
    assert {after[outputs][0] for outputs in stale(before, after)} == rules


def test_jobs_have_no_parameter_by_which_a_change_counts_but_their_fingerprint(
    checkout: Path, plan: Callable[..., list[Job]]
) -> None:
    """What is predicted is what is planned: after a change of what no job uses, and of all that spares one rule."""
    before = parameters(plan())
    assert predicted(plan(), checkout) == before
    for spared, out_of_date in ((RULES, set()), ({"ledger"}, RULES - {"ledger", "runtimes"})):
        modules = {module for names, rules in CASES.values() if not rules & spared for module in names}
        with changed(checkout, modules):
            after = predicted(plan(), checkout)
            assert parameters(jobs_of(root=checkout)) == after
        assert {after[outputs][0] for outputs in stale(before, after)} == out_of_date


def test_snakemake_reruns_what_has_other_parameters(
    checkout: Path, undisturbed: Path, plan: Callable[..., list[Job]]
) -> None:
    """Snakemake's own list, whose status is of each output itself, not of those upstream of it."""
    jobs = plan(WHOLE)
    with changed(checkout, ["semipriv/learners/fixed_grid.py", "semipriv_lab/workflow/summary.py"]):
        out_of_date = stale(parameters(jobs), predicted(jobs, checkout))
        text = snakemake(undisturbed, WHOLE, "--detailed-summary", root=checkout).stdout
    header, *rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    statuses = {row[header.index("output_file")]: row[header.index("status")] for row in rows}
    assert statuses == {
        path: "params changed" if outputs in out_of_date else "ok" for outputs in parameters(jobs) for path in outputs
    }
    assert set(statuses.values()) == {"ok", "params changed"}


def test_parameters_do_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    """A second run, whose strings have other hashes, has nothing to do.  Snakemake compares parameters as text."""
    config = tmp_path / "tables.yaml"
    config.write_text("experiments: [breast_cancer, diabetes, rand_many]\nclaims: []\n")
    first, second = (
        {job.outputs: repr([*job.snakemake.params.items()]) for job in jobs_of(config=config, **seed)}
        for seed in ({}, {"PYTHONHASHSEED": "2"})  # of the first, as of any start, the hashes are random
    )
    assert {path for outputs in first for path in outputs} >= {
        f"data/{name}.parquet" for name in ("breast_cancer", "diabetes", "randhie")
    }
    assert first == second


def test_every_rule_is_out_of_date_for_a_reason_of_its_own() -> None:
    """Each is affected by something that does not affect all, and not by something that affects another."""
    changes = [rules for _, rules in CASES.values() if rules and rules != RULES]
    for rule in RULES:
        assert any(rule in rules for rules in changes), f"no case makes {rule} stale"
        assert any(rule not in rules for rules in changes), f"every case makes {rule} stale"


def test_changing_a_script_reruns_its_rule(checkout: Path, undisturbed: Path) -> None:
    """Snakemake sees this by itself, by the time of the script; what is downstream follows."""
    script = checkout / "scripts/private_select.py"
    before = script.stat()
    script.touch()
    try:
        text = snakemake(undisturbed, WHOLE, "--dry-run", root=checkout).stdout
    finally:
        os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))
    jobs = [job for job in re.split(r"^Job \d+: ", text, flags=re.MULTILINE)[1:] if "Code has changed" in job]
    assert jobs
    assert all(job.startswith("Private stage of ") for job in jobs)


def test_closure_follows_imports_and_nothing_else() -> None:
    modules = closure([SCRIPTS / "evaluate.py"])
    used = {"semipriv_lab.workflow.evaluate", "semipriv_lab.workflow.gather", "semipriv.core.statistics"}
    assert {*used, "semipriv_lab.workflow.private_select"} - modules == {"semipriv_lab.workflow.private_select"}
    assert not any(module.startswith(("semipriv_lab.figures", "semipriv.papers.")) for module in modules)
    assert "semipriv.papers.abm19.learners.sspp" in closure(
        [SCRIPTS / "evaluate.py", "semipriv.papers.abm19.learners.sspp"]
    )


def test_fingerprints_are_stable_and_differ() -> None:
    prints = [fingerprint([path]) for path in sorted(SCRIPTS.glob("*.py"))]
    assert prints == [fingerprint([path]) for path in sorted(SCRIPTS.glob("*.py"))]
    assert len(set(prints)) > 8
    with pytest.raises(ValueError, match=r"semipriv\.nothing: is not a module"):
        fingerprint(["semipriv.nothing"])
