"""Properties of units: every person has the same number of them, and theirs depend on their own rows alone."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.persons import MOST_UNITS, Persons, contents, offsets, shares, units_of

BAGS = st.dictionaries(st.text(max_size=3), st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=6)
UNITS = st.sampled_from([1, 2, 3, 16, 720720])


def by_content(bags: dict[str, list[int]], units: int, order: np.ndarray) -> dict[str, dict[int, int]]:
    """The units of each content of each person, with the rows of the table in an order."""
    rows = [(name, number) for name, bag in bags.items() for number in bag]
    rows = [rows[i] for i in order]
    values = np.array([value for _, value in rows])
    shared = shares(Persons.of(name for name, _ in rows), values[:, None], units, "key")
    sums: dict[str, dict[int, int]] = {name: {} for name in bags}
    for (name, value), share in zip(rows, shared.tolist(), strict=True):
        sums[name][value] = sums[name].get(value, 0) + share
    return sums


@given(bags=BAGS, units=UNITS, data=st.data())
def test_a_person_has_w_units_whatever_the_others_have_and_wherever_rows_are(bags, units, data) -> None:  # type: ignore[no-untyped-def]
    n = sum(map(len, bags.values()))
    by_person = by_content(bags, units, np.arange(n))
    order = np.array(data.draw(st.permutations(range(n))))
    assert by_content(bags, units, order) == by_person
    for name, bag in bags.items():
        assert sum(by_person[name].values()) == units
        assert by_content({name: bag}, units, np.arange(len(bag)))[name] == by_person[name], "no other person matters"
        for value, share in by_person[name].items():
            exact = units * bag.count(value) / len(bag)
            assert exact - 1 < share < exact + 1


WIDE = st.sampled_from([-(2**63), -1, 0, 1, 2**20, 2**62, 2**63 - 1])
ROWS = st.lists(st.tuples(st.sampled_from("abc"), WIDE, st.integers(-2, 2), WIDE), min_size=1, max_size=30)


@given(ROWS, UNITS)
def test_shares_are_those_of_a_loop_over_persons(rows: list[tuple[str, int, int, int]], units: int) -> None:
    """The formula of the module, with rows of equal contents in their order; contents fill 64 bits, or few."""
    own: dict[str, list[int]] = {}
    for place in sorted(range(len(rows)), key=lambda place: rows[place][1:]):
        own.setdefault(rows[place][0], []).append(place)
    expected = [0] * len(rows)
    for name, places in own.items():
        s, r = int(hashlib.md5(f"key|{name}".encode()).hexdigest()[:7], 16) % len(places), len(places)
        for j, place in enumerate(places):
            expected[place] = ((j + 1) * units + s) // r - (j * units + s) // r
    order = np.array([row[1:] for row in rows], np.int64)
    assert shares(Persons.of(row[0] for row in rows), order, units, "key").tolist() == expected


def test_one_row_of_a_person_is_drawn_uniformly_over_keys() -> None:
    """Rows with equal contents each have their chance: 3 of 4 rows are a one."""
    persons = Persons.of(["a"] * 4)
    order = np.array([1, 1, 0, 1])[:, None]
    drawn = [int(shares(persons, order, 1, str(key)) @ order[:, 0]) for key in range(4000)]
    assert abs(np.mean(drawn) - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 4000)


def test_persons_choose_independently_of_each_other() -> None:
    """Else one key would favour the same content in all of them."""
    names = [str(i) for i in range(4000) for _ in range(2)]
    order = np.tile([0, 1], 4000)[:, None]
    assert abs(shares(Persons.of(names), order, 1, "key") @ order[:, 0] / 4000 - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_rows_without_a_name_are_one_person() -> None:
    persons = Persons.of([None, "a", None])
    assert persons.count == 2
    assert shares(persons, np.array([[0], [0], [1]]), 8, "key").tolist() == [4, 8, 4]


@given(st.integers(1, 10**9))
def test_the_units_of_all_persons_are_bounded_by_public_numbers(persons: int) -> None:
    units = units_of(persons)
    assert units == 1 << (units.bit_length() - 1)
    assert 16 <= units <= MOST_UNITS
    assert persons * units <= max(2**22, 16 * persons)


@pytest.mark.parametrize("person", ["", "7", "a|b"])
def test_an_offset_is_what_a_database_computes(person: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    text = duckdb.sql("select md5(concat('key', '|', $1))", params=[person]).fetchone()[0]
    assert offsets("key", [person]).tolist() == [int(text[:7], 16)]


def test_equal_rows_have_equal_contents_and_others_hardly_ever() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0], [0.0, 2.0]])
    ranks = contents(rows, np.array([1, 1, 1, 1]))[:, 0]
    assert ranks[0] == ranks[2]
    assert len(set(ranks.tolist())) == 3
