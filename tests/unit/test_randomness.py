"""Streams are named by their path: the same path repeats, another differs, the order of spawning does not matter."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.randomness import Simulation


def draws(stream: Simulation, n: int = 4) -> tuple[int, ...]:
    return tuple(stream.generator.integers(2**63, size=n).tolist())


PATHS = st.lists(st.text(max_size=4) | st.integers(-10, 10**12), max_size=4)


@given(st.integers(0, 2**80), PATHS, PATHS)
def test_the_same_path_is_the_same_stream_however_it_was_reached(seed, first, second):
    whole = Simulation(seed).spawn(*first, *second)
    steps = Simulation(seed)
    for name in [*first, *second]:
        steps = steps.spawn(name)
    assert draws(whole) == draws(steps) == draws(Simulation(seed, tuple(map(str, [*first, *second]))))


@given(st.integers(0, 2**80), PATHS, PATHS)
def test_other_paths_and_seeds_are_other_streams(seed, first, second):
    a, b = Simulation(seed).spawn(*first), Simulation(seed).spawn(*second)
    assert (draws(a) == draws(b)) == ([*map(str, first)] == [*map(str, second)])
    assert draws(Simulation(seed + 1).spawn(*first)) != draws(Simulation(seed).spawn(*first))


def test_no_two_ways_to_cut_a_name_coincide():
    paths = [
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        ("a", "b", "c"),
        ("", "abc"),
        ("abc", ""),
        ("1:a", "bc"),
        ("a2:bc",),
        (),
    ]
    streams = [draws(Simulation(0).spawn(*path)) for path in paths]
    assert all(a != b for a, b in itertools.combinations(streams, 2))


def test_order_and_number_of_spawned_streams_do_not_matter():
    root = Simulation(3)
    alone = draws(Simulation(3).spawn("cell", 7))
    for order in ([7, 1, 2], [2, 1, 7], list(range(50))):
        found = {i: draws(root.spawn("cell", i)) for i in order}
        assert found[7] == alone
    draws(root)
    assert draws(root.spawn("cell", 7)) == alone


def test_a_stream_goes_on():
    stream = Simulation(4).spawn("x")
    assert draws(stream, 3) + draws(stream, 3) == draws(Simulation(4).spawn("x"), 6)


def test_streams_look_independent():
    """Correlation of 200 sibling streams: below the level 1e-4 for all pairs together."""
    n = 2000
    values = np.array([Simulation(5).spawn("trial", i).generator.normal(size=n) for i in range(200)])
    correlation = np.corrcoef(values)[np.triu_indices(200, 1)]
    assert np.abs(correlation).max() < np.sqrt(2 * np.log(2 * correlation.size / 1e-4) / n)
    assert abs(np.mean(correlation)) < 4 / np.sqrt(n * correlation.size)


@pytest.mark.parametrize(("seed", "text"), [(-1, "-1"), (1.0, "1.0"), (True, "True"), ("1", "'1'"), (None, "None")])
def test_bad_seeds_are_refused(seed, text):
    with pytest.raises(ValueError, match=f"seed = {text}: must be an integer >= 0"):
        Simulation(seed)
