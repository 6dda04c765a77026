"""Teaching sets: they tell a labeling from all others, none of their points can be left out, and shifts gain 2."""

import numpy as np
import pytest

from semipriv.papers.bbd24.bounds.teaching import least_gain, shift, teaching_set


@pytest.mark.parametrize("seed", range(4))
def test_teaching_sets_tell_every_labeling_and_need_all_their_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    patterns = np.unique(rng.random((30, 8)) < 0.4, axis=0)
    for row in range(len(patterns)):
        points = teaching_set(patterns, row)
        others = np.delete(patterns, row, axis=0)

        def tells_apart(points: list[int], own: np.ndarray = patterns[row], others: np.ndarray = others) -> bool:
            return bool((others[:, points] != own[points]).any(axis=1).all())

        assert tells_apart(points)
        assert not any(tells_apart([p for p in points if p != left]) for left in points)
        gain = least_gain(patterns, row, shift(patterns[row], points))
        assert gain == 2 * min((others[:, points] != patterns[row, points]).sum(axis=1)) >= 2


def test_a_class_of_one_labeling_needs_no_point() -> None:
    collected = np.array([[True, False]])
    assert teaching_set(collected, 0) == []
    assert least_gain(collected, 0, shift(collected[0], [])) == np.inf
