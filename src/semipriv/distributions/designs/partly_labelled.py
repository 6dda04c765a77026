"""Private examples of which only the first are labelled; nothing is public but the sizes."""

from typing import ClassVar

import numpy as np
from attrs import frozen

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, Sample
from semipriv.core.types import Bools
from semipriv.distributions.designs.base import Design, PartlyDrawn, Parts, Ranges, Recipe, size
from semipriv.distributions.problem import Distribution

__all__ = ["PartlyLabelled"]


@frozen
class PartlyLabelled(Design):
    """n_labelled examples and n_unlabelled points of the private distribution, no public one.  BNS15 section 2."""

    statuses: ClassVar[bool] = False
    axes: ClassVar[tuple[str, ...]] = ("n_labelled", "n_unlabelled", "bits")
    title: ClassVar[str] = "partly labelled samples, all of them private"
    refusal: ClassVar[str] = "all examples of a partly labelled sample are private"

    n_labelled: int = size("n_labelled", "number of labelled private examples; no example is public")
    n_unlabelled: int = size("n_unlabelled", "number of unlabelled private entries beside them, 0 or more", minimum=0)

    def draw(self, distribution: Distribution, stream: Simulation, materialise: int) -> tuple[Sample, PartlyDrawn]:
        """Draw labelled examples, and no public one; unlabelled entries stay a recipe with a stream of their own."""
        labelled, unlabelled = stream.spawn("labelled"), stream.spawn("unlabelled")
        drawn: Sample | Recipe = Recipe(self.n_labelled, labelled)
        if self.n_labelled <= materialise:
            drawn = distribution.private_sample(self.n_labelled, labelled)
        public = distribution.public_sample(0, stream.spawn("public"))
        return public, PartlyDrawn(drawn, Recipe(self.n_unlabelled, unlabelled))

    def split(
        self, sample: MixedSample, ranges: Ranges | None, stream: Simulation, group: Bools | None = None
    ) -> Parts:
        """Choose n_labelled rows at random, and n_unlabelled others whose labels are forgotten.

        Features are mapped from ``ranges`` to [0, 1], and stay as they are without: no row may tell a scale.
        """
        self.check_held_out(len(sample))
        order = stream.spawn("split").generator.permutation(len(sample))
        labelled, unlabelled, held = np.split(order, [self.n_labelled, self.n_labelled + self.n_unlabelled])
        ends = np.array(ranges or [(0.0, 1.0)] * sample.points.shape[1])
        return Parts(order[:0], labelled, held, ends[:, 0], ends[:, 1] - ends[:, 0], unlabelled)
