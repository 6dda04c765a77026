"""A learning problem: public and private laws of examples, and population errors under the private one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv import registry
from semipriv.classes.base import HypothesisClass, Parameters
from semipriv.distributions.labelings.base import Labeling
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.shifts.base import Shift, Shifted
from semipriv.randomness import Simulation
from semipriv.samples import Points, Sample

FRESH_SAMPLE = 50_000
"""Points of the fresh sample that estimates an error without a closed form."""


@dataclass(frozen=True, eq=False)
class Errors:
    """Population errors (k,) with the standard error of each (0 where the value is a closed form)."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """Public points follow ``marginal``; private points follow its shift (or the same law); both share the labeling."""

    marginal: Marginal
    labeling: Labeling
    shift: Shift | None = None

    @classmethod
    def from_config(cls, specification: dict[str, Any]) -> "Distribution":
        """Build from {"marginal": ..., "labeling": ..., "shift": ...}; unknown keys and names raise ValueError."""
        for key in specification:
            registry.check_name("key of a distribution", key, ["labeling", "marginal", "shift"])
        for key in ("marginal", "labeling"):
            if key not in specification:
                raise ValueError(f"a distribution needs a {key}")
        shift = specification.get("shift")
        return cls(
            registry.build("distributions/marginals", specification["marginal"]),
            registry.build("distributions/labelings", specification["labeling"]),
            None if shift is None else registry.build("distributions/shifts", shift),
        )

    @property
    def private_marginal(self) -> Marginal:
        """Law of the private points."""
        return self.marginal if self.shift is None else Shifted(self.marginal, self.shift)

    def public_sample(self, n: int, randomness: Simulation) -> Sample:
        """n examples from the public law; learners that use unlabelled public data see its points only."""
        return self._labelled(self.marginal.sample(n, randomness.generator), randomness)

    def private_sample(self, n: int, randomness: Simulation) -> Sample:
        """n examples from the private law."""
        return self._labelled(self.private_marginal.sample(n, randomness.generator), randomness)

    def _labelled(self, points: Points, randomness: Simulation) -> Sample:
        ones = randomness.generator.random(len(points)) < self.labeling.probability(points)
        return Sample(points, ones.astype(np.int8))

    @property
    def _atoms(self) -> Points | None:
        """The points of a finite domain on the line, (k, 1); None elsewhere."""
        support = self.private_marginal.support if self.marginal.dimension == 1 else None
        return None if support is None else support[:, None]

    def exact_errors(self, hypothesis_class: HypothesisClass, parameters: Parameters) -> NDArray[np.float64] | None:
        """Population errors (k,) under the private law in closed form, or None where there is none."""
        exact = self.labeling.errors(hypothesis_class, parameters, self.private_marginal, self.marginal)
        if exact is not None or self._atoms is None:
            return exact
        eta, law = self.labeling.probability(self._atoms), self.private_marginal
        mass = law.cdf(self._atoms[:, 0]) - law.cdf_left(self._atoms[:, 0])
        ones = hypothesis_class.predict(parameters, self._atoms)
        return np.where(ones, 1 - eta, eta) @ mass

    def errors(self, hypothesis_class: HypothesisClass, parameters: Parameters, randomness: Simulation) -> Errors:
        """Population errors P[h(x) != y] under the private law (k,).

        Exact where there is a closed form; else means of P[h(x) != y | x] over a fresh sample of points, with standard
        errors.
        """
        exact = self.exact_errors(hypothesis_class, parameters)
        if exact is not None:
            return Errors(exact, np.zeros(len(exact)))
        points = self.private_marginal.sample(FRESH_SAMPLE, randomness.generator)
        eta = self.labeling.probability(points)
        value, spread = np.empty(len(parameters)), np.empty(len(parameters))
        for i, row in enumerate(parameters):
            wrong = np.where(hypothesis_class.predict(row[None], points)[0], 1 - eta, eta)
            value[i], spread[i] = wrong.mean(), wrong.std(ddof=1)
        return Errors(value, spread / np.sqrt(FRESH_SAMPLE))

    def _best_over_atoms(self, hypothesis_class: HypothesisClass, atoms: Points) -> float | None:
        """Error of a minimiser of sum_a mass(a) (2 eta(a) - 1) 1[h(a) = 0], which is err(h) less a constant."""
        eta, law = self.labeling.probability(atoms), self.private_marginal
        mass = law.cdf(atoms[:, 0]) - law.cdf_left(atoms[:, 0])
        minimum = hypothesis_class.minimise(atoms, np.ones(len(atoms), np.int8), mass * (2 * eta - 1))
        errors = self.exact_errors(hypothesis_class, minimum.parameters[None])
        return None if errors is None else float(errors[0])

    def best_error(self, hypothesis_class: HypothesisClass) -> float:
        """Inf over the class of err(h), exact; raises ValueError where it is not known."""
        best = self.labeling.best_error(hypothesis_class, self.private_marginal, self.marginal)
        if best is None and self._atoms is not None:
            best = self._best_over_atoms(hypothesis_class, self._atoms)
        if best is None:
            raise ValueError(f"the best error of {hypothesis_class!r} under {self.labeling!r} is not known")
        return best
