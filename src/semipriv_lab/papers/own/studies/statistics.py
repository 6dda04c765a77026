"""Statistics by group: their privacy by replay, what public rows do to them, their limits, and the allocation.

A request has counts, means, sums, variances and quantiles by group.  Rows are made up: numbers with one high value in
fifty, with half of them 0, equal ones, and ones with a heavy tail.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np

from semipriv.core.persons import Persons, contents, shares, units_of
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, frequency, mean_interval
from semipriv.core.types import Floats
from semipriv.learners.outputs.report import KINDS, Report
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.measure import Ends, deviations, fit_of
from semipriv.learners.statistics.noises import Measure, noise_alone, noise_of
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.privacy.guarantee import Release
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import Levels, Number, ReportSchema
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.own.transcripts import ZEROS, EnoughError, Request, forced, is_pure, loss_of, spent

NONE = "none: no paper has it"
Run = Callable[[], Release[Any]]

# ---------------------------------------------------------------------------------------------------- transcripts
WARDS = ReportSchema([Column("ward", ("A", "B", "C")), Number("days", 0, 60, True), Column("month", range(2))])
TABLES = (
    Asked("count", None, ("ward",)),
    Asked("count", None, ("month", "ward"), importance=0.5),
    Asked("mean", "days", ("ward",)),
    Asked("sum", "days"),
    Asked("variance", "days", ("month",)),
)
MEANS = (Asked("mean", "days", ("ward",)),)
QUANTILES = (Asked("quantiles", "days", ("ward",), (0.01, 0.5, 0.99)),)
REQUESTS = {"tables": TABLES, "quantiles": QUANTILES}
BUDGETS = ((0.1, 0.0), (3.0, 0.0), (3.0, 1e-6), (2000.0, 0.0))
"""Epsilon and delta; with the last one there is signal enough to look for ends in a tree."""
EACH = np.array(
    [
        (ward, place, gone, month)
        for ward, month in [(0, 0), (1, 1), (2, 0)]
        for place, gone in [(0, 0), (0.37, 0), (1, 0), (0, 1)]
    ],
    np.float64,
)
"""Rows that are replaced: numbers at both ends, between, and missing ones, in each ward."""
OTHERS = EACH[[5, 2]]
PUBLIC = np.column_stack([np.arange(30) % 3, np.linspace(0, 0.4, 30), np.arange(30) % 10 == 0, np.arange(30) % 2])
PERSONS = 4
REPLAYED = "largest privacy loss of a transcript over replaced rows / epsilon"
BY_PERSON = "largest privacy loss of a transcript over replaced persons / epsilon"
TOLD = "transcripts in which the release, or what mechanisms are asked, depends on private rows"
ONE_TABLE, OWN_ENDS, OWN_ROWS = (
    "count and sum priced as one table",
    "ends read off private rows",
    "the number of rows as that of persons",
)


def built(request: Sequence[Any], epsilon: float, delta: float, ends: str = "auto") -> StatisticsRelease:
    """Return the learner of a request."""
    return StatisticsRelease(epsilon, delta, statistics=request, ends=ends)


def of_rows(learner: StatisticsRelease, rows: Floats) -> Release[Report]:
    """Release rows; public rows are known."""
    return learner.release(learner.prepare(PUBLIC, WARDS), rows, Simulation(0))


def of_own_ends(learner: StatisticsRelease, rows: Floats) -> Release[Report]:
    """Release rows, with the ends that suit them."""
    return learner.release(learner.prepare(rows, WARDS), rows, Simulation(0))


def persons_of(changed: int) -> tuple[Floats, Persons]:
    """Return rows of persons who have one to three; those of the first person follow from ``changed``."""
    rows, names = [], []
    for person in range(PERSONS):
        coins = np.random.default_rng([person, changed if person == 0 else 0])
        number = int(coins.integers(1, 4))
        rows.append(EACH[coins.integers(0, len(EACH), number)])
        names += [str(person)] * number
    return np.concatenate(rows), Persons.of(names)


def of_persons(learner: StatisticsRelease, changed: int) -> Release[Report]:
    """Release persons whose rows share the units of a person."""
    points, persons = persons_of(changed)
    units, prepared = units_of(PERSONS), learner.prepare(PUBLIC, WARDS)
    unit_shares = shares(persons, contents(points), units, "key")
    sums = [question.of(points, unit_shares) for question in learner.questions(prepared, PERSONS)]
    return learner.release_counts(prepared, sums, PERSONS, Simulation(0), units)


def of_all_rows(learner: StatisticsRelease, changed: int) -> Release[Report]:
    """Release all rows of persons, as if each were a person."""
    return of_rows(learner, persons_of(changed)[0])


def count_and_sum(self: Levels, sums: Any, cuts: Any, ends: tuple[int, int]) -> Any:
    """Return the number of rows and the sum beside it, each with the mass of a row: this moves by twice as much."""
    table = kept(self, sums, cuts, ends)
    table[..., 0] = table.sum(axis=-1)
    return table


kept = Levels.table


def asked_of(run: Run, seed: int, most: int | None) -> list[Request]:
    """Return what a release asked; most: its first requests alone."""
    with suppress(EnoughError), forced(seed, most) as requests:
        run()
    return requests


def cost(first: list[Request], second: list[Request], delta: float) -> float:
    """Return the privacy loss between two neighbours; a selection's is the largest log-ratio of its distributions."""
    if not is_pure(first):
        return loss_of(first, second, delta)
    drawn = [isinstance(request.mechanism, SelectionMechanism) for request in first]
    noisy = [[request for request, own in zip(part, drawn, strict=True) if not own] for part in (first, second)]
    total = float(spent(noisy[0], noisy[1], True))
    for a, b, own in zip(first, second, drawn, strict=True):
        if own:
            distributions = [a.mechanism.log_probabilities(request.values) for request in (a, b)]
            total += float(np.abs(distributions[0] - distributions[1]).max())
    return total


