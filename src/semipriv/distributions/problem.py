"""A learning problem: the distributions of public and private examples, and population errors."""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictors
from semipriv.core import registry, rooms
from semipriv.core.entries import DrawnEntries
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, Points, RegressionSample, Sample
from semipriv.core.types import Floats
from semipriv.distributions.best import FRESH_SAMPLE, BestError, estimate_best_error, exactly
from semipriv.distributions.labelings.base import Labeling
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.shifts.base import Shift, Shifted
from semipriv.distributions.statuses.base import StatusDistribution

ATOMS = 200_000
"""Points of a finite domain in two dimensions or more up to which errors are sums over them all."""
Drawn = TypeVar("Drawn", Sample, RegressionSample)


@dataclass(frozen=True, eq=False)
class Errors:
    """Population errors (k,) with the standard error of each, 0 if the error is exact."""

    value: Floats
    standard_error: Floats


@dataclass(frozen=True, eq=False)
class Atoms:
    """A finite domain: its points (k, d), and the probability of each under the private distribution, (k,)."""

    points: Points
    mass: Floats


class Populations(Generic[Drawn]):
    """What distributions of examples share: points of a public and a private population, one the shift of the other."""

    what: ClassVar[str]
    """What a configuration calls it."""
    keys: ClassVar[tuple[str, ...]]
    """Keys of a configuration, each of which names a plug-in; all but the shift and the privacy must be there."""
    marginal: Marginal
    shift: Shift | None

    @classmethod
    def from_config(cls, specification: dict[str, Any]) -> Self:
        """Build from names and parameters of plug-ins by key; a shift, and a distribution of privacy, are optional.

        Args:
            specification: names and parameters of plug-ins by key.

        Returns:
            The distribution.

        Raises:
            ValueError: for unknown keys and names, and without a marginal or a distribution of labels or responses.
        """
        values = {key: value for key, value in specification.items() if value is not None}
        for key in values:
            registry.check_name(f"key of {cls.what}", key, list(cls.keys))
        for key in cls.keys:
            if key not in values and key not in ("privacy", "shift"):
                raise ValueError(f"{cls.what} needs a {key}")
        return cls(**{key: registry.build(rooms.of(f"distribution.{key}"), value) for key, value in values.items()})

    @cached_property
    def private_marginal(self) -> Marginal:
        """Distribution of the private points."""
        return self.marginal if self.shift is None else Shifted(self.marginal, self.shift)

    def public_sample(self, n: int, randomness: Simulation) -> Drawn:
        """Draw n examples from the public distribution; learners that use unlabelled public data see their points only.

        Args:
            n: number of examples.
            randomness: Simulation(seed).

        Returns:
            Points (n, d) with their labels or responses.
        """
        return self._sample(self.marginal, n, randomness)

    def private_sample(self, n: int, randomness: Simulation) -> Drawn:
        """Draw n examples from the private distribution.

        Args:
            n: number of examples.
            randomness: Simulation(seed).

        Returns:
            Points (n, d) with their labels or responses.
        """
        return self._sample(self.private_marginal, n, randomness)

    @abstractmethod
    def _sample(self, distribution: Marginal, n: int, randomness: Simulation) -> Drawn:
        """Draw n examples whose points follow a distribution."""

    def extreme_points(self) -> Points:
        """Return some points that the distribution can draw, near its ends and in its middle.

        Returns:
            (3, d).
        """
        return self.marginal.at(self.private_marginal.quantile(np.array([2.0**-30, 0.5, 1 - 2.0**-30])))


