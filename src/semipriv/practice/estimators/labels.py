"""Two declared classes: labels to {0, 1} and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.samples import Labels

OBSERVED = "observed"
"""Classes that are read off the labels: for simulations, without a guarantee."""


def declared(classes: Any) -> NDArray[Any]:
    """Return the two classes (2,), of label 0 and of label 1; raise ValueError unless they are two that differ."""
    wrong = ValueError(
        f"classes = {classes!r}: must be the two classes (of label 0, of label 1), declared before any label is seen"
    )
    if isinstance(classes, str) or np.ndim(classes) != 1 or len(classes) != 2:
        raise wrong
    given = np.asarray(classes)
    if given.dtype.kind not in "biufUO" or given[0] == given[1]:
        raise wrong
    return given


def observed(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the two classes that are among the labels, sorted.

    What is read depends on all labels, so that no guarantee holds.  Raise ValueError unless there are two.
    """
    from sklearn.utils.multiclass import type_of_target  # noqa: PLC0415  (a slow import, for simulations)

    found = np.unique(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. The labels must be of two classes")
    if kind != "binary":
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
    if len(found) < 2:
        raise ValueError("y: holds one class only, and classes='observed' needs two; declare them: classes=(zero, one)")
    return found


def encoded(given: Any, classes: NDArray[Any], name: str) -> Labels:
    """Return labels (n,) of the two classes as 0 and 1; raise ValueError, with the row alone, for any other."""
    labels = np.asarray(given)
    if labels.ndim != 1:
        raise ValueError(f"{name}: must have shape (n,), got {labels.shape}")
    one = np.broadcast_to(labels == classes[1], labels.shape)
    wrong = ~(one | np.broadcast_to(labels == classes[0], labels.shape))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}: row {row}: must be one of the declared classes {tuple(classes.tolist())!r}")
    return one.astype(np.int8)