def largest(learner: StatisticsRelease, runs: Sequence[Run], n: int) -> float:
    """Return the largest loss over pairs of neighbours, over epsilon; requests of tables need no answer."""
    plan = learner.plan(learner.prepare(PUBLIC, WARDS), n)
    noisy = sum(shape.tree.levels for shape in plan.shapes) + len(plan.measures)
    asked = [asked_of(run, ZEROS, None if plan.quantiles else noisy) for run in runs]
    return max(cost(a, b, learner.delta) for a, b in combinations(asked, 2)) / learner.epsilon


def seen(run: Run, seed: int) -> tuple[Any, ...]:
    """Return all that is public of a release with forced answers: the report byte for byte, and what was asked."""
    with forced(seed) as requests:
        release = run()
    arrays = {name: values.tobytes() for name, values in release.output.arrays().items()}
    return release.output.description(), arrays, release.cost, [request.public for request in requests]


def depending(runs: Sequence[Run]) -> int:
    """Return in how many transcripts the first run differs from another one."""
    return sum(seen(runs[0], seed) != seen(run, seed) for run in runs[1:] for seed in (ZEROS, 5))


def neighbours(learner: StatisticsRelease, arm: Callable[[StatisticsRelease, Floats], Release[Report]]) -> list[Run]:
    """Return a run for each row that may stand beside the others."""
    return [partial(arm, learner, np.concatenate([row[None], OTHERS])) for row in EACH]


