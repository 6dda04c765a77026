"""A rule reruns exactly when the modules that it uses change."""

import shutil
from pathlib import Path

import pytest
from runs import ROOT, snakemake

from semipriv.fingerprint import closure, fingerprint

pytestmark = pytest.mark.xdist_group("dag")

SCRIPTS = ROOT / "scripts"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the workflow and a finished micro run of it."""
    root = tmp_path_factory.mktemp("checkout")
    for part in ("Snakefile", "workflow", "scripts", "src", "config", "envs", "profiles", "tests/fixtures"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, root / part)
    folder = tmp_path_factory.mktemp("finished")
    snakemake(folder, "--cores", "2", "--quiet", "all", root=root)
    return root, folder


def stale(root: Path, folder: Path) -> set[str]:
    """Rules whose outputs Snakemake finds out of date because their code changed (not those downstream of them)."""
    listing = snakemake(folder, "--detailed-summary", root=root).stdout
    header, *rows = [line.split("\t") for line in listing.splitlines() if "\t" in line]
    rule, status = header.index("rule"), header.index("status")
    assert rows
    assert {row[status] for row in rows} <= {"ok", "params changed"}
    return {row[rule] for row in rows if row[status] != "ok"}


LEARNERS = {
    "split_table",
    "construct_cover",
    "private_select",
    "measure_without_privacy",
    "evaluate",
    "evaluate_held_out",
    "gather",
}
"""Rules that build the learners of an experiment."""


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("learners/fixed_grid.py", LEARNERS),
        (
            "mechanisms/selection/exponential.py",
            LEARNERS,
        ),
        (
            "mechanisms/selection/permute_and_flip.py",
            LEARNERS,
        ),
        ("mechanisms/noise/discrete_laplace.py", set()),
        ("classes/decision_stumps.py", set()),
        (
            "distributions/shifts/tilt.py",
            {"generate_data", "private_select", "measure_without_privacy", "evaluate", "gather"},
        ),
        ("figures/excess.py", {"draw_figure"}),
        ("figures/public_points.py", {"draw_figure"}),
        ("claims/abm19_public_need.py", {"measure_study"}),
        ("experiments/evaluate.py", {"evaluate", "evaluate_held_out"}),
        ("claims/claims.csv", {"measure_study", "ledger"}),
    ],
)
def test_changing_a_module_reruns_the_rules_that_use_it(
    checkout: tuple[Path, Path], module: str, rules: set[str]
) -> None:
    root, folder = checkout
    path = root / "src/semipriv" / module
    before = path.read_text()
    assert stale(root, folder) == set()
    path.write_text(before + "\n# a change\n")
    try:
        assert stale(root, folder) == rules
    finally:
        path.write_text(before)


def test_closure_follows_imports_and_nothing_else() -> None:
    modules = closure([SCRIPTS / "evaluate.py"])
    assert {"semipriv.experiments.evaluate", "semipriv.distributions.problem", "semipriv.statistics"} - modules == {
        "semipriv.statistics"
    }
    assert not any(m.startswith(("semipriv.figures", "semipriv.claims", "semipriv.learners.sspp")) for m in modules)
    assert "semipriv.learners.sspp" in closure([SCRIPTS / "evaluate.py", "semipriv.learners.sspp"])


def test_fingerprints_are_stable_and_differ() -> None:
    prints = [fingerprint([path]) for path in sorted(SCRIPTS.glob("*.py"))]
    assert prints == [fingerprint([path]) for path in sorted(SCRIPTS.glob("*.py"))]
    assert len(set(prints)) > 8
    with pytest.raises(ValueError, match=r"semipriv\.nothing: is not a module"):
        fingerprint(["semipriv.nothing"])
