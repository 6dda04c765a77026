"""What is drawn for privacy: known noise, and with twice the epsilon a draw of at most twice the strength, and more."""

import json
import math
from functools import cache

import noises
import pytest

RUNS = noises.runs()
WITHOUT = ("discard_private", "public_", "uniform_cells", "methods/prior")
"""Parts of the names of those that read nothing private."""
FIXED = ("active_subsampling", "label_boost")
"""Whose mechanisms have an epsilon of their own, whatever the guarantee is."""


@cache
def drawn(name: str, factor: int) -> noises.Draws:
    return noises.draws(RUNS[name], factor)


def test_noise_does_not_change_without_a_word() -> None:
    known = json.loads(noises.FILE.read_text())
    assert RUNS.keys() == known.keys(), "noises.json is out of step, see tests/noises.py"
    for name in RUNS:
        assert noises.told(drawn(name, 1)) == known[name], f"{name}: see tests/noises.py"


@pytest.mark.parametrize("name", RUNS)
def test_more_epsilon_is_less_noise(name: str) -> None:
    """Twice as strong where privacy is pure; between sqrt(2) and 2 times for Gaussian noise: sigma^2 ~ 1 / rho."""
    one, two = drawn(name, 1), drawn(name, 2)
    assert bool(one) == (not any(part in name for part in WITHOUT) or "reduction" in name)
    assert {kind for kind, _ in one} == {kind for kind, _ in two}
    for kind in {kind for kind, _ in one}:
        for most in (min, max):
            here, there = (most(strength for own, strength in found if own == kind) for found in (one, two))
            if any(part in name for part in FIXED):
                assert there == here
            elif any("Gaussian" in own for own, _ in one) or "fitted" in name:  # fitted to a rho
                assert math.sqrt(2) <= there / here <= 2 * (1 + 1e-9)
            else:
                assert there / here == pytest.approx(2, rel=1e-9)