@claim(
    "OWN-STATISTICS-exact",
    "forced transcripts of releases of three rows, one of them replaced, and of four persons with one to three rows",
    shown=REPLAYED,
    constants=NONE,
)
def private(table: Table) -> str:
    """Replay requests where a row or a person is replaced; what is broken on purpose must fail."""
    n = len(OTHERS) + 1
    for name, request in REQUESTS.items():
        for epsilon, delta in BUDGETS:
            learner = built(request, epsilon, delta)
            settings: Settings = {"request": name, "epsilon": epsilon, "delta": delta}
            runs = neighbours(learner, of_rows)
            table.at_most(REPLAYED, {**settings, "n_private": n}, largest(learner, runs, n), 1.0, rounding=1e-9)
            persons = [partial(of_persons, learner, changed) for changed in range(8)]
            share = largest(learner, persons, PERSONS)
            table.at_most(BY_PERSON, {**settings, "persons": PERSONS}, share, 1.0, rounding=1e-9)
            if (epsilon, delta) == BUDGETS[1]:
                table.at_most(TOLD, {**settings, "n_private": n}, float(depending([runs[0], runs[6], runs[-1]])), 0.0)
                table.at_most(TOLD, {**settings, "persons": PERSONS}, float(depending(persons[:3])), 0.0)
    for name, value in broken(n):
        quantity, bound = (REPLAYED, 1.0) if name == ONE_TABLE else (TOLD, 0.0)
        table.exceeding(quantity, {"request": "means", "epsilon": 3.0, "delta": 0.0, "broken": name}, value, bound)
    honest = [row for row in table.rows if not row.control]
    of_row, of_person = (
        max(row.measured.value for row in honest if row.quantity == quantity) for quantity in (REPLAYED, BY_PERSON)
    )
    caught = ", ".join(f"{row.settings['broken']} {row.measured.value:.3g}" for row in table.rows if row.control)
    return (
        f"for every table by the proof; transcripts lose {of_row:.3f} of epsilon at most where a row is replaced, and "
        f"{of_person:.3f} where a person is. What is broken on purpose is caught: {caught}"
    )


def broken(n: int) -> Iterator[tuple[str, float]]:
    """Yield each broken arm with its loss, or the number of its transcripts that tell."""
    learner = built(MEANS, 3.0, 0.0, "declared")
    with patch.object(Levels, "table", count_and_sum):
        yield ONE_TABLE, largest(learner, neighbours(learner, of_rows), n)
    runs = neighbours(built(MEANS, 3.0, 0.0, "public"), of_own_ends)
    yield OWN_ENDS, float(depending([runs[0], runs[6], runs[-1]]))
    yield OWN_ROWS, float(depending([partial(of_all_rows, learner, changed) for changed in range(3)]))


# ---------------------------------------------------------------------------------------------------- made-up rows
GROUPS, HALVES = 8, 4
DISTRIBUTIONS = ("one in fifty high", "half 0", "heavy tail", "equal")


def schema(groups: int) -> ReportSchema:
    """Return the columns of made-up rows: a and b, and a number from 0 to 100."""
    return ReportSchema([Column("a", range(groups)), Column("b", range(HALVES)), Number("v", 0, 100)])


def numbers(distribution: str, coins: np.random.Generator, groups: Any) -> Floats:
    """Return the places of rows of a distribution, (n,); groups: theirs, in [0, 1], on which places depend."""
    n = len(groups)
    if distribution == "one in fifty high":
        return np.where(coins.random(n) < 0.02, 0.9 + 0.1 * groups, 0.05 + 0.05 * groups)
    if distribution == "half 0":
        return np.where(coins.random(n) < 0.5, 0.0, np.round(10 * coins.random(n) * (0.5 + groups / 2)) / 20)
    if distribution == "heavy tail":
        return np.minimum(np.exp(coins.normal(size=n) + groups) / 100, 1.0)
    return np.full(n, 0.3)


def rows_of(distribution: str, coins: np.random.Generator, n: int) -> Floats:
    """Return n rows (n, 3) of uneven groups."""
    a = np.minimum(coins.geometric(0.3, n) - 1, GROUPS - 1)
    b = (a + coins.integers(0, HALVES - 1, n)) % HALVES
    return np.column_stack([a, b, numbers(distribution, coins, a / (GROUPS - 1))])


def truth(rows: Floats, by: Sequence[int], sizes: Sequence[int], mean: bool) -> Floats:
    """Return counts, or means of the number by group; NaN for a group without a row."""
    cell = np.ravel_multi_index(tuple(rows[:, i].astype(int) for i in by), tuple(sizes))
    counts = np.bincount(cell, minlength=int(np.prod(sizes))).astype(np.float64)
    if not mean:
        return counts
    sums = np.bincount(cell, 100 * rows[:, 2], len(counts))
    return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)


