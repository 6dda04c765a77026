"""Query release for tables of categorical columns: counts, scores, budget, fit, rows written, refusals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy
from numpy.random import default_rng

from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.learners.tables import public_rows_release
from semipriv.learners.tables.public_rows_release import PublicRowsRelease, scores
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import guarantee_of, whole
from semipriv.queries.marginals import Marginals
from semipriv.queries.public_support import fit, problem
from semipriv.queries.schema import Column, Schema

SCHEMA = Schema({"age": range(20, 80, 10), "sex": ["F", "M"], "region": 4, "work": ["no", "part", "full"]})


def rows(n: int, seed: int, mix: float = 0.5) -> np.ndarray:
    """Places of n rows: two hidden groups, the first with probability ``mix``, each with distributions of its own."""
    generator, distribution = default_rng(seed), default_rng(7)
    group = (generator.random(n) >= mix).astype(int)
    distributions = [distribution.dirichlet(np.ones(size), size=2).cumsum(axis=1) for size in SCHEMA.sizes]
    return np.array([(generator.random((n, 1)) > p[group][:, :-1]).sum(axis=1) for p in distributions]).T


def table(n: int, seed: int, mix: float = 0.5) -> pd.DataFrame:
    return SCHEMA.table(rows(n, seed, mix))


# ---------------------------------------------------------------------------------------------------- schema
def test_a_table_goes_to_places_and_back_with_its_columns_and_types() -> None:
    given = table(50, 0)
    assert list(given) == list(SCHEMA.names)
    assert [given[name].dtype.kind for name in ("age", "region")] == ["i", "i"]
    assert set(given["age"]) <= set(range(20, 80, 10))
    for same in (
        given,
        given[list(SCHEMA.names)[::-1]],
        {name: list(given[name]) for name in given},
        given.astype(object),
    ):
        assert SCHEMA.table(SCHEMA.codes(same, "table")).equals(given)
    assert np.array_equal(SCHEMA.codes(given.astype({"age": float}), "table"), SCHEMA.codes(given, "table"))
    assert np.array_equal(SCHEMA.codes(given.astype({"work": "category"}), "table"), SCHEMA.codes(given, "table"))
    assert Schema.restored(SCHEMA.description()) == SCHEMA


@pytest.mark.parametrize("allowed", [range(5), range(-3, 9, 4), range(2**53, 2**53 + 9, 2)])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64", "float32", "float64", "object"])
def test_a_number_has_a_place_if_and_only_if_the_range_holds_it(allowed: range, kind: str) -> None:
    """Whatever its type, as Python's own integers say: nothing is rounded, wrapped or cut off."""
    given = [*allowed, *(x + by for x in allowed for by in (-1, 1, 0.5, -0.25)), 2.0**62, -(2.0**62), np.nan, np.inf]
    column = Column("x", allowed)
    tried = 0
    for actual_value in given:
        with np.errstate(all="ignore"):
            value = np.array([actual_value], object) if kind == "object" else np.array([actual_value]).astype(kind)
        stored = value.tolist()[0]
        whole = isinstance(stored, int) or (kind != "object" and np.isfinite(stored) and stored == int(stored))
        if whole and int(stored) in allowed:
            assert column.codes(value, "table").tolist() == [allowed.index(int(stored))]
            tried += 1
        else:
            with pytest.raises(ValueError, match="column 'x', row 0 = "):
                column.codes(value, "table")
    assert tried or allowed[0] > 2**52


# ---------------------------------------------------------------------------------------------------- counts, scores
@pytest.mark.parametrize("ways", [1, 2, 3, 4])
def test_counts_are_those_by_hand_and_one_row_moves_each_marginal_by_sqrt_2(ways: int) -> None:
    workload, codes = Marginals(SCHEMA, ways), rows(40, 2)
    counts = workload.counts(codes)
    by_hand = []
    for group in itertools.combinations(range(4), ways):
        for cell in itertools.product(*(range(SCHEMA.sizes[i]) for i in group)):
            by_hand.append(sum(tuple(row[list(group)]) == cell for row in codes))
    assert counts.dtype == np.int64
    assert counts.tolist() == by_hand
    assert workload.shares(codes, np.full(40, 1 / 40)) == pytest.approx(counts / 40)
    moved = set()
    for other in rows(60, 3):
        neighbour = codes.copy()
        neighbour[5] = other
        change = workload.counts(neighbour) - counts
        assert set(change.tolist()) <= {-1, 0, 1}
        squares, sums = workload.totals(change**2), workload.totals(change)
        assert not sums.any()
        moved |= set(squares.tolist())
    assert moved == {0, 2}, "L2 distances are 0 or sqrt 2"


