"""Validated containers of points and labels: behind this border shapes, types and finiteness can be relied on."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.core import checks
from semipriv.core.fields import size, value
from semipriv.core.rows import distinct_rows

Points = NDArray[np.float64]
"""(n, d) finite float64: n points with d features."""
Labels = NDArray[np.int8]
"""(n,) int8 with values 0 and 1."""
ClassLabels = NDArray[np.int8]
"""(n,) int8 with values 0, 1, ..., K - 1, for K classes."""
Responses = NDArray[np.float64]
"""(n,) finite float64: a real number for each point."""
Statuses = NDArray[np.bool_]
"""(n,) bool: whether each example is private."""


def as_points(values: ArrayLike, dimension: int | None = None, name: str = "points") -> Points:
    """Return values as (n, d) float64 points; (n,) is read as n points of one feature.

    Raises ValueError with the position of the first value that is not finite, if d differs from ``dimension``, and for
    anything but real numbers (masked arrays, complex numbers, text).  Negative zero becomes zero, so that equal
    points have equal bytes.
    """
    try:
        points = checks.array(name, values).astype(np.float64, copy=False)
    except TypeError:
        raise ValueError(f"{name}: must be numbers") from None
    if points.ndim == 1:
        columns = 1 if dimension is None or points.size else dimension
        points = points.reshape(-1, columns)
    if points.ndim != 2:
        raise ValueError(f"{name}: must have shape (n, d), got {points.shape}")
    if dimension is not None and points.shape[1] != dimension:
        raise ValueError(f"{name}: must have {dimension} feature(s), got {points.shape[1]}")
    finite = np.isfinite(points)
    if not finite.all():
        row, column = map(int, np.argwhere(~finite)[0])
        raise ValueError(f"{name}: row {row}, feature {column} = {points[row, column]}: must be finite")
    return points + 0.0


def as_labels(values: ArrayLike, n: int | None = None, name: str = "labels") -> Labels:
    """Return values as (n,) int8 labels in {0, 1}; raises ValueError with the row of the first other value."""
    raw = checks.array(name, values)
    if raw.ndim != 1:
        raise ValueError(f"{name}: must have shape (n,), got {raw.shape}")
    if n is not None and raw.size != n:
        raise ValueError(f"{name}: must be {n} labels, one for each point, got {raw.size}")
    ok = (raw == 0) | (raw == 1) if raw.dtype.kind in "biuf" else np.isin(raw, (0, 1))
    if not np.all(ok):
        row = int(np.argmin(ok))
        raise ValueError(f"{name}: row {row} = {raw[row]!r}: must be 0 or 1")
    return raw.astype(np.int8)


def as_class_labels(values: ArrayLike, classes: int, n: int | None = None, name: str = "labels") -> ClassLabels:
    """Return values as (n,) int8 labels in {0, ..., classes - 1}; raises ValueError with the row of the first other."""
    raw = checks.array(name, values)
    if raw.ndim != 1:
        raise ValueError(f"{name}: must have shape (n,), got {raw.shape}")
    if n is not None and raw.size != n:
        raise ValueError(f"{name}: must be {n} labels, one for each point, got {raw.size}")
    ok = np.isin(raw, np.arange(classes))
    if not np.all(ok):
        row = int(np.argmin(ok))
        raise ValueError(f"{name}: row {row} = {raw[row]!r}: must be an integer from 0 to {classes - 1}")
    return raw.astype(np.int8)


def as_responses(values: ArrayLike, n: int | None = None, name: str = "responses") -> Responses:
    """Return values as (n,) float64 responses; raises ValueError with the row of the first that is not finite."""
    try:
        raw = checks.array(name, values).astype(np.float64, copy=False)
    except TypeError:
        raise ValueError(f"{name}: must be numbers") from None
    if raw.ndim != 1 or (n is not None and raw.size != n):
        expected = "(n,)" if n is None else f"({n},), one response for each point"
        raise ValueError(f"{name}: must have shape {expected}, got {raw.shape}")
    finite = np.isfinite(raw)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"{name}: row {row} = {raw[row]}: must be finite")
    return raw + 0.0


def distinct(points: Points) -> Points:
    """Return the distinct points, (k, d), sorted lexicographically by feature 0, 1, ...; exact comparison."""
    if points.shape[1] == 1:
        return np.unique(points[:, 0])[:, None]
    return distinct_rows(points).rows


def _each(convert: Callable[[Any, int], Any]) -> Any:
    """Return a converter to one value for each point of a sample, whose points are there already."""

    def converted(given: Any, sample: Any) -> Any:
        return convert(given, len(sample.points))

    return attrs.Converter(converted, takes_self=True)


@value(eq=False)
class Sample:
    """Labelled examples, validated on construction.

    Args:
        points: (n, d) finite numbers; (n,) is read as n points of one feature.
        labels: (n,) in {0, 1}.

    Raises:
        ValueError: for other shapes, and with the row of the first value that is not allowed.
    """

    points: Points = attrs.field(converter=as_points)
    labels: Labels = attrs.field(converter=_each(as_labels))

    def __len__(self) -> int:
        return len(self.labels)


def _as_class_labels(given: Any, sample: Any) -> ClassLabels:
    return as_class_labels(given, sample.classes, len(sample.points))


@value(eq=False)
class ClassSample:
    """Examples of several labels, validated on construction.

    Args:
        points: (n, d) finite numbers; (n,) is read as n points of one feature.
        classes: number K of labels, at least 2.
        labels: (n,) in {0, ..., K - 1}.

    Raises:
        ValueError: for other shapes, and with the row of the first value that is not allowed.

    Examples:
        >>> len(ClassSample([[0.5], [1.0]], 3, [2, 0]))
        2
    """

    points: Points = attrs.field(converter=as_points)
    classes: int = size(2)
    labels: ClassLabels = attrs.field(converter=attrs.Converter(_as_class_labels, takes_self=True))

    def __len__(self) -> int:
        return len(self.labels)


@value(eq=False)
class RegressionSample:
    """Examples with real responses, validated on construction.

    Args:
        points: (n, d) finite numbers; (n,) is read as n points of one feature.
        responses: (n,) finite numbers.

    Raises:
        ValueError: for other shapes, and with the row of the first value that is not finite.

    Examples:
        >>> len(RegressionSample([[0.5], [1.0]], [-0.25, 1.0]))
        2
    """

    points: Points = attrs.field(converter=as_points)
    responses: Responses = attrs.field(converter=_each(as_responses))

    def __len__(self) -> int:
        return len(self.responses)


class StatusModel(StrEnum):
    """Which pairs of label and privacy status can occur in a mixed sample, narrowest first.

    Source:
        BMN20 sections 3 and 4.

    Examples:
        >>> StatusModel.LABEL_DETERMINED.check(as_labels([1, 0, 1]), np.array([True, False, False]), "data")
        Traceback (most recent call last):
        ValueError: data: row 2 is public with label 1: under label_determined an example is private iff its label is 1
    """

    LABEL_DETERMINED = "label_determined"
    """Private if and only if the label is 1."""
    PRIVATE_ONES = "private_ones"
    """Private examples have label 1, public ones any label: relaxation (ii)."""
    ANY = "any"
    """No restriction: relaxation (i), and independent labels and statuses."""

    @property
    def rule(self) -> str:
        """What the model allows, in words."""
        return _RULES[self.value]

    def includes(self, other: "StatusModel") -> bool:
        """Return whether every pair that the other model allows is allowed here.

        Args:
            other: a status model.

        Returns:
            Whether the other is as narrow or narrower.
        """
        models = list(StatusModel)
        return models.index(other) <= models.index(self)

    def allows(self, labels: Labels, private: Statuses) -> Statuses:
        """Say of each pair of label and status whether it can occur.

        Args:
            labels: (n,) in {0, 1}.
            private: (n,) bool.

        Returns:
            (n,) bool.
        """
        if self is StatusModel.LABEL_DETERMINED:
            return np.asarray((labels == 1) == private)
        if self is StatusModel.PRIVATE_ONES:
            return np.asarray((labels == 1) | ~private)
        return np.ones(len(labels), bool)

    def check(self, labels: Labels, private: Statuses, name: str) -> None:
        """Check that all examples are allowed.

        Args:
            labels: (n,) in {0, 1}.
            private: (n,) bool.
            name: what the message calls the sample.

        Raises:
            ValueError: with the row, status and label of the first example that the model does not allow.
        """
        allowed = self.allows(labels, private)
        if not np.all(allowed):
            row = int(np.argmin(allowed))
            status = "private" if private[row] else "public"
            raise ValueError(
                f"{name}: row {row} is {status} with label {int(labels[row])}: under {self.value} {self.rule}"
            )


_RULES = {
    "label_determined": "an example is private iff its label is 1",
    "private_ones": "private examples have label 1",
    "any": "every pair of label and status is allowed",
}


def as_statuses(values: ArrayLike, n: int, name: str = "private") -> Statuses:
    """Return values as (n,) bool privacy statuses; raises ValueError with the row of the first that is not 0 or 1."""
    raw = checks.array(name, values)
    if raw.shape != (n,):
        raise ValueError(f"{name}: must have shape ({n},), one status for each point, got {raw.shape}")
    return as_labels(raw, n, name).astype(bool)


@value(eq=False)
class MixedSample:
    """Examples of one population of which some are private, validated on construction.

    Args:
        points: (n, d) finite numbers; (n,) is read as n points of one feature.
        labels: (n,) in {0, 1}.
        private: (n,) bool, whether each example is private.
        model: which pairs of label and status can occur.

    Raises:
        ValueError: for other shapes, with the row of the first value that is not allowed, and if a label and a status
            contradict the model.
    """

    points: Points = attrs.field(converter=as_points)
    labels: Labels = attrs.field(converter=_each(as_labels))
    private: Statuses = attrs.field(converter=_each(as_statuses))
    model: StatusModel = attrs.field(default=StatusModel.ANY, converter=StatusModel)

    def __attrs_post_init__(self) -> None:
        self.model.check(self.labels, self.private, "mixed sample")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def public_examples(self) -> Sample:
        """The public examples, in the order of the sample."""
        return Sample(self.points[~self.private], self.labels[~self.private])

    @property
    def private_examples(self) -> Sample:
        """The private examples, in the order of the sample."""
        return Sample(self.points[self.private], self.labels[self.private])
