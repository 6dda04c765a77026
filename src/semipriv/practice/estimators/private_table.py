"""Query release as an object that takes a table and gives a synthetic one."""

import json
import warnings
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

import attrs
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from semipriv.core import registry
from semipriv.core.errors import PublicError
from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.columns.schema import Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.estimators import stored
from semipriv.practice.estimators.covers import FitGuarantee, Who, guarantee_of
from semipriv.practice.estimators.declared import check_columns, declared_columns, described_columns, tabled
from semipriv.practice.estimators.door import array_of, check_each, withheld
from semipriv.practice.estimators.draws import Draw, all_or_nothing
from semipriv.practice.estimators.groups import check_counting, check_names, check_there, listed, named
from semipriv.practice.estimators.twice import check_other
from semipriv.practice.sums.by_person import summed_by_person
from semipriv.privacy.budget.amounts import parameter, positive_amount
from semipriv.privacy.guarantee import Release, by_person
from semipriv.queries.schema import Column, Schema

__all__ = ["PrivateTable"]

ORDERED, UNORDERED = "ordered category", "category"
SETTINGS = ("ways", "marginals", "weights", "label", "measured", "kappa", "tree", "noisy", "rounds", "zeros")
"""Parameters of the release besides its budget."""


class PrivateTable(BaseEstimator):  # type: ignore[misc]
    """A synthetic table from a private one of categories, with public rows or without (``TableRelease``).

    ``fit`` measures the private table once.  ``sample`` costs nothing: it reads what was released.

    Args:
        schema: the columns and all their values, declared: a mapping as ``Schema`` has it; or one of columns to what
            they may hold, as ``features`` of a request has it: integers, categories and dates, with what stands for
            unknown cells, as {'sex': {'categories': ['F', 'M'], 'unknown': 'none'}}.
        public: a DataFrame of these columns; None: there are no public rows.  Columns that name persons are passed
            over: each of its rows counts.
        epsilon: of the budget, for replacing one private row, or one person, finite and > 0.
        delta: of the budget, in [0, 1); None or 0: pure epsilon.
        ways: columns of a marginal, where none are listed; a table of one column has one marginal.
        marginals: the marginals, each a list of columns, instead of all of ``ways`` columns.
        weights: what the error of each listed marginal counts.
        label: a column to be predicted from the others: half of the budget goes to marginals that hold it.
        measured: how many marginals are measured; None: by a public rule.
        kappa: how many records the prior is worth; None: at most the number of public rows, as the noise tells.
        tree: share of rows of a tree of the public ones beside them; None: by a public rule; 0: public rows alone.
        noisy: share of rows of a tree of the noisy marginals; None: as the noise tells; 0: none.
        rounds: how often rows of the fitted model join the support.
        zeros: combinations of values that cannot be, each a mapping of columns to a value or a list of values.
        person: a column of the private table, or a list of such, that names a person: of integers, texts or dates, and
            not part of the schema.  Then ``guarantee_`` is for replacing a person with all rows, every person counts
            once, and the number of persons is public, that of rows is not.  Rows without a name are together one
            person.
        rows: how the rows of a person count: 'average' (also None), they share what a person counts; 'one', one of
            them, drawn at random, counts.
        randomness: Secure() for a release, Simulation(seed) for a simulation; there is no default.
        ledger: path of a budget ledger, which every fit with Secure() charges in full.
        request: a name in the ledger, as in ``SemiPrivateClassifier``.
        period: of which day, week, month, quarter or year the private rows are, for a ledger with periods.

    Examples:
        >>> public = pd.DataFrame({"sex": ["F", "M", "F", "M"], "region": [0, 0, 1, 2]})
        >>> private = pd.DataFrame({"sex": ["F"] * 4000, "region": [1] * 4000})
        >>> table = PrivateTable({"sex": ["F", "M"], "region": 3}, public, epsilon=1.0, delta=1e-6,
        ...                      randomness=Simulation(1)).fit_resample(private)
        >>> table.shape, table["region"].dtype.name, table["sex"].mode().item()
        ((4000, 2), 'int64', 'F')
    """

    release_: Release[GrownRows]
    rows_: int
    records_: Records | None
    who_: Who | None
    types_: dict[str, str]

    def __init__(
        self,
        schema: Any = None,
        public: Any = None,
        *,
        epsilon: Any = None,
        delta: Any = None,
        ways: int = 2,
        marginals: Any = None,
        weights: Any = None,
        label: str | None = None,
        measured: int | None = None,
        kappa: float | None = None,
        tree: float | None = None,
        noisy: float | None = None,
        rounds: int = 1,
        zeros: Any = (),
        person: Any = None,
        rows: Literal["average", "one"] | None = None,
        randomness: Any = None,
        ledger: Any = None,
        request: str | None = None,
        period: str | Sequence[str] | None = None,
    ) -> None:
        self.schema = schema
        self.public = public
        self.epsilon = epsilon
        self.delta = delta
        self.ways = ways
        self.marginals = marginals
        self.weights = weights
        self.label = label
        self.measured = measured
        self.kappa = kappa
        self.tree = tree
        self.noisy = noisy
        self.rounds = rounds
        self.zeros = zeros
        self.person = person
        self.rows = rows
        self.randomness = randomness
        self.ledger = ledger
        self.request = request
        self.period = period

    def fit(self, X: pd.DataFrame, y: None = None) -> Self:
        """Measure a private table.

        The number of rows is public, or that of persons.

        Args:
            X: a DataFrame of the declared columns, and of those that name persons.
            y: not used.

        Returns:
            The object itself, fitted.

        Raises:
            ValueError: before the ledger is charged, for a table that is not of the schema, with column and row, from
                0, never with what is there; and for the public table in the place of the private one.
        """
        with all_or_nothing(self):
            return self._fitted(X)

    def _fitted(self, X: pd.DataFrame) -> Self:
        """Check, charge, draw, and keep the release."""
        epsilon = self._needed("epsilon", self.epsilon)
        if self.ledger is not None:
            epsilon = parameter(positive_amount("epsilon", epsilon))
        settings = {name: getattr(self, name) for name in SETTINGS}
        release = TableRelease(epsilon, 0.0 if self.delta is None else self.delta, **settings)
        asked = (self.randomness, self.ledger, self.request)
        check_counting(self.rows, self.person is not None)
        guarantee = release.guarantee if self.person is None else by_person(release.guarantee)
        draw = Draw.of(*asked, guarantee, release.releasable, "query release", period=self.period)
        given, public = self._needed("schema", self.schema), self.public
        self.records_ = None
        if isinstance(given, Mapping) and any(isinstance(declaration, Mapping) for declaration in given.values()):
            self.records_, points = declared_columns(given, public, one_hot=False, what="schema")
            given, public = _schema(self.records_), None if public is None else tabled(self.records_, points)
        schema = given if isinstance(given, Schema) else Schema(given)
        check_names(self.person, schema.names)
        check_there(X, self.person, "private table")
        public = _without(public, listed(self.person))
        prepared = release.prepare(public, schema)
        check_other(self.public, X, schema.names)
        if self.records_ is None:
            table = _columns(schema, X, listed(self.person))
        else:
            check_columns(self.records_, X, "private table")
            table = tabled(self.records_, self.records_.points(X, "private table"))
        codes = withheld(lambda: schema.codes(table, "private table"), "private table: cannot be read")
        persons = None if self.person is None else named(X, self.person, len(codes), "private table")
        who = None if persons is None else Who(persons.count, listed(self.person))
        size = len(codes) if who is None else who.count  # the public number
        release.check_release(prepared, size)
        request = {
            "estimator": type(self).__name__,
            **registry.parameters(release),
            "schema": schema.description(),
            **({} if self.records_ is None else {"columns": self.records_.description()}),
            "public": stored.digest(prepared.rows, prepared.public),
            "sizes": [size],
            **({} if who is None else {"person": who.described(self.rows)}),
        }
        self.rows_, self.who_ = size, who
        self.types_ = {} if self.records_ is not None else _types(public, schema)
        if persons is None:
            records, make = [codes], partial(release.release, prepared, table, draw.randomness)
        else:
            labels = np.zeros(len(codes), np.int8)
            summed = summed_by_person(release, prepared, codes, labels, persons, draw.randomness, self.rows)
            release.check_release(prepared, size, summed.units)
            records, make = [codes, persons.place], partial(summed.release, draw.randomness)
        self.release_ = draw.release(make, request, lambda: release.plan(prepared, size).event, records)
        return self

    def _needed(self, name: str, given: Any) -> Any:
        if given is None:
            raise ValueError(f"{name}: must be given")
        return given

    @property
    def guarantee_(self) -> FitGuarantee | None:
        """The guarantee of this one fit; drawn by a ``Simulation`` it is one that protects nobody."""
        check_is_fitted(self, "release_")
        return guarantee_of(self.release_, self.who_)

    def sample(self, size: int | None = None) -> pd.DataFrame:
        """Return a synthetic table.

        Each row is there as often as its weight says, within one time; nothing is drawn.  Columns have the types
        of the public table's, where these hold all declared values, else 64-bit integers and texts; categories are the
        declared values, in their order.  With columns as in a request they are integers, texts and dates.

        Args:
            size: number of rows; None: as many as the private table has, or as it has persons.

        Returns:
            A DataFrame of the declared columns.
        """
        check_is_fitted(self, "release_")
        rows = self.release_.output.synthetic(self.rows_ if size is None else size, Simulation(0), "stratified")
        if self.records_ is not None:
            return self.records_.table(rows.rows.astype(np.float64)).to_pandas(date_as_object=False)
        known = {column.name: column.values for column in rows.schema.columns}
        types: dict[str, Any] = {
            name: pd.CategoricalDtype(list(known[name]), kind == ORDERED) if kind in (ORDERED, UNORDERED) else kind
            for name, kind in self.types_.items()
        }
        return rows.table().astype(types)

    def fit_resample(self, X: pd.DataFrame, y: None = None) -> pd.DataFrame:
        """Measure a private table, and return a synthetic one of as many rows, or of as many as there are persons.

        Args:
            X: a DataFrame of the declared columns.
            y: not used.

        Returns:
            A DataFrame of the declared columns.
        """
        return self.fit(X).sample()

    def answer(self, *columns: str) -> Floats:
        """Return the marginal of some columns.

        Args:
            columns: their names.

        Returns:
            Shares, of the shape of the columns' sizes, that sum to 1.
        """
        check_is_fitted(self, "release_")
        return self.release_.output.answer(*columns)

    # ------------------------------------------------------------------ JSON
    def to_json(self) -> str:
        """Return what was released, and what reads it, as JSON.

        Returns:
            The JSON, which holds nothing private but what was released.
        """
        check_is_fitted(self, "release_")
        described = {"estimator": type(self).__name__, "rows": self.rows_, "types": self.types_}
        if self.records_ is not None:
            described["columns"] = self.records_.description()
        if self.who_ is not None:
            described["persons"] = attrs.asdict(self.who_)
        return canonical({**described, "release": stored.described(self.release_)}).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the fitted object of ``to_json``.

        Args:
            text: what ``to_json`` returned.

        Returns:
            A fitted object that samples and answers the same.

        Raises:
            ValueError: for any other text.
        """
        try:
            values: Mapping[str, Any] = json.loads(text)
            if values["estimator"] != cls.__name__:
                raise ValueError(f"is a {values['estimator']}, must be a {cls.__name__}")
            table = cls()
            table.release_ = stored.restored(values["release"])
            table.rows_, table.types_ = values["rows"], dict(values["types"])
            known_columns = {column.name: column for column in table.release_.output.schema.columns}
            for name, kind in table.types_.items():
                if not _holds(kind, known_columns[name]):
                    raise ValueError(f"column {name!r}: its type does not hold all declared values")
            columns = values.get("columns")
            table.records_ = columns and Records.restored(columns)
            table.who_ = Who.restored(values.get("persons"))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"text: is not a fitted {cls.__name__} as JSON: {error}") from None
        known = table.records_
        table.schema = table.release_.output.schema if known is None else described_columns(known)
        return table


def _schema(records: Records) -> Schema:
    """Return the schema of declared columns; raise ValueError, with the column, for one that has no finite list."""
    try:
        return records.schema
    except ValueError as error:
        raise ValueError(str(error).replace("features.", "schema: ", 1)) from None


def _columns(schema: Schema, table: Any, others: Collection[str]) -> dict[str, NDArray[Any]]:
    """Return the columns of a private table, (n,) each; raise PublicError, with column and row, for other cells.

    others: columns that are passed over.
    """
    if not isinstance(table, Mapping | pd.DataFrame):
        raise PublicError(f"private table: is {type(table).__name__}, must be a DataFrame or a mapping of columns")
    cells = {name: array_of(table[name], "private table") for name in table if name not in others}
    schema.codes({name: column.ravel()[:0] for name, column in cells.items()}, "private table")  # the names alone
    for column in schema.columns:
        name, own = f"private table: column {column.name!r}", cells[column.name]
        if own.ndim != 1:
            raise PublicError(f"{name}: must have shape (n,), got {own.shape}")
        check_each(own, partial(column.codes, what=""), f"{name}, ", f"must be {column.rule}")
    return cells


def _without(table: Any, columns: Collection[str]) -> Any:
    """Return a table without some columns, if it has them; anything else as it is."""
    if isinstance(table, pd.DataFrame):
        return table.drop(columns=[column for column in columns if column in table])
    return {name: table[name] for name in table if name not in columns} if isinstance(table, Mapping) else table


def _types(public: Any, schema: Schema) -> dict[str, str]:
    """Return the types of the public columns by name, of those that hold all declared values; none without a DataFrame.

    A column of another type is of 64-bit integers, or of texts.
    """
    if not isinstance(public, pd.DataFrame):
        return {}
    kinds = {column: public[column.name].dtype for column in schema.columns}
    named = {
        column: ORDERED if getattr(kind, "ordered", False) else UNORDERED if kind == UNORDERED else kind.name
        for column, kind in kinds.items()
    }
    return {column.name: name for column, name in named.items() if _holds(name, column)}


def _holds(name: str, column: Column) -> bool:
    """Return whether all values of a column are the same in a type of pandas.

    Of integers the least two and the greatest two are looked at: if a float holds these, it holds all between them.
    """
    if name in (ORDERED, UNORDERED):
        return True
    k = column.size
    places = np.unique([0, min(1, k - 1), max(k - 2, 0), k - 1]) if isinstance(column.values, range) else np.arange(k)
    values = pd.Series(column.decoded(places))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = values.astype(name).astype(values.dtype)
    except (TypeError, ValueError, OverflowError, Warning):
        return False
    return bool((again == values).all())
