"""What query release, its sanitizers and the tracing attack refuse, and in which words."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import refused

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.outputs.synthetic_rows import SyntheticRows
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.papers.bcm20.releases import stump_releases as releases
from semipriv.papers.bcm20.releases import tracing
from semipriv.papers.bns15.bounds.sanitizers import net_size
from semipriv.papers.bns15.bounds.strips import strips_size
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.quasi_concave import QuasiConcave
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Method
from semipriv.queries.marginals import Marginals
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.methods.tree import DyadicTree
from semipriv.queries.methods.two_level_tree import TwoLevelTree
from semipriv.queries.schema import Column, Schema
from semipriv.queries.workloads import Listed, Runs

PURE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, 1e-6)
LISTED = Listed(np.eye(3, dtype=bool))
INTERVALS = Runs(3, *np.triu_indices(4))
RUNS, PLANE, THRESHOLDS = DiscreteRectangles(1, 3), DiscreteRectangles(2, 3), DiscreteThresholds(2)
LINE = [[0.0], [1.0], [2.0], [3.0]]
SCHEMA = Schema({"age": range(20, 80, 10), "sex": ["F", "M"], "region": 4, "work": ["no", "part", "full"]})
TABLE = SCHEMA.table(np.arange(6)[:, None] % np.array(SCHEMA.sizes))
OUTPUT = WeightedRows(SCHEMA, np.array([[0, 1, 2, 0]]), [1.0], [1.0])
RELEASE = PublicRowsRelease(1.0, 1e-6, rounds=2)
DATA = np.ones((60, 5), bool)
Q = np.zeros(5)


def fitted(method: Method, work: Any, budget: Guarantee) -> object:
    return method.fit(work, np.ones(3, np.int64), budget, Simulation(1))


def released(private: Any, randomness: Any = Simulation(1)) -> object:  # noqa: B008
    return RELEASE.release(RELEASE.prepare(TABLE, SCHEMA), private, randomness)


def with_cell(column: str, row: int, cell: object) -> pd.DataFrame:
    table = TABLE.astype({column: object})
    table.loc[row, column] = cell
    return table


WRONG_CELLS = (
    ("age", 3, 25, "an integer from 20 to 70 in steps of 10"),
    ("age", 2, 80, "an integer from 20 to 70"),
    ("age", 1, -(2**40), "an integer from 20"),
    ("age", 0, 30.5, "an integer from 20"),
    ("age", 4, None, "an integer from 20"),
    ("region", 2, "1", "an integer from 0 to 3"),
    ("region", 0, float("inf"), "an integer from 0 to 3"),
    ("sex", 4, "f", "one of F, M"),
    ("work", 1, None, "one of no, part, full"),
)
REFUSED = {
    "schema": [
        (lambda: Schema({}), "columns: must be a mapping of at least one column"),
        (lambda: Schema({"a": 0}), "values = 0: must be >= 1"),
        (lambda: Schema({"a": range(3, 1)}), "values = range.3, 1.: must be an increasing range"),
        (lambda: Schema({"a": ["x", "x"]}), "values: 'x' is listed twice"),
        (lambda: Schema({"a": [1, 2]}), "values = .1, 2.: must be a number of categories, a range"),
        (lambda: Schema([Column("a", 2), Column("a", 3)]), "columns: column 'a' is listed twice"),
        (lambda: SCHEMA.codes(TABLE.drop(columns="sex"), "t"), "t: column 'sex' is missing"),
        (lambda: SCHEMA.codes(TABLE.assign(name=1), "t"), "t: column 'name' is not declared"),
        (lambda: SCHEMA.codes(np.zeros((3, 4)), "t"), "t: is ndarray, must be a DataFrame or a mapping"),
        (lambda: Schema({"a": 2, "b": 2}).codes({"a": [0, 1], "b": [0]}, "t"), "t: column 'b' has 1 rows, 'a' has 2"),
        (lambda: Marginals(SCHEMA, 5), "ways = 5: must be <= 4"),
        (lambda: Marginals(Schema({str(i): 10**5 for i in range(3)}), 2), "have 30,000,000,000 cells, at most 33,554"),
    ],
    "cells": [
        (
            partial(call, with_cell(column, row, cell)),
            f"{name} table: column '{column}', row {row} = .*: must be {rule}",
        )
        for name, call in (("public", lambda table: RELEASE.prepare(table, SCHEMA)), ("private", released))
        for column, row, cell, rule in WRONG_CELLS
    ],
    "table release": [
        (lambda: PublicRowsRelease(1.0, 0.0), "delta = 0.0: Gaussian noise needs delta > 0"),
        (lambda: PublicRowsRelease(0.0, 1e-6), "epsilon = 0.0: must be > 0"),
        (lambda: PublicRowsRelease(1.0, 1e-6, selection=1.0), "selection = 1.0: must be in"),
        (lambda: PublicRowsRelease(1.0, 1e-6, kappa=0), "kappa = 0: must be > 0"),
        (lambda: RELEASE.prepare(TABLE[:0], SCHEMA), "public table: has no row"),
        (lambda: RELEASE.prepare(TABLE, {"a": 2}), "schema: is dict, must be a Schema"),
        (lambda: RELEASE.release(SCHEMA, TABLE, Secure()), "prepared: is Schema, must be what"),
        (lambda: released(TABLE[:0]), "private table: has no row"),
        (lambda: released(TABLE, 7), "randomness: is int"),
    ],
    "rows": [
        (lambda: WeightedRows(SCHEMA, OUTPUT.rows, [0.5], [1.0]), "weights: must be numbers >= 0 that sum to 1"),
        (lambda: WeightedRows(SCHEMA, OUTPUT.rows, [1.0], [0.5, 0.5]), "prior: must be 1 numbers"),
        (lambda: GrownRows(SCHEMA, OUTPUT.rows, [1.0], [1.0], n=9, kappa=1.0), "origins: must be 1 numbers"),
        (lambda: SyntheticRows(SCHEMA, OUTPUT.rows[:, :2]), r"rows: must have shape \(s, 4\)"),
        (lambda: SyntheticRows(SCHEMA, OUTPUT.rows + 1), "rows: must be places"),
        (OUTPUT.answer, "must be names"),
        (lambda: OUTPUT.answer("age", "age"), "must be names"),
        (lambda: OUTPUT.answer("ages"), "did you mean 'age'"),
        *(
            (partial(OUTPUT.synthetic, 0, Simulation(6), how), "size = 0: must be >= 1")
            for how in ("stratified", "sampled")
        ),
        (lambda: OUTPUT.synthetic(5, Simulation(6), "lp"), "unknown how of synthetic rows 'lp'"),
    ],
    "methods": [
        *(
            (partial(fitted, Gaussian(isotonic=True), work, APPROXIMATE), "isotonic: needs queries that are prefixes")
            for work in (INTERVALS, LISTED)
        ),
        (lambda: Gaussian().check(PURE), "needs delta > 0"),
        *(
            (partial(fitted, tree, LISTED, PURE), "tree: needs queries that are runs of ordered cells")
            for tree in (DyadicTree(), TwoLevelTree())
        ),
        (lambda: DyadicTree(isotonic=1), "isotonic = 1: must be True or False"),
        (lambda: PMW(1), r"accuracy = 1: must be in \(0, 1\)"),
        (lambda: PMW(0.1, passes=0), "passes = 0: must be >= 1"),
        (lambda: PMW(0.1, scales="tight"), "unknown scales of PMW"),
        (lambda: MWEM(0), "rounds = 0: must be >= 1"),
        (lambda: MWEM(sweeps=0), "sweeps = 0: must be >= 1"),
        (lambda: MWEM(iterate="best"), "unknown iterate of MWEM 'best'"),
        (lambda: MWEM().check(Guarantee(0.0, 1e-6)), r"epsilon = 0\.0: must be > 0"),
    ],
    "sanitizers": [
        (lambda: Net().check(PLANE), "must be discrete thresholds, or discrete rectangles of dimension 1"),
        (lambda: Net().sanitize(np.array([[4.0]]), THRESHOLDS, 2, 1.0, Simulation(1)), "entries: row 0"),
        (lambda: net_size(0.2, 0.1, 1.0, 8, 2), r"size = 2: must be > 2\.5 for alpha = 0\.2"),
        (lambda: NetExact([[1.0], [1.0]]), "domain: must hold distinct points"),
        (lambda: NetExact([[1.0], [9.0]]).check(THRESHOLDS), "domain: row 1, feature 0"),
        (
            lambda: NetExact([[1.0], [0.0]]).sanitize(np.array([[2.0]]), THRESHOLDS, 2, 1.0, Simulation(1)),
            r"unlabelled entries: \(2\.0,\) is not in the domain",
        ),
        (
            lambda: NetExact(LINE).output_distribution(np.array([[1.0]]), THRESHOLDS, 90, 1.0),
            "size = 90: 129,766 multisets of 4 points to list, at most 100,000",
        ),
        (
            lambda: strips_size(0.1, 0.1, 1.0, 8, 100),
            r"size = 100: 10 strips of so many points are off by 0\.39, alpha = 0\.1",
        ),
        (lambda: Strips().check(RUNS), "must be discrete rectangles of dimension 2 for noisy strips"),
        (
            lambda: Strips().output_distribution(np.array([[0.0, 0.0]]), PLANE, 5, 1.0),
            "5 quantiles: 376,992 outcomes of 32 places, at most 100,000",
        ),
        (lambda: QuasiConcave(1), r"delta = 1: must be in \(0, 1\)"),
        (lambda: QuasiConcave().check(PLANE), "must be discrete thresholds"),
    ],
    "tracing": [
        *(
            (
                partial(tracing.trace, Q, none, DATA, 0.1, private=DATA),
                "reference: none given, the attack needs the population or at least one",
            )
            for none in (None, DATA[:0])
        ),
        (
            lambda: tracing.trace(Q, DATA, DATA, 0.01, private=DATA),
            r"rate = 0\.01: 60 calibration records are too few, needs at least 99",
        ),
        (lambda: tracing.trace(Q[:4], DATA, DATA, 0.1, private=DATA), "means: 4 coordinates, but the records have 5"),
        (lambda: tracing.scores(Q, Q[:3], DATA), "centre: 3 coordinates, but the records have 5"),
        (lambda: tracing.paired_scores(Q, DATA[:3], DATA), "reference: 60 records, must be one for each of the 3"),
        (lambda: tracing.threshold(Q, 1.5), r"rate = 1\.5: must be in"),
        (lambda: tracing.membership_advantage([], [1.0]), "needs scores of records inside and outside"),
        (lambda: releases.PublicMeans().answers(DATA, DATA[:0], Simulation(1)), "public: none given"),
        (lambda: releases.ExactMeans().answers(DATA[:0], DATA, Simulation(1)), "private: none given"),
        (
            lambda: releases.GaussianMeans(1.0, 1e-6).answers(DATA, DATA, Secure()),  # type: ignore[arg-type]
            "for simulation only",
        ),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