@dataclass(frozen=True)
class Distribution(Populations[Sample]):
    """A distribution of examples: two populations that share the labeling, or one population of whom some are private.

    Without ``privacy`` public points follow ``marginal`` and private points its shift (or the same distribution).  With
    it all examples follow ``marginal`` and the labeling, and the status is drawn given point and label.

    With more than one word the distribution is one of numbers below 2^53, which fill the last word; the others are 0.
    It needs one feature, and no statuses.

    Args:
        marginal: distribution of the points.
        labeling: distribution of a label given its point.
        shift: takes the marginal to that of the private points; None: they are the same.
        privacy: distribution of the status given point and label; None: there are two populations.
        words: more than 1 for a class that writes numbers of the line in so many features.

    Raises:
        ValueError: for a shift and a distribution of privacy together.

    Source:
        BMN20 section 3 (distribution of privacy); BBD24 (shift).
    """

    what: ClassVar[str] = "a distribution"
    keys: ClassVar[tuple[str, ...]] = ("labeling", "marginal", "privacy", "shift")

    marginal: Marginal
    labeling: Labeling
    shift: Shift | None = None
    privacy: StatusDistribution | None = None
    words: int = field(default=1, repr=False)

    def __post_init__(self) -> None:
        if self.words > 1 and (self.privacy is not None or self.marginal.dimension > 1):
            key = "distribution.privacy" if self.privacy is not None else "distribution.marginal.dimension"
            raise ValueError(
                f"{key}: a class that writes a number in {self.words} words takes distributions of the line alone"
            )
        if self.shift is not None and self.privacy is not None:
            raise ValueError("shift and privacy: must not both be given, a mixed sample has one distribution of points")
        if self.privacy is not None:
            self.privacy.probability(np.zeros((1, self.marginal.dimension)), np.zeros(1, np.int8))

    @property
    def dimension(self) -> int:
        """Number of features of a point."""
        return self.marginal.dimension if self.words == 1 else self.words

    def written_for(self, hypothesis_class: HypothesisClass) -> "Distribution":
        """Return the distribution in as many words as the class has, for one whose numbers have one.

        Args:
            hypothesis_class: the class that reads the points.

        Returns:
            The distribution, itself unless the class writes numbers in several words.
        """
        words = hypothesis_class.words
        return replace(self, words=words) if words > 1 and self.marginal.dimension == 1 else self

    def _written(self, points: Points) -> Points:
        if self.words == 1:
            return points
        return np.concatenate([np.zeros((len(points), self.words - 1)), points], axis=1)

    def unlabelled_entries(self, n: int, randomness: Simulation) -> DrawnEntries:
        """Return n points of the private distribution, without labels, that are drawn where they are read.

        Args:
            n: number of entries.
            randomness: Simulation(seed).

        Returns:
            The entries, which draw a part when it is read.
        """
        return DrawnEntries(n, self.private_points, randomness)

    def mixed_sample(self, n: int, randomness: Simulation) -> MixedSample:
        """Draw n examples of one population with their statuses; the number of private ones is random.

        Args:
            n: number of examples, public and private together.
            randomness: Simulation(seed).

        Returns:
            Points (n, d) with their labels and statuses.

        Raises:
            ValueError: where it has no distribution of privacy.
        """
        if self.privacy is None:
            raise ValueError("a mixed sample needs a distribution of privacy statuses")
        sample = self.public_sample(n, randomness)
        private = randomness.generator.random(n) < self.privacy.probability(sample.points, sample.labels)
        return MixedSample(sample.points, sample.labels, private, self.privacy.model)

    def _sample(self, distribution: Marginal, n: int, randomness: Simulation) -> Sample:
        points = distribution.sample(n, randomness.generator)
        ones = randomness.generator.random(len(points)) < self.labeling.probability(points)
        return Sample(self._written(points), ones.astype(np.int8))

    def private_points(self, n: int, generator: np.random.Generator) -> Points:
        """Draw points of the private distribution.

        Args:
            n: number of points.
            generator: what draws them.

        Returns:
            (n, d).
        """
        return self._written(self.private_marginal.sample(n, generator))

    def extreme_points(self) -> Points:
        """Return some points that the distribution can draw, near its ends and in its middle."""
        return self._written(super().extreme_points())

    @cached_property
    def atoms(self) -> Atoms | None:
        """All points of a finite domain, on the line or, up to ATOMS, in more dimensions; else None."""
        d, support = self.marginal.dimension, self.private_marginal.support
        if support is None or (d > 1 and len(support) ** d > ATOMS):
            return None
        masses = [
            distribution.cdf(support) - distribution.cdf_left(support)
            for distribution in (self.private_marginal, self.marginal)
        ]
        points = np.stack(np.meshgrid(*[support] * d, indexing="ij"), axis=-1).reshape(-1, d)
        mass = masses[0]
        for _ in range(d - 1):
            mass = np.multiply.outer(mass, masses[1])
        return Atoms(points, mass.ravel())

    def private_zeros(self) -> float | None:
        """Return P[private | y = 0].

        Known where the status depends on the label alone, and, with a zero to speak of, on a finite domain.

        Returns:
            The probability; None without a distribution of privacy, or if it is not known exactly.
        """
        if self.privacy is None:
            return None
        if self.privacy.of_zeros is not None or self.atoms is None:
            return self.privacy.of_zeros
        points = self.atoms.points
        zeros = self.atoms.mass * (1 - self.labeling.probability(points))
        private = self.privacy.probability(points, np.zeros(len(points), np.int8))
        return float(zeros @ private / zeros.sum()) if zeros.sum() > 0 else None

    def exact_errors(self, predictors: Predictors, parameters: Parameters) -> Floats | None:
        """Return the population errors under the private distribution in closed form.

        Args:
            predictors: the set of functions.
            parameters: (k, p).

        Returns:
            The errors (k,); None if there is no closed form.
        """
        if self.words > 1:
            predictors, parameters = predictors.one_word(parameters)
        exact = None
        if self.marginal.independent:
            exact = self.labeling.errors(predictors, parameters, self.private_marginal, self.marginal)
        if exact is not None or self.atoms is None:
            return exact
        eta = self.labeling.probability(self.atoms.points)
        predicted = predictors.predict(parameters, self.atoms.points)
        return np.where(predicted, 1 - eta, eta) @ self.atoms.mass

    def errors(self, predictors: Predictors, parameters: Parameters, randomness: Simulation) -> Errors:
        """Return the population errors P[h(x) != y] under the private distribution.

        Exact where there is a closed form, or a finite domain; else means of P[h(x) != y | x] over a fresh sample of
        points, with standard errors.

        Args:
            predictors: the set of functions.
            parameters: (k, p).
            randomness: Simulation(seed), for a sample of points.

        Returns:
            The errors (k,), and the standard error of each.
        """
        exact = self.exact_errors(predictors, parameters)
        if exact is not None:
            return Errors(exact, np.zeros(len(exact)))
        if self.words > 1:
            predictors, parameters = predictors.one_word(parameters)
        points = self.private_marginal.sample(FRESH_SAMPLE, randomness.generator)
        eta = self.labeling.probability(points)
        value, spread = np.empty(len(parameters)), np.empty(len(parameters))
        for i, row in enumerate(parameters):
            wrong = np.where(predictors.predict(row[None], points)[0], 1 - eta, eta)
            value[i], spread[i] = wrong.mean(), wrong.std(ddof=1)
        return Errors(value, spread / np.sqrt(FRESH_SAMPLE))

    def best_error(self, hypothesis_class: HypothesisClass) -> BestError:
        """Return the infimum of err(h) over the class: exact if possible, else an estimate with limits.

        Exact by the closed form of the labeling, or, on a finite domain, by a minimiser over all its points: on the
        line, and in more dimensions up to ``hypothesis_class.minimise_size`` points.  Else ``estimate_best_error``, by
        samples of a stream that distribution and class name, so that the value is the same wherever it is computed.

        Args:
            hypothesis_class: the class.

        Returns:
            The infimum, or an estimate with its limits.

        Raises:
            ValueError: if distribution and class do not fit together, for instance in their number of features.
        """
        try:
            hypothesis_class.validated(self.extreme_points())
            if self.words > 1:
                hypothesis_class, _ = hypothesis_class.one_word(np.empty((0, hypothesis_class.width)))
            exact = None
            if self.marginal.independent:
                exact = self.labeling.best_error(hypothesis_class, self.private_marginal, self.marginal)
            return exactly(exact) if exact is not None else _best_error(self, hypothesis_class)
        except ValueError as error:
            unknown = f"the best error of {hypothesis_class!r} under {self.labeling!r} is not known"
            raise ValueError(f"{unknown}: {error}") from error

    def _least_over_atoms(self, hypothesis_class: HypothesisClass, atoms: Atoms) -> float:
        """Return the error of a minimiser of sum_a mass(a) (2 eta(a) - 1) 1[h(a) = 0]: err(h) less a constant."""
        gain = atoms.mass * (2 * self.labeling.probability(atoms.points) - 1)
        minimum = hypothesis_class.minimise(atoms.points, np.ones(len(gain), np.int8), gain)
        errors = self.exact_errors(hypothesis_class, minimum.parameters[None])
        assert errors is not None, "errors on a finite domain are sums"
        return float(errors[0])


@cache
def _best_error(distribution: Distribution, hypothesis_class: HypothesisClass) -> BestError:
    """Return the best error if the labeling knows none; kept, as cells of an experiment share both."""
    atoms = distribution.atoms
    if atoms is not None and (
        distribution.marginal.dimension == 1 or len(atoms.points) <= hypothesis_class.minimise_size
    ):
        return exactly(distribution._least_over_atoms(hypothesis_class, atoms))
    stream = Simulation(0).spawn("best error", repr(distribution), repr(hypothesis_class))
    return estimate_best_error(
        hypothesis_class, distribution.private_marginal, distribution.labeling.probability, stream
    )