# ---------------------------------------------------------------------------------------------------- public rows
N_PRIVATE, N_PUBLIC, TRIALS = 2_000, 200, 3
EPSILONS = (1.0, 10.0)
STATISTICS = (Asked("count", None, ("a",)), Asked("count", None, ("a", "b")), Asked("mean", "v", ("a",)))
SHOWN = ("count by a", "count by a, b", "mean of v by a")
SAME, FEW, NUMBERS, ENDS = "same population", "three rows", "other numbers", "all at an end"
PUBLIC_ROWS = (SAME, FEW, NUMBERS, "other groups", ENDS)
UNVARYING = (FEW, ENDS)
"""Kinds of public rows: of the same population, many or few; with numbers or groups in reverse; hostile ones."""
WITHOUT = "no public row"
HURT = "mean error with public rows / that of noise alone without them, less 1"
MEAN_ERROR = "mean absolute error / that of noise alone without public rows"
WRONG = (NUMBERS, ENDS)
LITTLE = (0.03, 0.1, 10.0)
"""Wrong public numbers, and epsilons: with too little signal to look for ends, with a little, and with much."""
NOTHING: Floats = np.zeros(0)
Cell = tuple[str, str, float, str, str]
"""Public rows, distribution, epsilon, statistic and kind of value."""


def public_rows(kind: str, distribution: str, coins: np.random.Generator) -> Floats:
    """Return public rows of a kind."""
    rows = rows_of(distribution, coins, 3 if kind == FEW else N_PUBLIC)
    if kind == NUMBERS:
        rows[:, 2] = 1 - rows[:, 2]
    elif kind == "other groups":
        rows[:, 0] = GROUPS - 1 - rows[:, 0]
    elif kind == ENDS:
        rows[:, 2] = 1.0
    return rows if kind != WITHOUT else rows[:0]


def errors_of(
    randomness: Simulation, distribution: str, epsilons: Sequence[float], t: int, kinds: Sequence[str]
) -> Iterator[tuple[Cell, float]]:
    """Yield the mean absolute error over groups of each statistic, with public rows of each kind."""
    rows, columns = (
        rows_of(distribution, randomness.spawn("rows", distribution, t).generator, N_PRIVATE),
        schema(GROUPS),
    )
    for epsilon in epsilons:
        for kind in (WITHOUT, *kinds):
            learner = StatisticsRelease(epsilon, 0.0, statistics=STATISTICS)
            public = public_rows(kind, distribution, randomness.spawn("public", distribution, t).generator)
            prepared = learner.prepare(public, columns)
            report = learner.release(prepared, rows, randomness.spawn("noise", distribution, repr(epsilon), t)).output
            for shown, value, error in judged(report, rows):
                yield (kind, distribution, epsilon, shown, value), error


def errors(randomness: Simulation, effort: float) -> dict[Cell, Floats]:
    """Return errors, trial by trial, over the mean one of noise alone without public rows."""
    trials = max(1, round(TRIALS * effort))
    errors_by_cell: dict[Cell, list[float]] = {}
    for t in track(range(trials), "trials"):
        for distribution in DISTRIBUTIONS:
            for key, error in errors_of(randomness, distribution, EPSILONS, t, PUBLIC_ROWS):
                errors_by_cell.setdefault(key, []).append(error)
    return {
        (kind, distribution, epsilon, shown, value): np.array(values)
        / np.mean(errors_by_cell[WITHOUT, distribution, epsilon, shown, KINDS[0]])
        for (kind, distribution, epsilon, shown, value), values in errors_by_cell.items()
    }


def judged(report: Report, rows: Floats) -> Iterator[tuple[str, str, float]]:
    """Yield each statistic, kind of its values, and their mean absolute error over groups that have a row."""
    for place, shown in enumerate(SHOWN):
        by = [0, 1] if "," in shown else [0]
        exact = truth(rows, by, [GROUPS, HALVES][: len(by)], shown.startswith("mean"))
        for kind in sorted({int(shape) for shape in report.kinds[report.place == place]}):
            values = report.values[(report.place == place) & (report.kinds == kind)]
            yield shown, KINDS[kind], float(np.nanmean(np.abs(values - exact)))


