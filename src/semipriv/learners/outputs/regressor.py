"""Real-valued functions, and means of them."""

from typing import Any

from semipriv.classes.regressors.base import Regressor
from semipriv.core import registry
from semipriv.core.arrays import Arrays

__all__ = ["restore"]


def restore(description: dict[str, Any], arrays: Arrays) -> Regressor:
    """Return the mean of functions of the class in the description, with the parameters and weights in the arrays."""
    return Regressor(registry.specified(description["functions"]), arrays["parameters"], arrays["weights"])
