"""The request for a release, ``config/release.yaml``, checked before a private row is read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from semipriv.core import overlay
from semipriv.core.fields import checked as checked_field
from semipriv.core.work import Limits, Works, limits
from semipriv.practice.asking import written
from semipriv.practice.asking.candidate import Candidate, Public
from semipriv.practice.asking.candidates import candidate_of, has_weights, learner_of, plugins_of, resolved
from semipriv.practice.asking.classless import grouped
from semipriv.practice.asking.draft import check_filled, unfilled
from semipriv.practice.asking.groups import Groups
from semipriv.practice.asking.keys import STATISTICS, ReleaseKeys, features_of
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.quality import HeldOut
from semipriv.practice.asking.squared import STEPS, SquaredErrors
from semipriv.practice.asking.tables import named_path, source_of
from semipriv.practice.columns.cells import as_cells, check_type, texts
from semipriv.practice.columns.features import NO_PUBLIC_ROW, Categories, feature, no_public_rows
from semipriv.practice.columns.labels import AnyLabel, label_of
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records
from semipriv.practice.sources.apart import check_apart
from semipriv.practice.sources.forms import is_table
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Beside
from semipriv.privacy.budget.amounts import positive_amount
from semipriv.privacy.guarantee import by_person
from semipriv.settings.checking import checked, faults
from semipriv.settings.faults import Faults
from semipriv.settings.reading import ConfigError, located, read_settings


@attrs.frozen
class Status:
    """Rows whose cell in the column is the value are public; the statuses of all rows are public then."""

    column: str
    value: str = checked_field(lambda _, given: as_cells([given])[0])

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold the value."""
        check_type(texts, kind)


@attrs.frozen(eq=False)
class Request:
    """A checked request.

    name: of the release; folder: where its outputs go.  public: None without public rows, and if public rows are in the
    private table, where status marks them.  person: the columns that name persons; None where each row is one person.
    records: those of the file; the ends of a ``range: public`` are known by ``read_public`` only.  candidates: one,
    unless a choice among several is paid for.  provenance: source, licence and date of the public data, as far as they
    are given.  settings: the file as it was given.  plugins: SHA-256 of the files from plug-in folders that learners
    and classes use, by room and name.
    """

    name: str
    folder: Path
    ledger: Path
    private: Source
    public: Source | None
    status: Status | None
    unlabelled: Source | None
    person: PersonColumns | None
    records: Records
    candidates: Sequence[Candidate]
    held_out: HeldOut | None
    accept_changed_table: bool
    unprotected_diagnostic: bool
    provenance: Mapping[str, str]
    settings: Mapping[str, Any]
    plugins: Mapping[str, str] = attrs.field(factory=dict)
    limits: Limits = attrs.field(factory=Limits)
    """What a piece of work may take."""
    period: Sequence[str] = ()
    """Periods of the private rows, each of which a ledger with periods charges."""

    @property
    def candidate(self) -> Candidate:
        """The only candidate."""
        (candidate,) = self.candidates
        return candidate

    @property
    def ones_only(self) -> bool:
        """Whether private rows must have the label 1."""
        return any(candidate.ones_only for candidate in self.candidates)

    @property
    def private_columns(self) -> tuple[str, ...]:
        """Names of the columns of the private table that are read."""
        persons = () if self.person is None else self.person.columns
        status = () if self.status is None else (self.status.column,)
        return tuple(dict.fromkeys([*self.example_columns, *status, *persons]))

    @property
    def example_columns(self) -> tuple[str, ...]:
        """Names of the columns of the private table that are learned from, or that tell groups."""
        groups = None if self.held_out is None else self.held_out.groups
        return tuple(dict.fromkeys([*self.records.columns, *(() if groups is None else (groups.column.column,))]))

    @property
    def plugin_modules(self) -> list[str]:
        """Dotted names of the modules of ``plugins``."""
        return list(map(overlay.module_below, self.plugins))

    def limited(self) -> AbstractContextManager[Works]:
        """Allow work to take what ``limits`` says, inside a ``with`` block, which yields it as it is asked for."""
        return limits(self.limits.minutes, self.limits.memory)

    def close(self) -> None:
        """Close what its tables hold open."""
        for source in (self.private, self.public, self.unlabelled):
            if source is not None:
                source.close()

    def stands_for(self, earlier: Mapping[str, Any]) -> bool:
        """Return whether this request is for the same release: its name and folder are the same."""
        return bool(earlier.get("release") == self.name)

    def identity(self, public: Public) -> dict[str, Any]:
        """Return what decides the distribution of the release besides the private rows, as values of JSON."""
        held = self.held_out
        return {
            "release": self.name,
            "records": public.records.description(),
            "public": public.digest,
            "status": None if self.status is None else attrs.asdict(self.status),
            **({} if self.person is None else {"person": attrs.asdict(self.person)}),
            "candidates": [candidate.specification() for candidate in self.candidates],
            "held_out": None if held is None else held.described(),
            "unprotected_diagnostic": self.unprotected_diagnostic,
            **({"changed_table": "accept"} if self.accept_changed_table else {}),
            **({"plugins": dict(self.plugins)} if self.plugins else {}),
            **({"period": list(self.period)} if self.period else {}),
            **written.identity({key: getattr(self, key) for key in ("private", "public", "unlabelled")}),
        }


