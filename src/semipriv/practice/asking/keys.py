"""Every key of a request for a release, declared once: its type, its limits, its default and its meaning.

The checks, the JSON schema and a table of ``config/README.md`` follow from these models, as those of experiments do.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from semipriv.core import rooms
from semipriv.practice.asking.choosing import AUTO
from semipriv.practice.asking.table_keys import PrivateKeys, PublicKeys, Text, UnlabelledKeys
from semipriv.practice.columns.dates import UNITS
from semipriv.practice.columns.features import Bins, Categories, Feature, Integers, Range
from semipriv.practice.columns.features import feature as checked_feature
from semipriv.settings.checking import HERE, Keys, plugin
from semipriv.settings.faults import Faults

TABLES, STATISTICS = "table_release", "statistics"
"""Names of the learners of synthetic tables and of statistics by group, which stand in no room: they learn no class."""


def _share(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 0.5 or 1 / value % 1:
        raise ValueError(f"{HERE} = {value!r}: must be 1/k as a number for k = 2, 3, ...: every k-th row is held out")
    return float(value)


def _amount(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{HERE} = {value!r}: must be a number, as 0.1 or 1/3")
    return str(value)


def _declared(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{HERE}: must be a mapping of at least one column to its range, integers or categories")
    return value


def _said(value: Any) -> Any:
    if value is None:
        raise ValueError(f"{HERE} = None: must be said: what a cell is that is missing or not as declared, or refuse")
    return value


def _learner(value: Any) -> Any:
    if isinstance(value, dict) and value.get("name") in (TABLES, STATISTICS, AUTO):
        return value
    if isinstance(value, str):
        raise ValueError(f"{HERE} = {value!r}: must be a mapping, such as {{name: {value}, epsilon: 1}}")
    return _ROOM.func(value)  # type: ignore[call-arg]


_ROOM = plugin("learners")
_SAID = ", what a cell is that is missing or none of what is declared: {}; or refuse, for a table without such a cell"
_LIST_OR_TEXT = WithJsonSchema({"anyOf": [{"type": "array"}, {"type": "string"}]})
_SIDE = WithJsonSchema({"anyOf": [{"type": "array"}, {"type": "object"}]})
_VALUE = WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
_PERIOD = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "array"}]}
_PLUGIN = WithJsonSchema({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
Amount = Annotated[str, BeforeValidator(_amount)]
Class = Annotated[dict[str, Any], plugin(rooms.of("class")), _PLUGIN]
Learner = Annotated[dict[str, Any], BeforeValidator(_learner), _PLUGIN]


class FeatureKeys(Keys):
    """A feature: exactly one of range, integers, categories and bins.  Nothing is inferred from private rows."""

    what: ClassVar[str] = "key of a feature"

    range: Annotated[Any, _LIST_OR_TEXT] = Field(
        None,
        description="ends `[low, high]`, two numbers or two dates, or `public` for the smallest and the largest public "
        "value, each moved outwards by half of the width between them, but not across 0, and rounded outwards to a "
        "power of ten, at most a thousandth of the width; values outside are clipped, "
        "record by record, and the range is mapped to [0, 1]",
    )
    integers: Annotated[Any, _LIST_OR_TEXT] = Field(
        None,
        description="ends `[low, high]`, or `public` for the smallest and the largest public value, which are not "
        "moved, since each integer may be a cell of its own; values outside are clipped, record by record; "
        "coordinates are 0, 1, ...",
    )
    categories: Annotated[Any, _LIST_OR_TEXT] = Field(
        None,
        description="list of all values, texts or integers, or `public` for all texts of public rows; their places are "
        "the coordinates 0, 1, ...",
    )
    bins: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "array"}, {"type": "integer"}]})] = Field(
        None,
        description="a number of bins, by quantiles of the public rows, or a list of their ends: numbers or dates in "
        "bins, for a synthetic table; a number outside is in the first or the last bin; in synthetic rows the public "
        "median stands for its bin",
    )
    unit: Annotated[Any, WithJsonSchema({"enum": list(UNITS)})] = Field(
        None,
        description="of a range, integers or bins whose column holds dates or times, as do its ends: `2023-01-31` or "
        "`2023-01-31T10:30`, without a time zone; each counts as whole units since the lower end, rounded down; a date "
        "is its midnight",
    )
    unknown: Annotated[Any, _VALUE] = Field(
        None,
        description="what stands for each cell that is missing, or none of what is declared: if nothing is said, "
        "`public`, what the public rows say, the median of numbers and dates and the most frequent category "
        "(for `statistics` such a cell of a range is in no sum, mean or quantile, and it must be said of columns of "
        "groups); or a value; of categories also a "
        "text that is not in their list, and of bins any text, which is then a category of its own, the last one; or "
        "`refuse`: a table with such a cell is refused, before it is paid for",
    )
    indicator: bool = Field(
        False,
        description="true: a second coordinate of a range or integers, 1 where the cell is none of them and 0 "
        "elsewhere",
    )
    one_hot: bool | None = Field(
        None,
        description="of categories: true for a coordinate of 0 and 1 for each of three or more of them, false for "
        "their places; if nothing is said, true where all learners give weights to features, as discriminants do",
    )


_OWN = "a text that is not listed, as other, is a group of its own for all cells that are none of these; or refuse"
_GROUP = {
    Categories.kind: _OWN,
    Bins.kind: _OWN,
    Integers.kind: "one of the integers, in whose group all cells are that are none of them; or refuse; or list them "
    "as categories, of which unknown may be a group of its own",
}
"""What may be said, of groups, of cells that are not as declared, by the kind of their column."""


def features_of(
    declared: Mapping[str, FeatureKeys],
    *,
    one_hot: bool,
    apart: bool = False,
    public: bool = True,
    groups: Collection[str] = (),
) -> list[Feature]:
    """Return the features of declared columns.

    one_hot: whether listed categories without the key ``one_hot`` get a coordinate each.  apart: whether a range
    without the keys ``unknown`` and ``indicator`` marks cells that are no number by an indicator; its lower end stands
    for them then, and counts nowhere.  public: whether there are public rows; without public rows, and with apart, no
    row is made of bins, so that no value need stand for a bin.  groups: columns by which numbers are reported: each of
    them but a range needs the key ``unknown``, so that no unlisted cell counts in a listed group by default.

    Raise ValueError, with the keys, for a declaration that is not possible.
    """
    features, faults = [], Faults()
    for column, keys in declared.items():
        given = keys.model_dump()
        if given["one_hot"] is None and given[Categories.kind] is not None:
            given["one_hot"] = one_hot
        ends = given[Range.kind]
        if apart and isinstance(ends, list) and ends and not {"unknown", "indicator"} & keys.model_fields_set:
            given |= {"unknown": ends[0], "indicator": True}
        built = faults.of(checked_feature, column, given)
        if built is None:
            continue
        if column in groups and not isinstance(built, Range) and "unknown" not in keys.model_fields_set:
            faults.add([f"features.{column}.unknown: must be said, as groups are by it: {_GROUP[built.kind]}"])
        features.append(built.middled() if apart and not public and isinstance(built, Bins) else built)
    faults.check()
    return features


class LabelKeys(Keys):
    """The label: its two sides, or all of its classes, are declared."""

    what: ClassVar[str] = "key of the label"
    needs: ClassVar[Mapping[str, str]] = {"unknown": _SAID.format("0 or 1, or a value of one of the classes")}

    column: Text = Field(description="name of the column")
    classes: Annotated[Any, WithJsonSchema({"type": "array"})] = Field(
        None,
        description="instead of `one` and `zero`, for a learner of several labels: list of all classes, labels 0, 1, "
        "...; each is a value, or has one of the forms of `one`",
    )
    one: Annotated[Any, _SIDE] = Field(
        None,
        description="values with label 1: a list, or one of `{at_least: x}`, `{above: x}`, `{at_most: x}`, "
        "`{below: x}`",
    )
    zero: Annotated[Any, _SIDE] = Field(
        None, description="values with label 0, in the same forms; no value may be on both sides"
    )
    unknown: Annotated[Any, _VALUE, BeforeValidator(_said)] = Field(
        description="0 or 1: the label of all other cells; of `classes`, a value of the class of all other cells; or "
        "`refuse`: a table with such a cell is refused, before it is paid for"
    )

    @model_validator(mode="after")
    def _sides(self) -> Self:
        """Check that there are two sides, or classes."""
        if self.classes is not None and (self.one is not None or self.zero is not None):
            raise ValueError(f"{HERE}: needs classes, or one and zero, and not both")
        for key in ("one", "zero"):
            if self.classes is None and getattr(self, key) is None:
                raise ValueError(f"{HERE}: needs {key}; or classes, for a learner of several labels")
        return self

    @property
    def declared(self) -> dict[str, Any]:
        """The keys that are given."""
        return self.model_dump(exclude_none=True)


class GroupKeys(Keys):
    """Groups of people in each of which the error is released, at one cost for all of them."""

    what: ClassVar[str] = "key of groups"
    needs: ClassVar[Mapping[str, str]] = {"unknown": _SAID.format("a group, of the list or one of its own")}

    column: Text = Field(description="name of the column that tells them; it may be a feature, or none")
    categories: Annotated[Any, WithJsonSchema({"type": "array"})] = Field(
        description="list of all groups, texts or integers"
    )
    unknown: Annotated[Any, _VALUE, BeforeValidator(_said)] = Field(
        description="group of all other cells, one that is listed or one of its own; or `refuse`: a table with such a "
        "cell in a row that is held out is refused, before it is paid for"
    )
    epsilon: Amount = Field(
        description="what the numbers of all groups cost together: mistakes and right answers of each have noise of "
        "scale 2 / epsilon, as have sums of squared errors in units of `largest_error` squared"
    )


class ResponseKeys(Keys):
    """The response: a number that is predicted, instead of a label."""

    what: ClassVar[str] = "key of the response"
    needs: ClassVar[Mapping[str, str]] = {"unknown": _SAID.format("a number of the range")}

    column: Text = Field(description="name of the column")
    range: Annotated[Any, WithJsonSchema({"type": "array"})] = Field(
        description="ends `[low, high]`, declared before a response is seen; numbers outside are clipped, record by "
        "record, and the range is mapped to [-1, 1]"
    )
    unknown: Annotated[Any, _VALUE, BeforeValidator(_said)] = Field(
        description="number of the range that stands for each cell that is none; or `refuse`: a table with such a cell "
        "is refused, before it is paid for"
    )


class HeldOutKeys(Keys):
    """A private error on rows that are held out by their position, or on persons who are held out."""

    what: ClassVar[str] = "key of held_out"

    share: Annotated[float, Field(gt=0, le=0.5), BeforeValidator(_share)] = Field(
        description="1/k: every k-th row of each file is held out; of N persons, N/k rounded down are drawn at "
        "random, and one row of each of them judges"
    )
    epsilon: Amount = Field(description="what the error costs")
    choice: Amount | None = Field(None, description="what the choice costs, if there are `candidates`")
    largest_error: Amount | None = Field(
        None,
        description="of a response, in its units: a larger error counts as this one; the noise of the mean squared "
        "error falls with its square; if nothing is said, the length of the range, which no error exceeds",
    )
    groups: GroupKeys | None = Field(None, description="the error in each group of people besides, see below")


_CLASS = (
    "hypothesis class, or class of functions to [-1, 1] for a learner of these, as in experiments; a `dimension` that "
    "is not said is the number of coordinates of the features; none for `table_release` and `statistics`; may be "
    "left out for `auto`, and for learners of one class, as the discriminants are"
)
_LEARNER = (
    "a learner that may be released, with its parameters, as in experiments; or `table_release` for a synthetic table, "
    "whose features are integers, categories or bins; or `statistics` for counts, sums, means, variances and quantiles "
    "by group (`semipriv docs statistics`), whose groups are such features, and whose numbers are ranges; or `auto`, "
    "which takes one by a public rule (`semipriv docs which-learner`), with `epsilon`, `delta`, and what is known: the "
    "`population` of the public rows (`same`, `perhaps_another`, `spans`, `misses`), the `ranges` (`good`, "
    "`magnitudes`, `unknown`), and `one_column: true` where one decides alone"
)


class CandidateKeys(Keys):
    """What is learned, and by whom."""

    what: ClassVar[str] = "key of a candidate"

    hypothesis_class: Class | None = Field(None, alias="class", description=_CLASS)
    learner: Learner = Field(description=_LEARNER)


def _true(value: Any) -> Any:
    if value is not True:
        raise ValueError(
            f"{HERE} = {value!r}: must be true: neighbours differ in one row; where persons have several rows, name "
            "the columns that tell them: person: {columns: [NAME]}"
        )
    return value


def _columns(value: Any) -> Any:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) and name for name in value):
        raise ValueError(f"{HERE} = {value!r}: must be a list of names of columns, as [patient] or [patient, month]")
    if len(set(value)) < len(value):
        raise ValueError(f"{HERE} = {value!r}: has a name twice")
    return value


def _public_size(value: Any) -> Any:
    if value != "public":
        raise ValueError(
            f"{HERE} = {value!r}: must be public: neighbours replace a row, or a person, so both tables have the same "
            "number of rows, or of persons, and it is not protected"
        )
    return value


def _release(value: Any) -> Any:
    if not isinstance(value, str) or not value.replace("-", "").replace("_", "").isalnum() or not value.isascii():
        raise ValueError(f"{HERE} = {value!r}: must be a name of letters, digits, - and _")
    return value


class PersonKeys(Keys):
    """The columns that name persons: a person is protected with all of their rows."""

    what: ClassVar[str] = "key of person"

    columns: Annotated[list[str], BeforeValidator(_columns), WithJsonSchema({"type": "array"})] = Field(
        description="list of the columns that name a person together, of integers, texts or dates: `[patient]`, "
        "`[household]`, or `[patient, month]` for a person in a month; rows in which one of them is missing are "
        "together one person"
    )
    rows: Literal["average", "one"] | None = Field(
        None,
        description="how the rows of a person count: `average`, each person counts once and their rows share that; "
        "`one`, one of their rows counts, drawn at random; if nothing is said, the average where the learner reads "
        "rows by sums alone, else one",
    )


def _periods(value: Any) -> Any:
    given = value if isinstance(value, list) else [value]
    names = [str(period) for period in given if not isinstance(period, bool) and isinstance(period, str | int | date)]
    if not given or len(names) < len(given):
        raise ValueError(f"{HERE} = {value!r}: must be a period, as 2026-11, or a list of several")
    return sorted(names)


def _each(features: dict[str, FeatureKeys]) -> dict[str, FeatureKeys]:
    """Raise ValueError, with all of them, for columns of which what is declared cannot be."""
    faults = Faults()
    for column, keys in features.items():
        faults.of(checked_feature, column, keys.model_dump())
    faults.check()
    return features


def _positive(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ValueError(f"{HERE} = {value!r}: must be a number > 0")
    return float(value)


Positive = Annotated[float, Field(gt=0), BeforeValidator(_positive)]


class LimitKeys(Keys):
    """What a piece of work may take, by an estimate of public numbers; above it a release is refused, for nothing."""

    what: ClassVar[str] = "key of limits"

    minutes: Positive = Field(default=10.0, description="of one core, `.inf` for no limit")
    memory: Positive = Field(default=2.0, description="in GiB, `.inf` for no limit")


class ReleaseKeys(Keys):
    """A release on an own table."""

    release: Annotated[str, BeforeValidator(_release)] = Field(
        description="name of the release, part of the request, and of its folder `results/releases/NAME/`"
    )
    ledger: Text = Field(description="budget ledger of the data set, made by `semipriv budget open`; not in `results/`")
    private: PrivateKeys = Field(description="table of the private rows, see below")
    public: PublicKeys | None = Field(
        None, description="public rows, see below; none for learners that use no public data"
    )
    unlabelled: UnlabelledKeys | None = Field(
        None,
        description="table of more private rows, whose labels are not read, for learners that need such entries; its "
        "keys are those of the private table",
    )
    person: PersonKeys | None = Field(
        None,
        description="the columns that name a person, who is protected with all of their rows, see below; the number of "
        "persons is public then, and that of rows is not",
    )
    one_row_a_person: Annotated[Literal[True] | None, BeforeValidator(_true), WithJsonSchema({"const": True})] = Field(
        None,
        description="instead of `person`: true, the private table has at most one row of each person; else a release "
        "protects rows only",
    )
    size: Annotated[Literal["public"], BeforeValidator(_public_size)] = Field(
        description="public: the number of private rows, or of persons, is known to all"
    )
    features: Annotated[dict[str, FeatureKeys], BeforeValidator(_declared), AfterValidator(_each)] = Field(
        description="columns in the order of the coordinates, each with its declaration, see below"
    )
    label: LabelKeys | None = Field(None, description="the label, see below; none for query release")
    response: ResponseKeys | None = Field(
        None, description="instead of the label, a number that is predicted, see below"
    )
    hypothesis_class: Class | None = Field(None, alias="class", description=_CLASS)
    learner: Learner | None = Field(None, description=_LEARNER)
    candidates: list[CandidateKeys] | None = Field(
        None,
        description="instead of `class` and `learner`: several of them, all are paid, and one is chosen by the "
        "mistakes, or the squared errors, on rows that are held out",
    )
    held_out: HeldOutKeys | None = Field(None, description="private error on rows that are held out, see below")
    changed_table: Literal["accept"] | None = Field(
        None, description="`accept`: the private table is another one than at the last release, and is meant to be"
    )
    unprotected_diagnostic: bool = Field(
        False, description="true: an error without protection is shown, and the certificate is marked"
    )
    results: Text = Field("results", description="folder in which the folder `releases` is")
    plugins: list[str] = Field(
        [],
        description="plug-in folders with learners and classes from outside the package, relative to the working "
        "folder: their guarantee is their author's word, and the certificate says so",
    )
    period: Annotated[list[str] | None, BeforeValidator(_periods), WithJsonSchema(_PERIOD)] = Field(
        None,
        description="for a ledger with periods, the one of which all private rows are: `2026-11-30`, `2026-W48`, "
        "`2026-11`, `2026-Q4` or `2026`; or a list of several, each of which is charged; it is your word, rows are not "
        "looked at for it",
    )
    limits: LimitKeys = Field(
        LimitKeys(),
        description="the longest and the largest piece of work that is not refused, see below; they change nothing of "
        "what is released, and so are not part of the request that is charged",
    )

    @classmethod
    def between(cls, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield what is wrong between persons, label, learner and candidates: what is missing, or one too many."""
        known = {key for key, setting in given.items() if setting is not None}
        if ("person" in known) == ("one_row_a_person" in known):
            yield "needs person, the columns that tell whose rows are whose, or one_row_a_person: true; and not both"
        if {"label", "response"} <= known:
            yield "response: there is a label, a row has one or the other"
        if ("learner" in known) == ("candidates" in known):
            yield "needs learner or candidates, and not both"
        candidates = given.get("candidates")
        if candidates is not None and "class" in known:
            yield "class: each of the candidates has its own"
        if isinstance(candidates, list) and len(candidates) < 2:
            yield "candidates: must be at least two to choose from"
        if candidates is not None and "held_out" not in known:
            yield "candidates: needs held_out, the rows by which one is chosen"