def test_scores_are_integers_of_sensitivity_one() -> None:
    learner = PublicRowsRelease(1.0, 1e-6, rounds=3)
    prepared = learner.prepare(table(30, 4), SCHEMA)
    workload, generator = prepared.workload, default_rng(5)
    seen = set()
    for _ in range(300):
        codes = rows(int(generator.integers(1, 12)), int(generator.integers(1000)))
        weights = generator.dirichlet(np.full(len(prepared.rows), generator.choice([0.05, 1.0])))
        neighbour = codes.copy()
        neighbour[0] = [generator.integers(size) for size in SCHEMA.sizes]
        counts = workload.counts(codes)
        own = scores(prepared, counts, weights, 2.0)
        assert own.dtype == np.int64
        change = scores(prepared, workload.counts(neighbour), weights, 2.0) - own
        seen |= set(change.tolist())
        estimates = len(codes) * workload.shares(prepared.rows, weights)
        l1 = workload.totals(np.abs(counts - estimates)) / 2
        noise = np.sqrt(2 / np.pi) * prepared.held
        assert np.all(np.abs(own - (l1 - noise)) <= 1.6)
    assert seen == {-1, 0, 1}


# ---------------------------------------------------------------------------------------------------- privacy
@pytest.mark.parametrize("rounds", [None, 1, 5])
def test_the_budget_pays_for_all_and_hardly_more(rounds: int | None) -> None:
    learner = PublicRowsRelease(0.7, 1e-7, rounds=rounds, selection=0.2)
    prepared = learner.prepare(table(30, 4), SCHEMA)
    plan = learner.plan(prepared)
    measured = 6 if rounds is None else rounds
    rho = measured / Fraction(plan.noise.sigma) ** 2  # sqrt(2)^2 / (2 sigma^2) each
    if rounds is not None:
        rho += measured * Fraction(plan.selection.epsilon) ** 2 / 8
    budget = whole(learner.guarantee, 2 if rounds is None else 0)
    assert plan.event.rho == rho <= budget
    assert rho > budget * (1 - Fraction(1, 10**12))
    assert guarantee_of(plan.event, learner.guarantee).epsilon <= 0.7


def test_rounds_are_no_more_than_marginals() -> None:
    """Where all are measured none is chosen, and choosing costs nothing; which is so is known from the schema alone.

    With None that is so whatever the schema is, and all noise is accounted exactly: it is smaller.
    """
    default_rounds, every = PublicRowsRelease(1.0, 1e-6), PublicRowsRelease(1.0, 1e-6, rounds=None)
    exact = every.plan(every.prepare(table(30, 4), SCHEMA))
    assert default_rounds.rounds == 15
    for rounds in (6, 7, 15):
        learner = PublicRowsRelease(1.0, 1e-6, rounds=rounds)
        prepared = learner.prepare(table(30, 4), SCHEMA)
        variances = [float(plan_tried.noise.sigma) ** 2 for plan_tried in (exact, learner.plan(prepared))]
        assert variances[0] / variances[1] == pytest.approx(
            float(whole(default_rounds.guarantee) / whole(default_rounds.guarantee, 2))
        )
        assert learner.plan(prepared).marginals == 6
        assert learner.plan(prepared).selection is None
    release = default_rounds.release(default_rounds.prepare(table(30, 4), SCHEMA), table(200, 5), Simulation(1))
    assert (release.cost["marginals"], release.cost["measured"]) == (6, 6)
    for columns, measured in ((6, 15), (7, 15), (5, 10)):
        schema = Schema({str(i): 2 for i in range(columns)})
        plan = default_rounds.plan(default_rounds.prepare({str(i): [0, 1] for i in range(columns)}, schema))
        assert plan.marginals == measured
        assert (plan.selection is None) == (columns < 7)
        assert plan.event.rho <= whole(default_rounds.guarantee)


@pytest.mark.parametrize("rounds", [None, 4])
def test_what_is_drawn_is_what_the_plan_says(monkeypatch, rounds: int | None) -> None:
    learner = PublicRowsRelease(0.7, 1e-7, rounds=rounds)
    prepared = learner.prepare(table(30, 4), SCHEMA)
    plan, drawn, chosen = learner.plan(prepared), [], []
    noise, select = DiscreteGaussian.sample, ExponentialMechanism.sample

    def spied(self, randomness, size=None):
        drawn.append((self, size))
        return noise(self, randomness, size)

    def selected(self, given, randomness):
        chosen.append((self, len(given)))
        return select(self, given, randomness)

    monkeypatch.setattr(DiscreteGaussian, "sample", spied)
    monkeypatch.setattr(ExponentialMechanism, "sample", selected)
    output = learner.release(prepared, table(90, 5), Simulation(3)).output
    assert [own for own, _ in drawn] == [plan.noise] * plan.marginals
    sizes = [int(np.prod([SCHEMA.sizes[i] for i in group])) for group in output.measured]
    assert [size for _, size in drawn] == sizes
    assert chosen == ([] if rounds is None else [(plan.selection, left) for left in (6, 5, 4, 3)])
    assert len({tuple(group) for group in output.measured}) == plan.marginals


