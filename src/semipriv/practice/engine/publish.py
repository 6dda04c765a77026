"""The files of a release: functions of what the ledger stores and of public data, the same bytes each time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from semipriv.core.files import atomic
from semipriv.practice.asking.request import Request
from semipriv.practice.engine.stages import Stage
from semipriv.practice.published.certificate import certificate, entry_of, names, sha256, to_bytes
from semipriv.practice.published.folder import CERTIFICATE, INTERVALS, MODEL, PAGE, intervals_name
from semipriv.practice.published.intervals import intervals
from semipriv.practice.published.model import Model
from semipriv.practice.published.released import Released
from semipriv.practice.published.signing_page import signing_page
from semipriv.practice.published.tables import TABLES, following, written
from semipriv.practice.published.verify import read_certificate
from semipriv.privacy.budget.ledger import Reservation


def publish(staged: Stage, reservation: Reservation, stored: bytes) -> list[Path]:
    """Write model, certificate and its page, and return their paths.  Raise OSError with the name of what fails."""
    released = Released.from_bytes(stored)
    folder = staged.request.folder
    model = Model.of(staged.request, staged.public, released)
    certified = {MODEL: model.to_bytes()}
    if released.table is not None:
        periods = reservation.entry.payload["request"].get("period") or ()
        certified[released.table["name"]] = table_file(model, **released.table, periods=periods)
    if (name := intervals_name(staged.request)) is not None:
        certified[name] = intervals_file(model)
    for name in (*TABLES, INTERVALS):
        if name not in certified and (folder / name).is_file():
            (folder / name).unlink()  # of another release of this name, which it would contradict
    ledger, entry = reservation.ledger, reservation.entry
    certified_entry = entry_of(ledger.identity, entry, ledger.mark(entry.number, entry.digest, sha256(stored)))
    made_certificate = certificate(stored, certified_entry, certified)
    contents = {
        MODEL: certified[MODEL],
        CERTIFICATE: to_bytes(made_certificate),
        PAGE: signing_page(made_certificate),
    }
    return [_written(folder / name, content) for name, content in contents.items()]


def publish_table(request: Request) -> Path | None:
    """Write the table that follows from the published model; None if there is none.

    A synthetic one has as many rows as the private one.  Name, types and periods are those of the certificate.
    """
    statement = read_certificate(request.folder)
    for name in names(statement):
        if name in TABLES:
            types = (statement["predicate"]["synthetic_table"] or {"types": {}})["types"]
            periods = statement["predicate"].get("period", {"names": ()})["names"]
            model = Model.load(request.folder / MODEL)
            return _written(request.folder / name, table_file(model, name, types, periods))
    return None


def publish_intervals(request: Request) -> Path | None:
    """Write the limits of the marginals of the published model; None if it has none."""
    name = intervals_name(request)
    if name is None:
        return None
    return _written(request.folder / name, intervals_file(Model.load(request.folder / MODEL)))


def intervals_file(model: Model) -> bytes:
    """Return the file of the limits of the marginals of a model."""
    return written(intervals(model), ".parquet")


def table_file(model: Model, name: str, types: Mapping[str, str], periods: Sequence[str]) -> bytes:
    """Return the file of the table of a model, by its name, the stored types of its columns, and the periods."""
    return written(following(model, types, periods), Path(name).suffix)


def _written(path: Path, content: bytes) -> Path:
    with atomic(path) as target:
        target.write_bytes(content)
    return path