@claim(
    "OWN-STATISTICS-unharmed",
    f"{N_PRIVATE:,} private rows of four distributions; {N_PUBLIC} or three public rows, of the population or not",
    shown=HURT,
    constants=NONE,
)
def unharmed(table: Table) -> str:
    """Compare errors with public rows of each kind with those of noise alone without any."""
    errors_of = table.once(errors)
    level = GATE_LEVEL / (len(PUBLIC_ROWS) * len(SHOWN) * 2)
    for kind in (WITHOUT, *PUBLIC_ROWS):
        for shown in SHOWN:
            for value in KINDS:
                settings: Settings = {"public": kind, "statistic": shown, "value": value, "n_private": N_PRIVATE}
                ratios = [
                    errors_of.get((kind, distribution, epsilon, shown, value), NOTHING)
                    for epsilon in EPSILONS
                    for distribution in DISTRIBUTIONS
                ]
                if not len(ratios[0]):
                    continue
                for i, epsilon in enumerate(EPSILONS):
                    own: Floats = np.concatenate(ratios[i * len(DISTRIBUTIONS) : (i + 1) * len(DISTRIBUTIONS)])
                    table.recorded(MEAN_ERROR, {**settings, "epsilon": epsilon}, mean_interval(own), None, len(own))
                if kind != WITHOUT and not (kind in UNVARYING and value != KINDS[0] and shown == SHOWN[2]):
                    excess: Floats = np.concatenate(ratios) - 1
                    table.at_most(HURT, settings, mean_interval(excess, level), 1.0, len(excess))
    rows = sorted(table(HURT), key=lambda row: row.measured.value)
    described = "; ".join(
        f"{row.settings['public']}, {row.settings['statistic']} ({row.settings['value']}) {row.measured.value:+.2f}"
        for row in (rows[-1], rows[-2], rows[0])
    )
    return (
        f"means over distributions and epsilons {EPSILONS[0]:g} and {EPSILONS[1]:g}. Largest and least: {described}. "
        "Not judged: means that lean on public rows whose numbers are equal, or on three rows"
    )


def misled(randomness: Simulation, effort: float) -> dict[Cell, Floats]:
    """Return errors of means with wrong public numbers at little signal, as ``errors`` does at much of it."""
    errors_by_cell: dict[Cell, list[float]] = {}
    little = [epsilon for epsilon in LITTLE if epsilon not in EPSILONS]
    for t in track(range(max(1, round(TRIALS * effort))), "trials"):
        for distribution in DISTRIBUTIONS:
            for key, error in errors_of(randomness, distribution, little, t, WRONG):
                errors_by_cell.setdefault(key, []).append(error)
    return {
        key: np.array(values) / np.mean(errors_by_cell[WITHOUT, *key[1:4], KINDS[0]])
        for key, values in errors_by_cell.items()
    }


@claim(
    "OWN-STATISTICS-unharmed-little",
    "means by group: public rows with numbers in reverse, or all of them the highest; little signal, and much",
    shown=HURT,
    constants=NONE,
)
def harmed(table: Table) -> str:
    """Compare errors of means where public numbers are wrong with those of noise alone without public rows."""
    errors_of, shown = table.once(errors) | table.once(misled), SHOWN[2]
    level = GATE_LEVEL / (len(WRONG) * len(LITTLE) * 2)
    for kind in WRONG:
        for epsilon in LITTLE:
            for value in KINDS[:2]:
                excess: Floats = (
                    np.concatenate(
                        [errors_of[kind, distribution, epsilon, shown, value] for distribution in DISTRIBUTIONS]
                    )
                    - 1
                )
                settings: Settings = {"public": kind, "epsilon": epsilon, "value": value, "n_private": N_PRIVATE}
                table.at_most(HURT, settings, mean_interval(excess, level), 1.0, len(excess))
    most = {value: max(table(HURT, value=value), key=lambda row: row.measured.value) for value in KINDS[:2]}
    described = "; ".join(
        f"{value} {row.measured.value:+.2f} ({row.settings['public']}, epsilon {row.settings['epsilon']:g})"
        for value, row in most.items()
    )
    return (
        f"means over distributions. Largest: {described}. With epsilon {LITTLE[0]:g} there is too little signal to "
        f"look for ends: they are the declared ones. With {LITTLE[1]:g} rows are counted in a few bins that public "
        "rows suggest"
    )


