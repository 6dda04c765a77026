"""Tables of unit mass: every row has one mass, neighbours are audited one by one, and sums say what rows say."""

import itertools

import numpy as np
import pytest

from semipriv.queries.residuals import Residuals, subsets
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import UNITS, Levels, Number, ReportSchema, Sums, break_of, units

SCHEMA = ReportSchema([Column("ward", 3), Number("days", 0, 60, True), Column("month", 2)])
PLACES = [0.0, 0.49 / UNITS, 0.5 / UNITS, 1.4e-5, 0.3, 1 / 3, 0.5, 1 - 0.5 / UNITS, np.nextafter(1, 0), 1.0]
ROWS = np.array(
    [(ward, p, gone, month) for ward in range(3) for month in range(2) for p in PLACES for gone in (0.0, 1.0)]
)
ENDS = [(0, UNITS), (1, UNITS), (0, 1), (0, 20_000), (20_000, UNITS), (1, 20_000)]
CUTS = np.array([1, 20_000, UNITS])


def table(points: np.ndarray, squares: bool, ends: tuple[int, int], weights: np.ndarray | None = None) -> np.ndarray:
    """The table by ward and month of the number's levels, by way of the sums that are asked for."""
    levels = Levels(squares, True)
    asked = Sums((0, 3, 2, 1), (np.array([1.0, 2.0]), np.array([1.0]), np.array([0.5]), break_of(CUTS)), 1, 1 + squares)
    return levels.table(asked.of(points, weights), CUTS, ends)


def test_a_place_counts_as_the_unit_next_to_it() -> None:
    """A break of a unit is the least float that counts as it, whatever the unit."""
    coins = np.random.default_rng(1)
    for unit in [1, 2, 3, UNITS - 1, UNITS, *coins.integers(1, UNITS, 200).tolist()]:
        least = float(break_of(unit))
        assert units(np.array([least, np.nextafter(least, 0)])).tolist() == [unit, unit - 1]
    assert units(np.array([-1.0, 2.0, np.nan, np.inf])).tolist() == [0, UNITS, 0, UNITS]


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("ends", ENDS)
def test_an_exact_audit_of_all_neighbouring_rows(squares: bool, ends: tuple[int, int]) -> None:
    """Every row has the mass T, and replacing it moves the table by at most 2 T in L1 and sqrt 2 T in L2: attained."""
    mass = Levels(squares, True).mass(ends)
    summands = np.array([table(row[None], squares, ends).ravel() for row in ROWS])
    assert summands.min() >= 0
    assert set(summands.sum(axis=1).tolist()) == {mass}
    moves = [first - other for first, other in itertools.combinations(summands.astype(object), 2)]
    assert max(np.abs(move).sum() for move in moves) == 2 * mass
    assert max((move * move).sum() for move in moves) == 2 * mass**2


