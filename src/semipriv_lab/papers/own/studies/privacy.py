"""Privacy of the learners of this project, by transcripts with forced answers, and by exact distributions of one row.

``semipriv_lab.papers.own.transcripts`` says what is forced.  The proofs are in docs/findings.md; what is measured is
whether the code does what they say, on rows that are made to move as much as they can.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from itertools import combinations
from typing import Any

import numpy as np

from semipriv.audit.exact import exact_privacy_loss
from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.core import registry
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.learners.tables.table_release import TableRelease
from semipriv.privacy.guarantee import Release
from semipriv.queries.schema import Column, Schema
from semipriv_lab.controls import controls_of, discriminant, multiclass, regression
from semipriv_lab.controls.base import Controls
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.own.transcripts import HUGE, ZEROS, EnoughError, Request, forced, is_pure, loss_of, spent

DIMENSION, LABELS, N_PUBLIC = 4, 3, 30
MANY = 400
CORNERS = ((1e-3, 0.0, MANY), (0.3, 0.0, 2), (3.0, 0.0, MANY), (60.0, 0.0, 40), (1e4, 0.0, 1))
"""Epsilon, delta, private rows: too few for a sum, several sums, hardly any noise, a single row."""
WITH_DELTA = ((0.01, 1e-9, 2), (1.0, 1e-6, 4_000), (3.0, 0.5, MANY), (1e4, 0.999, 40))
"""More of them, for learners that use a delta: where Gaussian noise is the smaller one, and where it is not."""
SEEDS = (ZEROS, HUGE, 2)
NEIGHBOURS = 3
"""Rows that are replaced in each of two tables."""
SIZES = (2, 4, 3)
"""Values of the columns of a table of categories."""
SCHEMA = Schema(tuple(Column(f"column_{i}", range(size)) for i, size in enumerate(SIZES)))

DEPENDS = "transcripts in which the release, or what mechanisms are asked, depends on private rows"
LOSS = "largest privacy loss of a transcript between neighbours / epsilon"
EXACT = "largest privacy loss on one row, all values of the noise / epsilon"
WHAT = f"forced transcripts on hostile tables of up to {MANY} rows and their neighbours; exact distributions on one row"

Rows = tuple[Any, ...]
"""A private table: points and labels, or points and responses; or codes (n, c) alone."""


# ---------------------------------------------------------------------------------------------------- learners
@dataclass(frozen=True, eq=False)
class Case:
    """A learner on public rows: how it is made for an epsilon and a delta, and which tables it gets.

    make: epsilon and delta to the learner.  public: its public rows.  kind: of its private rows.  functions: the class.
    """

    make: Callable[[float, float], Any]
    public: Rows
    kind: str
    functions: Any

    def release(self, epsilon: float, delta: float, rows: Rows, public: Rows | None = None) -> Release[Any]:
        """Prepare and release; the coins of the release have no use, as all answers are forced."""
        learner = self.make(epsilon, delta)
        prepared = self.prepared if public is None else self.prepare(public)
        private = (SCHEMA.table(rows[0]),) if self.kind == "table" else rows
        return learner.release(prepared, *private, Simulation(0))

    def prepare(self, public: Rows) -> Any:
        """Carry out the public stage, which is the same for every epsilon and delta."""
        learner = self.make(1.0, 1e-6)
        if self.kind == "table":
            return learner.prepare(SCHEMA.table(public[0]), SCHEMA)
        return learner.prepare(public[0], self.functions, *public[1:][: learner.public_stage.needs_labels])

    @cached_property
    def prepared(self) -> Any:
        """What the public stage makes of the public rows."""
        return self.prepare(self.public)


def by_name(name: str, **options: Any) -> Callable[[float, float], Any]:
    """Return how a learner of the registry is made; those that are pure ignore delta."""
    kind = registry.load("learners", name)
    fields = signature(kind).parameters

    def make(epsilon: float, delta: float) -> Any:
        return kind(epsilon, delta, **options) if "delta" in fields else kind(epsilon, **options)

    return make


def _public(kind: str) -> Rows:
    coins = np.random.default_rng(7)
    points = coins.normal(size=(N_PUBLIC, DIMENSION)) * 10.0 ** np.arange(DIMENSION)
    scores = points / 10.0 ** np.arange(DIMENSION) @ np.array([2.0, -1.0, 0.5, 0.0])
    if kind == "two labels":
        return points, (scores > 0).astype(np.int8)
    if kind == "several labels":
        return points, np.digitize(scores, [-1.0, 1.0])
    if kind == "response":
        return points, np.clip(scores / 4, -1, 1)
    return (coins.integers(0, SIZES, (N_PUBLIC, len(SIZES))),)


FUNCTIONS = {
    "two labels": Halfspaces(DIMENSION),
    "several labels": LinearRules(DIMENSION, LABELS),
    "response": Linear(DIMENSION),
    "table": SCHEMA,
}


def case(kind: str, make: Callable[[float, float], Any]) -> Case:
    """Return the case of a learner of a kind of private rows."""
    return Case(make, _public(kind), kind, FUNCTIONS[kind])


# ---------------------------------------------------------------------------------------------------- private rows
FAR = 10.0 ** (np.arange(DIMENSION) + 2.0)
"""A hundred standard deviations of each feature."""


def _targets(kind: str, coins: np.random.Generator, n: int) -> np.ndarray:
    if kind == "response":
        return coins.choice([-1.0, -0.25, 0.0, 1.0], n)
    return coins.integers(0, 2 if kind == "two labels" else LABELS, n).astype(np.int8)


def tables(kind: str, n: int) -> list[Rows]:
    """Return tables of n private rows that have nothing in common: usual rows, far and huge ones, equal ones.

    Far rows exceed the clipping norm in every feature, so that a neighbour's row at the other end moves a sum by all
    that its noise is for.
    """
    coins = np.random.default_rng(n)
    if kind == "table":
        usual = coins.integers(0, SIZES, (n, len(SIZES)))
        return [(usual,), (np.zeros_like(usual),), (np.tile(np.array(SIZES) - 1, (n, 1)),)]
    usual = coins.normal(size=(n, DIMENSION)) * 10.0 ** np.arange(DIMENSION)
    huge = np.where(coins.random((n, DIMENSION)) < 0.3, 1e300, coins.standard_cauchy((n, DIMENSION)) * 1e6)
    ends = coins.choice([-1.0, 1.0], (n, 1)) * FAR
    huge = np.where(coins.random((n, 1)) < 0.5, ends, huge)
    equal = np.tile([-1.0, 5e-324, 0.0, 1e3], (n, 1))
    constant = np.full(n, 1.0 if kind == "response" else 1, np.float64 if kind == "response" else np.int8)
    return [(usual, _targets(kind, coins, n)), (huge, _targets(kind, coins, n)), (equal, constant)]


def neighbours(kind: str, rows: Rows, seed: int) -> list[Rows]:
    """Return tables of which one row is replaced: by one at the far end, of another label, or both."""
    coins, n = np.random.default_rng(seed), len(rows[0])
    neighbouring: list[Rows] = []
    for turn in range(NEIGHBOURS):
        place = int(coins.integers(n))
        if kind == "table":
            codes = rows[0].copy()
            codes[place] = (codes[place] + 1 + coins.integers(0, 2, len(SIZES))) % SIZES
            neighbouring.append((codes,))
            continue
        points, targets = rows[0].copy(), rows[1].copy()
        if turn % 3 != 1:
            points[place] = (FAR, -FAR, np.full(DIMENSION, -1e308))[turn % 3] * (-1.0 if turn > 2 else 1.0)
        if turn % 3 != 2:
            second = -1.0 if targets[place] > 0 else 1.0
            targets[place] = second if kind == "response" else (targets[place] + 1) % (2 if kind[0] == "t" else LABELS)
        neighbouring.append((points, targets))
    return neighbouring


# ---------------------------------------------------------------------------------------------------- arms
Arm = Callable[[Case, float, float, Rows], Release[Any]]
"""A way to release: that of the learner, or one that is broken on purpose."""


def honest(case: Case, epsilon: float, delta: float, rows: Rows) -> Release[Any]:
    """Release as the learner does."""
    return case.release(epsilon, delta, rows)


def half_the_noise(case: Case, epsilon: float, delta: float, rows: Rows) -> Release[Any]:
    """Release with noise for half of the sensitivity: as if a row were added or removed, and not replaced."""
    return case.release(2 * epsilon, delta, rows)


def rows_that_count_twice(case: Case, epsilon: float, delta: float, rows: Rows) -> Release[Any]:
    """Release from a table in which each even row stands twice, instead of the odd one behind it."""
    places = np.arange(len(rows[0])) // 2 * 2
    return case.release(epsilon, delta, tuple(part[places] for part in rows))


def public_stage_sees_private_rows(case: Case, epsilon: float, delta: float, rows: Rows) -> Release[Any]:
    """Release with a public stage that gets ten private rows beside the public ones."""
    if case.kind == "response":
        return case.release(epsilon, delta, rows, (np.concatenate([case.public[0], rows[0][:10] * 1e-4]), *_more(case)))
    joined = tuple(np.concatenate([own, part[:10]]) for own, part in zip(case.public, rows, strict=True))
    return case.release(epsilon, delta, rows, joined)


def _more(case: Case) -> Rows:
    return (np.concatenate([case.public[1], np.zeros(10)]),)


def best_of_two(case: Case, epsilon: float, delta: float, rows: Rows) -> Release[Any]:
    """Release the one of two releases that fits the private rows better, each with half of epsilon."""
    two = [case.release(epsilon / 2, delta / 2, rows) for _ in range(2)]
    return min(two, key=lambda row: _misfit(row, rows))


def _misfit(release: Release[Any], rows: Rows) -> float:
    output = release.output
    if len(rows) == 1:
        first = rows[0][:, 0] == 0
        return abs(float(output.weights[output.rows[:, 0] == 0].sum()) - float(first.mean()))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.abs(output.predict(rows[0]) - rows[1]).mean())


BROKEN: dict[str, tuple[Arm, str]] = {
    "noise for one norm": (half_the_noise, LOSS),
    "rows that count twice": (rows_that_count_twice, LOSS),
    "a public stage that sees private rows": (public_stage_sees_private_rows, DEPENDS),
    "the better of two by its true error": (best_of_two, DEPENDS),
}
"""Broken arms, and the quantity that must tell each."""


# ---------------------------------------------------------------------------------------------------- measurements
def seen(release: Release[Any]) -> list[Any]:
    """Return all that a release tells."""
    output = release.output
    parts = ("parameters", "rows", "weights", "values", "scales")
    return [sorted(release.cost.items()), *(np.asarray(getattr(output, p)) for p in parts if hasattr(output, p))]


def transcript(run: Callable[[], Release[Any]], seed: int) -> tuple[list[Any], list[Request]]:
    """Return what a release shows, and which mechanisms it called."""
    with forced(seed) as requests:
        view = seen(run())
    return view, requests


def asked(run: Callable[[], Release[Any]], seed: int, most: int | None) -> list[Request]:
    """Return what a release asked; most: no more than these requests are of interest."""
    with suppress(EnoughError), forced(seed, most) as requests:
        run()
    return requests


def alike(view: tuple[list[Any], list[Request]], other_view: tuple[list[Any], list[Request]]) -> bool:
    """Return whether two transcripts show the same, and called the same mechanisms for as many values."""
    same = [a.public for a in view[1]] == [b.public for b in other_view[1]]
    first, second = view[0], other_view[0]
    return (
        same and first[0] == second[0] and len(first) == len(second) and all(map(np.array_equal, first[1:], second[1:]))
    )


def depending(case: Case, arm: Arm, epsilon: float, delta: float, n: int) -> int:
    """Return how many transcripts distinguish two private tables of n rows, over pairs of tables and seeds."""
    differing, several = 0, tables(case.kind, n)
    slow = case.kind == "table"  # a fit takes a tenth of a second: two tables and two seeds
    for seed in SEEDS[::2] if slow else SEEDS:
        runs = [transcript(partial(arm, case, epsilon, delta, rows), seed) for rows in several[slow:]]
        differing += sum(not alike(first, second) for first, second in combinations(runs, 2))
    return differing


def loss(case: Case, arm: Arm, epsilon: float, delta: float, n: int) -> float:
    """Return the largest loss of a transcript over neighbours of two tables, as a share of epsilon.

    A table of categories is asked for all its marginals at once: no answer changes what comes later.
    """
    worst, most = 0.0, None
    seeds: tuple[int, ...] = SEEDS
    if case.kind == "table":
        most, seeds = len(case.make(epsilon, delta).plan(case.prepared, n).measured), SEEDS[:1]
    for seed in seeds:
        for rows in tables(case.kind, n)[:2]:
            own = asked(partial(arm, case, epsilon, delta, rows), seed, most)
            pure = is_pure(own)
            for second in neighbours(case.kind, rows, seed):
                beside = asked(partial(arm, case, epsilon, delta, second), seed, most)
                cost = spent(own, beside, pure)
                share = float(cost) if pure or not cost else loss_of(own, beside, delta)
                worst = max(worst, share / epsilon)
    return worst


def judge(table: Table, cases: dict[str, Case], controls: Controls, settings: Sequence[Settings]) -> None:
    """Judge the honest arm at all corners, and broken ones where there is a sum to be broken.

    Of several forms of a learner the first one is judged at all corners, the others where there are several sums.
    """
    for place, (name, tested) in enumerate(cases.items()):
        for cell in track(settings if place == 0 else [w for w in settings if w["n_private"] == MANY], "corners"):
            epsilon, delta, n = float(cell["epsilon"]), float(cell["delta"]), int(cell["n_private"])
            labelled = {"form": name} | dict(cell)
            table.at_most(DEPENDS, labelled, float(depending(tested, honest, epsilon, delta, n)), 0.0)
            table.at_most(LOSS, labelled, loss(tested, honest, epsilon, delta, n), 1.0, rounding=1e-9 if delta else 0.0)
        for change, (arm, quantity) in BROKEN.items() if place == 0 else ():
            cell = {"form": name, "epsilon": 3.0, "delta": 0.0, "n_private": MANY, "broken": change}
            if tested.kind == "table":  # by the default, Gaussian noise
                cell["delta"] = 1e-9
            given = 3.0, float(cell["delta"]), MANY
            value = loss(tested, arm, *given) if quantity == LOSS else float(depending(tested, arm, *given))
            table.exceeding(quantity, cell, value, 1.0 if quantity == LOSS else 0.0)
    distributions: dict[
        Callable[..., Any], float
    ] = {}  # by the functions, not by their ids, which others may get after them
    for change, make in controls.items():
        control = make()
        if control.honest not in distributions:
            distributions[control.honest] = exact_privacy_loss(control.honest, control.slots).loss
            cell = {"epsilon": control.epsilon, "delta": 0.0, "n_private": len(control.slots), "of": change}
            table.at_most(EXACT, cell, distributions[control.honest] / control.epsilon, 1.0, rounding=1e-9)
        broken = exact_privacy_loss(control.broken, control.slots).loss
        cell = {"epsilon": control.epsilon, "delta": 0.0, "n_private": len(control.slots), "broken": change}
        table.exceeding(EXACT, cell, broken / control.epsilon, 1.0)


def corners(*, delta: bool = False) -> list[Settings]:
    """Return the settings that are judged; delta: whether the learner uses one."""
    return [{"epsilon": e, "delta": d, "n_private": n} for e, d, n in (*CORNERS, *(WITH_DELTA if delta else ()))]


def reason(table: Table) -> str:
    """Say how much of epsilon is used, and what broken arms are caught at."""
    most = max(row.measured.value for row in table(LOSS) if "broken" not in row.settings)
    broken = {str(row.settings["broken"]): row for row in table.rows if "broken" in row.settings}
    caught = ", ".join(f"{name} {row.measured.value:.3g}" for name, row in broken.items())
    return (
        "for every table by the proof; with forced answers releases of tables that have no row in common are equal, "
        f"and the largest loss that was found is {most:.3f} of epsilon. What is broken on purpose is caught: {caught}"
    )


def _without(controls: Controls, *names: str) -> Controls:
    return {name: make for name, make in controls.items() if name not in names}


@claim("OWN-METRIC-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def metric(table: Table) -> str:
    """Replay the public-metric discriminant."""
    own = {"": case("two labels", by_name("public_metric_discriminant"))}
    judge(
        table,
        own,
        _without(controls_of(discriminant), "two_counts_of_sensitivity_one", "best_rule_by_its_true_error"),
        corners(delta=True),
    )
    return reason(table)


@claim("OWN-MODEL-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def model(table: Table) -> str:
    """Replay the public-model discriminant, tested and declared."""
    name = "public_model_discriminant"
    own = {"tested": by_name(name), "one population declared": by_name(name, same_population=True)}
    controls = {
        control: make
        for control, make in controls_of(discriminant).items()
        if control == "two_counts_of_sensitivity_one"
    }
    judge(table, {form: case("two labels", make) for form, make in own.items()}, controls, corners())
    return reason(table)


@claim("OWN-CLASSES-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def classes(table: Table) -> str:
    """Replay the public-metric discriminant of several labels."""
    own = {"": case("several labels", by_name("public_metric_multiclass"))}
    judge(table, own, _without(controls_of(multiclass), "labels_clipped_one_by_one"), corners(delta=True))
    return reason(table)


@claim("OWN-CLASSES-MODEL-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def classes_model(table: Table) -> str:
    """Replay the public-model discriminant of several labels, tested and declared."""
    name = "public_model_multiclass"
    own = {"tested": by_name(name), "one population declared": by_name(name, same_population=True)}
    controls = {
        control: make for control, make in controls_of(multiclass).items() if control == "labels_clipped_one_by_one"
    }
    judge(table, {form: case("several labels", make) for form, make in own.items()}, controls, corners())
    return reason(table)


@claim("OWN-GRAM-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def gram(table: Table) -> str:
    """Replay regression with a public Gram matrix."""
    own = {"": case("response", by_name("public_gram_regression"))}
    judge(table, own, controls_of(regression), corners())
    return reason(table)


@claim("OWN-RIDGE-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def ridge(table: Table) -> str:
    """Replay regression from a public ridge model."""
    own = {"": case("response", by_name("public_ridge_regression"))}
    judge(table, own, {}, corners())
    return reason(table)


@claim("OWN-TABLE-DP", WHAT, shown=LOSS, constants="none: no paper has it")
def rows(table: Table) -> str:
    """Replay the table release: by default, for a label, and with few marginals."""
    forms: dict[str, dict[str, Any]] = {"": {}, "for a label": {"label": "column_0"}}
    own = {form: case("table", partial(TableRelease, **options)) for form, options in forms.items()}
    judge(table, own, {}, corners(delta=True))
    return reason(table)
