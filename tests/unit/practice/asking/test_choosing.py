"""The learner that a request leaves to the public rule: each row of the table of cases, and what a request gets."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from semipriv.cli import main
from semipriv.core import registry
from semipriv.practice.asking.choosing import FOLLOWING, POPULATIONS, PUBLIC_ROWS, TASKS, Case, choose
from semipriv.practice.asking.request import load
from semipriv.practice.published.verify import read_certificate, verify
from semipriv.settings.reading import ConfigError

PAGE = Path(__file__).parents[4] / "docs" / "which-learner.md"
TWO = "two labels"
NONE, BARE, SAME = "none", "unlabelled, same population", "labelled, same population"
FEW, MANY = "one or two columns", "many columns"
MISSES, SPANS = "another population that misses the private one", "another population that spans the private one"
ROWS: dict[tuple[str, str, str], list[tuple[Case, str | None]]] = {
    (NONE, FEW, "good ranges"): [(Case(TWO, c, "none", 1, ranges="good"), "fixed_grid") for c in (1, 2)],
    (NONE, FEW, "orders of magnitude"): [(Case(TWO, c, "none", 1, ranges="magnitudes"), "log_grid") for c in (1, 2)],
    (NONE, MANY, ""): [(Case(TWO, 3, "none", 1, ranges="good"), None)],
    (BARE, FEW, "good ranges"): [(Case(TWO, 2, "unlabelled", 1, population="same", ranges="good"), "sspp")],
    (BARE, FEW, "orders of magnitude"): [
        (Case(TWO, 2, "unlabelled", 1, population="same", ranges="magnitudes"), "sspp")
    ],
    (BARE, FEW, "nothing"): [(Case(TWO, c, "unlabelled", 1, population="same"), "sspp") for c in (1, 2)],
    (BARE, MANY, ""): [(Case(TWO, 8, "unlabelled", 1, population="same"), "public_metric_discriminant")],
    (BARE, MANY, "a delta is declared"): [
        (Case(TWO, 8, "unlabelled", 1, 1e-6, population="same"), "public_metric_discriminant")
    ],
    (BARE, MANY, "one column decides alone"): [
        (Case(TWO, 8, "unlabelled", 1, population="same", one_column=True), "sspp")
    ],
    (SAME, FEW + ", thousands of private rows", ""): [
        (Case(TWO, 2, "labelled", 1, rows=4_000, population="same"), "sspp"),
        (Case(TWO, 2, "labelled", 1, population="same"), "sspp"),
    ],
    (SAME, "any columns, hundreds of private rows", ""): [
        (Case(TWO, 8, "labelled", 1, rows=300, population="same"), "public_logistic_regression"),
        (Case(TWO, 2, "labelled", 0.1, rows=300, population="same"), "public_logistic_regression"),
        (Case(TWO, 2, "labelled", 1, rows=300, population="same"), "sspp"),
    ],
    (SAME, MANY + ", thousands of private rows", ""): [
        (Case(TWO, 8, "labelled", 0.01, rows=4_000, population="same"), "public_logistic_regression"),
        (Case(TWO, 8, "labelled", 1, rows=4_000, population="same"), "public_model_discriminant"),
    ],
    ("labelled, perhaps another population", MANY, ""): [
        (Case(TWO, 8, "labelled", 1, rows=rows), "public_model_discriminant") for rows in (None, 300, 4_000)
    ],
    ("perhaps another population", FEW, "less"): [
        (Case(TWO, 2, "labelled", 1, ranges=ranges), "sspp") for ranges in ("magnitudes", "unknown")
    ],
    (MISSES, FEW, "orders of magnitude"): [
        (Case(TWO, 2, "labelled", 1, population="misses", ranges="magnitudes"), "log_grid")
    ],
    ("unlabelled, another population or perhaps", MANY, ""): [
        (Case(TWO, 8, "unlabelled", 1, population=population), "public_metric_discriminant")
        for population in POPULATIONS[1:]
    ],
    ("labelled, another population", MANY, ""): [
        (Case(TWO, 8, "labelled", 1, population=population), "public_model_discriminant")
        for population in POPULATIONS[2:]
    ],
    ("perhaps another population", FEW, "good ranges"): [
        (Case(TWO, c, public, 1, ranges="good"), "sspp_with_grid") for c in (1, 2) for public in PUBLIC_ROWS[1:]
    ],
    (SPANS, FEW, "nothing"): [(Case(TWO, 2, "labelled", 1, population="spans"), "sspp")],
    (MISSES, FEW, "good ranges"): [
        (Case(TWO, 2, "labelled", 1, population="misses", ranges="good"), "sspp_with_grid"),
        (Case(TWO, 2, "none", 1, population="misses", ranges="good"), "fixed_grid"),
    ],
}
"""Each row of the page's table of cases, with cases of it and the learners that the rule takes; None: it is refused."""
CALLED = {
    "fixed_grid": "a grid",
    "log_grid": "a logarithmic grid",
    "sspp": "A_SSPP",
    "sspp_with_grid": "A_SSPP with a grid",
    "public_metric_discriminant": "the public-metric discriminant",
    "public_model_discriminant": "the public-model discriminant",
    "public_logistic_regression": "the public model",
    None: "refuses",
}
AS_IF_BARE = "as if the public rows had no labels"


