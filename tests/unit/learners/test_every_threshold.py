"""All thresholds of a grid on the line: what they are, their mistakes, and the distribution of the draw."""

from collections import Counter

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.every_threshold import EveryThreshold

LINE = Halfspaces(1)


def sample(n: int, seed: int, low: float = -0.2, high: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(low, high, (n, 1)), rng.integers(0, 2, n)


@pytest.mark.parametrize(("low", "high", "bits"), [(0.0, 1.0, 3), (-0.5, 1.5, 4), (0.0, 1.0, 1)])
def test_mistakes_are_those_of_the_halfspaces_themselves(low: float, high: float, bits: int) -> None:
    """Each candidate, as a halfspace, on the points moved into the grid: both orientations and the constants."""
    learner = EveryThreshold(1.0, low, high, bits)
    x, y = sample(60, bits)
    x[:3, 0] = low, high, low + (high - low) / 2  # ends of cells
    tally = learner.tally(x, y)
    inside = np.clip(x, low, np.nextafter(high, low))
    mistakes = []
    for orientation in (0, 1):
        parameters, actual_listed = tally.listed(orientation)
        assert len(parameters) == 2**bits + 1
        ends = low + np.arange(2**bits + 1) / 2**bits * (high - low)
        expected = (inside[:, 0] >= ends[:, None]) != bool(orientation)
        assert (LINE.predict(parameters, inside) == expected).all()
        assert (
            LINE.predict(parameters[[0, -1]], [[-1e9], [1e9]]).all(axis=1) == [orientation == 0, orientation == 1]
        ).all()
        np.testing.assert_array_equal(actual_listed, (expected != y).sum(axis=1))
        mistakes.append(actual_listed)
    values, counts = tally.histogram()
    expected = Counter(np.concatenate(mistakes).tolist())
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == expected
    assert (np.diff(values) > 0).all()
    with pytest.raises(ValueError, match="no hypothesis makes that many"):
        tally.member(int(values[-1]) + 1, Simulation(0))


@pytest.mark.parametrize("randomness", [Simulation(2), Secure()], ids=["simulation", "secure"])
def test_members_are_uniform(randomness) -> None:
    """All candidates with equal mistakes, of both orientations, are equally likely."""
    learner = EveryThreshold(1.0, bits=3)
    tally = learner.tally([[0.1], [0.6]], [1, 0])
    values, counts = tally.histogram()
    for mistakes, number in zip(values.tolist(), counts.tolist(), strict=True):
        drawn = Counter(tuple(tally.member(mistakes, randomness).parameters.tolist()) for _ in range(250 * number))
        share = [2 if p[0] == 0 else 1 for p in drawn]  # a constant is a candidate of each orientation
        assert sum(share) == number
        for (_, times), weight in zip(drawn.items(), share, strict=True):
            assert abs(times - 250 * weight) < 6 * np.sqrt(250 * weight)


def test_fine_grids_are_not_listed() -> None:
    """Fifty bits: as many candidates as stated, and the place is found if there are enough examples."""
    learner, (x, _) = EveryThreshold(1.0, bits=50), sample(3000, 1, 0, 1)
    x = 0.5 + 1e-6 * x
    y = (x[:, 0] >= 0.5 + 4e-7).astype(int)
    release = learner.release(learner.prepare([], LINE), x, y, Simulation(4))
    assert release.cost == {"cover_size": 2**51 + 2}
    assert learner.tally(x, y).histogram()[1].sum() == 2**51 + 2
    assert np.mean(release.output.predict(x) != y) < 0.1
    small_histogram = learner.tally(x[:20], y[:20]).histogram()
    assert small_histogram[1][0] < small_histogram[1].sum() / 1000, "hardly any threshold lies where the mass hides"
