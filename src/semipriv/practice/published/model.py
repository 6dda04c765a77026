"""The model of a release: JSON that loads back and predicts on raw columns.  docs/model.md describes its form."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.classes.base import Hypothesis
from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.regressors.base import Regressor
from semipriv.core import checks, estimates, registry, rooms
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Indices
from semipriv.core.work import Cost
from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.outputs._rows import check_rows
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.outputs.grown_rows import ORIGINS, GrownRows
from semipriv.learners.outputs.report import Report
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.practice.asking.candidate import Public
from semipriv.practice.asking.classless import report_schema
from semipriv.practice.asking.releasable import LABELLING
from semipriv.practice.asking.request import Request
from semipriv.practice.columns import strict
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.published.distribution import Distribution
from semipriv.practice.published.released import Released, output_json, output_of

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "semipriv model 1"
"""The form of the file; another one is refused."""
_PART = 2**18
"""Rows of a synthetic table that are made at once."""
_ROWS = {
    "answers": "made up: one point of each cell between the public points, none comes from a private row",
    "weighted_rows": "public rows: each is a row of the public data as declared (clipped, unknown cells filled)",
    "grown_rows": "public rows as declared, and made-up ones of models of public rows and of noisy marginals",
}
"""What the rows of a synthetic table are, by kind of output."""


class UnknownClassError(ValueError):
    """A model of a class, or with a parameter, that is unknown here."""


class InconsistentError(ValueError):
    """A model whose parts do not fit each other; the message repeats only numbers of them."""


def file_of(name: str, records: Any, sizes: Any, output: Any) -> bytes:
    """Return the file of a model with these parts, as values of JSON."""
    document = {"format": FORMAT, "release": name, "records": records, "sizes": sizes, "output": output}
    return canonical(document) + b"\n"


@attrs.frozen(eq=False)
class Model:
    """What was learned, with the declared columns that it reads.

    records: how columns become coordinates, and which values of the label are 1, or of which class; or the response.
    output: a hypothesis, a classifier, a function to [-1, 1], answers to queries, weighted rows, or a report.  sizes:
    public numbers of rows.
    """

    name: str
    records: Records
    output: Any
    sizes: dict[str, int]

    @classmethod
    def of(cls, request: Request, public: Public, released: Released) -> "Model":
        """Return the model of a release."""
        return cls(request.name, public.records, released.output, released.sizes)

    @property
    def kind(self) -> str:
        """Kind of the output: 'hypothesis', 'classifier', 'regressor', 'answers', 'grown_rows', 'report', ..."""
        return str(self.output.kind)

    def predict(self, table: Any) -> NDArray[Any]:
        """Return the label of each row of a DataFrame or a mapping of columns, (n,), as it is declared.

        It is a value of the column if the sides or classes of the label are one value each: a text, an integer or a
        number.  Else it is the text of the side: 'ill or dead', 'at_least 3' (``Label.sides``).  Of a model with a
        response it is a number, in the units of its column and within the declared range.

        The columns are those of the schema, in any order; others are passed over.  Raise ValueError if a column is
        missing or has a cell that is not declared, and for a model that answers queries.
        """
        label = self.records.label
        if isinstance(self.output, Regressor) and isinstance(label, Response):
            return label.decode(self.output.predict(self.records.points(table)))
        labels = self.sides(table)
        if label is None or isinstance(label, Response):
            raise ValueError(f"model {self.name!r}: declares no label")
        return np.array(label.sides)[labels]

    def sides(self, table: Any) -> Labels:
        """Return the label of each row, (n,) int8: 0 for the side ``zero``, 1 for ``one``; or the place of its class.

        Raise ValueError as ``predict`` does.
        """
        if self.kind not in LABELLING:
            raise ValueError(f"model {self.name!r}: holds {self.kind.replace('_', ' ')}, which predict no label")
        return np.asarray(self.output.predict(self.records.points(table)).astype(np.int8))

    def points(self, size: int) -> Points:
        """Return ``size`` points (size, d) by the released weights of cells or rows.

        Nothing is drawn.  Point i is in the first cell at which the cumulated weights reach (i - 1/2) / size, so that
        the number of points of a cell differs from size times its weight by less than one; some rows with measured
        marginals are swapped, which brings the marginals nearer (``GrownRows.places``).  The order is that of numbers
        hashed from the model itself (SHAKE-256), so that the first rows are as good a sample as any.  Both follow from
        the released model alone: they are the same whenever they are computed, cost no privacy, and reveal nothing that
        the model does not.

        Raise ValueError for a size < 1, and for a model that predicts.
        """
        number = checks.size("size", size)
        self._check_rows(number)
        rows, places = self._picked(number)
        return rows[places].astype(np.float64)

    def _check_rows(self, size: int) -> None:
        """Raise ValueError for a model that predicts, and WorkError for rows that take too long, or too much memory."""
        if not isinstance(self.output, WeightedRows | Answers):
            raise ValueError(f"model {self.name!r}: holds a {self.kind}, no answers of which rows can be made")
        check_rows(size, self.rows_cost(size))

    def rows_cost(self, size: int) -> Cost:
        """Return what a table of ``size`` rows takes: seconds on one core, and memory."""
        return self.output.rows_cost(size) + estimates.rows_published(size, self.records.width)

    def _picked(self, size: int) -> tuple[Any, Indices]:
        """Return the rows, or points of cells, (s, d) that are written, and their places (size,) in order."""
        if isinstance(self.output, WeightedRows):
            return self.output.rows, self._places(size)
        weights = self.output.weights_by(self.output.default_way)
        return self.output.representatives, self._shuffled(systematic(weights, size))

    def _places(self, size: int) -> Indices:
        """Return the places of weighted rows that are written."""
        places: Indices = self.output.places(size)
        return self._shuffled(places)

    def _shuffled(self, places: Indices) -> Indices:
        keys = np.frombuffer(hashlib.shake_256(self.to_bytes()).digest(8 * len(places)), "<u8")
        return places[np.argsort(keys, kind="stable")]

    def synthetic(self, size: int) -> pa.Table:
        """Return ``points`` as rows with the columns and the types of the schema; raise ValueError as it does."""
        number = checks.size("size", size)
        if number == self.sizes["n_private"]:
            return self._as_many  # which was allowed before anything was charged
        self._check_rows(number)
        return self._table(number)

    @cached_property
    def _as_many(self) -> pa.Table:
        """The table of as many rows as private ones, for which publishing and each check ask."""
        return self._table(self.sizes["n_private"])

    def _table(self, size: int) -> pa.Table:
        """Return the table, made in parts: no other copy of it is in memory."""
        rows, places = self._picked(size)
        parts = [places[start : start + _PART] for start in range(0, size, _PART)]
        return pa.concat_tables([self.records.table(rows[part].astype(np.float64)) for part in parts])

    def synthetic_summary(self) -> dict[str, Any] | None:
        """Return how many rows of the synthetic table, of as many rows as the private one, differ, and where they come
        from.

        Return None for a model that predicts, which has no table.
        """
        if self.kind not in _ROWS:
            return None
        table = self.synthetic(self.sizes["n_private"])
        distinct = table.group_by(table.column_names).aggregate([]).num_rows
        summary = {"rows": table.num_rows, "distinct_rows": distinct, "rows_are": _ROWS[self.kind]}
        if not isinstance(self.output, GrownRows):
            return summary
        origins = np.bincount(self.output.origins[self._places(table.num_rows)], minlength=len(ORIGINS))
        return summary | {"rows_from": dict(zip(ORIGINS, origins.tolist(), strict=True))}

    def report(self) -> "pd.DataFrame":
        """Return the statistics by group of a report, a row each (``outputs.report.Row``).

        Raise ValueError for other models.
        """
        if not isinstance(self.output, Report):
            raise ValueError(f"model {self.name!r}: holds {self.kind.replace('_', ' ')}, no report")
        return self.output.frame()

    def distribution(self) -> Distribution:
        """Return quantiles, shares and mean of the one column that answers to thresholds or intervals are of.

        Raise ValueError for other models, and for answers without weights of cells.
        """
        if not isinstance(self.output, Answers):
            raise ValueError(f"model {self.name!r}: holds {self.kind.replace('_', ' ')}, no answers to queries")
        return Distribution.of(self.output, self.records)

    def to_bytes(self) -> bytes:
        """Return the file; ``load`` inverts this."""
        return self._bytes

    @cached_property
    def _bytes(self) -> bytes:
        return file_of(self.name, self.records.description(), self.sizes, output_json(self.output))

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Model":
        """Return the model with this description."""
        records, functions = Records.restored(given["records"]), given["output"]["is"].get("functions")
        if functions is not None:  # nothing but functions is imported for a file
            if functions["room"] not in rooms.functions():
                raise ValueError(f"model: functions must be of one of the rooms {', '.join(rooms.functions())}")
            width = registry.specified(functions).dimension
            if width != records.width:
                raise InconsistentError(f"its class has {width} features, its columns are {records.width} coordinates")
        output = output_of(given["output"])
        _check_parts(records, output)
        return cls(given["release"], records, output, given["sizes"])

    @classmethod
    def load(cls, path: str | Path) -> "Model":
        """Read a model; raise ValueError, in one line with the name of the file, for any other file."""
        values = strict.read(Path(path), links=True)
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise ValueError(f"{path}: is not the model of a release ({FORMAT!r})")
        try:
            return cls.from_json(values)
        except registry.UnknownNameError:
            error = None
        except InconsistentError as inconsistent:
            error = f"is not the model of a release: {inconsistent}"
        except Exception:  # whatever a foreign file holds
            error = "is not the model of a release, a part is missing or has another form"
        if error is None:
            raise UnknownClassError(
                f"{path}: holds a class or a parameter that is unknown here; plug-ins need their folder (--plugins)"
            )
        raise ValueError(f"{path}: {error}")


def _check_parts(records: Records, output: Any) -> None:
    """Raise InconsistentError unless an output predicts the declared label or response, or has the declared columns."""
    label = records.label
    if isinstance(output, Hypothesis) and not isinstance(label, Label):
        raise InconsistentError("it predicts one of two labels, and declares no such label")
    if isinstance(output, Classifier) and not (
        isinstance(label, ClassLabel) and len(label.classes) == output.functions.classes
    ):
        raise InconsistentError(f"it predicts {output.functions.classes} classes, and declares no such label")
    if isinstance(output, Regressor) and not isinstance(label, Response):
        raise InconsistentError("it predicts a number, and declares no response")
    if isinstance(output, Report) and output.schema != report_schema(records):
        raise InconsistentError("its statistics are of other columns than are declared")
    if isinstance(output, WeightedRows) and output.schema != records.schema:
        raise InconsistentError("its rows have other columns than are declared")
