"""RRSPM, learning with one call of an oracle and random weights on public points (BBD24 algorithm 4)."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass, Predictions, check_listing
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.fields import changed, delta, named, one_of, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.registry import check_name
from semipriv.core.roles import Role
from semipriv.core.rounding import Bracket, rounded_up
from semipriv.core.samples import as_labels
from semipriv.learners._needs import needed as solved
from semipriv.learners.base import Facts, FiniteOutput, Learner, ListedDistribution, Needed, Setting
from semipriv.learners.oracles._projected import Projected
from semipriv.learners.oracles.base import Counted, Oracle, oracle
from semipriv.mechanisms.noise.base import Noise
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.perturbed_minimum import LISTED, PerturbedMinimum, check_sums, ruler
from semipriv.papers.bbd24.bounds.rrspm import error_bound
from semipriv.papers.bbd24.perturbation.gaussian_weights import closed_scale, union_scale, width_scale
from semipriv.papers.bbd24.stages.weighted_points import PATTERNS, WeightedPoints, WeightedPointsPrepared
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release

__all__ = ["RRSPM"]

SCALES = {
    "laplace": ["paper", "teaching"],
    "discrete_laplace": ["paper", "teaching"],
    "gaussian": ["union", "closed", "width", "teaching"],
}
"""Weights, and the scales with which they are private."""


@value
class RRSPM(Learner[WeightedPointsPrepared], FiniteOutput):
    """The canonical hypothesis with the pattern on public points that minimises mistakes plus noise on every point.

    With q(h) the least number of private mistakes of a hypothesis with pattern h on the m distinct public points, and
    independent xi_i on each of them, an oracle minimises q(h) + <xi, h>, and c(Z, h) is released: the hypothesis that
    public points and the pattern alone determine.  (The random labels of the algorithm change no distribution: the
    noise is symmetric.)  Whatever the oracle returned besides the pattern is forgotten.

    Real or integer Laplace weights of scale S / epsilon are pure epsilon-DP, S a shift of weights by which the same
    pattern wins after a record was replaced: S = 2 m ('paper', lemma 18), or what the class proves ('teaching': 2 for
    thresholds, whatever m; twice the size of a teaching set).  With integers, patterns of equal noisy mistakes are
    ordered by a public rule, for which those of the public points are listed.

    Of normal weights, with delta > 0, the paper's scale is refuted, and not offered.  There are 'union' (over
    patterns), 'closed' (the same in closed form), 'width' (by the Gaussian width) and 'teaching' (union over patterns,
    shifts on teaching sets); see ``perturbation.gaussian_weights``.

    Without the pattern of zeros S may be much smaller: it may be the only one without a small teaching set.  For
    intervals S = 4 without it, whatever m, and S = 2 m with it.  The oracle is asked once for each public point then,
    which is to be a one.  Without public points nothing is left out.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in (0, 1) for 'gaussian', else 0.
        weights: 'laplace' (the paper's, real numbers: for simulation only), 'discrete_laplace' (integers: may be
            released with ``Secure``) or 'gaussian' (for simulation only).
        scale: 'paper' or 'teaching'; for 'gaussian' 'union', 'closed', 'width' or 'teaching'.
        oracle: 'exact'; or a heuristic, with which there is no guarantee.
        patterns: 'all', or 'nonempty': a hypothesis that labels no public point 1 cannot win.

    Raises:
        ValueError: for a delta or a scale that does not fit the weights.

    Source:
        BBD24 algorithm 4, theorem 4, lemmas 18, 22 and 23.
    """

    hue: ClassVar[str] = "orange"
    theorem: ClassVar[str] = "BBD24 theorem 4, explicit"
    facts: ClassVar[Facts] = Facts(
        most_listed=LISTED,
        least_loss=0.33,  # with noise of 2 m / epsilon classes on a line lose epsilon / m
        others={"scale": "teaching", "weights": "discrete_laplace"},
        unseen=("delta", "oracle", "patterns"),
        bound_sizes={"n_public": 15_000, "n_private": 10**10},  # sums of integer weights are exact there
        unbounded={"weights": "gaussian", "patterns": "nonempty"},
    )

    epsilon: float = positive()
    delta: float = delta(default=0.0)
    weights: str = one_of(list(SCALES), "RRSPM", default="laplace")
    scale: str = "paper"
    oracle: str = named("oracles", default="exact")
    patterns: str = one_of(PATTERNS, "RRSPM", default="all")

    def __attrs_post_init__(self) -> None:
        check_name(f"scale of {self.weights} weights", self.scale, SCALES[self.weights])
        if (self.weights == "gaussian") != (self.delta > 0):
            rule = "> 0" if self.weights == "gaussian" else "0"
            raise ValueError(f"delta = {self.delta!r}: must be {rule} for {self.weights} weights")

    @classmethod
    def examples(cls) -> tuple["RRSPM", ...]:
        """Return the paper's, those that may be released, with both scales, and one with normal weights."""
        exact = "discrete_laplace"
        normal = cls(1.0, 1e-6, "gaussian", "teaching")
        nonempty = cls(1.0, weights=exact, scale="teaching", patterns="nonempty")
        return cls(1.0), cls(4.0, weights=exact), cls(2.0, weights=exact, scale="teaching"), normal, nonempty

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm, of a variant, or of another model for a heuristic oracle."""
        if self.guarantee is None:
            return Role.OTHER_MODEL
        paper = (self.weights, self.scale, self.patterns) == ("laplace", "paper", "all")
        return Role.PAPER if paper else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with what differs from the paper."""
        differences = [
            *(["normal noise"] if self.weights == "gaussian" else []),
            *([{"teaching": "teaching sets"}.get(self.scale, self.scale)] if self.scale != "paper" else []),
            *(["non-empty patterns"] if self.patterns == "nonempty" else []),
            *(["integer noise"] if self.weights == "discrete_laplace" else []),
            *([self.oracle.replace("_", " ")] if self.oracle != "exact" else []),
        ]
        return f"RRSPM ({', '.join(differences)})" if differences else "RRSPM"

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
        return WeightedPoints("teaching" if self.scale == "teaching" else "all", self.releasable, self.patterns)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that the oracle can minimise over a class."""
        oracle(self.oracle).check(hypothesis_class)

    def excess_bound(self, setting: Setting) -> float | None:
        """Return the sum of BBD24 lemma 22, theorem 9 and lemma 23 in the versions with explicit constants.

        None for normal weights, for a heuristic oracle, without the pattern of zeros, which may be the best, and where
        n_public or n_private is not fixed.  1, which says nothing, where floats would not hold the sums of integer
        weights on m distinct points, so that nothing is released.

        Source:
            BBD24 lemma 22, theorem 9, lemma 23.
        """
        m, n = setting.sizes.get("n_public"), setting.sizes.get("n_private")
        h = setting.hypothesis_class
        if not m or not n or self.guarantee is None or self.weights == "gaussian" or self.patterns == "nonempty":
            return None
        shift = self._most_shifted(h, m)
        if self.releasable and _refused(h, m, n, Fraction(shift) / Fraction(self.epsilon)):
            return 1.0
        realizable = setting.best_error == 0
        return error_bound(n, m, h.growth, shift / self.epsilon, setting.beta, setting.sigma, realizable=realizable)

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return the sizes for integer weights, those for real ones, if floats hold the sums of the weights there.

        Raises:
            ValueError: where they do not, with what to change.
        """
        if not self.releasable:
            return None
        solution = solved(changed(self, weights="laplace"), alpha, setting)
        if solution is None:
            return None
        m, n, h = solution.sizes["n_public"], solution.sizes["n_private"], setting.hypothesis_class
        reason = _refused(h, m, n, Fraction(self._most_shifted(h, m)) / Fraction(self.epsilon))
        if reason:
            raise ValueError(f"alpha = {alpha!r} needs {m} public points: {reason}, or weights: laplace")
        return replace(solution, learner=self)

    def _most_shifted(self, h: HypothesisClass, m: int) -> int:
        return 2 * m if self.scale == "paper" else h.largest_teaching_shift(m).absolute

    def check_release(self, prepared: WeightedPointsPrepared, n_private: int) -> None:
        """Check that sums of integer weights are exact, and that the search can list what it may have to.

        Raises:
            ValueError: for an epsilon that is too small for so many public points, patterns and private examples; and,
                for intersections of halfspaces, and for boxes and halfspaces of three features and more, for too many
                points and examples together.
        """
        super().check_release(prepared, n_private)
        self._mechanism(prepared).check(n_private)
        h = prepared.hypothesis_class
        if h.dimension > 2 and isinstance(h, (Rectangles, DiscreteRectangles, Halfspaces)):
            check_listing(h.growth(len(prepared.points) + n_private), h.width, "take fewer rows, or two features")
        if isinstance(h, HalfspaceIntersections):
            h.check_minimise(len(prepared.points) + n_private)

    def _mechanism(self, prepared: WeightedPointsPrepared) -> PerturbedMinimum:
        return PerturbedMinimum(self._noise(prepared), prepared.ties)

    def _noise(self, prepared: WeightedPointsPrepared) -> Noise | None:
        """Return the noise on each public point; None if there is none."""
        m = len(prepared.points)
        if not m:
            return None
        if self.weights == "gaussian":
            k = prepared.shift.squared // 4
            return Gaussian(_normal_scale(self.scale, k, self.epsilon, self.delta, prepared.hypothesis_class.growth(m)))
        scale = Fraction(prepared.shift.absolute) / Fraction(self.epsilon)
        return DiscreteLaplace(scale) if self.weights == "discrete_laplace" else Laplace(rounded_up(scale))

    def release(
        self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw a pattern by one call of the oracle, and find its canonical hypothesis, which is another one."""
        counted = Counted(oracle(self.oracle))
        pattern = self._mechanism(prepared).pattern(self._problem(prepared, points, labels, counted), randomness)
        cost = {"oracle_calls": counted.calls + 1.0, "public_points": float(len(prepared.points))}
        return Release(canonical(prepared, pattern), self.guarantee, randomness.source, cost)

    def output_distribution(
        self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike
    ) -> ListedDistribution:
        """Return the probability of each canonical hypothesis; ValueError except for integer noise on few points."""
        problem = self._problem(prepared, points, labels, oracle(self.oracle))
        patterns, log_probabilities = self._mechanism(prepared).output_distribution(problem)
        return ListedDistribution(
            np.stack([canonical(prepared, pattern).parameters for pattern in patterns]), log_probabilities
        )

    def _problem(
        self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike, asked: Oracle
    ) -> Projected:
        h = prepared.hypothesis_class
        x = h.validated(points)
        return Projected(h, prepared.points, x, as_labels(labels, len(x)), asked, self.patterns == "nonempty")


def _refused(h: HypothesisClass, m: int, n: int, scale: Fraction) -> str:
    """Return why integer weights on m distinct points and n examples would be refused; empty if they are not."""
    try:
        check_sums(scale, m, _largest_ties(h, m), n)
    except ValueError as error:
        return str(error)
    return ""


def _largest_ties(h: HypothesisClass, m: int) -> int:
    """Return what ``distinct_sums`` of a class on m points adds up to at most.

    Thresholds have patterns of different sizes, halfspaces of the line beginnings and ends, intervals runs of ones.
    For other classes that is so but for a chance of 1/128: two patterns of N have one sum over drawn integers of b bits
    with a chance of 2^-b.
    """
    if isinstance(h, (Thresholds, DiscreteThresholds)):
        return m
    if isinstance(h, Halfspaces) and h.dimension == 1:
        return 2 * m
    if isinstance(h, Intervals) or (isinstance(h, Rectangles) and h.dimension == 1):
        return sum(ruler(m)) if m <= _RULED else 4 * (m + 1) ** 2  # a prime below 2 (m + 1)
    return m << min(59, math.ceil(2 * math.log2(h.growth(m))) + 6)


_RULED = 10**6
"""Public points up to which the ruler's prime is searched."""


@lru_cache(maxsize=64)
def _normal_scale(scale: str, points: int, epsilon: float, delta: float, patterns: int) -> float:
    """Return the standard deviation of the weights, rounded up; points: those on which weights are shifted."""
    if scale == "closed":
        return closed_scale(points, epsilon, delta, patterns)
    if scale == "width":  # E max <g, s_h> / sqrt(m) <= sqrt(2 ln N), for signs s_h
        return width_scale(points, epsilon, delta, (2 * Bracket.of(patterns).ln()).sqrt().up)
    return union_scale(points, epsilon, delta, patterns)


def canonical(prepared: WeightedPointsPrepared, pattern: Predictions) -> Hypothesis:
    """Return c(Z, h); where rounding leaves no hypothesis of the class with the pattern, the nearest."""
    h = prepared.hypothesis_class
    return Hypothesis(h, h.nearest(prepared.points, pattern))
