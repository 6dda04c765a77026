"""What is published beside a model: which candidate it is, a sum of mistakes or errors, predictions of public rows.

Choice and sums are drawn.  Predictions of public rows follow from the model that is published and from public data, so
they cost nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from semipriv.core.errors import PublicError
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.practice.asking.candidate import Public
from semipriv.practice.asking.groups import counted
from semipriv.practice.asking.releasable import PREDICTORS
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.responses import Response
from semipriv.practice.engine.judged import mistakes
from semipriv.practice.engine.reading import judged_examples, of_persons
from semipriv.practice.engine.sharing import Sharing
from semipriv.practice.published.certificate import DIAGNOSTIC, PREDICTED
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.guarantee import Release

Count = Callable[[Sequence[Release[Any]], int], Integers]
"""Counts mistakes and right answers of releases in each group on so many rows, (K, G, 2)."""


def judged(
    request: Request,
    public: Public,
    releases: Sequence[Release[Any]],
    rows: int,
    count: Count,
    randomness: Randomness,
) -> tuple[int, dict[str, Any]]:
    """Return the place of the release that is published, and what else is published, as values of JSON.

    rows: public number of the rows on which mistakes are counted.
    """
    if request.held_out is None and not request.unprotected_diagnostic:
        return 0, public_predictions(public, releases[0].output)
    counts = count(releases, rows)
    scores = [int(count) for count in counts[:, :, 0].sum(axis=1)]
    place, drawn, held = 0, dict[str, Any](), request.held_out
    if held is not None:
        place, noisy = held.draw(scores, randomness)
        drawn["held_out"] = {"chosen": place, "mistakes" if held.squared is None else "squared_errors": noisy}
        if held.groups is not None:
            drawn["held_out"]["groups"] = held.groups.draw(counts[place], randomness)
    if request.unprotected_diagnostic:
        drawn[DIAGNOSTIC] = {
            "exact_mistakes": scores[place],
            "rows": rows,
            "of": "training rows" if request.held_out is None else "held-out rows",
        }
    return place, drawn | public_predictions(public, releases[place].output)


def public_predictions(public: Public, output: Any) -> dict[str, Any]:
    """Return how many public rows get each label, or the range of the predicted numbers, as values of JSON.

    Return nothing for an output that does not predict, or without public rows.
    """
    if output.kind not in PREDICTORS or not len(public.points):
        return {}
    label, predicted = public.records.label, output.predict(public.points)
    entry: dict[str, Any] = {"rows": len(public.points)}
    if isinstance(label, Response):
        numbers = label.decode(predicted)
        entry |= {"least": float(numbers.min()), "greatest": float(numbers.max())}
    elif label is not None:
        counts = np.bincount(predicted.astype(np.int64), minlength=len(label.sides)).tolist()
        entry["labels"] = [{"label": side, "rows": count} for side, count in zip(label.sides, counts, strict=True)]
    return {PREDICTED: entry}


def cells(
    request: Request,
    public: Public,
    table: tuple[bytes, Sequence[bytes]],
    sharing: Sharing | None,
    statistics: Sequence[Statistic],
    releases: Sequence[Release[Any]],
    rows: int,
) -> Integers:
    """Return mistakes and right answers of each hypothesis in each group, (K, G, 2); without groups all rows are one.

    Where a number is predicted, return the sum of scores instead of mistakes, and how much it lacks of the largest
    possible sum instead of right answers.  Sums are over the held-out rows; over the training rows if none are held
    out.  table: key and HMACs of the parts as they were read before; raise ValueError if a part is another one now.
    sharing: where persons are protected, the choice of one row of each person that judges.  statistics: of the
    candidates; a database that knows the cells by which they were counted counts here, too.
    """
    by_database = mistakes(request, public.records, statistics, releases, rows)
    if by_database is not None:
        request.private.check_unchanged(*table)
        return by_database
    judging = (
        (points, labels, groups)
        for place, part in enumerate(request.private.parts)
        for points, labels, groups, *_ in (
            judged_examples(request, public.records, part)
            if sharing is None
            else of_persons(request, public.records, part, sharing.of_part(place, sharing.judging()))
        )
    )
    counts, seen = scored(request, releases, judging)
    request.private.check_unchanged(*table)
    if seen != rows:
        raise PublicError(f"{request.private.name}: other rows were read than counted; it was changed meanwhile")
    return counts


def scored(
    request: Request, releases: Sequence[Release[Any]], judging: Iterable[tuple[Points, Any, Floats]]
) -> tuple[Integers, int]:
    """Return the sums of ``cells`` over chunks of points, labels and places of groups, and the number of rows."""
    held = request.held_out
    size = 1 if held is None or held.groups is None else len(held.groups.names)
    counts, seen = np.zeros((len(releases), size, 2), np.int64), 0
    for points, labels, groups in judging:
        seen += len(labels)
        for i, release in enumerate(releases):
            predicted = release.output.predict(points)
            scores, most = (predicted != labels, 1) if held is None else (held.scores(predicted, labels), held.most)
            counts[i] += counted(groups, scores, size, most)
    return counts, seen
