"""Learners without a class, by their names in requests; no plug-in can add one."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from semipriv.core import estimates, registry
from semipriv.core.work import Cost
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.support import TREE_ROWS
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.candidate import REPORT, SYNTHETIC, Candidate, Public
from semipriv.practice.asking.keys import STATISTICS, TABLES
from semipriv.practice.columns.features import Feature, Integers, Range
from semipriv.practice.columns.schema import Records
from semipriv.privacy.events import Event
from semipriv.queries.schema import Column
from semipriv.queries.unit_mass import NARROWEST, WIDEST, Number, ReportSchema

_GROUPS = 10**6
"""Groups of a statistic at most: each is a line of the report, whoever is in it."""


@attrs.frozen(eq=False)
class Classless(Candidate, ABC):
    """A learner of columns alone: it reads no label, predicts none, and a table follows from what it releases."""

    builds: ClassVar[Any]
    """The type of the learner."""
    calls: ClassVar[str]
    """Its name in requests."""

    @property
    def uses_public(self) -> bool:
        """It does, if there are public rows."""
        return True

    @property
    def reads_public_labels(self) -> bool:
        """It does not."""
        return False

    @property
    def reads_labels(self) -> bool:
        """It does not."""
        return False

    @property
    def name(self) -> str:
        """Its name in requests."""
        return self.calls

    @property
    def predicts(self) -> bool:
        """It does not."""
        return False

    @property
    @abstractmethod
    def table(self) -> str:
        """Name, without its suffix, of the table that follows from what is released."""

    @property
    def ones_only(self) -> bool:
        """Rows have no label."""
        return False

    def pictured(self, records: Records) -> bool:
        """A figure is made, of whatever columns."""
        return True

    def check_fit(self, records: Records) -> None:
        """Raise ValueError for a label, and for columns that do not fit what is asked for."""
        if records.label is not None:
            raise ValueError(f"label: {self.calls} has none, every column is one of features")
        self._check_columns(records)

    @abstractmethod
    def _check_columns(self, records: Records) -> None:
        """Raise ValueError for columns that do not fit what is asked for."""


@attrs.frozen(eq=False)
class Tables(Classless):
    """Synthetic tables of categories."""

    builds = TableRelease
    calls = TABLES

    @property
    def table(self) -> str:
        """A synthetic table."""
        return SYNTHETIC

    @property
    def marginals(self) -> bool:
        """They do."""
        return True

    @property
    def needs_public(self) -> bool:
        """It does not: rows are made up then."""
        return False

    def rows_cost(self, prepared: Any, size: int, columns: int) -> Cost:
        """Return what rows take that are swapped until the marginals that are measured are near."""
        measured = len(self.learner.plan(prepared, size).measured)
        made = estimates.rows_made(size, columns, measured, len(prepared.rows) + 2 * TREE_ROWS)
        return made + estimates.rows_published(size, columns)

    def check_release(self, prepared: Any, n: int, units: int = 1) -> None:
        """Raise ValueError, before anything is charged, for noise that is too wide, in units of persons."""
        self.learner.check_release(prepared, n, units)

    def _check_columns(self, records: Records) -> None:
        if not any(feature.open and not isinstance(feature, Range) for feature in records.features):
            self.learner.workload(records.schema)

    def prepare(self, public: Public) -> Any:
        """Carry out the public stage on the public table."""
        schema = public.records.schema
        return self.learner.prepare(schema.table(public.points.astype(np.int64)), schema)


@attrs.frozen(eq=False)
class Reports(Classless):
    """Statistics by group."""

    builds = StatisticsRelease
    calls = STATISTICS

    @property
    def needs_public(self) -> bool:
        """It does not: public rows sharpen numbers."""
        return False

    @property
    def table(self) -> str:
        """A report."""
        return REPORT

    def check_release(self, prepared: Any, n: int, units: int = 1) -> None:
        """Raise ValueError, before anything is charged, for sums and noise beyond 64 bits, in units of persons."""
        self.learner.check_release(prepared, n, units)

    def event(self, prepared: Callable[[], Any], n_private: int) -> Event:
        """Return one part for each table that is measured."""
        return self.learner.release_event(prepared(), n_private)

    def _check_columns(self, records: Records) -> None:
        """Raise ValueError, with the key, for columns that are not declared, or not as a statistic needs them."""
        declared = {feature.column: feature for feature in records.features}
        for place, statistic in enumerate(self.learner.statistics):
            key = f"learner.statistics[{place}]"
            for column in statistic.by:
                feature = _declared(f"{key}.by", column, declared)
                if isinstance(feature, Range):
                    raise ValueError(
                        f"{key}.by: {column!r} is a {feature.kind}: groups are by categories, integers or bins"
                    )
                if feature.width > 1:
                    raise ValueError(f"features.{column}: groups are by it, so it has no one_hot and no indicator")
            if statistic.column is not None:
                feature = _declared(f"{key}.column", statistic.column, declared)
                if not isinstance(feature, Range) or feature.unit is not None:
                    kind = "holds dates" if isinstance(feature, Range) else f"is declared by {feature.kind}"
                    raise ValueError(
                        f"{key}.column: {statistic.column!r} {kind}: a {statistic.statistic} is of numbers, "
                        "declared by a range"
                    )
                if not feature.open and max(map(abs, feature.limits)) > WIDEST:
                    raise ValueError(f"features.{statistic.column}: squares of numbers beyond {WIDEST:g} are no floats")
                if not feature.open and feature.limits[1] - feature.limits[0] < NARROWEST:
                    raise ValueError(f"features.{statistic.column}: the range must be at least {NARROWEST:g} wide")
            sizes = [len(declared[column].values or ()) for column in statistic.by if not declared[column].open]
            if math.prod(sizes) > _GROUPS:
                raise ValueError(
                    f"{key}.by: are {math.prod(sizes):,} groups, at most {_GROUPS:,} are reported: group by fewer "
                    "columns, or by coarser ones"
                )
        if not any(feature.open for feature in records.features):
            _check_schema(self.learner, report_schema(records))

    def prepare(self, public: Public) -> Any:
        """Carry out the public stage."""
        schema = report_schema(public.records)
        _check_schema(self.learner, schema)
        return self.learner.prepare(public.points, schema)


def grouped(learner: StatisticsRelease) -> set[str]:
    """Return the columns by which groups are asked for."""
    return {column for statistic in learner.statistics for column in statistic.by}


def _check_schema(learner: StatisticsRelease, schema: ReportSchema) -> None:
    """Raise ValueError, with the key of a request, for what columns decide."""
    try:
        learner.check_schema(schema)
    except ValueError as error:
        raise ValueError(f"learner.{error}") from None


def _declared(key: str, column: str, declared: Mapping[str, Feature]) -> Feature:
    try:
        return declared[registry.check_name("column of features", column, list(declared))]
    except registry.UnknownNameError as error:
        raise ValueError(f"{key}: {error}") from None


def report_schema(records: Records) -> ReportSchema:
    """Return declared columns as those of a report: ranges are numbers, all others have places of their values."""
    return ReportSchema([_column(feature) for feature in records.features])


def _column(feature: Feature) -> Column | Number:
    if isinstance(feature, Range):
        return Number(feature.column, *feature.limits, missing=feature.indicator)
    assert feature.values is not None, "all others have a finite list"
    if isinstance(feature, Integers) and feature.unit is not None:  # their names, not their numbers since 1970
        return Column(feature.column, tuple(feature.named(np.arange(float(len(feature.values))))))
    return Column(feature.column, feature.values)


CLASSLESS: Mapping[str, type[Classless]] = {kind.calls: kind for kind in (Tables, Reports)}
"""All of them, by name."""
