"""What distributions of examples and designs refuse, and in which words."""

from functools import partial

import numpy as np
import refused

from semipriv.distributions.designs._inference import inferred
from semipriv.distributions.designs.mixed import Mixed
from semipriv.distributions.designs.partly_labelled import PartlyLabelled
from semipriv.distributions.designs.separate import Separate
from semipriv.distributions.labelings.box import Box

REFUSED = {
    "boxes": [
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
    "designs": [
        *(
            (partial(make, size), f"{key} = {size}: {words}")
            for make, key, least in (
                (lambda n: Separate(n, 3), "n_public", 1),
                (Mixed, "n", 1),
                (lambda n: PartlyLabelled(3, n), "n_unlabelled", 0),
            )
            for size, words in (
                (least - 1, f"must be >= {least}"),
                (2.5, "must be an integer"),
                (True, "must be a num"),
            )
        ),
        (lambda: inferred([], statuses=False), "sizes: give n_labelled and n_unlabelled, or n_public and n_private"),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
