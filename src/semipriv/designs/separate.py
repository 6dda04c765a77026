"""Public and private samples of fixed sizes, drawn apart."""

from typing import ClassVar

import numpy as np
from attrs import frozen

from semipriv.designs.base import Design, Examples, Parts, Ranges, Recipe, size
from semipriv.distributions.problem import Distribution
from semipriv.distributions.regression import RegressionLaw
from semipriv.randomness import Simulation
from semipriv.samples import MixedSample, RegressionSample

__all__ = ["Separate"]


@frozen
class Separate(Design):
    """n_public examples of the public law, n_private of the private one; a table is split at random."""

    statuses: ClassVar[bool] = False
    responses: ClassVar[bool] = True
    axes: ClassVar[tuple[str, ...]] = ("n_private", "n_public", "sigma")
    title: ClassVar[str] = "public and private samples of fixed sizes"
    refusal: ClassVar[str] = "public and private samples are drawn apart"

    n_public: int = size("n_public", "number of public examples")
    n_private: int = size("n_private", "number of private examples")

    def draw(
        self, distribution: Distribution | RegressionLaw, stream: Simulation, materialise: int
    ) -> tuple[Examples, Examples | Recipe]:
        """Draw both samples, each from a stream of its own; a private one that is too large becomes a recipe."""
        public = distribution.public_sample(self.n_public, stream.spawn("public"))
        own = stream.spawn("private")
        if self.n_private > materialise:
            return public, Recipe(self.n_private, own)
        return public, distribution.private_sample(self.n_private, own)

    def split(self, sample: MixedSample | RegressionSample, ranges: Ranges | None, stream: Simulation) -> Parts:
        """Choose n_public and n_private rows at random, and scale features by the public rows alone.

        The map takes their mean to 0 and their standard deviation to 1, so it depends on no private row.  For rows with
        responses it takes the box of the d ``ranges`` into the unit ball, each to [-1 / sqrt(d), 1 / sqrt(d)].
        """
        self.check_held_out(len(sample))
        order = stream.spawn("split").generator.permutation(len(sample))
        public, private, held = np.split(order, [self.n_public, self.n_public + self.n_private])
        if isinstance(sample, RegressionSample) and ranges is not None:
            low, high = np.array(ranges, float).T
            return Parts(public, private, held, (low + high) / 2, (high - low) / 2 * np.sqrt(len(low)))
        centre, scale = sample.points[public].mean(axis=0), sample.points[public].std(axis=0)
        return Parts(public, private, held, centre, np.where(scale > 0, scale, 1.0))
