"""A release as it is asked for: ``config/release.yaml``, checked before a private byte is read."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.learners.base import AnyLearner
from semipriv.practice.quality import HeldOut
from semipriv.practice.schema import Records
from semipriv.practice.source import Source
from semipriv.queries.schema import Schema
from semipriv.queries.table_release import TableRelease
from semipriv.samples import Labels, Points


@attrs.frozen
class Status:
    """Rows whose cell in the column is the value are public; the statuses of all rows are public then."""

    column: str
    value: str


@attrs.frozen(eq=False)
class Candidate:
    """What is learned, and by whom.  Without a class it is a table release, whose schema stands in its place."""

    hypothesis_class: HypothesisClass | Schema
    learner: AnyLearner | TableRelease

    def prepare(self, public: "Public") -> Any:
        """Carry out the public stage."""
        raise NotImplementedError


@attrs.frozen(eq=False)
class Public:
    """Public rows as points (m, d) with labels (m,) if a learner needs them, the resolved records, and their digest."""

    records: Records
    points: Points
    labels: Labels | None
    digest: str


@attrs.frozen(eq=False)
class Request:
    """A checked request.

    name: of the release, its folder is ``folder``.  private, public, unlabelled: where rows are; status: the column
    that tells public rows, if they are in the private table.  candidates: one, unless a choice among several is paid
    for.  provenance: source, licence and date of the public data.  settings: the file as it was given, checked.
    """

    name: str
    folder: Path
    ledger: Path
    private: Source
    public: Source | None
    status: Status | None
    unlabelled: Source | None
    records: Records
    """Those of the file; ends of a ``range: public`` are known in ``read_public`` only."""
    candidates: Sequence[Candidate]
    held_out: HeldOut | None
    accept_changed_table: bool
    unprotected_diagnostic: bool
    provenance: dict[str, str]
    settings: dict[str, Any]

    @property
    def candidate(self) -> Candidate:
        """The only candidate."""
        (found,) = self.candidates
        return found

    def identity(self, public: Public) -> dict[str, Any]:
        """Return what decides the law of the release besides the private rows, as values of JSON."""
        raise NotImplementedError


def load(path: str | Path) -> Request:
    """Read and check a request; raise ConfigError naming file, key and what is allowed.  No record is read."""
    raise NotImplementedError


def read_public(request: Request) -> Public:
    """Read the public rows, and check them: there are some, no feature is constant, ranges hold some of them."""
    raise NotImplementedError


def rows(request: Request, part: Path) -> NDArray[np.int64]:
    """Return the numbers of training and held-out private rows of a part, (2,): public."""
    raise NotImplementedError


def examples(
    request: Request, records: Records, part: Path, *, held_out: bool = False
) -> Iterator[tuple[Points, Labels]]:
    """Yield the private rows of a part as points and labels, in chunks: those to learn from, or those held out.

    Raise PrivateTableError, by file, column and row, for a cell that is not what the schema declares.
    """
    raise NotImplementedError


def entries(request: Request, records: Records, count: int) -> Points:
    """Return the first rows of the unlabelled private table, (count, d), for learners that read such entries."""
    raise NotImplementedError
