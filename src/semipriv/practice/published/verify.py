"""Checks of a published release: files against certificate, certificate against itself, and both against the ledger.

Whatever a folder holds, a check holds or fails: files may come from anybody.  What is written is compared byte for byte
with what semipriv writes of what is read, so that no reader of JSON sees anything else in it.

Files alone show that nothing was changed by accident or by halves.  Whoever writes a folder anew, digests included, is
found out by the ledger alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any

import attrs
import pyarrow.parquet as pq

from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.outputs.report import Report
from semipriv.practice.asking.candidate import REPORT, SYNTHETIC
from semipriv.practice.asking.releasable import PREDICTORS
from semipriv.practice.columns import strict
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.published import form, words
from semipriv.practice.published.certificate import (
    DIAGNOSTIC,
    PREDICATE,
    PREDICTED,
    STATEMENT,
    certificate,
    covers,
    entry_of,
    guaranteed,
    in_words,
    names,
    persons,
    plugins,
    sha256,
    to_bytes,
    tuning,
)
from semipriv.practice.published.folder import CERTIFICATE, ENDINGS, FIGURE, INTERVALS, MODEL, PAGE, SUMS
from semipriv.practice.published.intervals import intervals, same
from semipriv.practice.published.model import FORMAT, Model, UnknownClassError, file_of
from semipriv.practice.published.released import read
from semipriv.practice.published.released import written as arrays_written
from semipriv.practice.published.signing_page import signing_page
from semipriv.practice.published.tables import TABLES, following, is_exact, told_of_table, written
from semipriv.privacy.budget.ledger import Ledger, LedgerError, Reservation
from semipriv.privacy.budget.lines import Entry
from semipriv.privacy.events import described, restored
from semipriv.privacy.guarantee import Guarantee, Neighbours

FIGURES = tuple(f"{FIGURE}.{ending}" for ending in ENDINGS)


@attrs.frozen
class Check:
    """One thing that was checked, whether it is so, and what else there is to say."""

    what: str
    passed: bool
    more: str = ""

    def __str__(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.what}" + (f": {self.more}" if self.more else "")


@attrs.frozen(eq=False, slots=False)
class _Publication:
    """The folder of a release and its certificate; what is read of it is read once."""

    folder: Path
    statement: Mapping[str, Any]

    @property
    def predicate(self) -> Any:
        """The predicate of the certificate."""
        return self.statement["predicate"]

    @cached_property
    def content(self) -> bytes:
        """The bytes of the model."""
        return strict.contents(self.folder / MODEL)

    @cached_property
    def document(self) -> Any:
        """The model as values of JSON."""
        return strict.read(self.folder / MODEL)

    @cached_property
    def model(self) -> Model:
        """The model, loaded; raise ValueError, in one line, for what is none."""
        return Model.load(self.folder / MODEL)

    @cached_property
    def table(self) -> str:
        """The name of the only table that is certified."""
        (name,) = (name for name in names(self.statement) if name in TABLES)
        return name

    @cached_property
    def same_table(self) -> bool:
        """Whether the table is what follows from the model and from the types that the certificate tells.

        Bytes of Parquet are those of the version of pyarrow that the certificate names.  If that is another one here,
        they may differ; names, types, metadata and all cells may not.
        """
        content, suffix = strict.contents(self.folder / self.table), Path(self.table).suffix
        rows = pq.read_table(BytesIO(content)).num_rows if suffix == ".parquet" else len(content)
        if not self.reports and self.document["sizes"]["n_private"] > rows:
            return False  # before a table of that many rows is made
        must = following(self.model, self.types, self.periods)
        if suffix == ".parquet" and not self.same_writer:
            return is_exact(content, must)
        return written(must, suffix) == content

    @property
    def reports(self) -> bool:
        """Whether the model is a report."""
        return bool(self.document["output"]["is"]["kind"] == Report.kind)

    @property
    def types(self) -> Mapping[str, str]:
        """The types of the columns of the table, as the certificate tells them; a report has its own."""
        return {} if self.reports else dict(self.predicate["synthetic_table"]["types"])

    @property
    def periods(self) -> Sequence[str]:
        """The periods of the private rows, as the certificate tells them."""
        return tuple(self.predicate["period"]["names"]) if "period" in self.predicate else ()

    @property
    def same_writer(self) -> bool:
        """Whether the version of pyarrow that wrote the files is the one that is here."""
        return bool(self.predicate["versions"].get("pyarrow") == metadata.version("pyarrow"))


def read_certificate(folder: Path) -> dict[str, Any]:
    """Return the certificate in a folder; raise ValueError, in one line with its name, for anything else."""
    path = folder / CERTIFICATE
    statement = strict.read(path)
    if not isinstance(statement, dict) or (statement.get("_type"), statement.get("predicateType")) != (
        STATEMENT,
        PREDICATE,
    ):
        raise ValueError(f"{path}: is not the certificate of a release ({PREDICATE})")
    try:
        place = strict.misfit(statement, form.CERTIFICATE)
    except RecursionError:
        place = "a value that is nested too deeply"
    if place is not None:
        raise ValueError(f"{path}: {place}: is missing, has another form, or is not part of a certificate")
    return statement


def verify(folder: str | Path, ledger: str | Path | None = None) -> list[Check]:
    """Return all checks of the release in a folder, those of the ledger where its path is given.

    Raise ValueError if there is no certificate.
    """
    folder = Path(folder)
    statement = read_certificate(folder)
    publication = _Publication(folder, statement)
    checks = [
        _check(
            f"{CERTIFICATE} is written as semipriv writes it",
            lambda: to_bytes(statement) == strict.contents(folder / CERTIFICATE),
        ),
        *_of_page(publication),
        _check("the certified files are those of a release", lambda: _files_of_a_release(publication)),
        _of_file(publication, MODEL),
        _check(f"{MODEL} is written as semipriv writes it", lambda: _written_as_read(publication.content)),
        _loads(publication),
        *_of_tables(publication),
        _check("guarantee follows from the events", lambda: _guarantee(statement)),
        _check("the certificate speaks of the model", lambda: _of_the_model(publication)),
    ]
    if ledger is not None:
        checks += _of_ledger(publication, Path(ledger))
    return checks


def remarks(folder: str | Path, *, with_ledger: bool) -> list[str]:
    """Return what no check says: what is unprotected, and what nothing vouches for.  Raise ValueError as ``verify``."""
    folder = Path(folder)
    statement = read_certificate(folder)
    predicate, lines = statement["predicate"], []
    if "plugins" in predicate:
        files = ", ".join(ascii(name)[1:-1] for name in predicate["plugins"]["files"])
        lines.append(f"WARNING the guarantee is the word of the author of plug-ins from outside semipriv: {files}")
    if predicate[DIAGNOSTIC] is not None:
        lines.append("WARNING this release holds an unprotected diagnostic: no guarantee speaks of it")
    others = sorted(path.name for path in folder.iterdir() if path.name not in (CERTIFICATE, PAGE, *names(statement)))
    if SUMS in others:
        lines.append(f"WARNING {SUMS}/ is for sums of private rows, which are not part of a release: never publish it")
    for kind, some in (
        ("pictures", [name for name in others if name in FIGURES]),
        ("not part of a release", [name for name in others if name not in (SUMS, *FIGURES)]),
    ):
        if some:
            shown = ", ".join(name if name.isascii() and name.isprintable() else ascii(name) for name in some)
            lines.append(f"not checked: {shown} ({kind}): nothing vouches for them")
    if not with_ledger:
        lines.append("not checked: the ledger (--ledger PATH): only the ledger reveals a complete forgery")
    return lines


def _check(what: str, holds: Callable[[], bool]) -> Check:
    """Return a check; what cannot be read, lacks a key, or holds another type, fails."""
    try:
        return Check(what, bool(holds()))
    except strict.FileError as error:
        return Check(what, False, str(error))
    except Exception:  # whatever a foreign file holds
        return Check(what, False, "a part is missing or has another form")


# ---------------------------------------------------------------------------------------------------- files
def _files_of_a_release(publication: _Publication) -> bool:
    """Return whether the subjects are the model and, unless it predicts, one table of its kind, in order.

    Of grown rows also the limits of their marginals.
    """
    certified, kind = list(names(publication.statement)), publication.document["output"]["is"]["kind"]
    if kind in PREDICTORS:
        return certified == [MODEL]
    first = [INTERVALS, MODEL] if kind == GrownRows.kind else [MODEL]
    stem = REPORT if publication.reports else SYNTHETIC
    return certified in [[*first, table] for table in TABLES if Path(table).stem == stem]


def _of_file(publication: _Publication, name: str) -> Check:
    certified = {subject["name"]: subject["digest"]["sha256"] for subject in publication.statement["subject"]}
    what = f"{name} has the certified digest"
    return _check(what, lambda: sha256(strict.contents(publication.folder / name)) == certified[name])


def _of_page(publication: _Publication) -> Iterator[Check]:
    """Yield the check of the certificate as a page, if it is there: people copy certificates without it."""
    path = publication.folder / PAGE
    if path.exists() or path.is_symlink():
        yield _check(
            f"{PAGE} follows from {CERTIFICATE}", lambda: strict.contents(path) == signing_page(publication.statement)
        )


def _loads(publication: _Publication) -> Check:
    """Return whether the model is one: of a known class, all parts of the sizes that it declares.

    A class of a release with plug-ins cannot be looked at where these are not.
    """
    what = f"{MODEL} holds a model"
    try:
        return Check(what, publication.model is not None)
    except UnknownClassError as error:
        return Check(what, "plugins" in publication.predicate, str(error))
    except ValueError as error:  # its text repeats nothing of the file
        return Check(what, False, str(error))


def _of_tables(publication: _Publication) -> Iterator[Check]:
    """Yield the checks of a table that is certified, or that is there."""
    for name in TABLES:
        if name in names(publication.statement):
            yield _of_file(publication, name)
            yield _check(f"{name} follows from the model", lambda: publication.same_table)
        elif (publication.folder / name).exists() or (publication.folder / name).is_symlink():
            yield Check(f"{name} is certified", False)
    if INTERVALS in names(publication.statement):
        yield _of_file(publication, INTERVALS)
        yield _check(f"{INTERVALS} follows from the model", lambda: _same_intervals(publication))


def _written_as_read(content: bytes) -> bool:
    """Return whether a model is what is written of the values that are read from it."""
    model = strict.loads(content)
    records, output = Records.restored(model["records"]).description(), model["output"]
    output = {"is": output["is"], "arrays": arrays_written(read(output["arrays"]))}
    return bool(model["format"] == FORMAT and file_of(model["release"], records, model["sizes"], output) == content)


def _same_intervals(publication: _Publication) -> bool:
    """Return whether the limits of marginals are those of the model, and are written as semipriv writes them."""
    content = strict.contents(publication.folder / INTERVALS)
    limits, must = pq.read_table(BytesIO(content)), intervals(publication.model)
    if not same(limits, must):
        return False
    again = limits.cast(must.schema)
    return written(again, ".parquet") == content if publication.same_writer else is_exact(content, again)


# ---------------------------------------------------------------------------------------------------- certificate
def _guarantee(statement: Mapping[str, Any]) -> bool:
    """Return whether the numbers and words of the guarantee are those of the event."""
    predicate = statement["predicate"]
    event, stated = restored(predicate["event"]), predicate["guarantee"]
    guarantee = Guarantee(stated["epsilon"], stated["delta"], stated["neighbours"])
    must = guaranteed(event, guarantee, marked=predicate[DIAGNOSTIC] is not None)
    return covers(guarantee, event) and _equal(stated, must) and _equal(predicate["event"], described(event))


def _of_the_model(publication: _Publication) -> bool:
    """Return whether the certificate says of the model what the model says, and the rest in the words of semipriv."""
    predicate, model = publication.predicate, publication.document
    quality, sizes = predicate["quality"] or {}, predicate["sizes"]
    squared = {"squared_errors": quality["noisy_sum"]} if "noisy_sum" in quality else {}
    drawn = {"more": {"held_out": {"chosen": quality.get("chosen_candidate", 0), **squared}}}
    files = predicate.get("plugins", {}).get("files")
    request = {"candidates": predicate["mechanism"]["candidates"], "plugins": files, **_named(predicate)}
    neighbours, marked = Neighbours(predicate["guarantee"]["neighbours"]), predicate[DIAGNOSTIC] is not None
    public = predicate["public_data"]["digest"]
    unprotected = [
        words.unprotected({"status": status, "public": public}, neighbours, marked=marked) for status in (None, "")
    ]
    must = {
        "release": model["release"],
        "sizes": model["sizes"],
        "schema": model["records"],
        "timing": words.TIMING,
        "floating_point": words.FLOATING_POINT,
        "post_processing": words.POST_PROCESSING,
        "tuning": tuning(drawn, request),
        **_of_table(publication),
        **plugins(request),
    }
    return (
        all(_equal(predicate[key], value) for key, value in must.items())
        and predicate["mechanism"]["sampler"] == words.SAMPLER
        and predicate["unprotected"] in unprotected
        and ("plugins" in predicate) == bool(plugins(request))
        and ("report" in predicate) == publication.reports
        and ("persons" in predicate) == (neighbours is Neighbours.REPLACE_PERSON)
        and all(_equal(predicate.get(key), value) for key, value in persons(request).items())
        and predicate.get("period", {}).get("whose_word", words.PERIOD) == words.PERIOD
        and in_words(predicate)
        and _are_predictions(predicate[PREDICTED], publication)
        and quality.get("held_out_rows") == sizes.get("n_held_out")
        and quality.get("chosen_candidate", 0) < len(request["candidates"])
    )


def _named(predicate: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a request says of persons, by what a certificate says of them."""
    return {"person": {"columns": predicate["persons"]["columns"]}} if "persons" in predicate else {}