def test_private_rows_are_read_through_mechanisms_only(monkeypatch) -> None:
    """With noisy counts and choices frozen, a neighbour, and any other table of the size, gives equal bytes."""
    learner = PublicRowsRelease(1.0, 1e-6, rounds=4)
    prepared = learner.prepare(table(60, 4), SCHEMA)
    noisy, choices = [], []
    measure, select = public_rows_release._noisy, ExponentialMechanism.sample
    with monkeypatch.context() as patch:
        patch.setattr(public_rows_release, "_noisy", lambda *given: noisy.append(measure(*given)) or noisy[-1])
        patch.setattr(ExponentialMechanism, "sample", lambda *given: choices.append(select(*given)) or choices[-1])
        first = learner.release(prepared, table(90, 5), Simulation(3))
    for other in (6, 7):
        kept, picked = iter(noisy), iter(choices)
        monkeypatch.setattr(public_rows_release, "_noisy", lambda *given, kept=kept: next(kept))
        monkeypatch.setattr(ExponentialMechanism, "sample", lambda *given, picked=picked: next(picked))
        second = learner.release(prepared, table(90, other), Simulation(3))
        assert {k: v.tobytes() for k, v in second.output.arrays().items()} == {
            k: v.tobytes() for k, v in first.output.arrays().items()
        }
        assert second.cost == first.cost


# ---------------------------------------------------------------------------------------------------- fit
def small_problem(ridge: float):
    generator = default_rng(8)
    prior = generator.dirichlet(np.ones(7))
    cells = [np.array([0, 0, 1, 1, 3, 3, 3]), np.array([0, 1, 2, 0, 1, 2, 0])]
    shares = [np.array([0.1, 0.2, 0.3, 0.5]), np.array([0.5, 0.6, -0.05])]
    return problem(list(zip(cells, shares, strict=True)), prior, ridge)


def test_the_gradient_is_that_of_the_dual_and_bounds_the_error() -> None:
    given, generator = small_problem(0.3), default_rng(9)
    assert given.cells.shape == (6, 7), "the cell without a row is left out"
    best = fit(given, 1e-9)
    for _ in range(10):
        z = generator.normal(size=6)
        value, gradient = given.dual(z)
        steps = [(given.dual(z + h)[0] - given.dual(z - h)[0]) / 2e-5 for h in 1e-5 * np.eye(6)]
        assert gradient == pytest.approx(steps, abs=1e-8)
        w = given.weights(z)
        assert given.primal(w) + value == pytest.approx(gradient @ gradient / (2 * given.ridge))
        assert np.abs(w - best.weights).sum() <= given.error(gradient)
        assert given.error(gradient) ** 2 / 2 == pytest.approx(given.primal(w) + value), (
            "Pinsker: |w - w*|^2 / 2 <= gap"
        )
    assert given.primal(best.weights) == pytest.approx(-given.dual(best.dual)[0])


@pytest.mark.parametrize("ridge", [1e-4, 0.3, 100.0])
def test_the_fit_is_the_minimum(ridge: float) -> None:
    given = small_problem(ridge)
    fitted = fit(given, 1e-7)
    assert fitted.error <= 1e-7

    def objective(y):
        e = np.exp(y - y.max())
        return given.primal(e / e.sum())

    direct = scipy.optimize.minimize(objective, np.log(given.prior), method="BFGS", options={"gtol": 1e-9}).x
    w = np.exp(direct - direct.max())
    gap = given.primal(w / w.sum()) - given.primal(fitted.weights)
    assert -1e-9 <= gap <= 1e-6, "no search finds less, and one of another kind as little"
    assert np.abs(fitted.weights - w / w.sum()).sum() <= math.sqrt(2 * max(gap, 0.0)) + 1e-6, "Pinsker"
    if ridge == 100.0:
        assert fitted.weights == pytest.approx(given.prior, abs=0.01)


@pytest.mark.parametrize("rounds", [None, 2])
def test_the_public_rows_are_worth_as_many_records_as_they_are(rounds: int | None) -> None:
    """Equal public rows count each; another number is another fit."""
    public, private = table(300, 3).iloc[np.repeat(np.arange(30), 10)], table(100, 4)

    def weights(kappa: float | None) -> np.ndarray:
        learner = PublicRowsRelease(1.0, 1e-6, rounds=rounds, kappa=kappa)
        prepared = learner.prepare(public, SCHEMA)
        assert len(prepared.counts) <= 30
        return learner.release(prepared, private, Simulation(2)).output.weights

    assert np.array_equal(weights(None), weights(300.0))
    assert np.abs(weights(None) - weights(30.0)).sum() > 0.01


