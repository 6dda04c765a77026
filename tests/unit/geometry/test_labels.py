"""Packed labels of halfspaces are those of ``predict``, bit by bit."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry import bits
from semipriv.geometry.bits import first_of_each, packed
from semipriv.geometry.labels import halfspace_labels


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", [0, 1, 7, 8, 64, 65, 130])
def test_labels_are_those_of_predict(d: int, k: int) -> None:
    """Also where values are 0, tiny, rounded to 0, too large for floats, or not a number."""
    rng = np.random.default_rng(d + k)
    theta, x = rng.integers(-2, 3, (k, d + 1)).astype(float), rng.integers(-2, 3, (40, d)).astype(float)
    theta[::3] *= 0.1
    x[::4] *= 0.3
    theta[1::5], x[1::5] = theta[1::5] * 1e300, x[1::5] * 1e300
    theta[2::5], x[2::5] = theta[2::5] * 1e-300, x[2::5] * 1e-300
    expected = packed(Halfspaces(d).predict(theta, x).T)
    assert np.array_equal(halfspace_labels(theta, x), expected)
    assert np.array_equal(Halfspaces(d).label_vectors(theta, x), expected)
    assert halfspace_labels(theta, x[:0]).shape == (0, max(1, -(-k // 64)))


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (4, 1), (5, 64), (6, 65)], ids=str)
def test_bits_are_packed_row_by_row(shape: tuple[int, int]) -> None:
    """Of rows and of columns of a table: bytes hold eight bits, the first highest, and words are filled with zeros."""
    bits = np.random.default_rng(2).random(shape) < 0.5
    for given in (bits, np.asfortranarray(bits)):
        words = packed(given)
        assert words.shape == (shape[0], max(1, -(-shape[1] // 64)))
        unpacked = np.unpackbits(words.view(np.uint8).reshape(shape[0], 8 * words.shape[1]), axis=1)
        assert unpacked[:, : shape[1]].tolist() == bits.astype(int).tolist()
        assert not unpacked[:, shape[1] :].any()


def test_rows_whose_hashes_coincide_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    words = packed(np.random.default_rng(0).random((300, 70)) < 0.5)[np.random.default_rng(1).integers(0, 300, 900)]
    expected = np.sort(np.unique(words, axis=0, return_index=True)[1])
    assert np.array_equal(first_of_each(words), expected)
    monkeypatch.setattr(bits, "_hashed", lambda rows, seed: rows[:, 0] % np.uint64(7))
    assert np.array_equal(first_of_each(words), expected)
    assert len(first_of_each(words[:0])) == 0
