"""What configurations of experiments are refused for: a change, and the words of the line that names the file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from specified import (
    ABSENT,
    MIXED_TABLE,
    MIXTURE,
    REGRESSION,
    REGRESSION_TABLE,
    RUN,
    SEVERAL_LABELS,
    SIMULATION,
    changed,
    load,
    loaded,
)

from semipriv.core.samples import StatusModel
from semipriv.settings.checking import checked
from semipriv.settings.reading import ConfigError, numbers
from semipriv_lab.experiments.keys import CellKeys, RunKeys
from semipriv_lab.reference import configuration as reference

LABELS = {"marginal": {"name": "uniform", "dimension": 2}, "labeling": {"name": "two_point", "gap": 0.1}}
LINE = {"name": "learn_half", "epsilon": 1, "grid": {"low": [0], "high": [1]}}
BY_LABEL = {"name": "by_label", "zero": 0.2, "one": 1}
EXCESS: dict[str, Any] = {"name": "excess", "x": "n_public"}
SWEPT: dict[str, Any] = {"sweep": {"n_public": [10, 20]}}
AREA: dict[str, Any] = {"name": "breast_cancer", "features": ["mean area"], "label": "malignant"}
HALF_LINE = {"class": {"name": "halfspaces", "dimension": 1}}
SIZES = {"n": ABSENT, "n_public": 5, "n_private": 6}
SEPARATE = {**SIZES, "distribution": {"privacy": None}, "sweep": ABSENT, "slopes": ABSENT}
"""A mixture whose parts are drawn apart."""

OF_KEYS = [
    ({"description": 3}, "description = 3: must be text"),
    ({"paper": "ABM18"}, "unknown paper 'ABM18': did you mean 'ABM19'"),
    ({"paper": None}, "unknown paper None"),
    ({"cases": None}, "cases = None: must be a mapping of keys to values"),
    ({"cases": {"a": None}}, r"cases\.a = None: must be a mapping of keys to values"),
    ({"figures": None}, "figures = None: must be a list"),
    ({"slopes": None}, "slopes = None: must be a mapping of keys to values"),
    ({"slopes": {"x": "n", "low": 1}}, "slopes: needs high"),
    ({"slopes": {"x": "n", "low": 0, "high": 1}}, r"slopes\.low = 0: must be > 0"),
    ({"distribution.labeling": ABSENT}, "distribution: needs labeling"),
    ({"distribution": {"marginal": "uniform"}}, r"distribution\.marginal: a marginal needs a 'name'"),
    ({"class": {"name": 3}}, r"class: unknown class 3 \(allowed: "),
    ({"distribution": {"shift": []}}, r"distribution\.shift: a shift needs a 'name'"),
    ({"n_public": None}, "n_public = None: must be a number"),
    ({"n": "9"}, "n = '9': is text, must be a number"),
    ({"hypothesis_class": {"name": "intervals"}}, "unknown key 'hypothesis_class'"),
    ({"sweep": {"n": ()}}, r"sweep\.n: is an empty list"),
    *(({key: ABSENT}, f"key '{key}' is missing") for key in SIMULATION if key != "kind"),
]
"""Said of the file, before any cell is looked at."""
OF_CELLS = [
    ({"clas": {"name": "thresholds"}}, r"unknown key 'clas': did you mean 'class'"),
    ({"class": {"name": "threshold"}}, r"unknown class 'threshold': did you mean 'thresholds'"),
    ({"class": {"name": "thresholds", "orientation": "greater"}}, r"unknown orientation of thresholds 'greater'"),
    ({"class": {"name": "thresholds", "orient": "ge"}}, r"parameter of class 'thresholds' 'orient'.*'orientation'"),
    ({"class": "thresholds"}, r"a class needs a 'name'"),
    ({"class": {"name": "halfspaces", "dimension": 0}}, r"dimension = 0: must be >= 1"),
    ({"class": {"name": "halfspaces", "dimension": 2}}, r"marginal\.dimension = 1: the class has dimension 2"),
    ({"class": {"name": "finite_class", "table": []}}, r"a class is never empty"),
    ({"distribution.marginal": {"name": "unifrom"}}, r"unknown marginal 'unifrom': did you mean 'uniform'"),
    ({"distribution.marginal": {"name": "beta", "a": 1}}, r"marginal 'beta' needs b"),
    ({"distribution.marginal": {"name": "normal", "sd": 0}}, r"sd = 0: must be > 0"),
    ({"distribution.labeling": {"name": "realisable", "target": 0}}, r"did you mean 'realizable'"),
    ({"distribution.labeling": {"name": "classification_noise", "target": 0, "rate": 0.5}}, r"must be in \[0, 0\.5\)"),
    ({"distribution.labeling": {"name": "linear", "weights": [1.0, 2.0]}}, r"best error of .* is not known: weights:"),
    ({"distribution.sift": {"name": "region"}}, r"unknown key of a distribution 'sift': did you mean 'shift'"),
    ({"distribution.shift": {"name": "region", "sigma": 0}}, r"sigma = 0: must be in \(0, 1\]"),
    ({"distribution.shift": {"name": "region", "sigma": 1.5}}, r"sigma = 1\.5: must be in \(0, 1\]"),
    ({"distribution.shift": {"name": "tilt", "sigma": "small"}}, r"sigma = 'small': is text, must be a number"),
    ({"learners": [{"name": "ssp", "epsilon": 1}]}, r"unknown learner 'ssp': did you mean 'sspp'"),
    ({"learners": [{"name": "sspp", "epsilon": 0}]}, r"epsilon = 0: must be > 0"),
    ({"learners": [{"name": "sspp", "epsilon": [1, -0.5]}]}, r"epsilon = -0\.5: must be > 0"),
    ({"learners": [{"name": "sspp", "epsilon": float("nan")}]}, r"epsilon = nan: must be finite"),
    ({"learners": [{"name": "sspp", "epsilon": float("inf")}]}, r"epsilon = inf: must be finite"),
    ({"learners": [{"name": "sspp", "epsilon": "one"}]}, r"epsilon = 'one': is text, must be a number"),
    ({"learners": [{"name": "sspp", "epsilon": True}]}, r"epsilon = True: must be a number"),
    ({"learners": [{"name": "sspp"}]}, r"learner 'sspp' needs epsilon"),
    ({"learners": [{"name": "sspp", "epsilon": 1, "delta": 1e-6}]}, r"unknown parameter of learner 'sspp' 'delta'"),
    ({"learners": [{"name": "logistic_regression"}]}, r"logistic_regression learns halfspaces"),
    ({"learners": []}, r"learners: is an empty list, must have at least one entry"),
    ({"n_public": -3}, r"n_public = -3: must be >= 1"),
    ({"n_public": 0}, r"n_public = 0: must be >= 1"),
    ({"n_private": 2.5}, r"n_private = 2\.5: must be an integer"),
    ({"n_private": "many"}, r"n_private = 'many': is text"),
    ({"n_private": True}, r"n_private = True: must be a number"),
    ({"trials": 0}, r"trials = 0: must be >= 1"),
    ({"trials": None}, r"trials = None: must be a number"),
    ({"kind": "simulated"}, r"unknown kind 'simulated': did you mean 'simulation'"),
    ({"sweep": {"n_public": [10, 0]}}, r"cell 1: n_public = 0"),
    ({"sweep": {"n_pubic": [10, 20]}}, r"unknown key 'n_pubic': did you mean 'n_public'"),
    ({"cases": {"odd": {"distribution.labeling": {"name": "two_point", "gap": 0}}}}, r"case 'odd', cell 0: gap = 0"),
    ({"figures": [{"name": "exces"}]}, r"unknown figure 'exces': did you mean 'excess'"),
    ({"figures": ["excess"]}, r"figures: each needs a 'name'"),
    ({"figures": [{"name": "excess", "y": "n_public"}]}, r"unknown option of figure 'excess' 'y'"),
    ({"figures": [{"name": "excess", "x": "n_pubic"}]}, r"unknown x of figure 'excess' 'n_pubic'"),
    ({"figures": [{"name": "excess"}]}, r"figure 'excess' needs x"),
    ({"figures": [{"name": "excess", "x": "sigma"}] * 2}, r"figures: 'excess' is given twice"),
    ({"figures": [{"name": "table_errors"}]}, r"'table_errors' does not suit an experiment of kind 'simulation'"),
    ({"cases": ["a"]}, r"cases = \['a'\]: must be a mapping"),
    ({"learners": ["sspp"]}, r"learners\[0\]: a learner needs a 'name' \(allowed: .*\), got 'sspp'"),
    ({"learners": [{"name": "sspp", "epsilon": []}]}, r"epsilon of 'sspp' is an empty list"),
    ({"sweep": {"n_public": 10}}, r"sweep\.n_public = 10: must be a list"),
    ({"sweep": {"n_public": []}}, r"sweep\.n_public: is an empty list"),
    ({"distribution": "uniform"}, r"distribution = 'uniform': must be a mapping"),
    ({"slopes": {"x": "n_public", "low": 3, "high": 2}}, r"low = 3 must be < high = 2"),
    ({"slopes": {"x": "n_public", "low": 1, "high": 2, "by": 3}}, r"unknown key of slopes 'by'"),
    ({"slopes": {"x": "n_pubic", "low": 1, "high": 2}}, r"unknown x of slopes 'n_pubic'"),
    ({"slopes": {"x": "n_public", "low": 1, "high": 2}}, r"slopes: n_public is 10 in every cell, give it"),
    ({"figures": [EXCESS | {"x": "sigma"}]}, r"figure 'excess': sigma is 1.0 in every cell, give it several values"),
    ({"figures": [EXCESS], "cases": {"a": {}, "b": {"n_public": 20}}}, r"n_public is \d+ in every cell of a case"),
    ({"figures": [{"name": "growth"}], "sweep": {"n_private": [1, 2]}}, r"'growth': n_public is 10 in every cell"),
    (
        {"figures": [{"name": "heat_map", "hypothesis_class": {}, "levels": []}], "sweep": {"n_public": [1, 2]}},
        r"figure 'heat_map': n_private is 100 in every cell",
    ),
    (SWEPT | {"figures": [EXCESS | {"titles": {"al": "x"}}]}, r"unknown case in titles of figure 'excess' 'al'"),
    (SWEPT | {"figures": [EXCESS | {"guides": {"b": {}}}]}, r"unknown case in guides of figure 'excess' 'b'"),
    (SWEPT | {"figures": [EXCESS | {"titles": "x"}]}, r"titles of figure 'excess' = 'x': must be a mapping"),
    (SWEPT | {"figures": [EXCESS | {"titles": {"all": "<n_public>"}}]}, r"'<n_public>': <n_public> varies"),
    (SWEPT | {"figures": [EXCESS | {"titles": {"all": "<n>"}}]}, r"'<n>': <n> is no key with a value here"),
    ({"description": "<rows> rows"}, r"'<rows> rows': <rows> is no key with a value here"),
    ({"blocks": 0}, r"blocks = 0: must be >= 1"),
]  # fmt: skip
OF_TABLES = [
    ({"table": {"name": "my_table"}}, r"unknown table 'my_table' \(allowed: breast_cancer, diabetes, randhie, wine\)"),
    ({"table.name": "breast_cancr"}, "unknown table 'breast_cancr'"),
    ({"table.features": ["mean area"] * 2}, "table.features: 'mean area' is given twice"),
    ({"table.features": []}, "table.features: is an empty list"),
    ({"table.features": ABSENT, "table.label": ABSENT}, "table: needs features"),
    ({"table.features": ABSENT, "table.feature": ["a"]}, "unknown key of a table 'feature': did you mean 'features'"),
    ({"table.features": ["mean aera"]}, "unknown feature 'mean aera'.*did you mean 'mean area'"),
    ({"table.label": ABSENT}, "table: needs label"),
    ({"table.label": "benign"}, "unknown label 'benign'"),
    ({"class": {"name": "halfspaces"}}, "the class needs 2 features"),
    ({**HALF_LINE, "table.features": ["mean area", "mean radius"]}, "the class needs 1 features"),
    ({**HALF_LINE, "n_public": 510}, r"n_public \+ n_private = 610: must leave rows of the table's 569 to hold out"),
    ({**HALF_LINE, "figures": [EXCESS]}, "figure 'excess' does not suit an experiment of kind 'table'"),
]
OF_MIXTURES = [
    ({"sweep": {"n": [20, 0]}}, r"cell 1: n = 0: must be >= 1"),
    ({"sweep": {"n": [2.5]}}, r"n = 2\.5: must be an integer"),
    ({"n_public": 5}, r"n_public = 5: the sizes of a mixed sample's parts are random, give n instead"),
    (
        {"distribution": {"privacy": None}},
        r"n = 20: needs distribution.privacy, give n_labelled and n_unlabelled, or n_public and n_private instead",
    ),
    ({"sweep": {"trials": [3]}}, r"unknown key 'trials'"),
    (
        {"distribution": {"privacy": None}, "n_public": 3, "n_private": 4},
        r"n = 20: needs distribution.privacy, give n_public and n_private instead",
    ),
    ({"cases": {"a": {}, "b": {"distribution.privacy": None}}}, r"distribution.privacy: must be given in all cells or"),
    (
        {"distribution.privacy": {"name": "by_lable"}},
        r"unknown distribution of privacy statuses 'by_lable': did you mean 'by_label'",
    ),
    ({"distribution.privacy": {"name": "by_label", "zero": 2, "one": 1}}, r"zero = 2: must be in \[0, 1\]"),
    ({"distribution.privacy": {"name": "by_threshold", "feature": 1, "above": 0}}, r"feature = 1: must be below"),
    ({"distribution.shift": {"name": "tilt", "sigma": 0.5}}, r"shift and privacy: must not both be given"),
    (
        {"distribution.privacy": BY_LABEL},
        r"learner 'learn_half', privacy = 'label_determined': .* but the data may hold more \('any'\)",
    ),
    (
        {"distribution.privacy": {"name": "by_label", "zero": 0, "one": 0.5}},
        r"privacy = 'label_determined': .* may hold more \('private_ones'\)",
    ),
    ({"learners": [{**LINE, "privacy": "labels"}]}, r"unknown privacy 'labels'"),
    ({"learners": [{"name": "pooled", "learner": LINE}]}, r"must not need labelled public points"),
    ({"learners": [{"name": "pooled"}]}, r"learner 'pooled' needs learner"),
    (
        {"learners": [{"name": "pooled", "learner": {"name": "sspp", "epsilon": []}}]},
        r"epsilon of 'sspp' is an empty list",
    ),
    ({"figures": [{"name": "excess", "x": "n_public"}]}, r"unknown x of figure 'excess' 'n_public'.*allowed: n, "),
    ({"figures": [{"name": "growth"}]}, r"figure 'growth' does not suit mixed samples"),
    ({"slopes": {"x": "n_private", "low": 1, "high": 2}}, r"unknown x of slopes 'n_private'"),
    ({**SEPARATE, "learners": [{"name": "sspp", "epsilon": 1}]}, r"unknown x of figure 'excess' 'n'"),
    ({**SEPARATE, "learners": [LINE], "figures": []}, r"learner 'learn_half', privacy = 'label_determined'"),
]  # fmt: skip
OF_MIXED_TABLES = [
    ({"n": 569}, r"n = 569: must leave rows of the table's 569 to hold out"),
    ({"n_private": 5}, r"n_private = 5: the sizes of a mixed sample's parts are random"),
    ({"table.privacy": "labels"}, r"unknown privacy model 'labels'"),
    *(
        ({"table.privacy": model.value}, rf"table\.privacy = '{model.value}': needs 'status'")
        for model in StatusModel
        if model is not StatusModel.LABEL_DETERMINED
    ),
    (
        {"table.privacy": None, "table.ranges": None},
        r"n = 12: needs table.privacy, give n_labelled and n_unlabelled, or n_public and n_private instead",
    ),
    ({"table.status": "malign"}, r"unknown status column 'malign'"),
    ({"table.ranges": [[0, 50]]}, r"table\.ranges: must be 2 pairs \[low, high\], one for each feature, got 1"),
    ({"table.ranges": [[0, 50], [1, 1]]}, r"table\.ranges\[1\] = \[1, 1\]: low must be < high"),
    ({"table.ranges": [[0, 50], [1]]}, r"table\.ranges\[1\] = \[1\]: must be \[low, high\]"),
    ({"table.ranges": [[0, "x"], [0, 1]]}, r"table\.ranges\[0\] = 'x': is text"),
    ({"table.statuses": "malignant"}, r"unknown key of a table 'statuses': did you mean 'status'"),
    (
        {**SIZES, "table.privacy": None, "table.status": "malignant"},
        r"table\.status: only a table with 'privacy' has it",
    ),
]
OF_REGRESSIONS = [
    (
        {"class": {"name": "halfspaces", "dimension": 2}},
        r"class = 'halfspaces': functions to \{0, 1\} need distribution\.labeling, got",
    ),
    (
        {"distribution": {**LABELS, "response": None, "shift": None}},
        r"class = 'linear_ball': functions to \[-1, 1\] need distri",
    ),
    ({"class": {"name": "linear_bal", "dimension": 2}}, "unknown class 'linear_bal': did you mean 'linear_ball'"),
    ({"distribution.labeling": LABELS["labeling"]}, "distribution: needs labeling or response, and not both"),
    ({"distribution.response": None}, "distribution: needs labeling or response, and not both"),
    ({"distribution.privacy": {"name": "label_determined"}}, r"distribution\.privacy: needs labeling, got response"),
    (
        {"learners": [{"name": "empirical_risk_minimiser"}]},
        "learners: 'empirical_risk_minimiser' does not learn functions",
    ),
    ({"measures": ABSENT}, "learner 'least_squares_ball' releases 'regressor', which the measure 'population_error'"),
    ({"distribution.response.name": "line"}, "unknown distribution of responses 'line': did you mean 'linear'"),
    ({"distribution.response.amplitude": 0.5}, r"response: can reach 1\.08"),
    ({"distribution.response.amplitude": -0.1}, r"amplitude = -0\.1: must be in \[0, 1\)"),
    ({"distribution.response.weights": [0.5]}, r"response\.weights: must be 2, one for each feature, got 1"),
    ({"class.dimension": 3}, r"distribution\.marginal\.dimension = 2: the class has dimension 3"),
    (
        {"n_public": ABSENT, "n_private": ABSENT, "sweep": ABSENT, "n_labelled": 5, "n_unlabelled": 9},
        r"distribution\.response: does not",
    ),
    (
        {
            "class": {"name": "halfspaces", "dimension": 2},
            "distribution": LABELS,
            "distribution.response": ABSENT,
            "distribution.shift": ABSENT,
            "measures": ABSENT,
        },
        r"learners: 'least_squares_ball' does not learn functions to \{0, 1\}, which class = 'half",
    ),
]
OF_REGRESSION_TABLES = [
    ({"table.response": "age"}, r"unknown response 'age' \(allowed: progression\)"),
    ({"table.label": "sex"}, "table: needs label or response, and not both"),
    ({"table.ranges": None}, "table: needs ranges with a response, its ends must be known in advance"),
    ({"table.response_range": None}, "table: needs response_range with a response"),
    ({"table.response_range": [3, 3]}, r"table\.response_range = \[3, 3\]: low must be < high"),
    ({"table.privacy": "any"}, r"table\.privacy: needs label, got response"),
    ({"table.features": ["bmi", "weight"]}, "unknown feature 'weight'"),
    (
        {"class": {"name": "halfspaces", "dimension": 2}},
        r"class = 'halfspaces': functions to \{0, 1\} need table\.label, got table\.response",
    ),
    ({"n_private": 402}, r"n_public \+ n_private = 442: must leave rows of the table's 442 to hold out"),
]
OF_SEVERAL_LABELS = [
    ({"class.classes": 4}, r"table\.label = 'cultivar': has 3 labels, class = 'linear_rules' has 4"),
    ({"class.classes": 1}, "classes = 1: must be >= 2"),
    (
        {"class": {"name": "halfspaces", "dimension": 2}},
        r"table\.label = 'cultivar': has 3 labels, class = 'h.* has 2",
    ),
    (
        {"table": {"name": "breast_cancer", "features": ["mean area", "mean texture"], "label": "malignant"}},
        r"table\.label = 'malignant': has 2 labels, class = 'linear_rules' has 3",
    ),
    (
        {"class": {"name": "linear", "dimension": 2}},
        r"class = 'linear': functions to \[-1, 1\] need table\.response, got table\.label; .*linear_rules\)",
    ),
    ({"table.label": "malignant"}, r"unknown label 'malignant' \(allowed: cultivar\)"),
    (
        {"learners": [{"name": "sspp", "epsilon": 1}]},
        r"learners: 'sspp' does not learn functions to \{0, \.\.\., K - 1\}, .*: public_metric_multiclass, public_mo",
    ),
    (
        {"measures": ["expected_loss"]},
        "learner 'public_metric_multiclass' releases 'classifier', which the measure 'exp",
    ),
    (
        {"figures": [{"name": "table_regions", "axes_names": ["a", "b"], "classes": ["c", "d"]}]},
        "figure 'table_regions' does not draw what learner 'public_metric_multiclass' releases: 'classifier'",
    ),
    (
        {"table.privacy": "label_determined", "n_public": ABSENT, "n_private": ABSENT, "n": 50},
        "class = 'linear_rules': does not suit mixed samples, .* give n_public and n_private",
    ),
    (
        {"kind": "simulation", "table": ABSENT, "distribution": {**LABELS, "response": None, "shift": None}},
        "class = 'linear_rules': functions to .* are learned from tables, as simulated labels are 0 and 1: give",
    ),
]
TABLE = changed(SIMULATION, {"kind": "table", "table": AREA, "figures": []})
BASES = {
    "keys": (SIMULATION, "", OF_KEYS),
    "cells": (SIMULATION, ".*", OF_CELLS),
    "tables": (TABLE, ".*", OF_TABLES),
    "mixtures": (MIXTURE, ".*", OF_MIXTURES),
    "mixed tables": (MIXED_TABLE, ".*", OF_MIXED_TABLES),
    "regressions": (REGRESSION, ".*", OF_REGRESSIONS),
    "regression tables": (REGRESSION_TABLE, ".*", OF_REGRESSION_TABLES),
    "several labels": (SEVERAL_LABELS, ".*", OF_SEVERAL_LABELS),
}


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [(kind, *row) for kind, (_, _, rows) in BASES.items() for row in rows],
    ids=lambda value: str(value)[:50],
)
def test_refused(tmp_path: Path, kind: str, changes: dict, message: str) -> None:
    base, before, _ = BASES[kind]
    with pytest.raises(ConfigError, match=rf"^{tmp_path}/trial\.yaml: {before}{message}") as error:
        load(tmp_path, changes, base)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": 1}, r"unknown key 'seeds': did you mean 'seed'"),
        ({"seed": -1}, r"seed = -1: must be >= 0"),
        ({"blocks": 0}, r"blocks = 0: must be >= 1"),
        ({"beta": 1}, r"beta = 1: must be in \(0, 1\)"),
        ({"trials": 0}, r"trials = 0: must be >= 1"),
        ({"effort": 0}, r"effort = 0: must be in \(0, 1000\]"),
        ({"trials_factor": 0}, r"trials_factor = 0: must be in \(0, 1000\]"),
        ({"trials_factor": 1e9}, r"trials_factor = 1000000000\.0: must be in \(0, 1000\]"),
        ({"effort": 1001}, r"effort = 1001: must be in \(0, 1000\]"),
        ({"trials_factor": float("inf")}, r"trials_factor = inf: must be finite"),
        ({"trials_factor": "ten"}, r"trials_factor = 'ten': is text, must be a number"),
        ({"materialise": -1}, r"materialise = -1"),
        ({"experiments": ["trail"]}, r"unknown experiment 'trail': did you mean 'trial'"),
        ({"experiments": "trial"}, r"experiments = 'trial': must be a list"),
        ({"overrides": {"trail": {}}}, r"unknown experiment in 'overrides' 'trail'"),
        ({"claims": "all"}, r"claims = 'all': must be a list"),
        ({"experiments": ["trial", "trial"]}, r"experiments: 'trial' is given twice"),
        ({"overrides": ["trial"]}, r"overrides = \['trial'\]: must be a mapping"),
        ({"overrides": {"trial": 3}}, r"overrides\.trial = 3: must be a mapping"),
        ({"results": 5}, r"results = 5: must be the name of a folder"),
        ({"seed": "5"}, "seed = '5': is text, must be a number"),
        ({"seed": True}, "seed = True: must be a number"),
        ({"seed": None}, "seed = None: must be a number"),
        ({"trials": None}, "trials = None: must be a number"),
        ({"experiments": None}, "experiments = None: must be a list"),
        ({"experiments": [3]}, r"experiments\[0\] = 3: must be text"),
        ({"claims": ["a", "a"]}, "claims: 'a' is given twice"),
        ({"results": ""}, "results = '': must be the name of a folder"),
        ({"overrides": None}, "overrides = None: must be a mapping of keys to values"),
        ({"blocks": 1.5}, r"blocks = 1\.5: must be an integer"),
        (
            {"sed": 1, "beta": 7},
            r"2 faults: \(1\) unknown key 'sed': did you mean 'seed'.*; \(2\) beta = 7: must be in",
        ),
        *(({key: ABSENT}, f"key '{key}' is missing$") for key in RUN),
    ],
    ids=lambda value: str(value)[:50],
)
def test_refused_run(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^config: {message}") as error:
        load(tmp_path, run=changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "query_error",
            {"measures": ["population_error"]},
            "learner 'query_release' releases 'answers', which the measure 'population_error' does not measure "
            r"\(it measures hypothesis, transcript, classifier\)",
        ),
        (
            "labels_asked",
            {"cases": {"active_2": {"n_private": 8311}}},
            r"case 'active_2', cell \d: n_private = 8,311: must be >= 8,312 for ActiveSubsampling\(learner=AllConcepts",
        ),
        ("excess_vs_public", {"measures": ["worst_query_error"]}, "learner 'sspp' releases 'hypothesis', which"),
        ("query_error", {"measures": ["worst_error"]}, "unknown measure 'worst_error': did you mean"),
        ("query_error", {"measures": []}, "measures: is an empty list"),
        ("query_error", {"measures": ["worst_query_error"] * 2}, "measures: 'worst_query_error' is given twice"),
        ("query_error", {"measures": [5]}, "unknown measure 5 "),
        (
            "regression_vs_private",
            {"measures": ["expected_loss", {"loss": "absolute"}]},
            r"regression_vs_private: measures\[1\]: a measure needs a 'name' \(allowed: expected_loss, labels_as",
        ),
        (
            "regression_vs_private",
            {"measures": [{"name": "expected_los"}]},
            r"measures\[0\]: unknown measure 'expected_los': did you mean 'expected_loss'\? \(allowed: ex",
        ),
        (
            "regression_vs_private",
            {"measures": [{"name": "expected_loss", "los": "absolute"}]},
            r"measures\[0\]: unknown parameter of measure 'expected_loss' 'los': did you mean 'loss'\?.*: loss\)",
        ),
        (
            "regression_vs_private",
            {"measures": ["expected_loss", {"name": "expected_loss", "loss": "cubed"}]},
            r"measures\[1\]: unknown loss of the measure 'cubed'.*\(allowed: squared, absolute\)",
        ),
        (
            "regression_vs_private",
            {"measures": ["expected_loss", {"name": "expected_loss", "loss": "squared"}]},
            "measures: 'expected_loss' is given twice",
        ),
        (
            "regression_vs_private",
            {"measures": [{"name": "expected_loss", "loss": "absolute"}], "figures": [{"name": "against_epsilon"}]},
            r"figure 'against_epsilon' does not suit the measure 'expected_loss\(loss=absolute\)', it shows 'popul",
        ),
        (
            "breast_cancer",
            {"measures": ["worst_query_error"]},
            "measures: 'worst_query_error' needs a known distribution",
        ),
        (
            "query_error",
            {"figures": [{"name": "heat_map", "h": 1}]},
            "figure 'heat_map'",
        ),
        (
            "query_error",
            {"figures": [{"name": "excess", "x": "n_private", "measure": "population_error"}]},
            "unknown measure of figure 'excess' 'population_error'",
        ),
        ("query_error", {"learners": [{"name": "query_release", "epsilon": 1, "method": "gaussian"}]}, "delta = 0.0"),
        ("query_error", {"learners": [{"name": "query_release", "epsilon": 1, "method": "gauss"}]}, "did you mean"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_refused_in_an_experiment_of_the_checkout(name: str, changes: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        loaded(name, **changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checked(CellKeys, {"trials": 3}), "unknown key 'trials'"),
        (lambda: checked(RunKeys, {**RUN, 3: 1}), r"^unknown key 3 \(allowed: beta, blocks"),
        *(
            (lambda given=value: numbers({"a": [0, {"b": given}]}), rf"a\[1\]\.b = {float(value)}: must be finite")
            for value in (float("nan"), float("inf"), -float("inf"), "1e999")
        ),
        (lambda: reference.readme("# Configuration\n"), "has no place for the table of 'run'"),
    ],
)
def test_refused_call(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("text", "message"), [("- a\n- b\n", "must be a mapping"), ("a: [", "is not valid YAML")])
def test_refused_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"/trial\.yaml: {message}"):
        load(tmp_path, text=text)
