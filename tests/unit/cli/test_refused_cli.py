"""What the command line refuses: the words, and those of the answer."""

from pathlib import Path

import pytest

from semipriv.cli import REFUSED, main

PLAN = ["plan", "--class", "thresholds", "--epsilon", "1"]
COMPARE = ["compare", "--class", "thresholds", "--epsilon", "1", "--alpha", "0.3", "--beta", "0.3", "--n-public", "20"]


def change(**options: str | None) -> list[str]:
    """An answerable question with some options changed or, where None, left out."""
    given = {"class": "thresholds", "alpha": "0.2", "beta": "0.2", "epsilon": "1"} | options
    return ["plan", *(f"--{key.replace('_', '-')}={value}" for key, value in given.items() if value is not None)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required: subcommand"),
        (["pln"], "unknown subcommand 'pln': did you mean 'plan'"),
        (change(alpha="0"), "alpha = '0': must be in (0, 1)"),
        (change(alpha="1"), "alpha = '1': must be in (0, 1)"),
        (change(alpha="nan"), "alpha = nan: must be finite"),
        (change(beta="1.5"), "beta = '1.5': must be in (0, 1)"),
        (change(epsilon="0"), "epsilon = '0': must be > 0"),
        (change(epsilon="-1"), "epsilon = '-1': must be > 0"),
        (change(epsilon=None), "required: --epsilon"),
        (change(alpha=None), "give either --alpha, or --n-public and --n-private"),
        (change(n_public="5"), "give either --alpha, or --n-public and --n-private"),
        (change(alpha=None, n_public="5"), "give either --alpha, or --n-public and --n-private"),
        (change(alpha=None, n_public="0", n_private="5"), "n_public = '0': must be >= 1"),
        (change(alpha=None, n_public="5", n_private="2.5"), "n_private = '2.5': must be an integer"),
        ([*change(alpha=None, n_public="5", n_private="5"), "--proven-only"], "the bound says nothing at these sizes"),
        (change(**{"class": "threshold"}), "unknown class 'threshold': did you mean 'thresholds'"),
        (change(orientatoin="le"), "unknown option 'orientatoin': did you mean 'orientation'"),
        (change(sede="1"), "unknown option 'sede': did you mean 'seed'"),
        (change(orientation="up"), "orientation"),
        (change(parameter="orientation"), "must be KEY=VALUE"),
        ([*change(), "--orientation"], "--orientation: needs a value"),
        ([*change(orientation="le"), "--orientation", "ge"], "--orientation: is given twice"),
        ([*change(), "stray"], "'stray': is not an option"),
        (["--json", *change()], "'--json': stands before 'plan'; options of a subcommand come after its name"),
        (["budget", "show", "a.jsonl", "--wrong"], "'--wrong': is not an option of `semipriv budget`"),
        (change(**{"class": "discrete_thresholds"}), "needs bits"),
        (change(**{"class": "halfspace_intersections"}, dimension="3"), "VC dimension of intersections"),
        (change(**{"class": "halfspaces"}, dimension="9", alpha="0.02"), "ask for the proven part only"),
        (change(**{"class": "halfspaces"}, dimension="1e21"), "dimension = 1000000000000000000000: is too large"),
        (change(**{"class": "halfspaces"}, dimension="1000000"), "dimension = 1000000: is too large for a simulation"),
        (change(**{"class": "halfspaces"}, dimension="[" * 3000), "is text, must be a number"),
        (change(mechanism="permute"), "did you mean 'permute_and_flip'"),
        (change(noise="0.5"), "noise = 0.5: must be in [0, 0.5)"),
        (change(trials="3"), "trials = 3: must be >= "),
        (change(seed="-1"), "seed = '-1': must be >= 0"),
        (change(features="a"), "--features: names columns of --public"),
        (change(public="gone.csv"), "gone.csv: there is no such file"),
        (change(public="bad.csv", features="a"), "bad.csv: column 'a', row 1 = 'x': must be a finite number"),
        (change(public="bad.csv", features="c"), "bad.csv: column 'c' is missing; it has a, b"),
        ([*change(public="bad.csv"), "--proven-only"], "--public is for the simulation"),
        (change(picture="plan.jpg"), "must be a .png or .pdf file"),
        (change(picture="gone/plan.png"), "in a folder that is there"),
        (change(picture="plan.png", trials="3"), "trials = 3"),
        ([*PLAN, "--alpha", "0.1", "--learner", "rspmm"], "unknown learner 'rspmm': did you mean 'rspm' or 'rrspm'?"),
        ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--learner-parameter", "scal=1"], "did you mean 'scale'?"),
        ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--learner-parameter", "scale"], "must be KEY=VALUE"),
        ([*PLAN, "--alpha", "nan", "--learner", "rrspm"], "alpha = nan: must be finite"),
        ([*PLAN, "--learner", "rrspm"], "give --alpha, or the sizes"),
        ([*PLAN, "--alpha", "0.1", "--learner", "learn_half"], "learn_half learns halfspaces, the class is Thresholds"),
        ([*PLAN, "--alpha", "0.1", "--learner", "label_boost"], "learner 'label_boost' needs learner"),
        ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--n-public", "10"], "no n_private up to 2^53"),
        ([*PLAN, "--alpha", "0.1", "--n", "10"], "--n: is not a size of A_SSPP"),
        ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--n-labelled", "9"], "unknown size of 'rrspm' 'n_labelled'"),
        (["plan", "--class", "thresholds", "--epsilon", "1e-5", "--alpha", ".1"], "supports 0.0001 <= epsilon <= 100"),
        (["plan", "--class", "thresholds", "--epsilon", "101", "--alpha", ".1"], "supports 0.0001 <= epsilon <= 100"),
        (
            ["plan", "--class", "linear_ball", "--epsilon", "1", "--alpha", ".1"],
            "class 'linear_ball': A_SSPP learns labels 0 and 1",
        ),
        ([*PLAN, "--alpha", "0.1", "--learner", "rrspm", "--picture", "x.png"], "--picture: draws plans of A_SSPP"),
        ([*COMPARE, "--learners", "sspp,rrspmm"], "unknown learner 'rrspmm'"),
        ([*COMPARE, "--learners", "sspp,sspp"], "is given twice"),
        ([*COMPARE, "--learners", "learn_half"], "learn_half learns halfspaces"),
        (
            [*COMPARE, "--learners", "regularised"],
            "releases no hypothesis; 'thresholds' is for learners that do: all_concepts",
        ),
        ([*COMPARE, "--learners", "sspp", "--learner-parameter", "rrspm.scale=paper"], "unknown learner of"),
        ([*COMPARE, "--learners", "sspp", "--learner-parameter", "scale=paper"], "must be NAME.KEY=VALUE"),
        ([*COMPARE, "--learner-parameter", "sspp.mechanism=exponential"], "is for learners that --learners names"),
        ([*COMPARE, "--most", "0"], "most = '0': must be >= 1"),
        ([*COMPARE, "--epsilon", "1e-9"], "supports 0.0001 <= epsilon <= 100"),
        ([*COMPARE, "--noise", "nan"], "noise = nan: must be finite"),
        (
            [*PLAN, "--n-public", "30", "--n-private", "9000000", "--beta", "0.05"],
            "the simulation draws at most 1818181 in each of 110 samples",
        ),
    ],
    ids=lambda value: " ".join(value)[-48:] if isinstance(value, list) else "",
)
def test_refused(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line besides progress, nothing on stdout, nothing run and nothing written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\nx,3\n")
    assert main(words) == REFUSED
    out, err = capsys.readouterr()
    *progress, last = err.splitlines(keepends=True)
    assert out == ""
    assert last.startswith("semipriv: ")
    assert message in last
    assert progress == [] or "proven part only" in message
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]
