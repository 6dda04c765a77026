"""Whole numbers of which the first two are heavy."""

import numpy as np

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.marginals._whole import MOST_BITS, WHY, Whole

__all__ = ["TwoAtoms"]


@fields.value
class TwoAtoms(Whole):
    """0 with probability ``first``, 1 with probability ``second``, else uniform on 2, ..., 2^bits - 1.

    The distribution TWO-ATOMS has first = 1/2 and second = 5 alpha / 4, and the target between the two: a learner that
    takes the second atom for the first errs by more than alpha.

    Args:
        first: mass of 0, in (0, 1).
        second: mass of 1, in (0, 1); first + second < 1.
        bits: binary digits of the points, 2 to 50.
    """

    first: float = fields.between(0, 1)
    second: float = fields.between(0, 1)
    bits: int = fields.size(2, most=MOST_BITS, why=WHY, default=30)

    def __attrs_post_init__(self) -> None:
        if self.first + self.second >= 1:
            raise ValueError(f"second = {self.second!r}: must leave mass for others beside first = {self.first!r}")

    @property
    def _rest(self) -> float:
        return 1 - self.first - self.second

    def _below(self, k: Floats) -> Floats:
        share = np.clip((k - 2) / (2.0**self.bits - 2), 0.0, 1.0)
        return np.where(share == 1, 1.0, self.first * (k >= 1) + self.second * (k >= 2) + self._rest * share)

    def _near(self, u: Floats) -> Floats:
        beyond = 1 + np.ceil((u - self.first - self.second) / self._rest * (2.0**self.bits - 2))
        return np.where(u <= self.first, 0.0, np.where(u <= self.first + self.second, 1.0, beyond))
