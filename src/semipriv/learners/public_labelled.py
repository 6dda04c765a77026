"""Baseline: empirical risk minimisation on labelled public points only."""

from semipriv.core.fields import value
from semipriv.learners._public_only import FromPublicLabels
from semipriv.learners.stages.labelled_minimum import LabelledMinimum

__all__ = ["PublicLabelled"]


@value
class PublicLabelled(FromPublicLabels):
    """Empirical risk minimiser on public points *with their labels*.  A_SSPP does not need these labels.

    Under an agnostic law it needs order d / alpha^2 public examples.
    """

    @classmethod
    def examples(cls) -> tuple["PublicLabelled", ...]:
        """Return the only instance."""
        return (cls(),)

    @property
    def short_title(self) -> str:
        """The name: the data on which it minimises."""
        return "ERM on labelled public points"

    @property
    def public_stage(self) -> LabelledMinimum:
        """The stage that finds the minimiser."""
        return LabelledMinimum()
