"""Synthetic data: points that stand for a population, and answer queries by their shares (BCM20 remark 9)."""

from typing import Any, ClassVar

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.core.fields import one_of, value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points, distinct
from semipriv.core.types import Floats
from semipriv.learners.outputs._queries import SCALES, QueryOutput
from semipriv.queries.cells import runs

__all__ = ["restore"]

_BLOCK = 2**25


@value(eq=False)
class SyntheticData(QueryOutput):
    """Points (n', d) that are representatives of cells of public points, never private ones.

    The answer to a hypothesis of the class is the share of the points with label 1, shown in the scale.
    """

    kind: ClassVar[str] = "synthetic_data"

    functions: HypothesisClass
    points: Points
    scale: str = one_of(SCALES, "synthetic data", default="pm1")

    def __attrs_post_init__(self) -> None:
        if not len(self.points):
            raise ValueError("points: must be at least one")

    @property
    def anchors(self) -> Points:
        """The distinct points."""
        return distinct(self.points)

    def cover_shares(self) -> tuple[Parameters, Floats]:
        """Return a cover of the distinct points with the answers."""
        parameters = self.functions.cover(self.anchors).listed().parameters
        return parameters, self.shares_of(parameters)

    def shares_of(self, parameters: Parameters) -> Floats:
        """Return the answers to hypotheses of the class, (q, p) -> (q,), as shares."""
        shape = self.functions.ones(parameters) if self.functions.exact_ends else None
        if shape is not None:
            start, stop = runs(shape, np.sort(self.points[:, 0]))
            return (stop - start) / len(self.points)
        rows = max(1, _BLOCK // len(self.points))
        parts = [
            np.count_nonzero(self.functions.predict(parameters[i : i + rows], self.points), axis=1)
            for i in range(0, len(parameters), rows)
        ]
        return np.concatenate([np.zeros(0, np.int64), *parts]) / len(self.points)

    def arrays(self) -> Arrays:
        """Return the points."""
        return {"points": self.points}


def restore(description: dict[str, Any], arrays: Arrays) -> SyntheticData:
    """Return the data with the class and scale of the description, and these points."""
    functions = registry.specified(description["functions"])
    return SyntheticData(functions, arrays["points"], description["scale"])
