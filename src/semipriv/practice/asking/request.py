"""The request for a release, ``config/release.yaml``, checked before a private row is read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from semipriv.core import overlay, registry, rooms
from semipriv.core.fields import checked as checked_field
from semipriv.core.fingerprint import closure
from semipriv.core.work import Limits, Works, limits
from semipriv.learners.base import AnyLearner
from semipriv.practice.asking import written
from semipriv.practice.asking.candidate import Candidate, Public
from semipriv.practice.asking.choosing import (
    AUTO,
    FOLLOWING,
    GRIDS,
    KNOWN,
    LINEAR_RULES,
    NO_GRID,
    WITH_GRID,
    Case,
    Choice,
    choose,
)
from semipriv.practice.asking.classless import CLASSLESS, grouped
from semipriv.practice.asking.draft import check_filled, unfilled
from semipriv.practice.asking.groups import Groups
from semipriv.practice.asking.keys import STATISTICS, ReleaseKeys, features_of
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.quality import HeldOut
from semipriv.practice.asking.releasable import check_releasable, weighs
from semipriv.practice.asking.squared import STEPS, SquaredErrors
from semipriv.practice.columns.cells import Declared, as_cells, check_type, texts
from semipriv.practice.columns.features import NO_PUBLIC_ROW, Categories, feature, no_public_rows
from semipriv.practice.columns.labels import AnyLabel, label_of
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records
from semipriv.practice.sources.apart import check_apart
from semipriv.practice.sources.forms import is_table
from semipriv.practice.sources.objects import Objects, is_address
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Beside, Stored
from semipriv.privacy.budget.amounts import amount, parameter, positive_amount
from semipriv.privacy.guarantee import by_person
from semipriv.settings.checking import checked, faults
from semipriv.settings.faults import Faults
from semipriv.settings.reading import ConfigError, located, read_settings

_AMOUNTS = ("epsilon", "delta")


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
    folder = refusals.of(_named, "results", keys.results)
    chosen = [refusals.of(_resolved, entry, keys) for entry in keys.candidates or [keys]]
    learned: list[Any] = [
        (resolved[0], *(refusals.of(_learner, resolved[0]) or (None, {})))
        for resolved in chosen
        if resolved is not None
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
        key: None if keys_of is None else refusals.of(_source, key, keys_of, declared, beside)
        for key, keys_of in {
            "private": keys.private,
            "public": None if status is not None else public,
            "unlabelled": keys.unlabelled,
        }.items()
    }
    width = 0 if records is None else records.width
    candidates = [
        refusals.of(_candidate, entry, learner, amounts, width) for entry, learner, amounts in learned if width
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
        plugins=_plugins(candidates),
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
            one_hot=all(_weighs(entry, learner) for entry, learner, _ in learned),
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


def _source(key: str, keys: Any, declared: Sequence[Declared], beside: Beside) -> Source:
    """Return the table that a key of the request names; beside: databases that its other tables are in."""
    if keys.path is not None and not is_address(keys.path):
        _named(f"{key}.path", keys.path)
        return written.files(key, keys, declared)
    try:
        if keys.path is not None:
            return Objects(keys.path)
        options = {name: getattr(keys, name) for name in ("order", "version", "seconds") if hasattr(keys, name)}
        return Stored(keys.database, keys.table, keys.schema_name, keys.query, beside=beside, **options)
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from None


def _named(key: str, given: str) -> str:
    """Return a path as text; raise ValueError for what names nothing."""
    if not given.strip() or not given.isprintable():
        raise ValueError(f"{key} = {given!r}: must be a path")
    return given


def _ledger(given: str, results: str) -> Path:
    path = Path(_named("ledger", given))
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


def _resolved(entry: Any, keys: Any) -> tuple[Any, Choice | None]:
    """Return what is learned and by whom, where that is left to a public rule or follows; and what the rule says."""
    name = entry.learner["name"]
    if name != AUTO:
        follows = FOLLOWING.get(name) if entry.hypothesis_class is None else None
        if follows is None:
            return entry, None
        several = {"classes": len(keys.label.classes)} if _several(keys) and follows == LINEAR_RULES else {}
        return entry.model_copy(update={"hypothesis_class": {**follows, **several}}), None
    if entry.hypothesis_class is not None:
        raise ValueError(f"class: follows from the learner that {AUTO} takes: leave it out, or name the learner")
    case = _case(entry.learner, keys)
    if case.grid_alone:
        for column, feature_keys in keys.features.items():
            _check_number(column, feature_keys)
    choice = choose(case)
    if choice.learner["name"] in GRIDS and keys.public is not None:
        raise ValueError("public: rows that miss the private population are of no use: leave them out")
    if choice.learner["name"] in (*GRIDS, WITH_GRID):
        for column, feature_keys in keys.features.items():
            _check_number(column, feature_keys)
            if not isinstance(feature_keys.range, list):
                raise ValueError(f"features.{column}: a grid needs its range: [low, high], declared")
    paid = {key: entry.learner[key] for key in _AMOUNTS if key in entry.learner}
    if not choice.spends_delta:
        paid.pop("delta", None)
    learner = {**choice.learner, **paid}
    return entry.model_copy(update={"learner": learner, "hypothesis_class": dict(choice.hypothesis_class)}), choice


def _check_number(column: str, keys: Any) -> None:
    """Raise ValueError for categories: a grid is of numbers."""
    if keys.categories is not None:
        raise ValueError(f"features.{column}: {NO_GRID}")


def _case(given: Mapping[str, Any], keys: Any) -> Case:
    """Return what the rule knows: declarations, and the names of the columns of public rows."""
    for key in given:
        registry.check_name("key of learner", key, ["name", *_AMOUNTS, *KNOWN])
    if "epsilon" not in given:
        raise ValueError(f"learner.epsilon: is missing, {AUTO} needs it")
    if keys.label is None and keys.response is None:
        raise ValueError(
            f"learner: {AUTO} takes one that predicts, and needs label or response: for counts, means and quantiles by "
            "group name statistics, for a synthetic table table_release, for the distribution of one column "
            "grid_query_release"
        )
    declared = all(isinstance(feature_keys.range, list) for feature_keys in keys.features.values())
    return Case(
        "a number" if keys.response is not None else "several labels" if _several(keys) else "two labels",
        len(keys.features),
        _public_rows(keys),
        parameter(positive_amount("learner.epsilon", given["epsilon"])),
        parameter(amount("learner.delta", given.get("delta", 0))),
        len(keys.label.classes) if _several(keys) else 2,
        **{"ranges": "good" if declared else "unknown", **{key: given[key] for key in KNOWN if key in given}},
    )


def _several(keys: Any) -> bool:
    return keys.label is not None and keys.label.classes is not None


def _public_rows(keys: Any) -> str:
    """Return whether there are public rows, and whether they have a column of labels or of responses."""
    if keys.public is None:
        return "none"
    target = keys.response if keys.label is None else keys.label
    if keys.public.column is not None:
        return "labelled"
    source = _source("public", keys.public, [], Beside())
    return "labelled" if all(target.column in source.names(part) for part in source.parts) else "unlabelled"


def _learner(keys: Any) -> tuple[Any, dict[str, Fraction]]:
    """Build the learner, which must be one that may be released; return it with the exact amounts that are asked."""
    values = dict(keys.learner)
    amounts = {key: amount(f"learner.{key}", values[key]) for key in _AMOUNTS if key in values}
    values |= {key: parameter(value) for key, value in amounts.items()}
    if values["name"] in CLASSLESS:
        if keys.hypothesis_class is not None:
            raise ValueError(f"class: {values['name']} learns none, the declared columns stand instead of one")
        return registry.constructed("learner", CLASSLESS[values["name"]].builds, values), amounts
    if keys.hypothesis_class is None:
        raise ValueError("needs class, what is learned")
    learner: AnyLearner = registry.build("learners", values)
    check_releasable(values["name"], learner)
    return learner, amounts


def _weighs(keys: Any, learner: Any) -> bool:
    return keys.learner["name"] not in CLASSLESS and weighs(learner)


def _candidate(keys: Any, learner: Any, amounts: Mapping[str, Fraction], dimension: int) -> Candidate:
    """Build the class, of as many features as there are coordinates if it does not say how many."""
    assert learner.guarantee is not None, "what has no guarantee is refused before"
    paid = {key: Fraction(getattr(learner.guarantee, key)) for key in _AMOUNTS} | dict(amounts)
    if keys.learner["name"] in CLASSLESS:
        return CLASSLESS[keys.learner["name"]](None, learner, paid["epsilon"], paid["delta"])
    settings = registry.completed(rooms.of("class"), keys.hypothesis_class, dimension=dimension)
    hypothesis_class = registry.build(rooms.of("class"), settings)
    learner.check(hypothesis_class)
    return Candidate(hypothesis_class, learner, paid["epsilon"], paid["delta"])


def _plugins(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Return the SHA-256 of each file from a plug-in folder that learners and classes use, by room and name."""
    if not overlay.folders():
        return {}
    used = [value for candidate in candidates for value in (candidate.learner, candidate.hypothesis_class)]
    modules = closure(sorted(set().union(*map(registry.modules, used))))
    return overlay.digests(modules)


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
