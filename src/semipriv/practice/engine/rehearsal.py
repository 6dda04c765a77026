"""A release on made-up rows, from the draw to the verification, before anything is paid.

What public data, sizes and settings make impossible is found here, and costs nothing: a draw that fails, a model that
cannot be written, files that do not verify.  No private row is read.  All that is made is thrown away.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.entries import ListedEntries
from semipriv.core.errors import PublicError, public_data_only
from semipriv.core.randomness import Secure
from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners._totals import Chunk
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.columns.labels import ClassLabel
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Chunk as Cells
from semipriv.practice.engine import counting, judged
from semipriv.practice.engine.judging import scored
from semipriv.practice.engine.publish import publish, publish_intervals, publish_table
from semipriv.practice.engine.stages import Stage, drawn
from semipriv.practice.published.verify import verify
from semipriv.practice.sums.records import Rows
from semipriv.practice.sums.statistic import Statistic
from semipriv.practice.sums.tallies import statistic
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.guarantee import Release

_FEW = 2**12
"""Made-up rows where sums are all that counts."""
_CHUNK = 2**16
_JUDGING = 100
"""Made-up rows that judge."""


@attrs.frozen
class Rehearsed:
    """What the draw from made-up rows took: seconds, and how many times a learner read them anew.

    reads: the number of reads of private rows may differ, where a noisy sum decides which way a learner takes.
    """

    seconds: float
    reads: int


@public_data_only()
def rehearse(staged: Stage, paying: Ledger) -> Rehearsed:
    """Make the release of made-up rows in a folder that is thrown away, and return what the draw took.

    paying: the ledger that pays.  Raise PublicError for what fails, as the release would after the charge.
    """
    _read_no_row(staged)
    begun, reads = time.perf_counter(), list[None]()
    try:
        stored = _drawn(staged, lambda: reads.append(None)).to_bytes()
    except MemoryError:
        stored = b""
    if not stored:
        raise PublicError(
            "the draw needs more memory than there is, as made-up rows show: take a smaller class or table"
        )
    seconds = time.perf_counter() - begun
    with TemporaryDirectory(prefix="semipriv-") as folder:
        _published(staged, paying, stored, Path(folder))
    return Rehearsed(seconds, len(reads))


def _read_no_row(staged: Stage) -> None:
    """Ask a database for no row, and encode a table of no row with the types of each part."""
    request, records = staged.request, staged.public.records
    counting.rehearse(request, records, staged.statistics(), staged.named)
    judged.rehearse(request, records, staged.statistics())
    for part in request.private.parts:
        types = request.private.types(part)
        columns = {name: pa.chunked_array([], types[name]) for name in request.private_columns}
        records.encode(Cells(str(part), pa.table(columns), np.empty(0, np.int64)))


def _drawn(staged: Stage, reread: Callable[[], None]) -> Any:
    """Draw from made-up rows.  reread: is called whenever they are read anew."""
    n, sums = staged.sizes["n_private"], []
    for candidate, prepared in zip(staged.request.candidates, staged.prepared, strict=True):
        sums.append(_summed(staged, candidate, prepared, (n, min(n, _FEW)), reread))

    def count(releases: Sequence[Release[Any]], rows: int) -> Integers:
        judging = ((points, labels, np.zeros(len(labels))) for points, labels in _rows(staged, min(rows, _JUDGING)))
        counts, seen = scored(staged.request, releases, judging)
        held = staged.request.held_out
        counts[:, 0, 1] += (rows - seen) * (1 if held is None else held.most)
        return counts

    def unlabelled(candidate: Candidate) -> ListedEntries | None:
        if not isinstance(candidate.learner, PartlyLabelledLearner) or candidate.hypothesis_class is None:
            return None
        needed = candidate.learner.unlabelled_needed(n, candidate.hypothesis_class)
        return ListedEntries(_points(staged, np.arange(needed)))

    return drawn(staged, sums, unlabelled, count, {}, Secure())


def _summed(
    staged: Stage, candidate: Candidate, prepared: Any, sizes: tuple[int, int], reread: Callable[[], None]
) -> Statistic:
    """Return the sums of made-up rows, of persons with a row each where persons are protected.

    sizes: number of private rows, and of made-up ones where sums are all that counts.
    """
    n, made_up = sizes

    def again() -> Iterator[Chunk]:
        reread()
        for points, labels in _rows(staged, made_up):
            yield points, labels, np.full(len(labels), whole.units) if whole.persons else None

    whole = statistic(candidate.learner, prepared, n, again)
    if staged.request.person is not None:
        whole.of_persons(n, staged.request.person.rows)
    for points, labels in _rows(staged, n if isinstance(whole, Rows) else made_up):
        whole.add(points, labels, np.full(len(labels), whole.units) if whole.persons else None)
    return whole


def _rows(staged: Stage, count: int) -> Iterator[tuple[Points, Any]]:
    """Yield made-up points and labels, in chunks: public points, or ends of the ranges, one after the other."""
    for start in range(0, count, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, count))
        yield _points(staged, numbers), _labels(staged, numbers)


def _points(staged: Stage, numbers: Integers) -> Points:
    public = staged.public.points if len(staged.public.points) else np.array(staged.public.records.box)
    return np.asfortranarray(public[numbers % len(public)])


def _labels(staged: Stage, numbers: Integers) -> Any:
    label = staged.public.records.label
    if isinstance(label, Response):
        return numbers % 3 - 1.0
    if isinstance(label, ClassLabel):
        return (numbers % len(label.classes)).astype(np.int8)
    return (np.ones_like(numbers) if staged.request.ones_only else numbers % 2).astype(np.int8)


def _published(staged: Stage, paying: Ledger, stored: bytes, folder: Path) -> None:
    """Publish what was drawn in a folder, paid from a ledger of the same kind that is there, and verify it."""
    request = attrs.evolve(staged.request, folder=folder / "release", ledger=folder / "ledger.jsonl")
    ledger = Ledger.create(request.ledger, paying.rule, periods=paying.periods)
    reservation = ledger.reserve(staged.identity, staged.event, staged.neighbours)
    reservation.draw(lambda: stored)
    publish(attrs.evolve(staged, request=request), reservation, stored)
    publish_table(request)
    publish_intervals(request)
    failed = [str(check) for check in verify(request.folder, request.ledger) if not check.passed]
    if failed:
        raise PublicError(f"a release of made-up rows does not verify, so nothing is paid: {'; '.join(failed)}")
