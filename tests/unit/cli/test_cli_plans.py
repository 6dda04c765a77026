"""``semipriv plan --learner`` and ``semipriv compare``: answers in words and as JSON, refusals in one line."""

import json
import resource
import subprocess
import sys
from typing import Any

import pytest

from semipriv.cli import main

PLAN = ["plan", "--class", "thresholds", "--epsilon", "1"]
COMPARE = ["compare", "--class", "thresholds", "--epsilon", "1", "--alpha", "0.3", "--beta", "0.3", "--n-public", "20"]


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    answered: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answered


def test_a_plan_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*PLAN, "--learner", "rrspm", "--learner-parameter", "scale=teaching", "--proven-only"]
    plan = answer(capsys, *words, "--alpha", "0.1")
    assert plan["asked"]["learner"]["scale"] == "teaching"
    assert plan["guarantee"] == {"epsilon": 1.0, "delta": 0.0, "neighbours": "replace_private_example"}
    sizes = [f"--{key.replace('_', '-')}={n}" for key, n in plan["proven"]["sizes"].items()]
    back = answer(capsys, *words, *sizes)
    assert 0.0999 < back["proven"]["excess"] <= 0.1
    assert back["theorem"] == plan["theorem"] == "BBD24 theorem 4, explicit"
    assert main([*words, "--alpha", "0.1"]) == 0
    out = capsys.readouterr().out
    assert all(f"{n:,}" in out for n in plan["proven"]["sizes"].values())
    assert "holds for every distribution" in out


def test_a_learner_without_a_theorem_is_simulated_only(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--alpha", "0.3", "--beta", "0.3", "--learner", "fixed_grid", "--n-public", "4"]
    assert main([*PLAN, *words]) == 0
    out, err = capsys.readouterr()
    assert "proven     nothing" in out
    assert "private examples are enough" in out
    assert "fixed grid: n_private = " in err
    seen = answer(capsys, *PLAN, "--learner", "fixed_grid", "--n-public", "4", "--n-private", "300", "--beta", "0.3")
    assert 0 <= seen["empirical"]["upper_limit"] < 0.3
    assert seen["theorem"] is seen["proven"]["sizes"] is None


def test_learners_around_others_and_of_functions(capsys: pytest.CaptureFixture[str]) -> None:
    base = 'learner={"name": "all_concepts", "epsilon": 1}'
    words = ["plan", "--class", "discrete_thresholds", "--bits", "40", "--alpha", "0.2", "--realizable"]
    boost = answer(capsys, *words, "--learner", "label_boost", "--learner-parameter", base)
    assert set(boost["proven"]["sizes"]) == {"n_labelled", "n_unlabelled"}
    ball = ["plan", "--class", "linear_ball", "--dimension", "2", "--alpha", "0.2", "--epsilon", "1"]
    plan = answer(capsys, *ball, "--learner", "regularised", "--delta", "1e-5")
    assert plan["proven"]["learner"]["eta"] > 1
    assert plan["guarantee"]["delta"] == 1e-5


def test_a_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*COMPARE, "--learners", "sspp,fixed_grid", "--learner-parameter", "sspp.mechanism=permute_and_flip"]
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    plan = json.loads(out)
    assert [row["reference"] for row in plan["rows"]] == [False, False, True]
    by_name = {row["learner"]["name"]: row for row in plan["rows"]}
    assert by_name["sspp"]["learner"]["mechanism"] == "permute_and_flip"
    assert by_name["empirical_risk_minimiser"]["neighbours"] is None
    assert all(row["lower"] is None or row["lower"] < row["upper"] for row in plan["rows"])
    assert "n_private = " in err


@pytest.mark.parametrize("epsilon", ["1e-4", "100"])
def test_limits_of_time_and_memory_at_the_ends_of_the_range(epsilon: str) -> None:
    """A plan within 10 CPU seconds and 2 GB of addresses; where simulations would take longer, it says so."""
    words = ["plan", "--class", "thresholds", "--alpha", "0.05", "--beta", "0.2", "--epsilon", epsilon]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))

    done = subprocess.run(
        [sys.executable, "-m", "semipriv", *words, "--proven-only"],
        capture_output=True, text=True, check=False, timeout=300, preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ABM19 theorem 3.1" in done.stdout


def test_delta_reaches_every_learner_that_has_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Also one whose delta has a default; a learner without one refuses it."""
    words = ["plan", "--class", "thresholds", "--alpha", "0.2", "--epsilon", "1", "--delta", "1e-6"]
    method = 'method={"name": "pmw", "accuracy": 0.5}'
    plan = answer(capsys, *words, "--learner", "query_release", "--learner-parameter", method)
    assert plan["guarantee"]["delta"] == 1e-6
    assert plan["proven"]["sizes"]["n_private"] > 1
    for learner in ([], ["--learner", "sspp"], ["--learner", "fixed_grid"]):
        assert main([*words, *learner]) == 2
        assert "has none" in capsys.readouterr().err
