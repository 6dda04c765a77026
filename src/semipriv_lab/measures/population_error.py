"""The population error of hypotheses."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.classes.classifiers.base import Classifier
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import ClassSample, Sample
from semipriv.distributions.best import BestError
from semipriv.distributions.problem import Distribution
from semipriv_lab.measures.base import Measure, Measured

__all__ = ["PopulationError"]


@value
class PopulationError(Measure[Distribution, HypothesisClass, Sample | ClassSample]):
    """P[h(x) != y] under the private distribution, in closed form or on a fresh sample, or on held-out examples.

    The best value is the infimum over the class.  Functions to several labels are measured on held-out examples alone.
    """

    kinds: ClassVar[tuple[str, ...]] = ("hypothesis", "transcript", "classifier")
    excess_title: ClassVar[str] = "excess error"
    held_out_title: ClassVar[str | None] = "error on the held-out part"
    bounded: ClassVar[bool] = True

    def best(self, distribution: Distribution, hypothesis_class: HypothesisClass) -> BestError:
        """Return the infimum of the population error over the class."""
        return distribution.best_error(hypothesis_class)

    def population(
        self,
        outputs: Sequence[Hypothesis],
        distribution: Distribution,
        hypothesis_class: HypothesisClass,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the errors; hypotheses with the same set of functions are evaluated together."""
        result = [Measured(np.nan, np.nan)] * len(outputs)
        for functions in dict.fromkeys(output.functions for output in outputs):
            same = [i for i, output in enumerate(outputs) if output.functions == functions]
            parameters = np.array([outputs[i].parameters for i in same])
            errors = distribution.errors(functions, parameters, randomness.spawn("evaluate"))
            for i, error, uncertainty in zip(same, errors.value, errors.standard_error, strict=True):
                result[i] = Measured(error, uncertainty)
        return result

    def held_out(self, outputs: Sequence[Hypothesis | Classifier], sample: Sample | ClassSample) -> list[Measured]:
        """Return the shares of mistakes, with the standard errors of shares."""
        every = (
            output.functions.mistakes(output.parameters[None], sample.points, sample.labels)[0] for output in outputs
        )
        errors = [float(wrong) / len(sample) for wrong in every]
        return [Measured(error, float(np.sqrt(error * (1 - error) / len(sample)))) for error in errors]
