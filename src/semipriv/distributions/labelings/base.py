"""What every labeling offers."""

from abc import ABC, abstractmethod

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.errors import ClosedForms, Pieces, best_box_error, box_errors, errors_of, ray_errors
from semipriv.distributions.marginals.base import Marginal
from semipriv.geometry.shapes import Boxes, Rays


class Labeling(ABC):
    """Conditional distribution of the label: eta(x) = P[y = 1 | x]."""

    @abstractmethod
    def probability(self, points: Points) -> Floats:
        """Return eta at each point: (n, d) -> (n,)."""

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> Floats | None:
        """Return the exact population errors (k,) of k functions, or None if there is no closed form.

        first: distribution of the first feature of the private points; others: distribution of their other, independent
            features.
        """
        return None

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """Return the exact infimum of the population error over the class, or None if it is not known."""
        return None


class LineLabeling(Labeling):
    """A labeling that is a step function of the first feature: errors of rays and of boxes have a closed form."""

    @abstractmethod
    def pieces(self) -> Pieces:
        """Return the step function."""

    def probability(self, points: Points) -> Floats:
        """Return eta at each point."""
        return self.pieces()(points[:, 0])

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> Floats | None:
        """Return the errors (k,) of functions that are 1 on rays, on boxes, or on complements of these; else None."""
        pieces = self.pieces()
        closed_forms: ClosedForms = {
            Rays: lambda rays: ray_errors(rays, first, others, pieces),
            Boxes: lambda boxes: box_errors(boxes, first, others, pieces),
        }
        return errors_of(predictors.ones(parameters), closed_forms)

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """Return the least error of the hypotheses that cut at a step or just before it, and of the constants.

        Between two steps eta is constant, so the error of a ray is monotone in its mass there: the infimum over the
        class is attained at the ends.  Boxes: see ``best_box_error``; integer ends are as good on integer points.
        Halfspaces of several features: given the other features, independent of the first, one is a ray of the first,
        so none is better than the best ray.
        """
        if isinstance(hypothesis_class, Halfspaces) and hypothesis_class.dimension > 1:
            return self.best_error(Halfspaces(1), first, others)
        if not hypothesis_class.free_ends:
            return None
        shape = hypothesis_class.ones(hypothesis_class.cover([]).listed().parameters)
        if isinstance(shape, Boxes):
            return best_box_error(first, self.pieces())
        if not isinstance(shape, Rays):
            return None
        places = hypothesis_class.beside(self.pieces().breaks)
        steps = np.zeros((len(places), hypothesis_class.dimension))
        steps[:, 0] = places
        errors = self.errors(hypothesis_class, hypothesis_class.cover(steps).listed().parameters, first, others)
        return None if errors is None else float(errors.min())