def table() -> dict[tuple[str, str, str], str]:
    """Return what the page says to take in each case."""
    lines = PAGE.read_text().split("## The answer for each case")[1].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    end = next((i for i, row in enumerate(cells) if len(row) != 5), len(cells))
    return {(row[0], row[1], row[2]): row[3] for row in cells[2:end]}


def test_the_rule_is_the_table_of_cases() -> None:
    """Every row has cases, and what the rule takes is named in the row."""
    page = table()
    assert set(page) == set(ROWS)
    for row, cases in ROWS.items():
        for case, expected in cases:
            if expected is None:
                with pytest.raises(ValueError, match=r"no learner: of .* nothing was measured: give public rows"):
                    choose(case)
            else:
                assert choose(case).learner["name"] == expected
                assert AS_IF_BARE in page[row] or CALLED[expected] in page[row], (row, expected)
    delta = choose(ROWS[BARE, MANY, "a delta is declared"][0][0])
    assert delta.spends_delta
    assert not choose(Case(TWO, 2, "unlabelled", 1, 1e-6)).spends_delta
    assert choose(ROWS[BARE, MANY, "one column decides alone"][0][0]).hypothesis_class["name"] == "decision_stumps"


def test_every_case_is_answered_with_a_learner_that_can_be_made_or_with_a_way_out() -> None:
    """Over all declarations: the class takes the learner, the dimension follows, and refusals say what to do."""
    refused = []
    for task in TASKS:
        for public in PUBLIC_ROWS:
            for population in POPULATIONS:
                for ranges in ("good", "magnitudes", "unknown"):
                    for columns, rows in ((1, None), (2, 300), (9, 300), (9, 4_000)):
                        case = Case(task, columns, public, 1.0, 0.0, 3, rows, population, ranges)
                        try:
                            choice = choose(case)
                        except ValueError as error:
                            refused.append((str(error), public == "none" or population == "misses"))
                            continue
                        assert choice.because
                        epsilon = {"epsilon": 1.0} if choice.reads_private else {}
                        learner = registry.build("learners", {**choice.learner, **epsilon})
                        assert learner.guarantee.epsilon == (1.0 if choice.reads_private else 0.0)
                        assert (choice.learner["name"] in FOLLOWING) <= (
                            choice.hypothesis_class["name"] == FOLLOWING.get(choice.learner["name"], {}).get("name")
                        )
    assert refused
    assert all(
        missing and ("name a learner" in text or "declare range: [low, high]" in text) for text, missing in refused
    )


