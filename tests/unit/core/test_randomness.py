"""Streams are named by their path: the same path repeats, another differs, the order of spawning does not matter.

Secure integers come from the operating system's bytes, and are exactly uniform: by enumeration of what these can be.
"""

import hashlib
import inspect
import itertools
import os
import string
from collections import Counter
from dataclasses import dataclass, field, fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.randomness import Secure, Simulation


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


def test_no_mark_inside_a_name_cuts_it():
    for mark in (*string.printable, ", ", "::", "\\x00", "é"):
        paths = [(f"a{mark}b",), ("a", "b"), (f"a{mark}", "b"), ("a", f"{mark}b"), ("a", mark, "b"), ("a", "", "b")]
        assert len({draws(Simulation(0).spawn(*path)) for path in paths}) == len(paths), mark


@given(st.integers(0, 2**80), PATHS)
def test_a_stream_is_what_the_documentation_says(seed, path):
    """Written down again: SHA-256 of the names, each after its length, as eight words of a SeedSequence."""
    text = b"".join(f"{len(str(name))}:{name}".encode() for name in path)
    words = np.frombuffer(hashlib.sha256(text).digest(), "<u4").tolist()
    generator = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, *words])))
    assert draws(Simulation(seed).spawn(*path)) == tuple(generator.integers(2**63, size=4).tolist())


def test_order_and_number_of_spawned_streams_do_not_matter():
    root = Simulation(3)
    alone = draws(Simulation(3).spawn("cell", 7))
    for order in ([7, 1, 2], [2, 1, 7], list(range(50))):
        streams = {i: draws(root.spawn("cell", i)) for i in order}
        assert streams[7] == alone
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


# ---------------------------------------------------------------------------------------------------- entropy
class Exhausted(Exception):  # noqa: N818
    """More bytes are asked for than are written."""


@dataclass(frozen=True)
class Scripted(Secure):
    """Entropy as written."""

    script: bytes
    spent: list[int] = field(default_factory=lambda: [0])

    def entropy(self, count: int) -> bytes:
        start, self.spent[0] = self.spent[0], self.spent[0] + count
        if self.spent[0] > len(self.script):
            raise Exhausted
        return self.script[start : self.spent[0]]


def test_secure_bits_are_those_of_the_operating_system(monkeypatch):
    asked = []

    def urandom(count: int) -> bytes:
        asked.append(count)
        return bytes(range(1, count + 1))

    monkeypatch.setattr(os, "urandom", urandom)
    assert Secure().entropy(3) == b"\x01\x02\x03"
    assert Secure().bits(16) == 0x0201
    assert Secure().bits(9) == 0x0201 >> 7
    assert Secure().bits(0) == 0
    assert Secure().below(2**24) == 0x030201
    assert asked == [3, 2, 2, 0, 3]


def test_secure_has_no_state():
    assert fields(Secure) == ()
    assert not inspect.signature(Secure).parameters
    assert Secure().entropy(32) != Secure().entropy(32)
    assert not vars(Secure())


@pytest.mark.parametrize("count", [1, 3, 8, 9, 13])
def test_secure_bits_are_uniform_by_enumeration(count):
    size = -(-count // 8)
    counts = Counter(Scripted(bytes(script)).bits(count) for script in itertools.product(range(256), repeat=size))
    assert counts == dict.fromkeys(range(2**count), 256**size // 2**count)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 8, 100, 129, 255, 256])
def test_secure_integers_are_uniform_by_enumeration(bound):
    """Of all first bytes each value has as many; the others begin anew, and then each value has as many again."""
    size = 0 if bound == 1 else 1
    first, again = Counter(), []
    for script in itertools.product(range(256), repeat=size):
        try:
            first[Scripted(bytes(script)).below(bound)] += 1
        except Exhausted:
            again.append(bytes(script))
    width = (bound - 1).bit_length()
    assert first == dict.fromkeys(range(bound), 256**size // 2**width)
    assert Fraction(len(again), 256**size) == 1 - Fraction(bound, 2**width) < Fraction(1, 2)
    for start in again[:2]:
        scripts = (Scripted(start + bytes([byte])) for byte in range(256))
        second = Counter(s.below(bound) for s in scripts if s.script[1] >> (8 - width) < bound)
        assert second == dict.fromkeys(range(bound), 256 // 2**width)


def test_secure_integers_of_two_bytes_are_uniform_by_enumeration():
    counts = Counter()
    for script in itertools.product(range(256), repeat=2):
        try:
            counts[Scripted(bytes(script)).below(1000)] += 1
        except Exhausted:
            counts[None] += 1
    assert counts == {**dict.fromkeys(range(1000), 64), None: 24 * 64}