def _are_predictions(predictions: Any, publication: _Publication) -> bool:
    """Return whether predictions of the public rows are told if there are any, of as many rows, of declared values."""
    rows, label = publication.document["sizes"]["n_public"], Records.restored(publication.document["records"]).label
    if predictions is None:
        return not rows or publication.document["output"]["is"]["kind"] not in PREDICTORS
    if predictions["rows"] != rows:
        return False
    if isinstance(label, Response):
        return bool(
            "least" in predictions
            and label.range[0] <= predictions["least"] <= predictions["greatest"] <= label.range[1]
        )
    sides = () if label is None else label.sides
    counts = [entry["rows"] for entry in predictions["labels"]]
    return _equal([entry["label"] for entry in predictions["labels"]], list(sides)) and sum(counts) == rows


def _of_table(publication: _Publication) -> dict[str, Any]:
    """Return what must be said of the table, once its file is the one that follows from the model."""
    if publication.document["output"]["is"]["kind"] in PREDICTORS or not publication.same_table:
        return {"synthetic_table": None}
    return told_of_table(publication.model, publication.types, publication.periods)


def _equal(a: Any, b: Any) -> bool:
    """Return whether values of JSON are written alike: true is not 1, and 1 is not 1.0."""
    return canonical(a) == canonical(b)


