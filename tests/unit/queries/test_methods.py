"""Methods but MWEM: distributions against the plain algorithm, exact without noise, variances, budgets, refusals."""

import itertools
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from semipriv.audit.properties.entropy import Seeded
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.privacy.events import NOTHING, described, guarantee_of, restored, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries import hierarchy
from semipriv.queries.base import Method
from semipriv.queries.hierarchy import Tree, isotonic
from semipriv.queries.methods import pmw
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.methods.prior import Prior
from semipriv.queries.methods.tree import DyadicTree
from semipriv.queries.methods.two_level_tree import TwoLevelTree
from semipriv.queries.workloads import Listed, Runs, workload

PURE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, 1e-6)
ROOM = "queries/methods"
NEEDED: dict[str, dict[str, Any]] = {"pmw": {"accuracy": 0.2}}


def build(name: str) -> Method:
    return registry.build(ROOM, {"name": name, **NEEDED.get(name, {})})


def prefixes(cells: int) -> Runs:
    return Runs(cells, np.zeros(cells, np.int64), np.arange(cells))


def intervals(cells: int) -> Runs:
    start, stop = np.triu_indices(cells + 1)
    return Runs(cells, start, stop)


# ---------------------------------------------------------------------------------------------------- all methods
@pytest.mark.parametrize("budget", [PURE, APPROXIMATE, Guarantee(0.01, 1e-9), Guarantee(0.3)])
@pytest.mark.parametrize("name", registry.names(ROOM))
def test_what_a_method_does_is_within_the_budget(name: str, budget: Guarantee) -> None:
    method = build(name)
    if name == "gaussian" and budget.delta == 0:
        return  # it refuses the budget
    method.check(budget)
    event = method.event(prefixes(12), budget)
    spent, total = event.rho if budget.delta else event.pure, whole(budget, method.alone)
    assert spent <= total
    assert guarantee_of(event, budget).epsilon <= budget.epsilon * (1 + 1e-12)
    assert restored(described(event)) == event
    if name not in ("prior", "pmw"):
        assert spent >= total * (1 - Fraction(1, 10**9))
        exact = method.alone and budget.delta  # what holds for all queries is a little more than what these ones spend
        assert guarantee_of(event, budget).epsilon >= budget.epsilon * (0.96 if exact else 1 - 1e-9)


@pytest.mark.parametrize("name", registry.names(ROOM))
def test_answers_are_shares_drawn_exactly_under_secure(name: str) -> None:
    """Releasable methods draw from either source; weights, if any, are a distribution, and their sums the answers."""
    method, counts = build(name), np.array([7, 0, 3, 1, 0, 0, 9])
    assert method.releasable
    for randomness in (Simulation(1), Seeded(1)):
        fitted = method.fit(prefixes(7), counts, APPROXIMATE, randomness)
        assert fitted.answers.shape == (7,)
        assert fitted.answers.dtype == np.float64
        assert np.all((fitted.answers >= 0) & (fitted.answers <= 1))
        if fitted.weights is not None:
            assert np.all(fitted.weights >= 0)
            assert fitted.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", registry.names(ROOM))
def test_a_seed_repeats(name: str) -> None:
    method, counts = build(name), np.array([7, 0, 3, 1, 0, 0, 9])
    first, other, third = (method.fit(prefixes(7), counts, APPROXIMATE, Simulation(seed)).answers for seed in (1, 1, 2))
    assert first.tolist() == other.tolist()
    assert name in ("prior", "pmw") or first.tolist() != third.tolist()


@pytest.mark.parametrize("name", registry.names(ROOM))
def test_much_budget_gives_exact_answers(name: str) -> None:
    """With epsilon 10^4 all but the prior answer within their target."""
    counts = np.array([700, 0, 300, 100, 0, 0, 900])
    exact = prefixes(7).sums(counts) / 2000
    budget = Guarantee(100.0) if name == "pmw" else Guarantee(1e4, 1e-6)
    counts = counts * (10**6 if name == "pmw" else 1)
    error = np.abs(build(name).fit(prefixes(7), counts, budget, Simulation(1)).answers - exact).max()
    if name == "prior":
        assert error == pytest.approx(np.abs(np.arange(7) / 7 - exact).max())
    else:
        assert error <= {"mwem": 0.08, "pmw": 0.2}.get(name, 1e-3)


