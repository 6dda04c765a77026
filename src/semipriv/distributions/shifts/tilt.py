"""Exponential tilt."""

from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.types import Floats
from semipriv.distributions.shifts.base import Shift

__all__ = ["Tilt"]


@fields.value
class Tilt(Shift):
    """Density theta e^(theta u) / (e^theta - 1), u = F(x), with theta >= 0 such that its maximum is 1 / sigma."""

    @cached_property
    def theta(self) -> float:
        """Solution of theta / (1 - exp(-theta)) = 1 / sigma; 0 for sigma = 1."""
        if self.sigma == 1:
            return 0.0
        return float(
            scipy.optimize.brentq(
                lambda t: t / -np.expm1(-t) - 1 / self.sigma, 1e-300, 1 / self.sigma, xtol=1e-14, rtol=1e-14
            )
        )

    def distribution(self, u: ArrayLike) -> Floats:
        """Return (e^(theta u) - 1) / (e^theta - 1), computed without overflow."""
        u = np.asarray(u, float)
        if self.theta == 0:
            return u
        return np.exp(self.theta * (u - 1)) * np.expm1(-self.theta * u) / np.expm1(-self.theta)

    def inverse(self, v: ArrayLike) -> Floats:
        """Return ln(1 + v (e^theta - 1)) / theta, for theta > 1 as 1 + ln(v + (1 - v) e^(-theta)) / theta."""
        v = np.asarray(v, float)
        if self.theta == 0:
            return v
        if self.theta <= 1:
            return np.clip(np.log1p(v * np.expm1(self.theta)) / self.theta, 0.0, 1.0)
        with np.errstate(divide="ignore"):  # e^(-theta) may be 0 in floating point, and v
            return np.clip(1 + np.log(v + (1 - v) * np.exp(-self.theta)) / self.theta, 0.0, 1.0)