def load(path: str | Path) -> Request:
    """Read and check a request; raise ConfigError naming file, key and what is allowed.

    Of tables, only headers and footers are read; the bytes of files that may be copies of each other are compared.
    Paths in it are relative to the working folder.
    """
    if is_table(Path(path)):
        raise ConfigError(
            f"{path}: is a table, and a request is needed: a YAML file that names the table and declares its columns "
            "(`semipriv release --example` drafts one)"
        )
    settings = read_settings(Path(path))
    with located(str(path)):
        _check_keys(settings)
        keys = checked(ReleaseKeys, settings)
        overlay.lay(keys.plugins)
        return _request(keys, settings)


def _check_keys(settings: Mapping[str, Any]) -> None:
    """Raise ValueError for all keys of a request that are unknown, missing, not filled in, or wrong by themselves."""
    refusals = Faults()
    if "seed" in settings:
        refusals.add(["seed: a release takes its randomness from the operating system: who knows a seed draws again"])
    refusals.of(check_filled, settings)
    drafted = unfilled(settings)
    for key, wrong in faults(ReleaseKeys, {key: value for key, value in settings.items() if key != "seed"}):
        if not any(_within(key, open_key) or _within(open_key, key) for open_key in drafted):
            refusals.add([wrong])
    refusals.check()


def _within(key: str, other: str) -> bool:
    """Return whether a key is another one, or inside of it."""
    return key == other or (other != "" and key.startswith((f"{other}.", f"{other}[")))


