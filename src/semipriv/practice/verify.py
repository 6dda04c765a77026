"""Checks of a published release: files against certificate, certificate against itself, and both against the ledger."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from semipriv.budget.ledger import Ledger, LedgerError, Reservation
from semipriv.budget.lines import Entry
from semipriv.practice import certificate as certificates
from semipriv.practice.certificate import (
    DIAGNOSTIC,
    PREDICATE,
    STATEMENT,
    certificate,
    covers,
    entry_of,
    guaranteed,
    sha256,
)
from semipriv.practice.model import Model
from semipriv.practice.released import canonical
from semipriv.practice.source import SUFFIXES
from semipriv.privacy.events import restored
from semipriv.privacy.guarantee import Guarantee

CERTIFICATE, MODEL = "certificate.json", "model.json"


@attrs.frozen
class Check:
    """One thing that was checked, whether it is so, and what else there is to say."""

    what: str
    passed: bool
    more: str = ""

    def __str__(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.what}" + (f": {self.more}" if self.more else "")


def read_certificate(folder: Path) -> dict[str, Any]:
    """Return the certificate in a folder; raise ValueError with its name if there is none that can be read."""
    path = folder / CERTIFICATE
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise ValueError(f"{path}: is no JSON") from None
    if not isinstance(found, dict) or (found.get("_type"), found.get("predicateType")) != (STATEMENT, PREDICATE):
        raise ValueError(f"{path}: is no certificate of a release ({PREDICATE})")
    return found


def verify(folder: str | Path, ledger: str | Path | None = None) -> list[Check]:
    """Return all checks of the release in a folder, those of the ledger where its path is given.

    Raise ValueError if there is no certificate.
    """
    folder = Path(folder)
    made = read_certificate(folder)
    tables = sorted(folder.glob("synthetic.*"))
    found = [
        *_of_files(folder, made),
        *(_of_table(folder, path) for path in tables),
        _check("guarantee follows from the events", lambda: _guarantee(made)),
    ]
    if ledger is not None:
        found += _of_ledger(folder, made, Path(ledger))
    return found


def _check(what: str, holds: Callable[[], bool]) -> Check:
    """Return a check; what lacks a key, or holds another type, fails."""
    try:
        return Check(what, bool(holds()))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, OSError):
        return Check(what, False, "a part is missing or has another form")


def _of_files(folder: Path, made: Mapping[str, Any]) -> Iterator[Check]:
    named = [(one.get("name"), one.get("digest", {}).get("sha256")) for one in made.get("subject", [])]
    yield Check(f"{MODEL} is certified", MODEL in [name for name, _ in named])
    for name, digest in named:
        path = folder / Path(str(name)).name
        try:
            yield Check(f"{path.name} has the certified digest", sha256(path.read_bytes()) == digest)
        except OSError as error:
            yield Check(f"{path.name} has the certified digest", False, error.strerror or "cannot be read")


def _of_table(folder: Path, path: Path) -> Check:
    return _check(f"{path.name} follows from the model", lambda: _same_table(folder, path))


def _guarantee(made: Mapping[str, Any]) -> bool:
    """Return whether the numbers and words of the guarantee are those of the event."""
    told = made["predicate"]
    event, said = restored(told["event"]), told["guarantee"]
    guarantee = Guarantee(said["epsilon"], said["delta"], said["neighbours"])
    return covers(guarantee, event) and said == guaranteed(event, guarantee, marked=told[DIAGNOSTIC] is not None)


def _of_ledger(folder: Path, made: Mapping[str, Any], path: Path) -> Iterator[Check]:
    try:
        ledger = Ledger.open(path)
        entries = ledger.entries
    except LedgerError as error:
        yield Check("the ledger is whole", False, str(error))
        return
    yield Check("the ledger is whole", True)
    told = made["predicate"].get("ledger", {})
    yield Check("the ledger is the certified one", told.get("identity") == ledger.identity)
    entry = _entry(entries, told.get("request_digest"))
    if entry is None:
        yield Check("the ledger was charged for this release", False, "it has no entry of this request")
        return
    content = Reservation(ledger, entry.number).stored
    if content is None:
        yield Check("the ledger was charged for this release", False, "the entry has no released bytes")
        return
    yield Check("the ledger was charged for this release", told.get("entry") == entry.number)
    yield _check("the ledger stores what is certified", lambda: sha256(content) == made["predicate"]["released_digest"])
    yield _check("the charge is for the certified events", lambda: entry.payload["event"] == made["predicate"]["event"])
    yield _check("the neighbours are those of the budget", lambda: _neighbours(made) == ledger.rule.neighbours.value)
    yield _check("the model is what the ledger stores", lambda: _same_model(folder, entry, content))
    yield _check("all else follows from the ledger", lambda: made == _anew(folder, made, ledger, entry, content))


def _entry(entries: tuple[Entry, ...], digest: Any) -> Entry | None:
    """Return the reservation of the request with this digest, worked out anew."""
    for entry in entries:
        if entry.kind == "reserved" and sha256(canonical(entry.payload["request"])) == digest:
            return entry
    return None


def _neighbours(made: Mapping[str, Any]) -> Any:
    return made["predicate"]["guarantee"]["neighbours"]


def _same_model(folder: Path, entry: Entry, stored: bytes) -> bool:
    model, drawn = json.loads((folder / MODEL).read_bytes()), json.loads(stored)
    request = entry.payload["request"]
    must = {"output": drawn["output"], "sizes": drawn["sizes"]} | {k: request[k] for k in ("release", "records")}
    return {key: value for key, value in model.items() if key != "format"} == must


def _same_table(folder: Path, path: Path) -> bool:
    """Return whether a synthetic table has the cells that follow from the model; types of Parquet may differ."""
    model = Model.load(folder / MODEL)
    must = model.synthetic(model.sizes["n_private"])
    if path.suffix == ".parquet":
        found = pq.read_table(path)
        return bool(found.column_names == must.column_names and found.cast(must.schema).equals(must))
    written = pa.BufferOutputStream()
    pa_csv.write_csv(must, written, pa_csv.WriteOptions(delimiter=SUFFIXES[path.suffix]))
    return bool(written.getvalue().to_pybytes() == path.read_bytes())


def _anew(folder: Path, made: Mapping[str, Any], ledger: Ledger, entry: Entry, stored: bytes) -> dict[str, Any]:
    """Return the certificate as it must be; what the request declares of public data cannot be checked."""
    public = made["predicate"]["public_data"]
    declared = {key: public[key] for key in certificates.DECLARED if public[key] is not None}
    files = {name: (folder / Path(name).name).read_bytes() for name in certificates.names(made)}
    anew = certificate(stored, entry_of(ledger.identity, entry), files, declared)
    return json.loads(certificates.to_bytes(anew))
