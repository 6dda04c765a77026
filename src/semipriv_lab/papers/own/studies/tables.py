"""Releases of a table by ``table_release``: their error beside that of the noise, and of what was tried first.

Errors are mean L1 distances of all two-way marginals to those of the private table.  Distributions are drawn: 4 hidden
groups, columns independent within a group; with bias 1 the public rows have other shares of the groups.
"""

import math

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, mean_interval
from semipriv.core.types import Floats
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.queries.marginals import Marginals
from semipriv.queries.schema import Column, Schema
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.papers.own.distributions import SCHEMA, Groups

NONE = "none: no paper has it; support and prior after Liu et al. 2021"
EPSILON = 1.0
DELTA = 1e-6
N_PUBLIC = 100
TRIALS = 16
BIASES = (0.0, 1.0)
ROWS = (1_000, 10_000)
NOISE = "mean error of the release / sum over cells of the mean absolute noise"
PUBLIC_ALONE = "mean error of the release / that of the public rows alone"
BEFORE = "mean error of the release / that of weights of the public rows alone (public_rows_release)"
RELEASE, OTHER = "table_release", "public_rows_release"
Key = tuple[float, int]


def errors(randomness: Simulation, effort: float) -> dict[Key, dict[str, Floats]]:
    """Return by bias and private rows the errors of releases, of noise and of public rows, for each distribution."""
    trials = max(3, round(TRIALS * effort))
    workload = Marginals(SCHEMA, 2)
    errors_of: dict[Key, dict[str, list[float]]] = {(bias, n): {} for bias in BIASES for n in ROWS}
    for t in track(range(trials), "distributions"):
        for (bias, n), of_cell in errors_of.items():
            coins = randomness.spawn("tables", repr(bias), n, t)
            distribution = Groups.drawn(coins.generator)
            public, rows = distribution.sample(coins.generator, N_PUBLIC, bias), distribution.sample(coins.generator, n)
            truth = workload.counts(rows) / n
            own = TableRelease(EPSILON, DELTA)
            prepared = own.prepare(SCHEMA.table(public), SCHEMA)
            deviation = np.repeat(own.plan(prepared, n).deviations, np.diff(workload.starts))
            answers = {"noise": truth + math.sqrt(2 / math.pi) * deviation / n}
            answers["public"] = workload.counts(public) / N_PUBLIC
            output = own.release(prepared, SCHEMA.table(rows), coins).output
            answers[RELEASE] = workload.shares(output.rows, output.weights)
            before = PublicRowsRelease(EPSILON, DELTA)
            weighed = before.release(before.prepare(SCHEMA.table(public), SCHEMA), SCHEMA.table(rows), coins).output
            answers[OTHER] = workload.shares(weighed.rows, weighed.weights)
            for name, shares in answers.items():
                error = float(workload.totals(np.abs(shares - truth)).mean())
                of_cell.setdefault(name, []).append(error)
    return {key: {name: np.array(values) for name, values in of.items()} for key, of in errors_of.items()}


def _where(bias: float, n: int) -> dict[str, float | int]:
    return {"bias": bias, "n_private": n, "n_public": N_PUBLIC, "epsilon": EPSILON, "delta": DELTA}


WHAT = (
    f"{len(SCHEMA.columns)} columns, {N_PUBLIC} public rows, epsilon {EPSILON:g}, delta {DELTA:g}, drawn distributions"
)


@claim("OWN-TABLE-RATE", WHAT, shown=NOISE, constants=NONE)
def noise(table: Table) -> str:
    """Compare the error with that of noise alone, which falls like 1 / n; public rows as support must miss."""
    errors_of, gates = table.once(errors), len(ROWS) + 1
    for (bias, n), of in errors_of.items():
        shares = of[RELEASE] / of["noise"]
        if bias:
            table.recorded(NOISE, _where(bias, n), mean_interval(shares), 1.0, len(shares))
            continue
        table.at_most(NOISE, _where(bias, n), mean_interval(shares, GATE_LEVEL / gates), 1.0, len(shares))
        if n == ROWS[-1]:
            other = mean_interval(of[OTHER] / of["noise"], GATE_LEVEL / gates)
            broken = _where(bias, n) | {"broken": "public rows as support"}
            table.exceeding(NOISE, broken, other, 1.0, len(shares))
    quotients = ", ".join(f"{row.measured.value:.2f}" for row in table(NOISE, bias=0.0) if "broken" not in row.settings)
    biased = errors_of[BIASES[1], ROWS[-1]]
    mean = table(NOISE, bias=BIASES[1], n_private=ROWS[-1])[0].measured.value
    worst = (biased[RELEASE] / biased["noise"]).max()
    return (
        f"noise falls like 1 / n, and the error stays below it: quotients {quotients}. Public rows of other shares of "
        f"the groups are not judged: {mean:.2f} in the mean, {worst:.2f} in the worst distribution, of whose groups "
        "one is rare in public rows: the statement named any bias until that was seen. With 1e5 rows and more the fit, "
        "which ends at an error of .001, is what is left"
    )