# ---------------------------------------------------------------------------------------------------- prior, Gaussian
def test_the_prior_reads_nothing() -> None:
    first, other = (Prior().fit(intervals(4), counts, PURE, Simulation(1)) for counts in (np.arange(4), np.full(4, 9)))
    assert first.answers.tolist() == other.answers.tolist()
    assert Prior().event(intervals(4), PURE) == NOTHING
    Prior().check(Guarantee(0.0))


def test_gaussian_answers_made_monotone() -> None:
    rng = np.random.default_rng(1)
    order = rng.permutation(20)
    work = Runs(20, np.zeros(20, np.int64), order)
    counts = np.ones(20, np.int64)
    actual_answers = Gaussian(isotonic=True).fit(work, counts, APPROXIMATE, Simulation(4)).answers
    plain = Gaussian().fit(work, counts, APPROXIMATE, Simulation(4)).answers
    assert np.all(np.diff(actual_answers[np.argsort(order)]) >= 0)
    assert np.any(np.diff(plain[np.argsort(order)]) < 0)


@pytest.mark.parametrize("shape", [(130, 9), (257, 64), (66, 2050), (5, 3)], ids=str)
def test_some_sums_are_those_of_all_bit_for_bit(shape: tuple[int, int]) -> None:
    """PMW sums only the queries that it comes to: what it records may not depend on where it stopped before."""
    rng = np.random.default_rng(4)
    ends = np.sort(rng.integers(0, shape[1] + 1, (2, shape[0])), axis=0)
    weights = rng.dirichlet(np.full(shape[1], 0.3))
    for work in (Listed(rng.random(shape) < 0.5), Runs(shape[1], *ends)):
        for given in (weights, (1000 * weights).astype(np.int64)):
            every, some = work.sums(given), work.sums_of(given)
            for start, stop in np.sort(rng.integers(0, shape[0] + 1, (40, 2)), axis=1).tolist():
                partial_sums = some(start, stop)
                assert partial_sums.dtype == every.dtype
                assert partial_sums.tobytes() == every[start:stop].tobytes()


