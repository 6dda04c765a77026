"""The search for the end of a half-line of floats: the same end from any guess, at steps that a guess saves."""

import math
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from semipriv.privacy.search import smallest

POSITIVE = st.floats(0, sys.float_info.max, exclude_min=True)


@given(POSITIVE, POSITIVE)
@example(sys.float_info.max, 1.0)
@example(math.nextafter(0.0, 1.0), sys.float_info.max)
def test_a_guess_moves_no_end(root: float, near: float) -> None:
    asked: dict[float, bool] = {}

    def holds(x: float) -> bool:
        asked[x] = x >= root
        return asked[x]

    assert smallest(holds, 0.0, sys.float_info.max, near=near) == root
    assert root == sys.float_info.max or asked[root], "seen true there"
    assert math.nextafter(root, 0) == 0 or asked[math.nextafter(root, 0)] is False, "seen false one before"
    assert len(asked) <= 128


@given(POSITIVE, st.integers(-3, 3))
def test_a_good_guess_takes_few_steps(root: float, off: int) -> None:
    near, asked = root, []
    for _ in range(abs(off)):
        near = math.nextafter(near, math.inf if off > 0 else 0)

    def holds(x: float) -> bool:
        asked.append(x)
        return x >= root

    assert smallest(holds, 0.0, sys.float_info.max, near=near) == root
    assert len(asked) <= 8 or not 0 < near < sys.float_info.max
