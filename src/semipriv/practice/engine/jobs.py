"""Jobs of the target `release`: each takes a step of ``semipriv.practice.engine.stages``, and may take it again."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from semipriv.core.files import atomic
from semipriv.practice.asking.request import load
from semipriv.practice.columns.strict import canonical
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.charging import reserve
from semipriv.practice.engine.messages import message, private_rows_at_hand
from semipriv.practice.engine.partial import Partial
from semipriv.practice.engine.publish import publish, publish_intervals, publish_table


@contextmanager
def errors_logged(path: str | Path) -> Iterator[None]:
    """Write an error in one line, to the log and to stderr, and end the job with it.

    Nothing else is written, neither progress nor times nor a traceback: a log is not protected.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    try:
        yield
    except BaseException as error:  # an interrupt as well: the error that it came upon may hold a cell
        line = message(error)
    else:
        return
    path.write_text(f"{line}\n")
    print(f"semipriv: {line}", file=sys.stderr, flush=True)
    raise SystemExit(1) from None


def charge(request: str | Path, output: str | Path) -> None:
    """Reserve, and write the number of the entry in the ledger."""
    stage = engine.stage(load(request))
    with stage.request.limited():
        reservation = reserve(stage)
    entry = {"ledger": reservation.ledger.identity, "entry": reservation.number, "request": stage.digest}
    with atomic(output) as target:
        target.write_bytes(canonical(entry) + b"\n")


def tally(request: str | Path, part: int, output: str | Path) -> None:
    """Write the sums over a part; none, and without a look at it, if the release is drawn already."""
    stage = engine.stage(load(request))
    with stage.request.limited():
        partial = engine.tally(stage, reserve(stage), part)
    with private_rows_at_hand():
        (partial or Partial(stage.digest, b"", [])).write(output)


def draw(request: str | Path, sums: Sequence[str]) -> None:
    """Draw from the sums of all parts and publish model and certificate, or publish again; remove the sums."""
    stage = engine.stage(load(request))
    sizes = len(stage.request.candidates)
    with stage.request.limited():
        reservation = reserve(stage)
        stored = engine.draw(stage, reservation, (Partial.read(path, stage.digest, sizes) for path in sums))
    publish(stage, reservation, stored)
    for folder in {Path(path).parent for path in sums}:
        shutil.rmtree(folder, ignore_errors=True)


def write_table(request: str | Path) -> None:
    """Write the table of a published model: a synthetic one, or a report."""
    publish_table(load(request))


def write_intervals(request: str | Path) -> None:
    """Write the limits of the marginals of a published model."""
    publish_intervals(load(request))
