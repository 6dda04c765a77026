"""One sample of a mixed population: the status of each example says whether it is private."""

from typing import ClassVar

import numpy as np
from attrs import frozen

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, Sample
from semipriv.core.types import Bools
from semipriv.distributions.designs.base import Design, Parts, Ranges, Recipe, size
from semipriv.distributions.problem import Distribution

__all__ = ["Mixed"]


@frozen
class Mixed(Design):
    """n examples (x, y, status), split by status; the sizes of the two parts are random.  BMN20 section 3."""

    statuses: ClassVar[bool] = True
    axes: ClassVar[tuple[str, ...]] = ("n", "private_zeros")
    title: ClassVar[str] = "mixed samples, whose public and private sizes are random"
    refusal: ClassVar[str] = "the sizes of a mixed sample's parts are random"

    n: int = size("n", "size of a mixed sample, whose parts are of random sizes; for tables the rows not held out")

    def draw(self, distribution: Distribution, stream: Simulation, materialise: int) -> tuple[Sample, Sample | Recipe]:
        """Draw one sample and split it by status; both parts are drawn at once, whatever their sizes."""
        mixed = distribution.mixed_sample(self.n, stream.spawn("mixed"))
        return mixed.public_examples, mixed.private_examples

    def split(
        self, sample: MixedSample, ranges: Ranges | None, stream: Simulation, group: Bools | None = None
    ) -> Parts:
        """Choose n rows at random and split them by status; features are mapped from ``ranges`` to [0, 1].

        Without ``ranges`` features stay as they are: a scale that is taken from rows could reveal a private one.
        """
        self.check_held_out(len(sample))
        order = stream.spawn("split").generator.permutation(len(sample))
        chosen, held = np.split(order, [self.n])
        private = sample.private[chosen]
        ends = np.array(ranges or [(0.0, 1.0)] * sample.points.shape[1])
        return Parts(chosen[~private], chosen[private], held, ends[:, 0], ends[:, 1] - ends[:, 0])
