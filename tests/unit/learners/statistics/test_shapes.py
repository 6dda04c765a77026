"""The shape of a number: cuts from public rows alone, sensitivity of the tree, best ends, biased public rows."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from semipriv.core.randomness import Secure, Simulation
from semipriv.core.types import Integers
from semipriv.learners.statistics.shapes import (
    FIRST,
    UNITS,
    Shape,
    bins,
    coarse,
    cuts,
    doubted,
    ends,
    expected_shape,
    measured,
    points,
    shape,
    tails,
    tree_event,
    tree_noise,
    widths,
    worthwhile,
)
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import node_counts

PUBLIC = {
    "none": None,
    "empty": np.array([], np.int64),
    "one": np.array([7]),
    "equal": np.full(50, UNITS),
    "few values": np.array([0, 0, 100, 100, 5000, UNITS]),
    "heaped": np.repeat([0, 10, 700, 20_000], [500, 3, 200, 9]),
    "spread": np.arange(0, UNITS + 1, 37),
}


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("most", [2, 3, 17, 64, 96, 500])
def test_cuts_are_increasing_whole_units(name: str, most: int) -> None:
    placed_cuts = cuts(PUBLIC[name], most)
    assert 1 <= len(placed_cuts) <= most
    assert (np.diff(placed_cuts) > 0).all()
    assert placed_cuts[0] == 1
    assert placed_cuts[-1] == UNITS
    assert placed_cuts.dtype == np.int64
    shares = widths(placed_cuts)
    assert len(shares) == len(placed_cuts) + 1
    assert np.isclose(shares.sum(), 1)


def test_values_that_many_public_rows_share_have_bins_of_their_own() -> None:
    random = np.random.default_rng(0)
    public = np.concatenate([np.full(300, 700), random.integers(0, UNITS, 600)])
    place = bins(cuts(public), np.array([699, 700, 701]))
    assert len(set(place.tolist())) == 3


def test_each_of_few_public_values_has_a_bin() -> None:
    public = np.array([0, 3, 4, 900, 901, 60_000])
    assert len(set(bins(cuts(public), public).tolist())) == len(public)


@pytest.mark.parametrize("bad", [np.array([-1]), np.array([UNITS + 1]), np.array([0.5]), np.array([[1]])])
def test_public_units_out_of_range_are_refused(bad: Integers) -> None:
    with pytest.raises(ValueError, match="public: must be"):
        cuts(bad)


def test_a_row_is_in_the_bin_of_its_units() -> None:
    cut = np.array([1, 5, UNITS])
    assert bins(cut, np.array([0, 1, 4, 5, UNITS - 1, UNITS])).tolist() == [0, 1, 1, 2, 2, 3]
    assert points(cut, None).tolist() == [0, 2.5, 32770, UNITS]
    assert points(cut, np.array([2, 3, 3])).tolist() == [0, 8 / 3, 32770, UNITS]


# ------------------------------------------------------------------------------------------------- privacy
@pytest.mark.parametrize("tree", [Tree(2, 3), Tree(3, 2), Tree(7, 1), best_tree(7)], ids=str)
def test_a_replaced_row_changes_two_nodes_of_a_level(tree: Tree) -> None:
    """All pairs of bins: the change of all nodes, in L1 and in L2, is that which the event is for."""
    combined = [np.concatenate(node_counts(tree, row)) for row in np.eye(7, dtype=np.int64)]
    assert max(np.abs(x - y).sum() for x, y in itertools.combinations(combined, 2)) == 2 * tree.levels
    assert max(np.square(x - y).sum() for x, y in itertools.combinations(combined, 2)) == 2 * tree.levels
    assert tree_event(tree, tree_noise(tree, Fraction(1, 7), False)).pure == Fraction(1, 7)
    assert Fraction(99, 700) < tree_event(tree, tree_noise(tree, Fraction(1, 7), True)).rho <= Fraction(1, 7)


def test_a_person_changes_nodes_by_no_more_than_a_row_times_their_units() -> None:
    """All persons of four units over five bins, in L1 and L2; a person who kept all rows whole would be found."""
    tree, units = Tree(2, 3), 4
    ways = itertools.combinations_with_replacement(range(5), units)
    combined = [np.concatenate(node_counts(tree, np.bincount(way, minlength=5))) for way in ways]
    l1 = max(np.abs(x - y).sum() for x, y in itertools.combinations(combined, 2))
    l2 = max(np.square(x - y).sum() for x, y in itertools.combinations(combined, 2))
    assert (l1, l2) == (2 * tree.levels * units, 2 * tree.levels * units**2)
    whole = np.concatenate(node_counts(tree, np.array([3 * units, 0, 0, 0, 0])))
    assert max(np.abs(whole - x).sum() for x in combined) > 2 * tree.levels * units


def test_nodes_have_the_noise_of_their_event() -> None:
    """Counts and noise of a release of persons, in persons: the scale is 2 L / epsilon, whatever the units."""
    tree = Tree(2, 2)
    noise = tree_noise(tree, Fraction(1, 2), False)
    assert noise == DiscreteLaplace(Fraction(8))
    drawn = np.array(
        [np.concatenate(measured(tree, np.array([40, 8, 0, 16]), noise, Simulation(i), units=8)) for i in range(800)]
    )
    assert np.abs(drawn.mean(axis=0) - [5, 1, 0, 2, 6, 2]).max() < 2
    assert np.abs(drawn.std(axis=0) / (8 * 2**0.5) - 1).max() < 0.15
    assert all(len(level) for level in measured(tree, np.array([1, 2, 3, 4]), noise, Secure()))


# ------------------------------------------------------------------------------------------------- shapes
def clipped_off(shape: Shape, low: float, high: float) -> float:
    """What the mean of a number exceeds that of the clipped number by."""
    return float(shape.masses @ (shape.points - np.clip(shape.points, low, high)))


def noisy(cut: Integers, units: Integers, epsilon: float, seed: int, public: Integers | None = None) -> Shape:
    tree = best_tree(len(cut) + 1)
    noise = tree_noise(tree, Fraction(epsilon), False)
    levels = measured(tree, np.bincount(bins(cut, units), minlength=len(cut) + 1), noise, Simulation(seed))
    return shape(cut, tree, levels, noise.variance, len(units), public)


def test_a_shape_without_noise_is_that_of_the_rows() -> None:
    units = np.random.default_rng(0).gamma(1, 3000, 4000).astype(np.int64).clip(0, UNITS)
    cut = cuts(None)
    noisy_shape = noisy(cut, units, 1e6, 1)
    exact = np.bincount(bins(cut, units), minlength=len(cut) + 1) / len(units)
    assert np.abs(noisy_shape.masses - exact).max() < 1e-3
    assert np.isclose(noisy_shape.masses.sum(), 1)


def test_a_missing_number_is_in_no_bin() -> None:
    cut = cuts(None, 20)
    counts = np.append(np.zeros(len(cut) + 1, np.int64), 300)
    counts[4], counts[7] = 100, 50
    tree = best_tree(len(counts))
    noise = tree_noise(tree, Fraction(10**5), False)
    built_shape = shape(
        cut, tree, measured(tree, counts, noise, Simulation(0)), noise.variance, int(counts.sum()), missing=True
    )
    assert len(built_shape.masses) == len(cut) + 1
    assert np.allclose(built_shape.masses[[4, 7]], [2 / 3, 1 / 3], atol=0.01)


def test_without_signal_a_shape_is_that_of_public_rows() -> None:
    random = np.random.default_rng(1)
    public, private = random.integers(1000, 4000, 300), random.integers(40_000, 60_000, 300)
    cut = cuts(public)
    noisy_shape, expected = noisy(cut, private, 1e-4, 1, public), expected_shape(cut, public)
    assert abs(noisy_shape.masses @ noisy_shape.points - expected.masses @ expected.points) < 0.02 * UNITS
    assert noisy_shape.masses[(noisy_shape.points >= 1000) & (noisy_shape.points < 4000)].sum() > 0.75


def test_public_rows_that_are_biased_to_small_values_are_seen_through() -> None:
    """200 of 4000 rows, small ones far more likely: ends and tail by a noisy shape, and by the public rows alone.

    Mean over seeds of the error of the mean, without the noise that clipped means get beside.
    """
    seen: list[float] = []
    naive: list[float] = []
    low = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        units = np.sort(np.minimum(random.gamma(0.7, 6000, 4000), UNITS).astype(np.int64))
        chances = (1.02 - np.arange(4000) / 4000) ** 3
        public = random.choice(units, 200, replace=False, p=chances / chances.sum())
        cut = cuts(public)
        for errors, estimated_shape in ((seen, noisy(cut, units, 0.1, seed, public)), (naive, Shape.of(public))):
            a, b = ends(cut, estimated_shape, np.full(5, 800.0), 200.0)
            errors.append(
                abs(np.clip(units, a, b).mean() + clipped_off(estimated_shape, a, b) - units.mean()) / units.mean()
            )
        low.append(public.mean() / units.mean())
    assert np.mean(low) < 0.5
    assert np.mean(naive) > 0.25
    assert np.mean(seen) < 0.5 * np.mean(naive), (seen, naive)


def test_doubted_shapes_undo_a_bias() -> None:
    """Of public rows drawn with chance (1 - rank)^3 the shape with a quarter of the power is that of all rows."""
    random = np.random.default_rng(3)
    units = np.sort(random.integers(0, 30_000, 50_000))
    chances = (1.00001 - np.arange(50_000) / 50_000) ** 3
    public = random.choice(units, 5000, p=chances / chances.sum())
    means = [float(doubted_shape.masses @ doubted_shape.points) for _, doubted_shape in doubted(public)]
    assert np.isclose(sum(chance for chance, _ in doubted(public)), 1)
    assert min(abs(mean - units.mean()) for mean in means) < 0.15 * units.mean()
    assert abs(public.mean() - units.mean()) > 0.5 * units.mean()


@pytest.mark.parametrize("name", [name for name, public in PUBLIC.items() if public is not None and len(public)])
def test_doubted_and_expected_shapes_are_distributions(name: str) -> None:
    public = PUBLIC[name]
    assert public is not None
    for item in [*(doubted_shape for _, doubted_shape in doubted(public)), expected_shape(cuts(public), public)]:
        assert np.isclose(item.masses.sum(), 1)
        assert (item.masses >= 0).all()
        assert (np.diff(item.points) > 0).all()
        assert item.points[0] >= 0
        assert item.points[-1] <= UNITS


# ------------------------------------------------------------------------------------------------- ends
def test_ends_cost_the_least_of_all_pairs_of_cuts() -> None:
    """By brute force: tail, mean and noise of each pair, worked out by clipping."""
    random = np.random.default_rng(5)
    for _ in range(5):
        cut, sizes = cuts(None, 12), random.integers(5, 500, 3).astype(float)
        shape = Shape(np.sort(random.uniform(0, UNITS, 9)), random.dirichlet(np.ones(9)))
        variance = float(random.uniform(1, 1e4))

        def cost(
            a: float, b: float, actual_shape: Shape = shape, sizes: object = sizes, variance: float = variance
        ) -> float:
            clipped = np.clip(actual_shape.points, a, b)
            mean = actual_shape.masses @ clipped
            noise = variance * np.mean(1 / np.asarray(sizes) ** 2) * ((a - mean) ** 2 + (b - mean) ** 2)
            return float((actual_shape.masses @ np.abs(actual_shape.points - clipped)) ** 2 + noise)

        edges = [0, *cut.tolist()]
        best = min(itertools.combinations(edges, 2), key=lambda pair: cost(*pair))
        assert np.isclose(cost(*ends(cut, shape, sizes, variance)), cost(*best), rtol=1e-9)


def test_ends_are_declared_ones_without_noise_and_narrow_with_much() -> None:
    public = np.random.default_rng(2).integers(0, UNITS + 1, 500)
    cut, sizes = cuts(public), np.full(4, 100.0)
    a, b = ends(cut, Shape.of(public), sizes, 0.0)
    assert np.all(np.clip(public, a, b) == public)
    low, high = ends(cut, Shape.of(public), sizes, 1e6)
    assert high - low < 0.3 * (b - a)


def test_equal_numbers_have_ends_around_them() -> None:
    public = np.full(80, 1234)
    cut = cuts(public)
    a, b = ends(cut, Shape.of(public), np.full(3, 50.0), 100.0)
    assert a <= 1234 <= b
    assert b > a


def test_a_shape_is_bought_where_rows_can_show_it() -> None:
    some = np.array([1, 2, 3])
    assert [worthwhile(n, 0.1, some) for n in (1000, 2000)] == [False, True]
    assert [worthwhile(n, 1.0) for n in (1000, 5000)] == [False, True]
    assert 0 < FIRST < 1


@pytest.mark.parametrize("signal", [0, 150, 239, 240, 4500, 19_999])
@pytest.mark.parametrize(
    "inner", [(0, UNITS, 0, UNITS), (0, 900, 0, 4000), (60_000, UNITS, 50_000, UNITS), (7, 9, 7, 9)]
)
def test_few_cuts_are_those_that_are_suggested_and_others_outside(signal: float, inner: tuple[int, ...]) -> None:
    coarse_cuts = coarse(signal, inner, cuts(None)).tolist()
    inside = {cut_point for cut_point in inner if 0 < cut_point < UNITS}
    assert coarse_cuts == sorted(set(coarse_cuts))
    assert inside <= set(coarse_cuts)
    assert all(0 < cut_point < UNITS and not inner[0] < cut_point < inner[1] for cut_point in set(coarse_cuts) - inside)
    assert not coarse_cuts if not inside else 4 <= len(coarse_cuts) <= 7
    assert coarse(20_000, inner, cuts(None)).tolist() == cuts(None).tolist()


def test_bins_within_those_that_are_counted_are_shared_as_public_rows_are() -> None:
    """Without noise: what is counted is kept, bin by bin, whatever finer bins there are."""
    random = np.random.default_rng(4)
    public, private = random.integers(0, 9000, 200), random.integers(5000, UNITS, 3000)
    cut = coarse(300, (0, 8000, 0, 20_000), cuts(public))
    tree = best_tree(len(cut) + 1)
    exact = np.bincount(bins(cut, private), minlength=len(cut) + 1)
    noise = tree_noise(tree, Fraction(10**6), False)
    levels = measured(tree, exact, noise, Simulation(0))
    built_shape = shape(cut, tree, levels, noise.variance, len(private), public, fine=cuts(public))
    assert len(built_shape.masses) > 40
    own = np.bincount(bins(cut, np.rint(built_shape.points).astype(int)), built_shape.masses, len(cut) + 1)
    assert np.abs(own - exact / len(private)).max() < 2e-3


# ------------------------------------------------------------------------------------------------- tails of groups
def exponential(means: Sequence[float]) -> tuple[Integers, list[Integers]]:
    """Stays in wards, up to 60 days: of all wards, and of each."""
    random = np.random.default_rng(8)
    exponential_rows = [
        np.rint(np.minimum(random.exponential(mean, 4000), 60) / 60 * UNITS).astype(np.int64) for mean in means
    ]
    return np.concatenate(exponential_rows), exponential_rows


@pytest.mark.parametrize("means", [(3, 4, 5, 12), (3, 5, 6, 9), (5, 5, 5, 5)])
@pytest.mark.parametrize("share", [0.8, 0.9, 0.97])
def test_what_clipping_took_follows_the_mean_of_the_group(means: tuple[int, ...], share: float) -> None:
    """Added to all wards alike it is worse than nothing in three of four wards; together it is that of all rows."""
    every, values_by_group = exponential(means)
    high = float(np.quantile(every, share))
    whole_shape, sizes = Shape.of(every), np.full(len(values_by_group), 4000.0)
    exact = np.array([np.mean(ward - np.clip(ward, 0, high)) for ward in values_by_group])
    places = np.array([np.clip(ward, 0, high).mean() / high for ward in values_by_group])
    clipped_tails = tails(whole_shape, 0, high, places, sizes)
    alike = clipped_off(whole_shape, 0, high)
    assert np.isclose(clipped_tails.mean(), alike, rtol=1e-6)
    assert np.abs(clipped_tails - exact).mean() < 0.6 * np.abs(alike - exact).mean() + every.std() / 4000**0.5
    assert np.abs(clipped_tails - exact).mean() < 0.7 * exact.mean()


def test_groups_of_the_mean_of_all_rows_have_the_tail_of_all_rows() -> None:
    """At both ends; without mass beyond the ends nothing is added; and a group at an end has that tail alone."""
    shape = Shape(np.array([0.0, 10.0, 20.0, 100.0]), np.array([0.3, 0.3, 0.2, 0.2]))
    place = float(shape.masses @ (np.clip(shape.points, 5, 60) - 5) / 55)
    assert np.allclose(tails(shape, 5, 60, np.full(3, place), np.ones(3)), clipped_off(shape, 5, 60))
    assert not tails(shape, 0, 100, np.array([0.0, 0.4, 1.0]), np.ones(3)).any()
    clipped_tails = tails(shape, 5, 60, np.array([0.0, 1.0]), np.ones(2))
    assert clipped_tails[0] < 0 < clipped_tails[1]
    assert clipped_tails[0] >= -10
    assert clipped_tails[1] <= 80


def test_an_unlikely_far_tail_adds_nothing_to_means() -> None:
    """Of shapes with chances .6, .1 and .3 it is the median in each group, not the mean, that is added."""
    places, likely = np.array([0.0, 10.0, 20.0, 100.0]), np.array([0.5, 0.3, 0.2, 0.0])
    far = Shape(places, np.array([0.3, 0.2, 0.1, 0.4]))
    other = Shape(places, np.array([0.4, 0.3, 0.25, 0.05]))
    parts = [(0.6, Shape(places, likely)), (0.1, other), (0.3, far)]
    mean = np.sum([chance * part.masses for chance, part in parts], axis=0)
    groups = np.array([[0.2, 0.4], [0.6, 0.9]]), np.ones((2, 2))
    assert not tails(Shape(places, mean, parts), 0, 20, *groups).any()
    assert (tails(Shape(places, mean), 0, 20, *groups) > 2).all()
    parts = [(0.4, parts[0][1]), (0.2, other), (0.4, far)]
    assert np.array_equal(tails(Shape(places, mean, parts), 0, 20, *groups), tails(other, 0, 20, *groups))