def _request(keys: Any, settings: Mapping[str, Any]) -> Request:
    """Return the request; raise ValueError for all faults of its file, or, if there are none, for those of tables."""
    refusals, public, beside = Faults(), keys.public, Beside()
    label, ledger = refusals.of(_label, keys), refusals.of(_ledger, keys.ledger, keys.results)
    folder = refusals.of(named_path, "results", keys.results)
    chosen = [refusals.of(resolved, entry, keys) for entry in keys.candidates or [keys]]
    learned: list[Any] = [
        (pair[0], *(refusals.of(learner_of, pair[0]) or (None, {}))) for pair in chosen if pair is not None
    ]
    person = None if keys.person is None else refusals.of(PersonColumns, keys.person.columns, keys.person.rows)
    held_out = None if keys.held_out is None or refusals.some else refusals.of(_held_out, keys.held_out, label)
    records: Any = None if refusals.some else refusals.of(_records, keys, learned, label)
    status = None if public is None or public.column is None else Status(public.column, public.value)
    groups = None if held_out is None or held_out.groups is None else held_out.groups.column
    persons = () if person is None else person.declared
    known = () if records is None else records.declared
    declared = [column for column in (*known, status, groups, *persons) if column is not None]
    tables: dict[str, Any] = {
        key: None if keys_of is None else refusals.of(source_of, key, keys_of, declared, beside)
        for key, keys_of in {
            "private": keys.private,
            "public": None if status is not None else public,
            "unlabelled": keys.unlabelled,
        }.items()
    }
    width = 0 if records is None else records.width
    candidates = [
        refusals.of(candidate_of, entry, learner, amounts, width) for entry, learner, amounts in learned if width
    ]
    refusals.check()
    candidates = [
        attrs.evolve(candidate, choice=choice) for candidate, (_, choice) in zip(candidates, chosen, strict=True)
    ]
    provenance = {} if public is None else {key: getattr(public, key) for key in ("source", "licence", "date")}
    request = Request(
        name=keys.release,
        folder=Path(folder) / "releases" / keys.release,
        ledger=ledger,
        **tables,
        status=status,
        person=person,
        records=records,
        candidates=tuple(candidates),
        held_out=held_out,
        accept_changed_table=keys.changed_table == "accept",
        unprotected_diagnostic=keys.unprotected_diagnostic,
        provenance={key: value for key, value in provenance.items() if value is not None},
        settings=settings,
        plugins=plugins_of(candidates),
        limits=Limits(**keys.limits.model_dump()),
        period=keys.period or (),
    )
    for candidate in candidates:
        refusals.of(candidate.check_fit, records)
    for wrong in (_wrong_uses, _wrong_persons, _wrong_quality):
        refusals.add(wrong(request))
    refusals.check()
    _check_tables(request)
    return request


def _records(keys: Any, learned: Sequence[Any], label: AnyLabel | None) -> Records:
    """Return how records become points for all candidates."""
    return Records(
        features_of(
            keys.features,
            one_hot=all(has_weights(entry, learner) for entry, learner, _ in learned),
            apart=all(entry.learner["name"] == STATISTICS for entry, *_ in learned),
            public=keys.public is not None,
            groups={
                name
                for candidate in learned
                if candidate[0].learner["name"] == STATISTICS
                for name in grouped(candidate[1])
            },
        ),
        label,
    )


def _label(keys: Any) -> AnyLabel | None:
    if keys.response is not None:
        return Response(**keys.response.model_dump())
    return None if keys.label is None else label_of(keys.label.declared)


def _ledger(given: str, results: str) -> Path:
    path = Path(named_path("ledger", given))
    if path.resolve().is_relative_to(Path(results).resolve()):
        raise ValueError(f"ledger = {given!r}: must not be in {results}/, which can be deleted and made again")
    return path


def _held_out(keys: Any, label: AnyLabel | None) -> HeldOut:
    choice = None if keys.choice is None else positive_amount("held_out.choice", keys.choice)
    return HeldOut(
        round(1 / keys.share),
        positive_amount("held_out.epsilon", keys.epsilon),
        choice,
        None if keys.groups is None else _groups(keys.groups, STEPS if isinstance(label, Response) else 1),
        _squared(keys, label),
    )


def _squared(keys: Any, label: AnyLabel | None) -> SquaredErrors | None:
    """Return how rows score where a number is predicted; None where mistakes are counted."""
    if not isinstance(label, Response):
        if keys.largest_error is not None:
            raise ValueError("held_out.largest_error: is of a response, of labels mistakes are counted")
        return None
    given = keys.largest_error
    largest = None if given is None else positive_amount("held_out.largest_error", given)
    try:
        return SquaredErrors.of(label, largest)
    except ValueError as error:
        raise ValueError(f"held_out.{error}") from None


def _groups(keys: Any, most: int) -> Groups:
    try:
        column = feature(keys.column, {Categories.kind: keys.categories, "unknown": keys.unknown})
    except ValueError as error:
        raise ValueError(str(error).replace("features.", "held_out.groups: ", 1)) from None
    assert isinstance(column, Categories)
    if column.open:
        raise ValueError("held_out.groups.categories = 'public': must be a list of all groups")
    return Groups(column, positive_amount("held_out.groups.epsilon", keys.epsilon), most)


