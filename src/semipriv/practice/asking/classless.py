"""Learners that learn no class and stand in no room, by the names that requests call them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np

from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.candidate import SYNTHETIC, Candidate, Public
from semipriv.practice.asking.keys import TABLES
from semipriv.practice.columns.features import Range
from semipriv.practice.columns.schema import Records


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

    def _check_columns(self, records: Records) -> None:
        if not any(one.open and not isinstance(one, Range) for one in records.features):
            self.learner.workload(records.schema)

    def prepare(self, public: Public) -> Any:
        """Carry out the public stage on the public table."""
        schema = public.records.schema
        return self.learner.prepare(schema.table(public.points.astype(np.int64)), schema)


CLASSLESS: Mapping[str, type[Classless]] = {one.calls: one for one in (Tables,)}
"""All of them, by name."""
