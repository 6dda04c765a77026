"""The model of a release: JSON that loads back and predicts on raw columns."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from semipriv import checks
from semipriv.classes.base import Hypothesis
from semipriv.outputs._drawing import systematic
from semipriv.outputs.answers import Answers
from semipriv.outputs.weighted_rows import WeightedRows
from semipriv.practice.released import Released, canonical, output_json, output_of
from semipriv.practice.request import Public, Request
from semipriv.practice.schema import Records
from semipriv.samples import Labels, Points

FORMAT = "semipriv model 1"
"""The form of the file; another one is refused."""


@attrs.frozen(eq=False)
class Model:
    """What was learned, with the declared columns that it reads.

    records: how columns become coordinates, and which values of the label are 1.  output: a hypothesis, answers to
    queries, or weighted rows.  sizes: public numbers of rows.
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
        """Kind of the output: 'hypothesis', 'answers' or 'weighted_rows'."""
        return str(self.output.kind)

    def predict(self, table: Any) -> Labels:
        """Return the labels of the rows of a DataFrame or a mapping of columns, (n,) int8: 1 for the side ``one``.

        The columns are those of the schema, in any order; others are passed over.  Raise ValueError if a column is
        missing or has a cell that is not declared, and for a model that answers queries.
        """
        if not isinstance(self.output, Hypothesis):
            raise ValueError(f"model {self.name!r}: holds {self.kind.replace('_', ' ')}, which predict no label")
        return self.output.predict(self.records.points(table)).astype(np.int8)

    def points(self, size: int) -> Points:
        """Return ``size`` points (size, d) by the released weights of cells or rows.

        Nothing is drawn: point i is of the first cell up to which the weights reach (i - 1/2) / size, so that each cell
        is there within one time its weight.  Raise ValueError for a size < 1, and for a model that is a hypothesis.
        """
        number = checks.size("size", size)
        if isinstance(self.output, WeightedRows):
            return self.output.rows[systematic(self.output.weights, number)].astype(np.float64)
        if isinstance(self.output, Answers):
            weights = self.output.weights_by(self.output.default_way)
            return self.output.representatives[systematic(weights, number)]
        raise ValueError(f"model {self.name!r}: holds a hypothesis, no answers of which rows can be made")

    def synthetic(self, size: int) -> pa.Table:
        """Return ``points`` as rows with the columns and the types of the schema."""
        return self.records.table(self.points(size))

    def to_bytes(self) -> bytes:
        """Return the file; ``load`` inverts this."""
        made = {"format": FORMAT, "release": self.name, "records": self.records.description()}
        return canonical(made | {"sizes": self.sizes, "output": output_json(self.output)}) + b"\n"

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Model":
        """Return the model with this description."""
        output = output_of(given["output"])
        return cls(given["release"], Records.restored(given["records"]), output, given["sizes"])

    @classmethod
    def load(cls, path: str | Path) -> "Model":
        """Read a model; raise ValueError with the name of a file that is none."""
        try:
            given = json.loads(Path(path).read_bytes())
        except OSError as error:
            raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
        except ValueError:
            raise ValueError(f"{path}: is no JSON") from None
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise ValueError(f"{path}: is no model of a release ({FORMAT!r})")
        return cls.from_json(given)
