"""RRSPM, learning with one call of an oracle and random weights on public points (BBD24 algorithm 4)."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass, Predictions
from semipriv.fields import delta, named, one_of, positive, value
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.mechanisms.noise.base import Noise
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.perturbed_minimum import PerturbedMinimum
from semipriv.oracles._projected import Projected
from semipriv.oracles.base import Counted, Oracle, oracle
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.rounding import rounded_up
from semipriv.samples import as_labels
from semipriv.stages.weighted_points import WeightedPoints, WeightedPointsPrepared

__all__ = ["RRSPM"]

WEIGHTS = ["laplace", "discrete_laplace"]
SCALES = ["paper", "teaching"]


@value
class RRSPM(Learner[WeightedPointsPrepared], FiniteOutput):
    """The canonical hypothesis with the pattern on public points that minimises mistakes plus noise on every point.

    With q(h) the least number of private mistakes of a hypothesis with pattern h on the m distinct public points, and
    independent xi_i on each of them, an oracle minimises q(h) + <xi, h>, and c(Z, h) is released: the hypothesis that
    public points and the pattern alone determine.  (The random labels of the algorithm change no law: the noise is
    symmetric.)  Whatever the oracle returned besides the pattern is forgotten.

    epsilon: finite and > 0.  weights: 'laplace' (the paper's, real numbers: for simulation only) or 'discrete_laplace'
    (integers: may be released with ``Secure``; patterns of equal noisy mistakes are ordered by a public rule, for which
    those of the public points are listed).  Both are pure epsilon-DP with noise of scale S / epsilon, S a shift of
    weights by which the same pattern wins after a record was replaced.  scale: 'paper' (S = 2 m, lemma 18) or
    'teaching' (what the class proves: 2 for thresholds, whatever m; twice the size of a teaching set).  delta: 0.

    oracle: 'exact', or a heuristic, without which there is no guarantee.
    """

    epsilon: float = positive()
    delta: float = delta(default=0.0)
    weights: str = one_of(WEIGHTS, "RRSPM", default="laplace")
    scale: str = one_of(SCALES, "RRSPM", default="paper")
    oracle: str = named("oracles", default="exact")

    def __attrs_post_init__(self) -> None:
        if self.delta:
            raise ValueError(f"delta = {self.delta!r}: must be 0 for weights {self.weights!r}, whose privacy is pure")

    @classmethod
    def examples(cls) -> tuple["RRSPM", ...]:
        """Return the paper's, and those that may be released, with both scales."""
        exact = "discrete_laplace"
        return cls(1.0), cls(4.0, weights=exact), cls(2.0, weights=exact, scale="teaching")

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm, of a variant, or of another model for a heuristic oracle."""
        if self.guarantee is None:
            return Role.OTHER_MODEL
        return Role.PAPER if (self.weights, self.scale) == ("laplace", "paper") else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with what differs from the paper."""
        own = [
            *(["teaching sets"] if self.scale == "teaching" else []),
            *(["integer noise"] if self.weights == "discrete_laplace" else []),
            *([self.oracle.replace("_", " ")] if self.oracle != "exact" else []),
        ]
        return f"RRSPM ({', '.join(own)})" if own else "RRSPM"

    @property
    def guarantee(self) -> Guarantee | None:
        """(epsilon, delta) for replacing one private example; None if the oracle is a heuristic."""
        if not oracle(self.oracle).exact:
            return None
        return Guarantee(self.epsilon, self.delta, Neighbours.REPLACE_PRIVATE_EXAMPLE)

    @property
    def releasable(self) -> bool:
        """Whether the weights are integers."""
        return self.weights == "discrete_laplace"

    @property
    def public_stage(self) -> WeightedPoints:
        """The distinct public points, their shift, and their order."""
        return WeightedPoints("all" if self.scale == "paper" else "teaching", self.releasable)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError for a class that the oracle cannot minimise over."""
        oracle(self.oracle).check(hypothesis_class)

    def _mechanism(self, prepared: WeightedPointsPrepared) -> PerturbedMinimum:
        return PerturbedMinimum(self._noise(prepared), prepared.ties)

    def _noise(self, prepared: WeightedPointsPrepared) -> Noise | None:
        """Return the noise on each public point; None if there is none."""
        if not len(prepared.points):
            return None
        scale = Fraction(prepared.shift.one) / Fraction(self.epsilon)
        return DiscreteLaplace(scale) if self.weights == "discrete_laplace" else Laplace(rounded_up(scale))

    def release(
        self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw a pattern by one call of the oracle, and find its canonical hypothesis, which is another one."""
        counted = Counted(oracle(self.oracle))
        pattern = self._mechanism(prepared).pattern(_problem(prepared, points, labels, counted), randomness)
        cost = {"oracle_calls": counted.calls + 1.0, "public_points": float(len(prepared.points))}
        return Release(canonical(prepared, pattern), self.guarantee, randomness.source, cost)

    def law(self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the probability of each canonical hypothesis; ValueError but for integer noise on few points."""
        patterns, found = self._mechanism(prepared).law(_problem(prepared, points, labels, oracle(self.oracle)))
        return Law(np.stack([canonical(prepared, pattern).parameters for pattern in patterns]), found)


def _problem(prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike, asked: Oracle) -> Projected:
    x = prepared.hypothesis_class.validated(points)
    return Projected(prepared.hypothesis_class, prepared.points, x, as_labels(labels, len(x)), asked)


def canonical(prepared: WeightedPointsPrepared, pattern: Predictions) -> Hypothesis:
    """Return c(Z, h); where rounding leaves no hypothesis of the class with the pattern, the nearest."""
    h = prepared.hypothesis_class
    return Hypothesis(h, h.nearest(prepared.points, pattern))
