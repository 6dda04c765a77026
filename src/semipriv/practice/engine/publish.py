"""The files of a release: functions of what the ledger stores and of public data, the same bytes each time."""

from pathlib import Path

import pyarrow as pa

from semipriv.core.files import atomic
from semipriv.practice.asking.request import Request
from semipriv.practice.engine.stages import Stage
from semipriv.practice.published.certificate import certificate, entry_of, sha256, to_bytes
from semipriv.practice.published.folder import CERTIFICATE, MODEL, intervals_name, table_name
from semipriv.practice.published.intervals import intervals
from semipriv.practice.published.model import Model
from semipriv.practice.published.released import Released
from semipriv.practice.published.tables import written
from semipriv.practice.sources.source import Source
from semipriv.privacy.budget.ledger import Reservation


def publish(made: Stage, reservation: Reservation, stored: bytes) -> list[Path]:
    """Write model and certificate, and return their paths.  Raise OSError with the name of what cannot be written."""
    released = Released.from_bytes(stored)
    folder = made.request.folder
    model = Model.of(made.request, made.public, released)
    certified = {MODEL: model.to_bytes()}
    if (name := table_name(made.request)) is not None:
        certified[name] = table_file(model, made.request)
    if (name := intervals_name(made.request)) is not None:
        certified[name] = intervals_file(model)
    ledger, entry = reservation.ledger, reservation.entry
    certified_entry = entry_of(ledger.identity, entry, ledger.mark(entry.number, entry.digest, sha256(stored)))
    contents = {MODEL: certified[MODEL], CERTIFICATE: to_bytes(certificate(stored, certified_entry, certified))}
    return [_written(folder / name, content) for name, content in contents.items()]


def publish_table(request: Request) -> Path | None:
    """Write the synthetic table of the published model, of as many rows as private ones; None if there is none."""
    name = table_name(request)
    if name is None:
        return None
    return _written(request.folder / name, table_file(Model.load(request.folder / MODEL), request))


def publish_intervals(request: Request) -> Path | None:
    """Write the limits of the marginals of the published model; None if it has none."""
    name = intervals_name(request)
    if name is None:
        return None
    return _written(request.folder / name, intervals_file(Model.load(request.folder / MODEL)))


def intervals_file(model: Model) -> bytes:
    """Return the file of the limits of the marginals of a model."""
    return written(intervals(model), ".parquet")


def table_file(model: Model, request: Request) -> bytes:
    """Return the file of the synthetic table of a model, in the form and with the types of the request's tables."""
    table = typed(model.synthetic(model.sizes["n_private"]), request.public or request.private)
    return written(table, Path(str(table_name(request))).suffix)


def typed(table: pa.Table, source: Source) -> pa.Table:
    """Return a table with the types of the same columns of a Parquet file or a database, unless a value changes."""
    if source.suffix != ".parquet":
        return table
    types = source.types(source.parts[0])
    for i, name in enumerate(table.column_names):
        if name in types:
            try:
                table = table.set_column(i, name, table.column(name).cast(types[name]))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # a middle between integers is none
                continue
    return table


def _written(path: Path, content: bytes) -> Path:
    with atomic(path) as target:
        target.write_bytes(content)
    return path
