"""Baseline: empirical risk minimisation on labelled public points only."""

from typing import ClassVar

from semipriv.core.fields import value
from semipriv.learners._public_only import FromPublicLabels
from semipriv.learners.stages.labelled import LabelledMinimum

__all__ = ["PublicLabelled"]


@value
class PublicLabelled(FromPublicLabels):
    """Empirical risk minimiser on public points *with their labels*.  A_SSPP does not need these labels.

    Under an agnostic distribution it needs order d / alpha^2 public examples.
    """

    hue: ClassVar[str] = "purple"
    short_title = "ERM on labelled public points"
    public_stage = LabelledMinimum()
