"""What is drawn beside the hypotheses: the choice among them, and the number of mistakes that is told."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.practice.certificate import DIAGNOSTIC
from semipriv.practice.partial import check_unchanged
from semipriv.practice.reading import examples
from semipriv.practice.request import Public, Request
from semipriv.privacy.guarantee import Release


def judged(
    request: Request,
    public: Public,
    releases: Sequence[Release[Any]],
    rows: int,
    table: tuple[bytes, Sequence[bytes]],
    randomness: Randomness,
) -> tuple[int, dict[str, Any]]:
    """Return the place of the release that is published, and what else is published, as values of JSON.

    rows: public number of the rows on which mistakes are counted.  table: key and HMACs of the parts as they were read
    before; raise ValueError if a part is another one now.
    """
    if request.held_out is None and not request.unprotected_diagnostic:
        return 0, {}
    counts = mistakes(request, public, releases, rows, table)
    place, more = 0, dict[str, Any]()
    if request.held_out is not None:
        place, noisy = request.held_out.draw(counts, randomness)
        more["held_out"] = {"chosen": place, "mistakes": noisy}
    if request.unprotected_diagnostic:
        more[DIAGNOSTIC] = {
            "exact_mistakes": counts[place],
            "rows": rows,
            "of": "training rows" if request.held_out is None else "held-out rows",
        }
    return place, more


def mistakes(
    request: Request,
    public: Public,
    releases: Sequence[Release[Any]],
    rows: int,
    table: tuple[bytes, Sequence[bytes]],
) -> list[int]:
    """Return the number of mistakes of each hypothesis on the held-out rows; on the training rows if none are."""
    counts, seen = np.zeros(len(releases), np.int64), 0
    for part in request.private.parts:
        for points, labels in examples(request, public.records, part, held_out=request.held_out is not None):
            seen += len(labels)
            for i, one in enumerate(releases):
                counts[i] += np.count_nonzero(one.output.predict(points) != (labels == 1))
    check_unchanged(table[0], request.private.parts, table[1])
    if seen != rows:
        raise ValueError(f"{request.private.path}: other rows were read than counted; it was changed meanwhile")
    return [int(count) for count in counts]