# ---------------------------------------------------------------------------------------------------- limits
MANY, RELEASES, LEVEL, SLACK = 3_000, 8, 0.95, 0.01
KINDS_OF_GROUPS = ("half 0", "equal", "heavy tail", "one row a group")
MISSED = "share of groups outside of their limits"


def misses(randomness: Simulation, effort: float) -> dict[tuple[str, float, str], tuple[int, int, int]]:
    """Return by rows, epsilon and statistic how many groups limits miss, of how many, and how many if half as wide."""
    releases, columns = max(2, round(RELEASES * effort)), schema(MANY)
    request = (
        Asked("count", None, ("a",)),
        *(Asked(statistic, "v", ("a",)) for statistic in ("mean", "sum", "variance")),
    )
    counts: dict[tuple[str, float, str], list[tuple[int, int, int]]] = {}
    for kind in KINDS_OF_GROUPS:
        for epsilon in (0.3, 3.0):
            learner = StatisticsRelease(epsilon, 0.0, statistics=request, interval=LEVEL, ends="declared")
            prepared = learner.prepare(np.empty((0, 3)), columns)
            for t in range(releases):
                coins = randomness.spawn("limits", kind, repr(epsilon), t)
                rows = grouped(kind, coins.generator)
                report = learner.release(prepared, rows, coins).output
                for place, exact in enumerate(of_groups(rows)):
                    unbiased = (report.place == place) & (report.kinds == 0)
                    low, high = report.low[unbiased], report.high[unbiased]
                    some, slack = ~np.isnan(exact), 1e-6 * np.maximum(np.abs(exact), 1)
                    out = (exact < low - slack) | (exact > high + slack)
                    middle, quarter = (low + high) / 2, (high - low) / 4
                    beyond = np.abs(exact - middle) > quarter + slack
                    missed = int((out & some).sum()), int(some.sum()), int((beyond & some).sum())
                    counts.setdefault((kind, epsilon, learner.statistics[place].statistic), []).append(missed)
    return {key: tuple(np.sum(counts_of, axis=0).tolist()) for key, counts_of in counts.items()}


def grouped(kind: str, coins: np.random.Generator) -> Floats:
    """Return rows (n, 3) of many groups: of 1 to 40 rows, or of one."""
    size = np.ones(MANY, np.int64) if kind == "one row a group" else coins.integers(1, 41, MANY)
    a = np.repeat(np.arange(MANY), size)
    places = coins.random(len(a)) if kind == "one row a group" else numbers(kind, coins, a / MANY)
    return np.column_stack([a, np.zeros(len(a)), np.rint(places * 2**16) / 2**16])


def of_groups(rows: Floats) -> list[Floats]:
    """Return counts, means, sums and variances of groups."""
    cell, v = rows[:, 0].astype(int), 100 * rows[:, 2]
    counts = np.bincount(cell, minlength=MANY).astype(np.float64)
    sums, squares = (np.bincount(cell, power, MANY) for power in (v, v * v))
    means = sums / counts
    return [counts, means, np.asarray(sums, np.float64), np.maximum(squares / counts - means**2, 0)]


@claim(
    "OWN-STATISTICS-coverage",
    f"{MANY:,} groups of 1 to 40 rows or of one: half of the numbers 0, all equal, a heavy tail; declared ends",
    shown=MISSED,
    constants=NONE,
)
def coverage(table: Table) -> str:
    """Count the groups outside of their limits; half as wide limits must miss more."""
    counts = table.once(misses)
    level = GATE_LEVEL / sum(1 + (statistic in ("count", "sum")) for _, _, statistic in counts)
    for (kind, epsilon, statistic), (out, groups, beyond) in counts.items():
        settings: Settings = {"rows": kind, "epsilon": epsilon, "statistic": statistic, "interval": LEVEL}
        table.at_most(MISSED, settings, frequency(out, groups, level), 1 - LEVEL + SLACK, groups)
        if statistic in ("count", "sum"):
            table.exceeding(
                MISSED,
                {**settings, "broken": "half as wide"},
                frequency(beyond, groups, level),
                1 - LEVEL + SLACK,
                groups,
            )
    shares_of = {
        statistic: [row.measured.value for row in table(MISSED, statistic=statistic) if not row.control]
        for statistic in ("count", "sum", "mean", "variance")
    }
    return "groups missed: " + ", ".join(
        f"{name} {min(values):.3f} to {max(values):.3f}" for name, values in shares_of.items()
    )


