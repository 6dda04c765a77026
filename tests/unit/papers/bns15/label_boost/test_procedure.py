"""LabelBoostProcedure: its distribution against enumeration, the two ways to carry it out, subsets, sizes of blocks."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import scipy

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds, group_thresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.entries import DrawnEntries, ListedEntries
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.core.samples import as_points
from semipriv.papers.bns15.label_boost.integers import all_thresholds, counted, dichotomies, distinct
from semipriv.papers.bns15.label_boost.procedure import ExampleBlock, IntegerBlock, boosted
from semipriv.papers.bns15.label_boost.schedule import Constants, Round, Schedule, schedule
from semipriv.papers.bns15.label_boost.thinning import subset, thinned


def agrees(actual: Counter[object], distribution: dict[object, float], runs: int) -> None:
    """Chi-square at 1e-6."""
    assert set(actual) <= {outcome for outcome, p in distribution.items() if p > 0}
    outcomes = [outcome for outcome, p in distribution.items() if p * runs > 2]
    observed = np.array([actual[o] for o in outcomes] + [runs - sum(actual[o] for o in outcomes)], float)
    expected = np.array([distribution[o] * runs for o in outcomes])
    expected = np.append(expected, max(runs - expected.sum(), 1e-9))
    keep = expected > 2
    statistic = float(((observed - expected)[keep] ** 2 / expected[keep]).sum())
    assert scipy.stats.chi2.sf(statistic, max(1, keep.sum() - 1)) > 1e-6


@pytest.mark.parametrize("shift", [0, 2**31, 2**40, 2**63 - 8], ids=str)
def test_integers_of_each_length_are_counted(shift: int) -> None:
    generator = np.random.default_rng(3)
    values, labels = generator.integers(0, 8, 30) + shift, generator.random(30) < 0.4
    both = Counter(zip(values.tolist(), labels.tolist(), strict=True))
    places = sorted(set(values.tolist()))
    assert distinct(values).tolist() == places
    assert distinct(values[:0]).tolist() == []
    assert [part.tolist() for part in counted(values, labels)] == [
        places,
        [both[place, False] for place in places],
        [both[place, True] for place in places],
    ]
    groups = all_thresholds(values, labels, 64)
    sums: Counter[int] = Counter()
    for number, size in zip(groups.mistakes.tolist(), groups.sizes, strict=True):
        sums[number] += size
    numbers, counts = dichotomies(places, values, labels).histogram()
    assert dict(zip(numbers.tolist(), counts, strict=True)) == Counter(groups.mistakes.tolist())
    numbers, counts = groups.histogram()
    assert dict(zip(numbers.tolist(), counts, strict=True)) == sums


CASES = [
    (DiscreteThresholds(3), [[4], [4], [1]], [1, 0, 0], [[6], [2], [4], [0]]),
    (DiscreteThresholds(3, "ge"), [[4], [4], [1]], [1, 0, 0], [[6], [2], [4], [0]]),
    (Thresholds("lt"), [[4], [4], [1]], [1, 0, 0], [[6], [2], [4], [0]]),
    (DiscreteRectangles(2, 2), [[0, 1], [2, 2]], [1, 1], [[1, 1], [3, 0]]),
    (DiscreteThresholds(60), [[1, 4], [0, 4], [1, 1]], [1, 0, 0], [[1, 6], [0, 2]]),
]


def procedure_distribution(
    h: HypothesisClass, points: np.ndarray, labels: np.ndarray, unlabelled: np.ndarray, epsilon: float
) -> dict[object, float]:
    """The distribution of all labels, by listing the functions of a large list and counting dichotomies once."""
    everything = np.concatenate([points, unlabelled])
    cover = h.cover(everything).listed()
    vectors = {tuple(row) for row in h.predict(cover.parameters, everything).astype(int).tolist()}
    weights = {v: math.exp(-epsilon / 2 * sum(a != b for a, b in zip(v, labels, strict=False))) for v in vectors}
    total = sum(weights.values())
    return {v: w / total for v, w in weights.items()}


@pytest.mark.parametrize(
    ("h", "points", "labels", "unlabelled", "randomness"),
    [(*case, (Simulation(5), Secure())[i % 2]) for i, case in enumerate(CASES)],
    ids=lambda round_: "",
)
def test_labels_have_the_distribution_of_algorithm_2(
    h: HypothesisClass, points: list, labels: list, unlabelled: list, randomness: Randomness
) -> None:
    x, t = as_points(points), as_points(unlabelled)
    y = np.array(labels, np.int8)
    block, runs = ExampleBlock(h, x, y), 1500
    counts: Counter[object] = Counter()
    for _ in range(runs):
        after, _ = block.relabelled(t, 1.5, randomness)
        np.testing.assert_array_equal(after.points, np.concatenate([x, t]))
        counts[tuple(after.labels.tolist())] += 1
    agrees(counts, procedure_distribution(h, x, y, t, 1.5), runs)


def test_dichotomies_are_counted_once_each_with_their_mistakes() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        values, labels = rng.integers(0, 12, rng.integers(0, 8)), rng.random(12) < 0.5
        distinct = np.unique(np.concatenate([values, rng.integers(0, 12, 4)]))
        listed_dichotomies = dichotomies(distinct, values, labels[: len(values)])
        cuts = [*distinct.tolist(), 99]
        own = Counter(int(((values < cut) != labels[: len(values)]).sum()) for cut in cuts)
        counts = dict(zip(*(part.tolist() for part in listed_dichotomies.histogram()), strict=True))
        assert counts == own
        for first, size, wrong in zip(
            listed_dichotomies.first, listed_dichotomies.sizes, listed_dichotomies.mistakes, strict=True
        ):
            for i in range(first, first + size):
                assert int(((values < cuts[i]) != labels[: len(values)]).sum()) == wrong


def test_all_thresholds_are_those_of_the_class() -> None:
    rng = np.random.default_rng(2)
    for bits in (5, 62, 640):
        values, labels = rng.integers(0, 30, 9), rng.random(9) < 0.5
        own_computed_all_thresholds, known = (
            all_thresholds(values, labels, bits),
            group_thresholds(values, labels, bits),
        )
        for name in ("first", "sizes", "mistakes"):
            assert getattr(own_computed_all_thresholds, name).tolist() == getattr(known, name).tolist()
    assert all_thresholds(np.empty(0, np.int64), np.empty(0, bool), 3).sizes.tolist() == [9]


@pytest.mark.parametrize("keep", range(5))
@pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])
def test_subsets_of_every_size_are_uniform_in_random_order(keep: int, randomness: Randomness) -> None:
    """Also where places are moved that were moved before, which takes three of them."""
    runs = 1500
    counts = Counter(tuple(subset(4, keep, randomness).tolist()) for _ in range(runs))
    orders = list(itertools.permutations(range(4), keep))
    agrees(counts, {order: 1 / len(orders) for order in orders}, runs)


@pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])
def test_thinned_reads_the_whole_block(randomness: Randomness) -> None:
    listed = ListedEntries(np.arange(10.0))
    runs = 2000
    counts: Counter[object] = Counter()
    for _ in range(runs):
        reader = listed.reader()
        reader.take(1)
        kept = thinned(reader, 5, 2, randomness)
        assert reader.left == 4
        counts[tuple(sorted(kept[:, 0].tolist()))] += 1
    pairs = list(itertools.combinations(np.arange(1.0, 6.0).tolist(), 2))
    agrees(counts, {pair: 1 / len(pairs) for pair in pairs}, runs)


def test_thinning_of_a_long_stream_takes_little_memory() -> None:
    """200,000 entries in parts, in the order of the stream."""
    entries = DrawnEntries(200_000, lambda n, generator: generator.random((n, 1)), Simulation(1))
    kept = thinned(entries.reader(), 200_000, 5, Secure())
    assert np.isin(kept, entries.reader().take(200_000)).all()


def test_rounds_draw_their_own_subsets_and_follow_their_sizes() -> None:
    plan = schedule(Constants(17, 6, a0=1), 5406, 7190, 0.2, 0.2, 1)
    assert len(plan.rounds) == 3
    seen = []
    rng = np.random.default_rng(4)
    start = IntegerBlock(rng.integers(0, 100, 5406), np.ones(5406, bool))
    ends = boosted(
        start,
        plan,
        lambda round_: rng.integers(0, 100, round_.kept_unlabelled),
        Simulation(1),
        lambda round_, labels_after, after: seen.append((round_, len(after))),
    )
    assert [(actual_round, actual_round.relabelled) for actual_round in plan.rounds] == seen
    assert len(ends) == plan.final


def test_a_fresh_subset_each_round() -> None:
    """Two rounds at keep ratio 1/2: places kept twice have the share 1/4, not 1/2, and the last thinning draws anew."""
    rounds = tuple(Round(n, 0, n // 2, 0, 0.1, 0.1) for n in (8, 4))
    plan = Schedule(Constants(2, 2), rounds, 2, 1, 0)
    counts = np.zeros(8)
    randomness = Simulation(7)
    for _ in range(800):
        block = IntegerBlock(np.arange(8), np.ones(8, bool))
        counts[boosted(block, plan, lambda round_: np.empty(0, np.int64), randomness).values] += 1
    assert counts.sum() == 800
    assert scipy.stats.chisquare(counts).pvalue > 1e-6