def test_large_tables_of_labels_are_summed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from semipriv.queries import workloads

    rng = np.random.default_rng(2)
    labels, counts, weights = rng.random((50, 30)) < 0.5, rng.integers(0, 2**50, 30), rng.random(30)
    once = Listed(labels)
    assert once.sums(counts // 2**20).tolist() == (labels @ (counts // 2**20)).tolist()
    monkeypatch.setattr(workloads, "MANY_LABELS", 100)
    blocks = Listed(labels)
    assert blocks.sums(weights) == pytest.approx(labels @ weights)
    assert blocks.sums(counts // 2**20).dtype == np.int64


# ---------------------------------------------------------------------------------------------------- trees
class Silent:
    """Noise that is 0, and notes how many numbers are drawn."""

    drawn = 0

    def add(self, values: np.ndarray, randomness: Any) -> np.ndarray:
        self.drawn += len(values)
        return values


@pytest.mark.parametrize("cells", [1, 2, 3, 4, 5, 16, 17, 30])
def test_trees_without_noise_are_exact(cells: int) -> None:
    counts = np.random.default_rng(cells).integers(0, 9, cells)
    for method in (DyadicTree(), TwoLevelTree()):
        actual_prefixes = method.tree(cells).prefixes(counts, Silent(), Simulation(0))  # type: ignore[arg-type]
        assert actual_prefixes.tolist() == [0, *np.cumsum(counts)]


def test_trees_have_the_stated_levels() -> None:
    assert [DyadicTree().tree(k).levels for k in (1, 2, 3, 4, 5, 1024, 1025)] == [1, 1, 2, 2, 3, 10, 11]
    assert TwoLevelTree().tree(1024) == Tree(32, 2)
    assert TwoLevelTree().tree(1025) == Tree(33, 2)


@pytest.mark.parametrize(
    ("method", "nodes"), [(DyadicTree(), lambda i: i.bit_count()), (TwoLevelTree(), lambda i: sum(divmod(i, 4)))]
)
@pytest.mark.parametrize("budget", [PURE, APPROXIMATE])
def test_variance_of_prefixes(method: hierarchy.Hierarchical, nodes: Any, budget: Guarantee) -> None:
    """Each prefix has the variance of its nodes: the ones of i in binary; blocks and cells."""
    noise, draws = method.noise(16, budget), 1500
    tree = method.tree(16)
    stream = Simulation(1)
    actual_prefixes = np.array([tree.prefixes(np.zeros(16, np.int64), noise, stream) for _ in range(draws)])
    assert not actual_prefixes[:, [0, 16]].any()
    expected = np.array([nodes(i) for i in range(1, 16)]) * noise.variance
    ratio = actual_prefixes[:, 1:-1].var(axis=0) / expected
    assert np.abs(ratio - 1).max() < 6 * math.sqrt(5 / draws)
    levels = tree.levels
    rho = 2 * levels / (2 * noise.variance) if budget.delta else None
    assert rho is None or rho == pytest.approx(float(whole(budget, method.alone)), rel=1e-3)
    assert budget.delta or Fraction(noise.scale) == 2 * levels


def test_replacing_a_record_changes_two_nodes_of_a_level() -> None:
    """The nodes that are released change by at most 2 L, over all pairs of cells: what the noise is scaled to."""
    for method in (DyadicTree(), TwoLevelTree()):
        tree = method.tree(16)
        worst = 0
        for number in range(16):
            for other in range(16):
                moved = 0
                for level in range(tree.levels):
                    width = tree.branching**level
                    first, second = (np.bincount([i // width], minlength=16 // width) for i in (number, other))
                    moved += int(np.abs(first - second).sum())
                worst = max(worst, moved)
        assert worst == 2 * tree.levels


def test_isotonic_prefixes_are_the_nearest_monotone_ones() -> None:
    assert isotonic(np.array([3.0, 1.0, 5.0, 20.0]), 10).tolist() == [2.0, 2.0, 5.0, 10.0]
    assert isotonic(np.zeros(0), 10).tolist() == []
    counts = np.ones(30, np.int64)
    for method in (DyadicTree(isotonic=True), TwoLevelTree(isotonic=True)):
        fitted = method.fit(prefixes(30), counts, APPROXIMATE, Simulation(3))
        assert np.all(np.diff(fitted.answers) >= 0)
        assert fitted.answers == pytest.approx(np.cumsum(fitted.weights) - fitted.weights, abs=1e-12)


def test_intervals_are_differences_of_prefixes() -> None:
    work, counts = intervals(9), np.full(9, 10**6)
    actual_answers = DyadicTree().fit(work, counts, APPROXIMATE, Simulation(5)).answers
    heads = DyadicTree().fit(prefixes(9), counts, APPROXIMATE, Simulation(5)).answers
    inner = work.stop < 9
    assert actual_answers[inner] == pytest.approx(np.clip(heads[work.stop[inner]] - heads[work.start[inner]], 0, 1))


# ---------------------------------------------------------------------------------------------------- PMW
def sequential(method: PMW, work: Any, counts: np.ndarray, budget: Guarantee, noise: dict[str, Any]) -> tuple:
    """PMW as it is written down, one query after the other; noise: iterators of each kind, comparisons by query."""
    plan, n = method.plan(work.cells, work.size, budget), int(counts.sum())
    rows, level = work.matrix().astype(float), plan.threshold(n)
    step = method.accuracy * (2 if method.scales == "fitted" else 0.5)
    p, used = np.full(work.cells, 1 / work.cells), 0
    threshold = level + next(noise["lot"])
    answers = np.zeros(work.size)
    for _ in range(method.passes):
        before, compared = used, noise["comparison"](2 * work.size).reshape(2, -1)
        for j in range(work.size):
            x, f = rows[j] @ p, int(rows[j] @ counts)
            answers[j] = x
            for s, drawn in ((1, compared[0, j]), (-1, compared[1, j])):
                if used < plan.updates and s * (f - round(n * x)) + drawn >= threshold:
                    answers[j] = (f + next(noise["numeric"])) / n
                    used += 1
                    threshold = level + next(noise["lot"])
                    p = p * np.exp(-step * (rows[j] if x > answers[j] else 1 - rows[j]))
                    p /= p.sum()
                    break
        if used == before:
            break
    return np.clip(answers, 0, 1), p, used


@pytest.mark.parametrize("scales", pmw.SCALES)
@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("kind", ["prefixes", "listed"])
def test_pmw_is_the_sequential_algorithm(kind: str, passes: int, scales: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise in both: equal answers, weights and updates."""
    rng = np.random.default_rng(8)
    work = prefixes(30) if kind == "prefixes" else Listed(rng.random((40, 10)) < 0.5)
    counts = rng.multinomial(10**6, rng.dirichlet(np.full(work.cells, 0.2))).astype(np.int64)
    method, budget = PMW(0.1, passes=passes, scales=scales), Guarantee(2.0, 1e-3)
    plan = method.plan(work.cells, work.size, budget)
    streams = {"lot": plan.lot, "comparison": 2 * plan.lot, "numeric": plan.numeric}
    distributions = {key: pmw.DiscreteLaplace(scale) for key, scale in streams.items()}
    names = {distribution: key for key, distribution in distributions.items()}

    sample = pmw.DiscreteLaplace.sample

    def named(distribution: Any, randomness: Simulation, size: int | None = None) -> Any:
        return sample(distribution, generators[names[distribution]], size)

    monkeypatch.setattr(pmw.DiscreteLaplace, "sample", named)
    generators = {key: Simulation(3).spawn(key) for key in distributions}
    fitted = method.fit(work, counts, budget, Simulation(0))
    generators = {key: Simulation(3).spawn(key) for key in distributions}

    def drawn(key: str) -> Any:
        while True:
            yield distributions[key].sample(Simulation(0))

    noise = {"lot": drawn("lot"), "numeric": drawn("numeric")}
    noise["comparison"] = lambda size: distributions["comparison"].sample(Simulation(0), size)
    answers, weights, used = sequential(method, work, counts, budget, noise)
    assert used == fitted.cost["updates"] > 3
    assert fitted.answers == pytest.approx(answers, abs=1e-12)
    assert fitted.weights == pytest.approx(weights, rel=1e-9)


def test_constants_of_the_book() -> None:
    """BCM20's sizes: a = .05, K = M = 356, n = 1.59e7 give c = 9400 and T = .0213; rho = .0040, epsilon .47."""
    method = PMW(0.05, 0.05, scales="book")
    plan = method.plan(356, 356, APPROXIMATE)
    assert plan.updates == 9400
    assert plan.threshold(1) / 1.587e7 == pytest.approx(0.0213, abs=5e-5)
    rho = float(plan.event.rho)
    assert rho == pytest.approx(0.0040, abs=5e-5)
    assert rho + 2 * math.sqrt(rho * math.log(1e6)) == pytest.approx(0.472, abs=5e-4)
    inverse, e1, e2 = math.log(2e6), math.sqrt(512) / (math.sqrt(512) + 1), 2 / (math.sqrt(512) + 1)
    assert float(plan.lot) == pytest.approx(math.sqrt(32 * 9400 * inverse) / e1)
    assert float(plan.numeric) == pytest.approx(math.sqrt(32 * 9400 * inverse) / e2)
    assert rho == pytest.approx((4 * e1**2 + e2**2) / (64 * inverse))
    pure = method.plan(356, 356, PURE)
    assert (pure.lot, pure.numeric) == (Fraction(2 * 9400 * 9, 8), Fraction(2 * 9400 * 9, 2))
    assert pure.threshold(10**9) == math.ceil(18 * 9400 * (math.log(2 * 356) + math.log(4 * 9400 / 0.05)))
    assert pure.event.pure == 1


@pytest.mark.parametrize("scales", pmw.SCALES)
@pytest.mark.parametrize("budget", [PURE, APPROXIMATE], ids=["pure", "approximate"])
def test_queries_of_further_passes_count_as_further_queries(budget: Guarantee, scales: str) -> None:
    """The bound is on the noise of all comparisons, of whatever pass."""
    for passes, queries in ((2, 50), (5, 20), (100, 1)):
        planned_noise = PMW(0.1, passes=passes, scales=scales).plan(30, queries, budget)
        assert planned_noise == PMW(0.1, scales=scales).plan(30, passes * queries, budget)
        assert planned_noise.threshold(9) > PMW(0.1, scales=scales).plan(30, queries, budget).threshold(9)


def test_constants_of_the_proof() -> None:
    """All of the budget is spent; the chance of a miss, by the tails that the proof adds up, is below beta."""
    for budget, a, beta, k, m in (
        (APPROXIMATE, 0.05, 0.05, 356, 356),
        (PURE, 0.3, 0.9, 2, 1),
        (PURE, 0.01, 1e-6, 9, 5),
    ):
        method = PMW(a, beta)
        plan, n = method.plan(k, m, budget), method.records(k, m, budget)
        assert plan.updates * a * a / 2 >= math.log(k) > (plan.updates - 1) * a * a / 2 - 1e-9
        spent = plan.event.rho if budget.delta else plan.event.pure
        assert spent is not None
        assert whole(budget) * Fraction("0.999999") < spent <= whole(budget)
        reach = plan.margin - 1
        assert plan.threshold(n) + reach - Fraction(1, 2) <= Fraction(a) * n, "what is not measured is within a"
        assert plan.threshold(n) - reach - Fraction(1, 2) >= Fraction(a) * n / 2, "what is measured was off by a / 2"
        lot, comparison, numeric = plan.noises
        far = 60 * max(1, math.ceil(plan.lot))
        r = np.arange(-far, far + 1) if far < 10**6 else np.linspace(-far, far, 10**6).round().astype(np.int64)
        spacing = np.gradient(r.astype(float)) if far >= 10**6 else 1.0
        tail = float((np.exp(lot.log_probability(r) + comparison.log_cumulative(r - reach - 1)) * spacing).sum())
        wrong = 2 * plan.updates * math.exp(numeric.log_cumulative(-(2 * reach + 2)))
        missed = 3 * m * plan.updates * tail + wrong
        assert 0.3 * beta < missed <= beta


def test_large_budgets_fit_the_proof_and_not_the_book() -> None:
    large, counts = Guarantee(300.0, 1e-6), np.full(5, 100)
    with pytest.raises(ValueError, match="is left, the next step costs"):
        PMW(0.2, scales="book").fit(prefixes(5), counts, large, Simulation(1))
    PMW(0.2).fit(prefixes(5), counts, large, Simulation(1))
    with pytest.raises(ValueError, match="no number of records is proven"):
        PMW(0.2, scales="book").records(5, 5, large)


@pytest.mark.parametrize("extra", [1, 30])
def test_pmw_stops_updating_when_its_updates_are_used_up(extra: int) -> None:
    """With the update's sign reversed c runs out; the answers are then those of the weights alone."""

    class Reversed(PMW):
        def step(self, share: float, answer: float, rate: float) -> float:
            return -super().step(share, answer, rate)

    rng = np.random.default_rng(4)
    work = Listed(rng.random((2000, 8)) < 0.5)
    n = extra * PMW(0.2).records(8, 2000, APPROXIMATE)
    counts = rng.multinomial(n, [0.9, *[0.1 / 7] * 7]).astype(np.int64)
    truth = work.sums(counts) / n
    right, wrong = (kind(0.2).fit(work, counts, APPROXIMATE, Simulation(2)) for kind in (PMW, Reversed))
    assert not right.cost["exhausted"]
    assert np.abs(right.answers - truth).max() <= 0.2
    assert wrong.cost["updates"] == PMW(0.2).plan(8, 2000, APPROXIMATE).updates
    assert wrong.cost["exhausted"]
    assert np.abs(wrong.answers - truth).max() > 0.5


def test_pmw_answers_the_only_query_of_one_cell() -> None:
    computed_workload = workload(np.ones((1, 1), bool))
    assert PMW(0.1).fit(computed_workload, np.array([9]), PURE, Simulation(1)).answers.tolist() == [1.0]


@pytest.mark.parametrize("scales", ["fitted", "book"])
def test_pmw_says_that_rows_are_too_few_exactly_where_no_gap_reaches_the_threshold(scales: str) -> None:
    method, workload, budget = (
        PMW(0.3, scales=scales),
        Runs(8, np.zeros(7, np.int64), np.arange(1, 8)),
        Guarantee(1.0, 1e-6),
    )
    plan = method.plan(8, 7, budget)
    first = next(n for n in itertools.count(1) if plan.threshold(n) <= n)
    assert method.note(workload, budget, first) is None
    actual_note = method.note(workload, budget, first - 1)
    assert actual_note is not None
    named = int(re.search(r"at least ([\d,]+) rows", actual_note)[1].replace(",", ""))
    assert first <= named <= first + 3
    assert method.note(workload, budget, named) is None