# ---------------------------------------------------------------------------------------------------- ledger
def _of_ledger(publication: _Publication, path: Path) -> Iterator[Check]:
    try:
        ledger = Ledger.open(path)
        charges = ledger.charges
    except LedgerError as error:
        yield Check("the ledger is whole", False, str(error))
        return
    except OSError:
        raise
    except Exception:  # whatever a foreign file holds
        yield Check("the ledger is whole", False, "its lines have another form")
        return
    yield Check("the ledger is whole", True)
    predicate = publication.predicate
    yield Check("the ledger is the certified one", predicate["ledger"]["identity"] == ledger.identity)
    charged = "the ledger was charged for this release"
    try:
        entry = _entry(charges, predicate["ledger"]["request_digest"])
        content = None if entry is None else Reservation(ledger, entry.number).stored
    except Exception:  # whatever a foreign file holds
        yield Check(charged, False, "its entries have another form")
        return
    if entry is None or content is None:
        reason = "it has no entry of this request" if entry is None else "the entry has no released bytes"
        yield Check(charged, False, reason)
        return
    yield Check(charged, predicate["ledger"]["entry"] == entry.number)
    yield _check("the ledger stores what is certified", lambda: sha256(content) == predicate["released_digest"])
    yield _check("the charge is for the certified events", lambda: _equal(entry.payload["event"], predicate["event"]))
    neighbours = predicate["guarantee"]["neighbours"]
    yield _check("the neighbours are those of the budget", lambda: neighbours == ledger.rule.neighbours.value)
    yield _check("the model is what the ledger stores", lambda: _same_model(publication, entry, content))
    yield _check("all else follows from the ledger", lambda: _same_certificate(publication, ledger, entry, content))


def _entry(charges: Sequence[Entry], digest: str) -> Entry | None:
    """Return the charge of the request with this digest, worked out anew."""
    for entry in charges:
        if sha256(canonical(entry.payload["request"])) == digest:
            return entry
    return None


def _same_model(publication: _Publication, entry: Entry, stored: bytes) -> bool:
    drawn, request = strict.loads(stored), entry.payload["request"]
    must = file_of(request["release"], request["records"], drawn["sizes"], drawn["output"])
    return publication.content == must


def _same_certificate(publication: _Publication, ledger: Ledger, entry: Entry, stored: bytes) -> bool:
    """Return whether the certificate is, byte for byte, what is written of the ledger and of the certified files."""
    certified = [name for name in names(publication.statement) if name in (INTERVALS, MODEL, *TABLES)]
    files = {name: strict.contents(publication.folder / name) for name in certified}
    try:
        mark = ledger.mark(entry.number, entry.digest, sha256(stored))
    except LedgerError:  # without the key nobody can tell; only what was set back is told by it
        mark = publication.predicate["ledger"]["mark"]
    must = to_bytes(certificate(stored, entry_of(ledger.identity, entry, mark), files))
    return strict.contents(publication.folder / CERTIFICATE) == must