# ---------------------------------------------------------------------------------------------------- allocation
WIDER = "largest standard error of the noise of a statistic / that in an equal split"
IMPORTANCES = ((1, 1, 1), (1, 5, 1), (0.2, 1, 1))
UNEVEN = "three quarters for the mean"


def planned_error(request: Asked, prepared: Prepared, measures: Sequence[Measure], ends: Ends, n: int) -> float:
    """Return the standard error of the noise of a statistic, a quadratic mean over its groups."""
    key, fit = table_of(request, prepared.schema), fit_of(prepared, measures, ends, n)
    predicted = prepared.predicted(key, ends.get(key[-1]), n)
    return float(np.mean(deviations(request, prepared, ends, predicted, fit) ** 2)) ** 0.5


@claim(
    "OWN-STATISTICS-equal",
    "standard errors by the plan, exactly: counts and means, importances, with and without public rows of two kinds",
    shown=WIDER,
    constants=NONE,
)
def equal(table: Table) -> str:
    """Compare the planned standard error of each statistic with that of a table of its own with an equal part."""
    for importances in IMPORTANCES:
        request = [
            Asked(request.statistic, request.column, request.by, importance=k)
            for request, k in zip(STATISTICS, importances, strict=True)
        ]
        for n in (200, N_PRIVATE, 10**6):
            for epsilon, delta in ((0.1, 0.0), (1.0, 0.0), (1.0, 1e-6)):
                for kind in (WITHOUT, SAME, "other groups"):
                    for ends in ("declared", "auto"):
                        rows = public_rows(kind, "heavy tail", np.random.default_rng(1))
                        one_of_all(
                            table, StatisticsRelease(epsilon, delta, statistics=request, ends=ends), rows, n, kind
                        )
    usual = [row.measured.value for row in table(WIDER) if row.verdict is not None and not row.control]
    trees = [row.measured.value for row in table(WIDER) if row.verdict is None]
    lost = f"{max(trees):.3f} at most" if trees else "none"
    return (
        f"{min(usual):.2f} to {max(usual):.3f} where all of the budget goes to tables. Where ends are looked for in a "
        f"tree, which takes a tenth, the quotient is recorded: {lost}. It compares noise alone at the same ends: what "
        "better ends bring is not in it"
    )


def one_of_all(table: Table, learner: StatisticsRelease, public: Floats, n: int, kind: str) -> None:
    """Judge one plan; one that looks for ends is recorded."""
    prepared = learner.prepare(public, schema(GROUPS))
    plan, several = learner.plan(prepared, n), learner.statistics
    whole = sum(Fraction(request.importance) for request in several)

    def own(request: Asked, part: Fraction) -> Measure:
        return Measure(
            table_of(request, prepared.schema), part, noise_of(learner.guarantee, part, noise_alone(several))
        )

    single = [
        planned_error(request, prepared, [own(request, Fraction(request.importance) / whole)], plan.ends, n)
        for request in several
    ]

    def widest(measures: Sequence[Measure]) -> float:
        errors_of_all = (planned_error(request, prepared, measures, plan.ends, n) for request in several)
        return max(a / b for a, b in zip(errors_of_all, single, strict=True))

    settings: Settings = {"epsilon": learner.epsilon, "delta": learner.delta, "n_private": n, "public": kind}
    settings |= {"ends": learner.ends, "importance": ", ".join(f"{request.importance:g}" for request in several)}
    if plan.shapes:
        table.recorded(WIDER, settings, widest(plan.measures), 1.0)
        return
    table.at_most(WIDER, settings, widest(plan.measures), 1.0, rounding=1e-9)
    if (n, learner.epsilon, learner.delta, kind, learner.ends) == (N_PRIVATE, 1.0, 0.0, WITHOUT, "declared"):
        parts = (Fraction(1, 8), Fraction(1, 8), Fraction(3, 4))
        uneven = [own(request, part) for request, part in zip(several, parts, strict=True)]
        table.exceeding(WIDER, {**settings, "broken": UNEVEN}, widest(uneven), 1.0)
