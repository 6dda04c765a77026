"""The command line, end to end."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.cli import main, plan
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.planner.empirical import Scenario

QUICK = ["plan", "--class", "thresholds", "--alpha", "0.2", "--beta", "0.2", "--epsilon", "1"]


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    answered: dict = json.loads(capsys.readouterr().out)
    return answered


def keys(value: object) -> object:
    return {key: keys(inner) for key, inner in value.items()} if isinstance(value, dict) else None


def test_proven_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "plan",
        "--class",
        "halfspaces",
        "--dimension",
        "2",
        "--alpha",
        "0.05",
        "--beta",
        "0.05",
        "--epsilon",
        "1",
        "--proven-only",
    ]
    plan, sizes = answer(capsys, *words), SSPP(1.0).proven_sizes(Halfspaces(2), 0.05, 0.05)
    assert plan["proven"] == {
        "n_public": sizes.n_public,
        "n_private": sizes.n_private,
        "n_private_optimised": sizes.n_private_optimised,
    }
    assert plan["empirical"] is plan["simulation"] is None
    assert main(words) == 0
    text = capsys.readouterr().out
    for number in (sizes.n_public, sizes.n_private, sizes.n_private_optimised):
        assert f"{number:,}" in text
    assert "every distribution" in text
    assert "simulated" not in text


def test_simulated_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*QUICK, "--json"]) == 0
    out, progress = capsys.readouterr()
    plan = json.loads(out)
    sizes = plan["empirical"]
    assert sizes["upper_limit"] <= 0.2
    assert plan["simulation"] == {
        "population": "2000 points drawn once from the uniform distribution on [0, 1]^1",
        "atoms": 2000,
        "mechanism": "exponential",
        "noise": 0.1,
        "seed": 0,
        "confidence": 0.95,
    }
    assert f"confirming n_public = {sizes['n_public']}, n_private = {sizes['n_private']}" in progress
    assert main(QUICK) == 0
    text = capsys.readouterr().out
    for words in (f"{sizes['n_private']}   the population below", "no proof", "taken as PUBLIC", "95 % confidence"):
        assert words in text
    assert answer(capsys, *QUICK) == plan
    assert answer(capsys, *QUICK, "--realizable")["simulation"]["noise"] == 0
    assert answer(capsys, *QUICK, "--mechanism", "permute_and_flip")["simulation"]["mechanism"] == "permute_and_flip"


def test_excess(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "plan",
        "--class",
        "intervals",
        "--epsilon",
        "1",
        "--beta",
        "0.2",
        "--n-public",
        "30",
        "--n-private",
        "300",
    ]
    plan = answer(capsys, *words)
    assert plan["proven"] == {"excess": None, "excess_optimised": None, "vacuous": True}
    assert 0 <= plan["empirical"]["quantile"] <= plan["empirical"]["upper_limit"] < 1
    assert keys(plan["asked"]) == keys(answer(capsys, *QUICK)["asked"]) | {"parameters": {}}
    assert main(words) == 0
    assert "says nothing at these sizes" in capsys.readouterr().out
    plan = answer(
        capsys,
        *["plan", "--class", "intervals", "--epsilon", "1", "--n-public", "1e5", "--n-private", "1e6", "--proven-only"],
    )
    assert 0 < plan["proven"]["excess_optimised"] < plan["proven"]["excess"] < 0.1
    assert plan["asked"]["n_public"] == 100_000


def test_the_population_has_20_points_for_each_public_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Within 2,000 and 20,000, whatever n_private is; for sizes that are asked for, 100 / alpha."""
    words = ["plan", "--class", "thresholds", "--epsilon", "1", "--beta", "0.5", "--n-private", "250"]
    for n_public, atoms in (("40", 2000), ("150", 3000), ("2000", 20_000)):
        assert answer(capsys, *words, "--n-public", n_public)["simulation"]["atoms"] == atoms
    seen = []

    def stopped(*given: object, scenario: Scenario, **others: object) -> None:
        seen.append(len(scenario.population.atoms))
        raise ValueError

    monkeypatch.setattr(plan, "plan_sizes", stopped)
    for alpha in ("0.2", "0.04", "0.001"):
        assert main(["plan", "--class", "thresholds", "--alpha", alpha, "--epsilon", "1"]) == 2
    assert seen == [2000, 2500, 20_000]


def test_parameters_of_the_class(capsys: pytest.CaptureFixture[str]) -> None:
    for words, expected in (
        (["thresholds", "--orientation", "le"], {"orientation": "le"}),
        (["thresholds", "--parameter", "orientation=le"], {"orientation": "le"}),
        (["discrete_thresholds", "--bits=8"], {"bits": 8, "orientation": "lt"}),
        (["finite_class", "--table", "[[0,1],[1,1]]"], {"table": [[0, 1], [1, 1]]}),
    ):
        plan = answer(capsys, "plan", "--class", *words, "--alpha", "0.1", "--epsilon", "1", "--proven-only")
        assert plan["asked"]["parameters"] == expected


def test_a_public_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "points.csv"
    pd.DataFrame({"a": range(50), "b": "x"}).to_csv(path, index=False)
    plan = answer(capsys, *QUICK, "--public", str(path), "--features", "a")
    assert plan["simulation"]["population"] == str(path)
    assert plan["simulation"]["atoms"] == 50


@pytest.mark.parametrize(
    ("asked", "name", "magic"),
    [
        (QUICK, "plan.png", b"\x89PNG"),
        (
            ["plan", "--class", "thresholds", "--epsilon", "1", "--n-public", "50", "--n-private", "900"],
            "plan.pdf",
            b"%PDF",
        ),
    ],
)
def test_picture(tmp_path: Path, asked: list[str], name: str, magic: bytes) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        assert main([*asked, "--picture", str(tmp_path / folder / name)]) == 0
        assert [path.name for path in (tmp_path / folder).iterdir()] == [name]
    assert (tmp_path / "first" / name).read_bytes().startswith(magic)
    assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_help_and_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--help"]) == 0
    text = capsys.readouterr().out
    assert "halfspaces" in text
    assert "never private rows" in " ".join(text.split())
    done = subprocess.run(
        [sys.executable, "-m", "semipriv", "plan"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith("semipriv: ")
    assert len(done.stderr.splitlines()) == 1


def test_help_imports_nothing_that_is_slow() -> None:
    """The names and summaries come from the files; only the subcommand that was asked for is imported."""
    slow = "{'numpy', 'pandas'} & set(sys.modules)"
    code = f"import sys; from semipriv.cli import main; main(['--help']); print(sorted({slow}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    assert "compute what a list of requests costs, without any data" in done.stdout
