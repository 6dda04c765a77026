"""A release from its request to its files, and what it would take."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from semipriv.core.errors import PublicError
from semipriv.practice.asking.request import Request
from semipriv.practice.engine.charging import charged, reserve
from semipriv.practice.engine.publish import publish, publish_intervals, publish_table
from semipriv.practice.engine.stages import Stage, draw, partials_of, stage
from semipriv.practice.published.released import Released
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import Ledger


@attrs.frozen(eq=False)
class Outcome:
    """A release: what is stored of it, whether it was stored before, and the files that were published."""

    staged: Stage
    released: Released
    replayed: bool
    entry: int
    files: Sequence[Path]

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        return {
            "release": self.staged.request.name,
            "replayed": self.replayed,
            "ledger": str(self.staged.request.ledger),
            "entry": self.entry,
            "guarantee": attrs.asdict(self.released.guarantee),
            "sizes": self.released.sizes,
        }


def release(request: Request, tell: Callable[[Stage], None] = lambda staged: None) -> Outcome:
    """Take all steps; what was done before, by whatever run, is not done again.

    tell: is called with the public half before anything is charged, if nothing is drawn yet.
    """
    try:
        with request.limited():
            return _released(request, tell)
    finally:
        request.close()


def _released(request: Request, tell: Callable[[Stage], None]) -> Outcome:
    staged = stage(request)
    known = charged(staged, Ledger.open(request.ledger))
    if known is None or known.stored is None:
        tell(staged)
    reservation = reserve(staged)
    replayed = reservation.stored is not None
    stored = draw(staged, reservation, [] if replayed else partials_of(staged, reservation))
    files = publish(staged, reservation, stored)
    files += [path for path in (publish_table(request), publish_intervals(request)) if path is not None]
    check_published(request)
    return Outcome(staged, Released.from_bytes(stored), replayed, reservation.number, files)


def check_published(request: Request) -> None:
    """Raise PublicError with the first check that fails, unless what is published is what the ledger stores.

    The checks are those of ``semipriv verify``: of published files, the ledger and public settings alone.
    """
    for check in verify(request.folder, request.ledger):
        if not check.passed:
            raise PublicError(f"{request.folder}: was published, and is not what was drawn: {check}")
