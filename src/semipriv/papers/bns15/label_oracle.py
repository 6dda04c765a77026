"""Labels that are told when they are asked for: what active learners read of them."""

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.samples import Labels, as_labels


class LabelOracle:
    """Tells labels of places, and keeps the places in their order.  A label that nobody asks for is not looked at.

    labels: (n,), of n examples; raise ValueError for another number.  asked: the transcript (BNS15 definition 5.2).

    >>> oracle = LabelOracle([1, None, 0], 3)
    >>> oracle.tell([2, 0]).tolist(), oracle.asked
    ([0, 1], [2, 0])
    """

    def __init__(self, labels: ArrayLike, n: int) -> None:
        self._labels = np.asarray(labels)
        if self._labels.shape != (n,):
            raise ValueError(f"labels: must have shape ({n},), got {self._labels.shape}")
        self.asked: list[int] = []

    def tell(self, places: ArrayLike) -> Labels:
        """Return the labels of places (k,), in their order; raise ValueError if one of them is neither 0 nor 1."""
        chosen = np.asarray(places, np.int64)
        self.asked += chosen.tolist()
        return as_labels(cast("ArrayLike", self._labels[chosen].tolist()), len(chosen))