# ---------------------------------------------------------------------------------------------------- requests
BASE: dict[str, Any] = {
    "release": "visits",
    "ledger": "ledgers/clinic.jsonl",
    "private": {"path": "clinic.csv"},
    "public": {"path": "public.csv"},
    "one_row_a_person": True,
    "size": "public",
    "features": {name: {"range": [0, 10]} for name in ("a", "b", "c")},
    "label": {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": "refuse"},
    "learner": {"name": "auto", "epsilon": "1/3"},
}
CLASSES = {"column": "y", "classes": ["yes", "no", "other"], "unknown": "refuse"}
RESPONSE = {"column": "c", "range": [0, 10], "unknown": "refuse"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    for name, labelled in (("clinic", True), ("labelled", True), ("public", False)):
        rows = rng.uniform(0, 10, (60, 3)).round(2)
        lines = [",".join([*map(str, row), *(["yes" if row[0] > 5 else "no"] if labelled else [])]) for row in rows]
        Path(f"{name}.csv").write_text("\n".join(["a,b,c,y" if labelled else "a,b,c", *lines, ""]))


def asked(**changes: Any) -> str:
    settings = copy.deepcopy(BASE)
    for key, value in changes.items():
        settings = {**settings, key: value} if value is not None else {k: v for k, v in settings.items() if k != key}
    Path("release.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    return "release.yaml"


def auto(**changes: Any) -> dict[str, Any]:
    return {"name": "auto", "epsilon": 1, **changes}


TWO_COLUMNS = {name: {"range": [0, 10], "unknown": 5} for name in ("a", "b")}


@pytest.mark.parametrize(
    ("changes", "learner", "function"),
    [
        ({}, "PublicMetricDiscriminant(epsilon=0.3333333333333333, delta=0.0)", "Halfspaces(dimension=3)"),
        (
            {"learner": auto(delta="1e-6")},
            "PublicMetricDiscriminant(epsilon=1.0, delta=1e-06)",
            "Halfspaces(dimension=3)",
        ),
        ({"public": {"path": "labelled.csv"}}, "PublicModelDiscriminant(epsilon=0.3333333333333333", "Halfspaces"),
        (
            {"public": {"path": "labelled.csv"}, "learner": auto(population="same", delta="1e-6")},
            "PublicModelDiscriminant(epsilon=1.0, same_population=True",
            "Halfspaces",
        ),
        ({"learner": auto(one_column=True)}, "SSPP", "DecisionStumps(dimension=3"),
        ({"features": TWO_COLUMNS, "learner": auto()}, "SSPP", "Halfspaces(dimension=2)"),
        ({"features": {"a": {"range": "public"}}, "learner": auto()}, "SSPP", "DecisionStumps(dimension=1"),
        ({"features": TWO_COLUMNS, "public": None, "learner": auto()}, "FixedGrid", "Halfspaces(dimension=2)"),
        ({"features": TWO_COLUMNS, "public": None, "learner": auto(ranges="magnitudes")}, "LogGrid", "Halfspaces"),
        ({"label": CLASSES}, "PublicMetricMulticlass", "LinearRules(dimension=3, classes=3)"),
        ({"label": CLASSES, "public": {"path": "labelled.csv"}}, "PublicModelMulticlass", "LinearRules"),
        (
            {"features": TWO_COLUMNS, "label": None, "response": RESPONSE},
            "PublicRidgeRegression",
            "Linear(dimension=2)",
        ),
        (
            {"features": TWO_COLUMNS, "label": None, "response": RESPONSE, "learner": auto(population="spans")},
            "PublicGramRegression",
            "Linear(dimension=2)",
        ),
        (
            {"label": CLASSES, "learner": {"name": "public_metric_multiclass", "epsilon": 1}},
            "PublicMetricMulticlass",
            "LinearRules(dimension=3, classes=3)",
        ),
        ({"learner": {"name": "public_metric_discriminant", "epsilon": 1}}, "PublicMetric", "Halfspaces(dimension=3)"),
    ],
    ids=str,
)
def test_a_request_gets_learner_and_class(changes: dict[str, Any], learner: str, function: str) -> None:
    candidate = load(asked(**changes)).candidate
    assert repr(candidate.learner).startswith(learner)
    assert repr(candidate.hypothesis_class).startswith(function)
    specification = candidate.specification()
    named = changes.get("learner", {}).get("name", "auto") != "auto"
    assert (candidate.choice is None) == ("chosen" not in specification) == named
    if candidate.choice is not None:
        assert specification["chosen"]["case"] == candidate.choice.case.described()
        assert choose(Case(**specification["chosen"]["case"])) == candidate.choice, (
            "whoever reads the certificate finds it again"
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"public": None}, "nothing was measured: give public rows"),
        (
            {"features": {"a": {"range": [0, 1]}}, "learner": auto(population="misses", ranges="magnitudes")},
            "public: rows that miss",
        ),
        (
            {"features": {"a": {"integers": [0, 9]}}, "learner": auto(ranges="good")},
            r"features.a: a grid needs its range: \[low, high\], declared",
        ),
        (
            {"features": {"a": {"integers": [0, 9]}}, "public": None, "learner": auto(ranges="good")},
            r"features.a: a grid needs its range: \[low, high\], declared",
        ),
        *(
            (
                {"features": {"a": {"categories": ["x", "y", "z"]}}, **changes},
                "features.a: is declared by categories, and",
            )
            for changes in (
                {"public": None},
                {"public": None, "learner": auto(ranges="good")},
                {"learner": auto(population="misses", ranges="good")},
            )
        ),
        ({"features": {"a": {"integers": [0, 9]}}, "public": None}, r"declare range: \[low, high\] of each column"),
        ({"class": {"name": "halfspaces"}}, "class: follows from the learner that auto takes: leave it out"),
        ({"learner": {"name": "auto"}}, "learner.epsilon: is missing, auto needs it"),
        ({"learner": auto(populaton="same")}, "key of learner 'populaton'.*population"),
        ({"learner": auto(population="equal")}, "population of public rows 'equal' .allowed: same, perhaps_another"),
        ({"label": None}, "needs label or response: for counts, means and quantiles by group name statistics"),
        ({"learner": {"name": "sspp", "epsilon": 1}}, "needs class, what is learned"),
        ({"label": CLASSES, "public": None}, "several labels and no public rows: give public rows"),
    ],
    ids=str,
)
def test_what_cannot_be_chosen_is_refused_with_the_reason_and_a_way_out(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(asked(**changes))


def test_a_dry_run_says_why_and_the_certificate_names_the_case(capsys: pytest.CaptureFixture[str]) -> None:
    path = asked(public={"path": "labelled.csv"}, learner=auto(population="same"))
    assert main(["budget", "open", "ledgers/clinic.jsonl", "--epsilon", "1"]) == 0
    assert main(["release", path, "--dry-run", "--no-simulation"]) == 0
    printed = capsys.readouterr().out
    assert (
        "chooses     public_model_discriminant, by the public rule of `semipriv docs which-learner`: 3 columns, lab"
        in printed
    )
    assert (
        "            public_logistic_regression, which costs nothing, may be as good: labelled public rows" in printed
    )
    assert main(["release", path]) == 0
    (candidate,) = read_certificate(Path("results/releases/visits"))["predicate"]["mechanism"]["candidates"]
    assert candidate["learner"]["name"] == "public_model_discriminant"
    assert candidate["chosen"]["by"] == "the public rule of `semipriv docs which-learner`"
    assert choose(Case(**candidate["chosen"]["case"])).learner == {
        "name": "public_model_discriminant",
        "same_population": True,
    }
    assert all(check.passed for check in verify("results/releases/visits", "ledgers/clinic.jsonl"))