@pytest.mark.parametrize("squares", [False, True])
def test_an_exact_audit_of_persons(squares: bool) -> None:
    """Of persons with one to three rows, and their units, each has the mass W T."""
    coins, ends, units_ = np.random.default_rng(2), (1, 20_000), 720
    mass, all_summands = units_ * Levels(squares, True).mass(ends), []
    for _ in range(150):
        number = int(coins.integers(1, 4))
        rows = ROWS[coins.integers(0, len(ROWS), number)]
        all_summands.append(table(rows, squares, ends, np.full(number, units_ // number)).ravel().astype(object))
    assert {int(item.sum()) for item in all_summands} == {mass}
    moves = [first - other for first, other in itertools.combinations(all_summands, 2)]
    assert 1.9 * mass < max(np.abs(move).sum() for move in moves) <= 2 * mass
    assert 1.5 * mass**2 < max((move * move).sum() for move in moves) <= 2 * mass**2


def test_a_count_and_a_sum_that_are_priced_as_one_table_are_caught() -> None:
    """A sum above the lower end beside the count, each of at most T a row: a replaced row moves both by 4 T."""
    all_stackeds = []
    for row in ROWS:
        summands = table(row[None], False, (0, UNITS))
        all_stackeds.append(np.stack([summands.sum(axis=-1), summands[..., 1]]).ravel())
    assert max(np.abs(first - other).sum() for first, other in itertools.combinations(all_stackeds, 2)) == 4 * UNITS


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("ends", ENDS)
def test_levels_say_what_the_rows_say(squares: bool, ends: tuple[int, int]) -> None:
    """Counts, sums and sums of squares of clipped units, against loops over rows in Python's integers."""
    levels, (a, b) = Levels(squares, True), ends
    summands = table(ROWS, squares, ends) / levels.mass(ends)
    for ward, month in np.ndindex(3, 2):
        own = [row for row in ROWS if (row[0], row[3]) == (ward, month)]
        held = [(min(max(int(u), a), b) - a) / (b - a) for u in units(np.array([r[1] for r in own if not r[2]]))]
        cell = summands[ward, month]
        assert cell @ levels.present == pytest.approx(len(held))
        assert cell @ levels.first == pytest.approx(sum(held))
        if squares:
            assert cell @ levels.second == pytest.approx(sum(x * x for x in held))
        assert cell.sum() == pytest.approx(len(own))


def test_answers_of_parts_add_up() -> None:
    asked = Sums((0, 1), (np.array([1.0, 2.0]), break_of(CUTS)), 1, 2)
    assert np.array_equal(asked.of(ROWS), asked.of(ROWS[:17]) + asked.of(ROWS[17:]))
    assert asked.of(ROWS[:0]).shape == asked.shape == (3, 4, 3)


# ---------------------------------------------------------------------------------------------------- least squares
SIZES = {"a": 3, "b": 2, "c": 4}
TABLES = {("a",): 2.0, ("a", "b"): 1.0, ("b", "c"): 0.5, ("a", "b", "c"): 7.0}


def design(key: tuple[str, ...]) -> np.ndarray:
    """The table over some columns as a linear function of that over all."""
    grid = np.arange(np.prod(list(SIZES.values()))).reshape(list(SIZES.values()))
    rows = []
    for cell in np.ndindex(*(SIZES[letter] for letter in key)):
        place = tuple(cell[key.index(actual_size)] if actual_size in key else slice(None) for actual_size in SIZES)
        row = np.zeros(grid.size)
        row[np.ravel(grid[place])] = 1
        rows.append(row)
    return np.array(rows)


def test_estimates_are_those_of_least_squares_with_a_known_total() -> None:
    """Against the normal equations of the largest table, with its total as a constraint; variances, too."""
    coins = np.random.default_rng(3)
    noisy = {key: coins.normal(10, 3, [SIZES[letter] for letter in key]) for key in TABLES}
    fit = Residuals(SIZES, TABLES, 200.0)
    parts = fit.parts(noisy)
    x = np.concatenate([design(key) / variance**0.5 for key, variance in TABLES.items()])
    y = np.concatenate([noisy[key].ravel() / variance**0.5 for key, variance in TABLES.items()])
    all_ones = np.ones((1, 24))
    system = np.block([[x.T @ x, all_ones.T], [all_ones, np.zeros((1, 1))]])
    inverse = np.linalg.inv(system)
    solved = (inverse @ np.append(x.T @ y, 200.0))[:24]
    covariance = inverse[:24, :24]
    for key in [*subsets(("a", "b", "c")), ("b", "c")]:
        assert fit.table(parts, key).ravel() == pytest.approx(design(key) @ solved)
        spread = design(key) @ covariance @ design(key).T
        assert np.diag(spread) == pytest.approx(fit.spread(key, last=False)[0])
        if len(key) > 1:
            levels = SIZES[key[-1]]
            vector = coins.normal(size=levels)
            p, q = fit.spread(key)
            block = spread[:levels, :levels]
            assert vector @ block @ vector == pytest.approx(p * vector @ vector + q * vector.sum() ** 2)
    assert not Residuals(SIZES, {("a", "b"): 1.0}, 1.0).knows(("a", "c"))


def test_estimates_are_consistent() -> None:
    coins = np.random.default_rng(4)
    fit = Residuals(SIZES, TABLES, 55.0)
    parts = fit.parts({key: coins.normal(size=[SIZES[letter] for letter in key]) for key in TABLES})
    whole = fit.table(parts, ("a", "b", "c"))
    assert whole.sum() == pytest.approx(55)
    assert fit.table(parts, ("b",)) == pytest.approx(whole.sum(axis=(0, 2)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Number("days", 3, 3), "column 'days': low = 3.0: must be < high = 3.0"),
        (lambda: ReportSchema([Column("a", 2), Number("a", 0, 1)]), "column 'a' is listed twice"),
        (lambda: ReportSchema(["a"]), "must be columns of categories or of numbers"),
        (lambda: SCHEMA.grouping("days"), "column 'days' holds numbers"),
        (lambda: SCHEMA.number("ward"), "column 'ward': holds categories"),
        (lambda: SCHEMA.axis("word"), "word"),
    ],
)
def test_bad_columns_are_named(make, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        make()
