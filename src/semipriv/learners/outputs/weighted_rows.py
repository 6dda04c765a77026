"""Public rows with fitted weights: answers to all marginals of a declared schema."""

from typing import Any, ClassVar

import attrs
import numpy as np

from semipriv.core import checks, estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import checked, value
from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.registry import check_name
from semipriv.core.types import Floats, Indices, Integers
from semipriv.core.work import Cost
from semipriv.learners.outputs._drawing import as_weights, drawn, systematic
from semipriv.learners.outputs._rows import RowsOutput, as_rows, check_rows
from semipriv.learners.outputs.synthetic_rows import SyntheticRows
from semipriv.queries.schema import Codes, Schema

__all__ = ["restore"]

HOW = ("stratified", "sampled")


def _as_shares(name: str, given: Any) -> Floats:
    """Return given as weights (k,), or as zeros, where there was no public row."""
    shares = np.asarray(given, np.float64)
    return as_weights(name, given) if shares.ndim != 1 or shares.any() else shares


@value(eq=False)
class WeightedRows(RowsOutput):
    """The distinct public rows (s, c) with weights (s,), and their public shares (s,) beside them.

    A record that no public row equals has weight 0, however many private rows are like it: ``answer`` is 0 in cells
    without a public row.  Public shares are all 0 where there was no public row at all.  measured: (t, k), places of
    the columns of the marginals that were measured, in their order.
    """

    kind: ClassVar[str] = "weighted_rows"

    schema: Schema
    rows: Codes = attrs.field(converter=attrs.Converter(as_rows, takes_self=True))
    weights: Floats = checked(as_weights)
    prior: Floats = checked(_as_shares)
    measured: Integers = attrs.field(factory=lambda: np.zeros((0, 1), np.int64))

    def __attrs_post_init__(self) -> None:
        for name, numbers in (("weights", self.weights), ("prior", self.prior)):
            if len(numbers) != len(self.rows):
                raise ValueError(f"{name}: must be {len(self.rows)} numbers, one for each row, got {len(numbers)}")

    @property
    def public(self) -> "WeightedRows":
        """The public rows alone, by their public shares: what there was without any private row.

        Raises ValueError if there was no public row.
        """
        if not self.prior.any():
            raise ValueError("public: there was no public row")
        return WeightedRows(self.schema, self.rows, self.prior, self.prior)

    def synthetic(self, size: int, randomness: Randomness, how: str = "stratified") -> SyntheticRows:
        """Return ``size`` rows by the weights.  It costs no privacy: it reads the weights alone.

        how: 'stratified': as ``places`` says, nothing is drawn.  'sampled': independent draws.

        Measure the error on these rows (``distances``): few rows are worse than the weights.  Raise ValueError for a
        size < 1, and WorkError for rows that take longer, or more memory, than is allowed (``rows_cost``).
        """
        number = checks.size("size", size)
        chosen = check_name("how of synthetic rows", how, list(HOW))
        randomness = as_randomness(randomness)
        check_rows(number, self.rows_cost(number))
        place = self.places(number) if chosen == HOW[0] else drawn(self.weights, number, randomness)
        return SyntheticRows(self.schema, self.rows[place])

    def rows_cost(self, size: int) -> Cost:
        """Return what ``size`` synthetic rows take: seconds on one core, and memory."""
        return estimates.rows_made(size, len(self.schema.columns))

    def places(self, size: int) -> Indices:
        """Return the places (size,) of rows that are written: a function of what was released.

        Row i is the first of the sorted rows up to which the weights reach (i - 1/2) / size, so that each is there
        within one time its share.
        """
        return systematic(self.weights, size)

    def arrays(self) -> Arrays:
        """Return rows, weights, public shares, and the measured marginals."""
        return {"rows": self.rows, "weights": self.weights, "prior": self.prior, "measured": self.measured}


def restore(description: dict[str, Any], arrays: Arrays) -> WeightedRows:
    """Return the weighted rows with the schema of the description."""
    schema = Schema.restored(description["schema"])
    return WeightedRows(schema, arrays["rows"], arrays["weights"], arrays["prior"], arrays["measured"])
