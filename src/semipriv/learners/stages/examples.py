"""The labelled public examples themselves, together with an inner stage that gets none of them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Sample, as_labels
from semipriv.learners.stages.base import AnyStage, LabelledStage, no_points

__all__ = ["Examples", "ExamplesPrepared"]

_INNER = "inner."


@value(eq=False)
class ExamplesPrepared:
    """Labelled public examples, and what the inner stage made without a public point."""

    hypothesis_class: HypothesisClass
    examples: Sample
    inner: Any

    def arrays(self) -> Arrays:
        """Return points and labels of the examples, then the arrays of the inner stage."""
        arrays: dict[str, NDArray[Any]] = {"points": self.examples.points, "labels": self.examples.labels}
        return arrays | {f"{_INNER}{name}": array for name, array in self.inner.arrays().items()}

    def together(self, points: ArrayLike, labels: ArrayLike) -> Sample:
        """Return the public examples, then the given ones: (m + n, d), (m + n,)."""
        x = self.hypothesis_class.validated(points)
        y = as_labels(labels, len(x))
        return Sample(np.concatenate([self.examples.points, x]), np.concatenate([self.examples.labels, y]))


@value
class Examples(LabelledStage[ExamplesPrepared]):
    """Keep the labelled public examples for the private stage; the inner stage gets no public point."""

    inner: AnyStage

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if the inner stage cannot prepare the class."""
        self.inner.check(hypothesis_class)

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> ExamplesPrepared:
        inner = self.inner.prepare(no_points(hypothesis_class), hypothesis_class)
        return ExamplesPrepared(hypothesis_class, examples, inner)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> ExamplesPrepared:
        """Return the examples, and what the inner stage made."""
        inner = {name.removeprefix(_INNER): array for name, array in arrays.items() if name.startswith(_INNER)}
        examples = Sample(arrays["points"], arrays["labels"])
        return ExamplesPrepared(hypothesis_class, examples, self.inner.restore(inner, hypothesis_class))
