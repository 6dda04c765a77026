"""Classifiers: functions to several labels, given by parameters."""

from typing import Any

from semipriv.classes.classifiers.base import Classifier
from semipriv.core import registry
from semipriv.core.arrays import Arrays

__all__ = ["restore"]


def restore(description: dict[str, Any], arrays: Arrays) -> Classifier:
    """Return the classifier with the set of functions in the description and the parameters in the arrays."""
    return Classifier(registry.specified(description["functions"]), arrays["parameters"])
