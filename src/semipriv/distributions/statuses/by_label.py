"""Privacy that depends on the label alone."""

from typing import Any

import attrs
import numpy as np

from semipriv.core import checks, fields
from semipriv.core.samples import Labels, Points, StatusModel
from semipriv.core.types import Floats
from semipriv.distributions.statuses.base import StatusDistribution

__all__ = ["ByLabel"]


def _one(given: Any, distribution: Any, field: "attrs.Attribute[Any]") -> float:
    return 1 - distribution.zero if given is None else checks.between(field.name, given, 0, 1, closed="lh")


@fields.value
class ByLabel(StatusDistribution):
    """P[private | x, y = 0] = zero and P[private | x, y = 1] = one, whatever x.

    (0, 1) is label-determined; (rho, 1) correlates status and label only in part, relaxation (i); under (0, share) all
    private examples have label 1 while public ones have both, relaxation (ii); under (r, r) status and label are
    independent.

    With one = None the status differs from the label with probability zero, and is independent of it if zero = 1/2.

    Args:
        zero: P[private | y = 0], in [0, 1].
        one: P[private | y = 1], in [0, 1]; None: 1 - zero.

    Source:
        BMN20 section 4.
    """

    zero: float = fields.between(0, 1, closed="lh")
    one: float | None = attrs.field(default=None, converter=attrs.Converter(_one, takes_self=True, takes_field=True))

    @property
    def model(self) -> StatusModel:
        """The narrowest model, read from which of the two probabilities are 0 or 1."""
        if self.zero > 0:
            return StatusModel.ANY
        return StatusModel.LABEL_DETERMINED if self.one == 1 else StatusModel.PRIVATE_ONES

    def probability(self, points: Points, labels: Labels) -> Floats:
        """Return ``one`` if the label is 1, ``zero`` if it is 0."""
        assert self.one is not None
        return np.where(labels == 1, self.one, self.zero)

    @property
    def of_zeros(self) -> float:
        """The parameter ``zero``."""
        return self.zero
