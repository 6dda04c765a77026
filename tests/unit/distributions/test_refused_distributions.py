"""What laws of examples refuse: the call, and the words of the error."""

from collections.abc import Callable

import numpy as np
import pytest

from semipriv.distributions.labelings.box import Box


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Box([], []), "low and high: must have one number for each feature, got 0 and 0"),
        (lambda: Box([0.1, 0.2], [0.3]), "low and high: must have one number for each feature, got 2 and 1"),
        (lambda: Box([0.1, 0.5], [0.3, 0.4]), r"high: feature 1 = 0\.4: must be >= low = 0\.5"),
        (lambda: Box([float("nan")], [0.3]), "low = nan: must be finite"),
        (lambda: Box([0.1], ["x"]), "high = 'x': is text, must be a number"),
        (lambda: Box([0.1], [0.2], 0.5), r"rate = 0\.5: must be in \[0, 0\.5\)"),
        (
            lambda: Box([0.1], [0.2]).probability(np.zeros((3, 2))),
            "low and high: must have 2 numbers, one for each feature, got 1",
        ),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