def _wrong_uses(request: Request) -> Iterator[str]:
    """Yield what is wrong with public rows or unlabelled entries that are missing, or that no learner reads."""
    has_public = request.public is not None or request.status is not None
    for candidate in request.candidates:
        if candidate.needs_public and not has_public:
            yield f"needs public: the learner {candidate.name} uses public rows"
        if request.unlabelled is not None and not getattr(candidate.learner, "reads_unlabelled", False):
            yield f"unlabelled: the learner {candidate.name} reads no such entries"
        if request.unlabelled is not None and not request.unlabelled.ordered:
            yield "unlabelled: its first rows are read, and a database has none: give unlabelled.order"
    if has_public and not any(candidate.uses_public for candidate in request.candidates):
        yield "public: the learner uses no public rows"
    for column in request.records.features:
        if column.open and not has_public:
            yield f"features.{column.column}.{no_public_rows(column)}"
        elif column.reads_public and not has_public:
            yield f"features.{column.column}.unknown: {NO_PUBLIC_ROW}"


def _wrong_persons(request: Request) -> Iterator[str]:
    """Yield what is wrong where persons are protected: their columns are learned from, or rows are spoken of."""
    person = request.person
    if person is None:
        return
    for name in person.columns:
        if name in request.example_columns:
            yield f"person.columns: {name!r} is also a feature, a label or a group: a name is not learned from"
    if request.status is not None:
        yield "public.column: tells public rows, and persons are protected: give public rows as a table"
    if request.unlabelled is not None:
        yield "unlabelled: are entries of their own, and persons are protected: take a learner without them"
    if request.unprotected_diagnostic:
        yield "unprotected_diagnostic: counts rows, and where persons are protected no number of rows is told"
    for candidate in request.candidates:
        guarantee = candidate.learner.guarantee
        try:
            assert guarantee is not None
            by_person(guarantee)
        except ValueError as error:
            yield f"person: {candidate.name}: {error}"


def _wrong_quality(request: Request) -> Iterator[str]:
    """Yield what is wrong with rows that are held out, with a diagnostic, and with the price of a choice."""
    for candidate in request.candidates:
        if request.unprotected_diagnostic and not candidate.predicts:
            yield f"unprotected_diagnostic: counts mistakes, the learner {candidate.name} predicts no label"
        if request.held_out is not None and request.person is None and not request.private.ordered:
            yield "held_out: tells rows apart by their places, which a database has none of: give private.order"
        if request.held_out is not None and candidate.table is not None:
            yield f"held_out: judges predictions, the learner {candidate.name} makes none"
    if request.held_out is not None and (len(request.candidates) > 1) != (request.held_out.choice is not None):
        yield "held_out.choice: is the epsilon of the choice among candidates: give both or none of them"


def _check_tables(request: Request) -> None:
    """Raise ValueError for tables that are missing, empty, the same, or without the named columns and their types."""
    features = request.records.features
    check_apart(request.private, request.unlabelled, request.public)
    groups = None if request.held_out is None else request.held_out.groups
    others = [column for column in (request.status, None if groups is None else groups.column) if column is not None]
    persons = () if request.person is None else request.person.declared
    request.private.check([*request.records.declared, *others, *persons])
    if request.unlabelled is not None:
        request.unlabelled.check(features)
    if request.public is not None:
        labelled = any(candidate.reads_public_labels for candidate in request.candidates)
        _check_labelled(request, request.public)
        request.public.check(request.records.declared if labelled else features)


def _check_labelled(request: Request, public: Source) -> None:
    """Raise ValueError, with the learner, if it reads labels of public rows, and these have no such column."""
    label = request.records.label
    for candidate in request.candidates:
        if label is not None and candidate.reads_public_labels:
            for part in public.parts:
                if label.column not in public.names(part):
                    raise ValueError(
                        f"{part}: column {label.column!r} is missing: {candidate.name} reads the labels of public "
                        "rows; take a learner that needs none (`semipriv docs which-learner`)"
                    )
