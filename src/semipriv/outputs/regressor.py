"""Real-valued functions, and means of them."""

from typing import Any

from semipriv import registry
from semipriv.arrays import Arrays
from semipriv.regressors.base import Regressor

__all__ = ["restore"]


def restore(description: dict[str, Any], arrays: Arrays) -> Regressor:
    """Return the mean of functions of the class in the description, with the parameters and weights in the arrays."""
    return Regressor(registry.specified(description["functions"]), arrays["parameters"], arrays["weights"])
