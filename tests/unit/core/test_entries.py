"""Entries that are read one after the other: listed or drawn, whole or thinned."""

import itertools

import numpy as np
import pytest

from semipriv.core.entries import CHUNK, DrawnEntries, Entries, ListedEntries, PartlyLabelled
from semipriv.core.randomness import Simulation

N = 2 * CHUNK + 100
LISTED = ListedEntries(np.arange(2.0 * N).reshape(N, 2))
DRAWN = DrawnEntries(N, lambda n, generator: generator.random((n, 2)), Simulation(1, ("entries",)))


@pytest.mark.parametrize("entries", [LISTED, DRAWN], ids=["listed", "drawn"])
@pytest.mark.parametrize("sizes", [[N], [1, 0, CHUNK - 1, 1, CHUNK, 99], [CHUNK + 1, CHUNK - 1, 100]])
def test_what_stands_at_a_place_does_not_depend_on_how_it_is_read(entries: Entries, sizes: list[int]) -> None:
    reader, whole = entries.reader(), entries.reader().take(entries.n)
    parts = [reader.take(size) for size in sizes]
    assert [part.shape for part in parts] == [(size, 2) for size in sizes]
    assert np.array_equal(np.concatenate(parts), whole)
    assert (reader.place, reader.left) == (N, 0)
    assert len(np.unique(whole, axis=0)) == N, "no two places are one draw"


@pytest.mark.parametrize("entries", [LISTED, DRAWN], ids=["listed", "drawn"])
def test_thinned_blocks_are_of_entries_of_their_own(entries: Entries) -> None:
    """Of blocks that follow each other nothing is kept twice; the entries after a block are not those in it."""
    reader, generator = entries.reader(), np.random.default_rng(0)
    blocks = [reader.thinned(count, keep, generator) for count, keep in ((50, 20), (50, 50), (10, 0), (3000, 40))]
    assert [block.shape for block in blocks] == [(20, 2), (50, 2), (0, 2), (40, 2)]
    after = reader.take(reader.left)
    assert reader.left == 0
    assert len(after) == N - 3110
    everything = np.concatenate([*blocks, after])
    assert len(np.unique(everything, axis=0)) == len(everything)
    again = entries.reader()
    assert again.take(3110).shape == (3110, 2)
    assert np.array_equal(again.take(again.left), after), "a thinned block counts as read"


@pytest.mark.parametrize("entries", [LISTED, DRAWN], ids=["listed", "drawn"])
def test_a_refused_read_reads_nothing(entries: Entries) -> None:
    reader, generator = entries.reader(), np.random.default_rng(0)
    reader.take(N - 1)
    for count, keep, words in ((2, None, "2 are needed next, 1 of .* is left"), (2, 1, "2 are needed"), (1, 2, "keep")):
        with pytest.raises(ValueError, match=words):
            reader.take(count) if keep is None else reader.thinned(count, keep, generator)
        assert reader.left == 1
    for count in (-1, N + 1):
        with pytest.raises(ValueError, match="are needed next"):
            entries.reader().take(count)


def test_listed_entries_are_thinned_to_uniform_subsets_in_random_order() -> None:
    generator = np.random.default_rng(0)
    ordered = list(itertools.permutations(range(4), 2))
    counts = dict.fromkeys(ordered, 0)
    for _ in range(2400):
        kept = ListedEntries([[0.0], [1], [2], [3], [4]]).reader().thinned(4, 2, generator)
        counts[tuple(kept[:, 0].astype(int).tolist())] += 1
    assert all(abs(count - 200) < 5 * 200**0.5 for count in counts.values())


@pytest.mark.parametrize("labels", [*itertools.product((0, 1, None), repeat=3)])
def test_labelled_entries_come_first(labels: tuple[int | None, ...]) -> None:
    points = [[1.0], [2.0], [3.0]]
    known = [label is not None for label in labels]
    if known != sorted(known, reverse=True):
        last, first = max(i for i in range(3) if known[i]), known.index(False)
        with pytest.raises(ValueError, match=f"row {last} is labelled, row {first} is not"):
            PartlyLabelled.of(points, labels)
        return
    data, n = PartlyLabelled.of(points, labels), sum(known)
    assert (len(data), len(data.labelled), data.unlabelled.n) == (3, n, 3 - n)
    assert data.labelled.points.tolist() + data.unlabelled.reader().take(3 - n).tolist() == points
    assert data.labelled.labels.tolist() == list(labels[:n])
