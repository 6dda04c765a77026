"""The empirical risk minimiser on the labelled public points."""

from semipriv.classes.base import HypothesisClass, ListedCover
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Sample, distinct
from semipriv.learners.stages.base import LabelledStage

__all__ = ["LabelledMinimum"]


@value
class LabelledMinimum(LabelledStage[ListedCover]):
    """One hypothesis: the first with the fewest mistakes on the labelled public points."""

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> ListedCover:
        minimum = hypothesis_class.minimise(examples.points, examples.labels)
        return ListedCover(hypothesis_class, distinct(examples.points), minimum.parameters[None])

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> ListedCover:
        """Return the hypothesis."""
        return ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])