@claim("OWN-HEAD-TABLES", WHAT, shown=BEFORE, constants=NONE)
def head_to_head(table: Table) -> str:
    """Compare with public rows alone, and with the release whose support they are."""
    errors_of = table.once(errors)
    smallest, largest = ROWS
    limits = {
        (PUBLIC_ALONE, smallest): 0.8,
        (PUBLIC_ALONE, largest): 0.2,
        (BEFORE, smallest): 1.1,
        (BEFORE, largest): 0.6,
    }
    for (quantity, n), most in limits.items():
        for bias in BIASES:
            of = errors_of[bias, n]
            other = of["public" if quantity == PUBLIC_ALONE else OTHER]
            quotient = mean_interval(of[RELEASE] / other, GATE_LEVEL / (2 * len(limits)))
            table.at_most(quantity, _where(bias, n), quotient, most, len(other))
    settings = ((f"{row.settings['n_private']:,} rows, bias {row.settings['bias']:g}", row) for row in table.rows)
    described = "; ".join(f"{place}: {row.measured.value:.2f}" for place, row in settings)
    return f"Limits were set after six distributions of other streams. In the order of the statement: {described}"


BY_DEFAULT = "mean L1 error of two-way marginals of three columns, default tree, one release"
MISSING = "mean L1 error of all two-way marginals, exactly"


@claim(
    "OWN-TABLE-RATE-literal",
    "two columns, public rows that all have one value of the first, private rows that all have the other one",
    shown=MISSING,
    constants=NONE,
)
def without_a_tree(table: Table) -> str:
    """Find the error of ``tree: 0`` where no public row has a value that all private rows have."""
    schema = Schema((Column("a", range(2)), Column("b", range(3))))
    public = np.column_stack([np.zeros(6, np.int64), np.arange(6) % 3])
    for n in (1_000, 1_000_000):
        rows = np.column_stack([np.ones(n, np.int64), np.arange(n) % 3])
        learner = TableRelease(EPSILON, DELTA, tree=0.0)
        prepared = learner.prepare(schema.table(public), schema)
        output = learner.release(prepared, schema.table(rows), table.randomness.spawn("missing", n)).output
        truth = prepared.workload.counts(rows) / n
        error = float(np.abs(prepared.workload.shares(output.rows, output.weights) - truth).sum())
        noisy = float(learner.plan(prepared, n).deviations.sum()) * prepared.workload.cells / n
        settings = {"epsilon": EPSILON, "delta": DELTA, "n_private": n, "n_public": len(public), "tree": 0.0}
        table.refutable(MISSING, settings, error, noisy)
    usual = _all_others(table)
    settings = {"epsilon": EPSILON, "delta": DELTA, "n_private": 10_000, "n_public": 1_000}
    table.recorded(BY_DEFAULT, settings, usual)
    return (
        "every released row is a public one, none is a private one: the error is 2, whatever n and epsilon are. With "
        f"the default tree it is {usual:.2f} for three columns of three values, 1,000 public and 10,000 private rows"
    )


def _all_others(table: Table) -> float:
    """Return the error of a release by default, where public rows are all (0, 0, 0) and private ones (2, 2, 2)."""
    schema = Schema(tuple(Column(name, range(3)) for name in "abc"))
    rows = np.full((10_000, 3), 2)
    learner = TableRelease(EPSILON, DELTA)
    prepared = learner.prepare(schema.table(np.zeros((1_000, 3), np.int64)), schema)
    output = learner.release(prepared, schema.table(rows), table.randomness.spawn("others")).output
    shares = prepared.workload.shares(output.rows, output.weights)
    return float(prepared.workload.totals(np.abs(shares - prepared.workload.counts(rows) / len(rows))).mean())
