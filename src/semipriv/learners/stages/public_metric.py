"""The metric of unlabelled public points: where they lie, on what scales, and along which axes they vary."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.machine import one_thread
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.core.work import check_work
from semipriv.geometry.predicates import affine_values
from semipriv.learners.stages.base import UnlabelledStage

__all__ = ["Metric", "PublicMetric", "metric_from", "metric_of", "shrunk_covariance"]

_SAME = 2.0**-40
"""A feature whose public values differ by no more than this share of the largest of them is constant up to rounding."""
_FLAT = 1e-3
"""Axes with less variance are left out, where features have variance 1."""


QUANTILES = np.linspace(0, 1, 21)[1:-1]
"""Twentieths: the 90 % quantile, which an often constant feature needs, is one of them."""


@value(eq=False)
class Metric:
    """Functions on standardised features, and what public points say of these.  From public data only.

    functions: halfspaces, or linear functions, of features in units of their public standard deviation.  rows: (m, d),
    the public points in these units.  mean: (d,).  variances, axes: (r,), (d, r), decreasing, and the directions that
    have them: eigenvalues and orthonormal eigenvectors of a shrunk covariance.  Features that are constant on the
    public points have no part in axes, as nobody knows their scale; with fewer than two public points there is no axis.
    """

    hypothesis_class: Any
    functions: Any
    rows: Points
    mean: Floats
    variances: Floats
    axes: Floats

    def arrays(self) -> Arrays:
        """Return centres, scales, and the public points in these units, with their mean, variances and axes."""
        return {
            "centre": np.array(self.functions.centre),
            "scale": np.array(self.functions.scale),
            "rows": self.rows,
            "mean": self.mean,
            "variances": self.variances,
            "axes": self.axes,
        }

    @cached_property
    def quantiles(self) -> Floats:
        """Nearest QUANTILES of each feature on the public points, (d, 19), of zeros +0.0; (d, 0) without points."""
        columns = np.sort(np.ascontiguousarray(self.rows.T) + 0.0)  # faster than to select in rows, by far
        if not len(self.rows):
            return columns
        return columns[:, np.quantile(np.arange(len(self.rows)), QUANTILES, method="nearest")]

    @cached_property
    def directions(self) -> Floats:
        """Weights (d, r) of the features: columns are axes, divided by their standard deviations."""
        return np.asarray(self.axes / np.sqrt(self.variances))

    @property
    def penalties(self) -> tuple[Floats, Floats]:
        """Two ways to penalise squares of weights (r,) of the coordinates: these alike, or those of features alike.

        A rule with weights w of the coordinates has weights ``directions`` w of standardised features, whose squares
        add up to the sum of w_j^2 / variance_j.
        """
        return np.ones_like(self.variances), 1 / self.variances

    def coordinates(self, standardised: Points, count: int) -> Floats:
        """Return the first ``count`` coordinates of standardised points (n, d), (count, n): variance 1 in public.

        Each point by itself, and in the same order of operations wherever it stands.
        """
        return np.asarray(affine_values(self.affine(count), np.ascontiguousarray(standardised.T)))

    def affine(self, count: int) -> Floats:
        """Return the first ``count`` coordinates as weights and offsets of standardised features, (count, d + 1)."""
        weights = self.directions[:, :count].T
        return np.column_stack([weights, -weights @ self.mean])


@value
class PublicMetric(UnlabelledStage[Metric]):
    """Mean and standard deviation of each feature, then the covariance after clipping at 4 of these, shrunk.

    Ledoit and Wolf's shrinkage makes it regular, with fewer public points than features too.
    """

    weighs = True

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"the public metric is for halfspaces, the class is {hypothesis_class!r}")

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Metric:
        return metric_of(points, hypothesis_class, ClippedHalfspaces)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Metric:
        """Return the metric with these arrays."""
        return metric_from(arrays, hypothesis_class, ClippedHalfspaces)


def metric_of(points: Points, hypothesis_class: Any, functions: Callable[..., Any]) -> Metric:
    """Return the metric of points (m, d); functions: makes them of centres and scales."""
    m, d = points.shape
    check_work(
        f"axes of {m:,} public points with {d:,} features", estimates.axes(m, d), "take fewer public rows or columns"
    )
    centre, scale, varies = _units(points)
    standard = functions(tuple(centre.tolist()), tuple(scale.tolist()))
    rows = standard.standardised(points)
    mean = rows.mean(axis=0) if len(rows) else np.zeros(d)
    variances, axes = np.zeros(0), np.zeros((d, 0))
    if varies.any():
        with one_thread():
            variances, directions = _axes(shrunk_covariance(rows[:, varies]))
        axes = np.zeros((d, len(variances)))
        axes[varies] = directions
    return Metric(hypothesis_class, standard, rows, mean, variances, axes)


def metric_from(arrays: Arrays, hypothesis_class: Any, functions: Callable[..., Any]) -> Metric:
    """Return the metric with these arrays."""
    standard = functions(tuple(arrays["centre"].tolist()), tuple(arrays["scale"].tolist()))
    rest = (arrays[name] for name in ("rows", "mean", "variances", "axes"))
    return Metric(hypothesis_class, standard, *rest)


def _units(points: Points) -> tuple[Floats, Floats, Floats]:
    """Return mean and standard deviation of each feature, and whether it varies; constant ones get the scale 1.

    In units of the largest absolute value, so that nothing overflows.
    """
    if not len(points):
        d = points.shape[1]
        return np.zeros(d), np.ones(d), np.zeros(d, bool)
    largest = np.abs(points).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    small = points / unit
    spread = small.std(axis=0)
    varies = (np.ptp(small, axis=0) > _SAME) & (spread * unit > 0)
    return small.mean(axis=0) * unit, np.where(varies, spread * unit, 1.0), varies


def shrunk_covariance(rows: Points) -> Floats:
    """Return the covariance of rows (m, d), shrunk towards a multiple of the identity by Ledoit and Wolf's share.

    With S the covariance (divided by m) and a = tr(S) / d, it is (1 - s) S + s a I, where s is the smaller of 1 and

        (sum_i |x_i|^4 / m - |S|^2) / m  /  |S - a I|^2,      norms are those of Frobenius, rows are centred.

    Source:
        Ledoit and Wolf 2004, A well-conditioned estimator for large-dimensional covariance matrices.
    """
    m, d = rows.shape
    x = rows - rows.mean(axis=0)
    covariance = x.T @ x / m
    level = np.trace(covariance) / d
    target = level * np.eye(d)
    distance = float(((covariance - target) ** 2).sum())
    fourth = float(((x**2).sum(axis=1) ** 2).sum()) / m
    noise = max((fourth - float((covariance**2).sum())) / m, 0.0)
    share = min(noise / distance, 1.0) if distance > 0 else 1.0
    return np.asarray((1 - share) * covariance + share * target)


def _axes(covariance: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues that are not flat, decreasing, (r,), and their eigenvectors (d, r).

    The sign of a vector is a convention: its largest entry is positive.
    """
    variances, axes = np.linalg.eigh(covariance)
    kept = np.flatnonzero(variances > _FLAT)[::-1]
    axes = axes[:, kept]
    largest = np.argmax(np.abs(axes), axis=0)
    return variances[kept], axes * np.where(axes[largest, np.arange(len(kept))] < 0, -1.0, 1.0)
