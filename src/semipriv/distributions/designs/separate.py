"""Public and private samples of fixed sizes, drawn apart."""

from typing import ClassVar

import numpy as np
from attrs import frozen

from semipriv.core.randomness import Simulation
from semipriv.core.samples import ClassSample, MixedSample, RegressionSample
from semipriv.core.types import Bools
from semipriv.distributions.designs.base import Design, Examples, Parts, Ranges, Recipe, size
from semipriv.distributions.problem import Distribution
from semipriv.distributions.regression import RegressionDistribution

__all__ = ["Separate"]


@frozen
class Separate(Design):
    """n_public examples of the public distribution, n_private of the private one; a table is split at random.

    Public rows of a table may be drawn from a group of its rows, the others from the rest: another population.
    """

    statuses: ClassVar[bool] = False
    any_target: ClassVar[bool] = True
    groups: ClassVar[bool] = True
    axes: ClassVar[tuple[str, ...]] = ("n_private", "n_public", "sigma")
    title: ClassVar[str] = "public and private samples of fixed sizes"
    refusal: ClassVar[str] = "public and private samples are drawn apart"

    n_public: int = size("n_public", "number of public examples")
    n_private: int = size("n_private", "number of private examples")

    def draw(
        self, distribution: Distribution | RegressionDistribution, stream: Simulation, materialise: int
    ) -> tuple[Examples, Examples | Recipe]:
        """Draw both samples, each from a stream of its own; a private one that is too large becomes a recipe."""
        public = distribution.public_sample(self.n_public, stream.spawn("public"))
        private = stream.spawn("private")
        if self.n_private > materialise:
            return public, Recipe(self.n_private, private)
        return public, distribution.private_sample(self.n_private, private)

    def held_out(self, rows: int, group: int | None = None) -> int:
        """Return how many rows of a table are held out; with a group of public rows, none of that group."""
        return super().held_out(rows) if group is None else rows - group - self.n_private

    def check_held_out(self, rows: int, group: int | None = None) -> None:
        """Raise ValueError unless the group has the public rows, and the others leave rows to hold out."""
        if group is None:
            return super().check_held_out(rows)
        if self.n_public > group:
            raise ValueError(f"n_public = {self.n_public}: must be at most {group}, the rows of the public group")
        if self.held_out(rows, group) < 1:
            left = f"{rows - group} rows outside the public group"
            raise ValueError(f"n_private = {self.n_private}: must leave rows of the table's {left} to hold out")

    def split(
        self,
        sample: MixedSample | ClassSample | RegressionSample,
        ranges: Ranges | None,
        stream: Simulation,
        group: Bools | None = None,
    ) -> Parts:
        """Choose n_public and n_private rows at random, and scale features by what is public.

        With ``ranges`` the map takes them to [0, 1]; without, it takes the mean of the public rows to 0 and their
        standard deviation to 1, so it depends on no private row.  For rows with responses it takes the box of the d
        ``ranges`` into the unit ball, each to [-1 / sqrt(d), 1 / sqrt(d)].
        """
        self.check_held_out(len(sample), None if group is None else int(group.sum()))
        order = stream.spawn("split").generator.permutation(len(sample))
        if group is None:
            public, private, held = np.split(order, [self.n_public, self.n_public + self.n_private])
        else:
            public = order[group[order]][: self.n_public]
            private, held = np.split(order[~group[order]], [self.n_private])
        if ranges is not None:
            low, high = np.array(ranges, float).T
            if isinstance(sample, RegressionSample):
                return Parts(public, private, held, (low + high) / 2, (high - low) / 2 * np.sqrt(len(low)))
            return Parts(public, private, held, low, high - low)
        centre, scale = sample.points[public].mean(axis=0), sample.points[public].std(axis=0)
        return Parts(public, private, held, centre, np.where(scale > 0, scale, 1.0))
