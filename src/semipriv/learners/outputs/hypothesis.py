"""Hypotheses: functions to {0, 1} given by parameters."""

from typing import Any

from semipriv.classes.base import Hypothesis
from semipriv.core import registry
from semipriv.core.arrays import Arrays

__all__ = ["restore"]


def restore(description: dict[str, Any], arrays: Arrays) -> Hypothesis:
    """Return the hypothesis with the set of functions in the description and the parameters in the arrays."""
    return Hypothesis(registry.specified(description["functions"]), arrays["parameters"])