@pytest.mark.parametrize("rounds", [None, 1])
def test_without_noise_the_private_shares_come_back(rounds: int | None) -> None:
    """All columns are one marginal, and every private row has its like among the public ones."""
    private, public = rows(2000, 10), np.concatenate([rows(2000, 10), rows(4000, 11, 0.1)])
    learner = PublicRowsRelease(5000.0, 1e-6, ways=4, rounds=rounds)
    prepared = learner.prepare(SCHEMA.table(public), SCHEMA)
    release = learner.release(prepared, SCHEMA.table(private), Simulation(4))
    assert release.cost["fit_error"] <= 1e-4
    assert release.output.distances(SCHEMA.table(private), 4)[0] < 2e-3
    assert release.output.distances(SCHEMA.table(private), 2).max() < 2e-3
    assert release.output.public.distances(SCHEMA.table(private), 4)[0] > 0.1


def test_biased_public_rows() -> None:
    """Worth little, they are corrected; worth much, they stay; and no kappa puts mass where no public row is."""
    private, public = table(20_000, 12, 0.8), table(1000, 13, 0.2)
    averages = []
    for kappa in (1e8, 1e5, None):
        learner = PublicRowsRelease(1.0, 1e-6, rounds=None, kappa=kappa)
        release = learner.release(learner.prepare(public, SCHEMA), private, Simulation(5))
        averages.append(release.output.distances(private, 2).mean())
    alone = release.output.public.distances(private, 2).mean()
    assert averages[0] == pytest.approx(alone, rel=0.02)
    assert averages[0] > 1.5 * averages[1] > 3 * averages[2], "None: as many as public rows, 1000"
    public_women = public[public["sex"] == "F"]
    learner = PublicRowsRelease(10.0, 1e-6, rounds=None, kappa=10.0)
    output = learner.release(learner.prepare(public_women, SCHEMA), private, Simulation(5)).output
    missing = (private["sex"] == "M").mean()
    assert output.answer("sex")[1] == 0
    assert np.abs(output.answer("sex") - [1 - missing, missing]).sum() == pytest.approx(2 * missing)


# ---------------------------------------------------------------------------------------------------- rows written
def released(size: int = 60, randomness=None) -> WeightedRows:
    learner = PublicRowsRelease(1.0, 1e-6, rounds=3)
    prepared = learner.prepare(table(size, 4), SCHEMA)
    return learner.release(prepared, table(500, 5), randomness or Simulation(3)).output


def test_answers_are_marginals_in_the_order_asked() -> None:
    output = released()
    pairs = output.answer("work", "sex")
    assert pairs.shape == (3, 2)
    assert np.array_equal(pairs, output.answer("sex", "work").T)
    by_hand = output.weights[(output.rows[:, 3] == 2) & (output.rows[:, 1] == 0)].sum()
    assert pairs[2, 0] == pytest.approx(by_hand)
    assert output.public.answer("age").sum() == pytest.approx(1)


@pytest.mark.parametrize("how", ["stratified", "sampled"])
def test_synthetic_rows_are_of_the_schema_and_measured_as_written(how: str) -> None:
    output = released()
    synthetic = output.synthetic(5000, Simulation(6), how)
    written = synthetic.table()
    assert written.dtypes["age"] == np.int64
    assert list(written) == list(SCHEMA.names)
    assert np.array_equal(SCHEMA.codes(written, "written"), synthetic.rows)
    private = table(500, 5)
    for (a, b), distance in zip(itertools.combinations(SCHEMA.names, 2), synthetic.distances(private, 2), strict=True):
        ours, theirs = (pd.crosstab(t[a], t[b], normalize=True) for t in (written, private))
        ours, theirs = ours.align(theirs, fill_value=0.0)
        assert distance == pytest.approx(np.abs(ours.fillna(0) - theirs.fillna(0)).to_numpy().sum())
    counts = np.array([np.all(synthetic.rows == row, axis=1).sum() for row in output.rows])
    gap = np.abs(counts - 5000 * output.weights)
    assert gap.max() <= 1 + 1e-6 if how == "stratified" else gap.max() <= 5 * np.sqrt(5000 * output.weights.max())
    ten_rows = output.synthetic(10, Simulation(6), how)
    assert ten_rows.distances(private, 2).mean() > synthetic.distances(private, 2).mean()


def test_secure_draws_and_certifies() -> None:
    learner = PublicRowsRelease(1.0, 1e-6, rounds=2)
    release = learner.release(learner.prepare(table(60, 4), SCHEMA), table(500, 5), Secure())
    assert release.certified() == learner.guarantee
    assert release.output.weights.sum() == pytest.approx(1)
