"""Whether a release can be drawn and published: all that public numbers decide, before anything is charged."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from semipriv.core.errors import public_data_only
from semipriv.core.estimates import rows_elsewhere
from semipriv.core.persons import units_of
from semipriv.core.work import check_work
from semipriv.learners._answering import Answering
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.outputs.answers import Answers
from semipriv.practice.asking.candidate import SYNTHETIC, Candidate
from semipriv.practice.asking.request import Request
from semipriv.practice.sums.statistic import ONE


@public_data_only()
def check_possible(
    request: Request, prepared: Sequence[Any], sizes: Mapping[str, int], unlabelled: int, stay: Sequence[bool] = ()
) -> None:
    """Raise ValueError unless the release can be drawn, and all that is published can be made of it.

    prepared: what the public stage made for each candidate.  sizes: public numbers of rows.  unlabelled: number of
    unlabelled entries.  stay: whether a database counts or sums up the rows of each candidate.  No private byte is at
    hand here, so whatever is raised is told, as a PublicError.
    """
    beside = stay or [False] * len(prepared)
    for candidate, prepared_one, stays in zip(request.candidates, prepared, beside, strict=True):
        if isinstance(candidate.learner, PartlyLabelledLearner) and candidate.hypothesis_class is not None:
            candidate.learner.check_sizes(sizes["n_private"], unlabelled, candidate.hypothesis_class)
        with rows_elsewhere() if stays else nullcontext():
            candidate.check_release(prepared_one, sizes["n_private"], _units(request, sizes["n_private"]))
        _check_table(request, candidate, prepared_one, sizes["n_private"])
    if request.held_out is not None:
        if not sizes["n_held_out"]:
            every = request.held_out.every
            if request.person is not None:
                raise ValueError(
                    f"held_out.share = 1/{every}: there are fewer persons than {every}: take a larger share"
                )
            raise ValueError(
                f"held_out.share = 1/{every}: every row whose number is a multiple of {every} is held out, and no file "
                "has so many: take a larger share"
            )
        request.held_out.check(sizes["n_held_out"], len(request.candidates))


def _units(request: Request, n: int) -> int:
    """Return the units of each of n persons; 1 where rows are counted."""
    return 1 if request.person is None or request.person.rows == ONE else units_of(n)


def _check_table(request: Request, candidate: Candidate, prepared: Any, size: int) -> None:
    """Raise ValueError if no synthetic table can be made of answers, and WorkError if it takes too long.

    It is made twice: of the release, and before the charge of one on made-up rows.
    """
    if candidate.table == SYNTHETIC:
        columns = len(request.records.features)
        cost = candidate.rows_cost(prepared, size, columns)
        what = f"{size:,} rows of the synthetic table, of {columns} columns, to make twice"
        check_work(what, cost + cost, "declare fewer columns", begins=False)
    if isinstance(candidate.learner, Answering) and not candidate.learner.weighs:
        try:
            Answers(prepared.cover, prepared.representatives, np.zeros(len(prepared.cover))).check_points()
        except ValueError as error:
            raise ValueError(
                f"a synthetic table: {error}: take fewer public rows, or a method that weighs cells, as mwem does"
            ) from None
