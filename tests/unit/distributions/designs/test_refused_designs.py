"""What designs refuse: the call, and the words of the error."""

from collections.abc import Callable

import pytest

from semipriv.distributions.designs._inference import inferred
from semipriv.distributions.designs.mixed import Mixed
from semipriv.distributions.designs.partly_labelled import PartlyLabelled
from semipriv.distributions.designs.separate import Separate


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Separate(0, 3), "n_public = 0: must be >= 1"),
        (lambda: Separate(2.5, 3), "n_public = 2.5: must be an integer"),
        (lambda: Separate(True, 3), "n_public = True: must be a number"),
        (lambda: Mixed(0), "n = 0: must be >= 1"),
        (lambda: Mixed(2.5), "n = 2.5: must be an integer"),
        (lambda: Mixed(True), "n = True: must be a number"),
        (lambda: PartlyLabelled(3, 2.5), "n_unlabelled = 2.5: must be an integer"),
        (lambda: PartlyLabelled(3, True), "n_unlabelled = True: must be a number"),
        (
            lambda: inferred([], statuses=False),
            "sizes: give n_labelled and n_unlabelled, or n_public and n_private",
        ),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
