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
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_plan_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*PLAN, "--learner", "rrspm", "--learner-parameter", "scale=teaching", "--proven-only"]
    found = answer(capsys, *words, "--alpha", "0.1")
    assert found["asked"]["learner"]["scale"] == "teaching"
    assert found["guarantee"] == {"epsilon": 1.0, "delta": 0.0, "neighbours": "replace_private_example"}
    sizes = [f"--{key.replace('_', '-')}={n}" for key, n in found["proven"]["sizes"].items()]
    back = answer(capsys, *words, *sizes)
    assert 0.0999 < back["proven"]["excess"] <= 0.1
    assert back["theorem"] == found["theorem"] == "BBD24 theorem 4, explicit"
    assert main([*words, "--alpha", "0.1"]) == 0
    out = capsys.readouterr().out
    assert all(f"{n:,}" in out for n in found["proven"]["sizes"].values())
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
    found = answer(capsys, *ball, "--learner", "regularised", "--delta", "1e-5")
    assert found["proven"]["learner"]["eta"] > 1
    assert found["guarantee"]["delta"] == 1e-5


def test_a_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*COMPARE, "--learners", "sspp,fixed_grid", "--learner-parameter", "sspp.mechanism=permute_and_flip"]
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [row["reference"] for row in found["rows"]] == [False, False, True]
    by_name = {row["learner"]["name"]: row for row in found["rows"]}
    assert by_name["sspp"]["learner"]["mechanism"] == "permute_and_flip"
    assert by_name["empirical_risk_minimiser"]["neighbours"] is None
    assert all(row["lower"] is None or row["lower"] < row["upper"] for row in found["rows"])
    assert "n_private = " in err


BAD = [
    ([*PLAN, "--alpha", "0.1", "--learner", "rspmm"], "unknown learner 'rspmm': did you mean 'rspm' or 'rrspm'?"),
    ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--learner-parameter", "scal=1"], "did you mean 'scale'?"),
    ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--learner-parameter", "scale"], "must be KEY=VALUE"),
    ([*PLAN, "--alpha", "nan", "--learner", "rrspm"], "alpha = nan: must be finite"),
    ([*PLAN, "--learner", "rrspm"], "give --alpha, or the sizes"),
    ([*PLAN, "--alpha", "0.1", "--learner", "learn_half"], "learn_half learns halfspaces, the class is Thresholds"),
    ([*PLAN, "--alpha", "0.1", "--learner", "label_boost"], "learner 'label_boost' needs learner"),
    ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--n-public", "10"], "no n_private up to 2^53"),
    ([*PLAN, "--alpha", "0.1", "--n", "10"], "--n: is no size of A_SSPP"),
    ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--n-labelled", "9"], "unknown size of 'rrspm' 'n_labelled'"),
    (["plan", "--class", "thresholds", "--epsilon", "1e-5", "--alpha", ".1"], "supports 0.0001 <= epsilon <= 100"),
    (["plan", "--class", "thresholds", "--epsilon", "101", "--alpha", ".1"], "supports 0.0001 <= epsilon <= 100"),
    (["plan", "--class", "linear_ball", "--epsilon", "1", "--alpha", ".1"], "unknown class 'linear_ball'"),
    ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--picture", "x.png"], "--picture: draws plans of A_SSPP"),
    ([*COMPARE, "--learners", "sspp,rrspmm"], "unknown learner 'rrspmm'"),
    ([*COMPARE, "--learners", "sspp,sspp"], "is given twice"),
    ([*COMPARE, "--learners", "learn_half"], "learn_half learns halfspaces"),
    ([*COMPARE, "--learners", "regularised"], "its output is of the kind 'regressor'"),
    ([*COMPARE, "--learners", "sspp", "--learner-parameter", "rrspm.scale=paper"], "unknown learner of"),
    ([*COMPARE, "--learners", "sspp", "--learner-parameter", "scale=paper"], "must be NAME.KEY=VALUE"),
    ([*COMPARE, "--learner-parameter", "sspp.mechanism=exponential"], "is for learners that --learners names"),
    ([*COMPARE, "--most", "0"], "most = '0': must be >= 1"),
    ([*COMPARE, "--epsilon", "1e-9"], "supports 0.0001 <= epsilon <= 100"),
    ([*COMPARE, "--noise", "nan"], "noise = nan: must be finite"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[" ".join(words[3:])[-48:] for words, _ in BAD])
def test_refusals(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line, nothing on stdout, nothing simulated before."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("semipriv: ")
    assert len(err.splitlines()) == 1
    assert message in err


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


def test_too_many_rows_are_said_before_they_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*PLAN, "--n-public", "30", "--n-private", "9000000", "--beta", "0.05"]
    assert main(words) == 2
    assert "the simulation draws at most 1818181 in each of 110 samples" in capsys.readouterr().err
