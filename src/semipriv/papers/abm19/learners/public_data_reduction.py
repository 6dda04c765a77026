"""The public-data reduction: it makes a private learner from any semi-private one (ABM19 algorithms 2 to 4)."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.core.fields import checked, plug_in, size, value
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.roles import Role
from semipriv.core.samples import Sample, as_labels
from semipriv.core.types import Bools
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.learners._inside import check_labels_alone, check_release_inside, told_of
from semipriv.learners.base import AnyLearner, Facts, Learner
from semipriv.learners.stages.base import no_points
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.papers.abm19.bounds.reduction import own_size, private_share
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PublicDataReduction"]

RUN_OUT = ["fill", "strict"]


def _check_run_out(name: str, given: Any) -> str:
    return registry.check_name(name, given, RUN_OUT)


@value
class PublicDataReduction(Learner[NothingPrepared]):
    """B: hides a small private sample among draws of a fixed distribution D0, and runs a semi-private learner A.

    D0 has the given marginal and fair labels, independent of the point.  Let p = 1 / (100 n_public).  Each of the
    n_private examples for A is the next unused private example of B with probability p, else a draw of D0 (PrivSamp).
    The n_public public examples for A are draws of D0 (PubSamp).  The private sample of B has
    n~ = ceil(n_private / (10 n_public)) examples.

    Privacy (claim 4.5): let A be (epsilon, delta)-DP in its private sample for every public sample, and let S~, S~' be
    neighbours of n~ examples each.  Fix all coins and all draws of D0; none of them depends on S~.  PrivSamp reads each
    example of S~ at most once, and the coins determine its place.  So its outputs on S~ and S~' are equal, or differ in
    one place by the same replacement as S~ and S~'.  PubSamp does not read S~.  Hence, given coins and draws, the
    outputs of A are (epsilon, delta)-close, and they stay close after averaging over coins and draws.  Whether the
    private sample ran out depends on coins alone, and may be published.

    Where the private examples run out, the paper gives A fewer than n_private, and A need not accept that.  The coins
    may be known: the privacy of a release depends on the randomness of A alone.

    Args:
        learner: A, private, or ``{"name": ..., parameter: value}``.
        n_private: number of private examples of A, >= 1.
        n_public: number of public examples of A, >= 1.
        marginal: distribution of the points of D0, or its ``{"name": ...}``.
        run_out: what B does if it needs more private examples than it has: 'fill' draws the others from D0, 'strict'
            returns the hypothesis of no public point, for all data.

    Raises:
        ValueError: for a learner without a guarantee, which is what carries over.

    Source:
        ABM19 algorithms 2 to 4, claim 4.5.
    """

    hue: ClassVar[str] = "brown"
    facts: ClassVar[Facts] = Facts(distribution_is_listed=False, unseen=("run_out",))  # it seldom runs out

    learner: AnyLearner = plug_in("learners", Learner)
    n_private: int = size()
    n_public: int = size()
    marginal: Marginal = plug_in("distributions/marginals", Marginal)
    run_out: str = checked(_check_run_out, default="fill")

    def __attrs_post_init__(self) -> None:
        if self.learner.guarantee is None:
            raise ValueError(f"learner = {self.learner!r}: must be private, its guarantee is what carries over")
        check_labels_alone(self.learner)

    @classmethod
    def examples(cls) -> tuple["PublicDataReduction", ...]:
        """Return one around A_SSPP on the line and one in the plane."""
        return tuple(cls(SSPP(0.8), 55, 1, Uniform(dimension=d)) for d in (1, 2))

    role = Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """The name: what it is made of."""
        return f"{self.learner.short_title} on invented public data"

    @property
    def own_size(self) -> int:
        """n~, the number of examples in the private sample of B."""
        return own_size(self.n_private, self.n_public)

    @property
    def guarantee(self) -> Guarantee | None:
        """The guarantee of A, by claim 4.5."""
        return self.learner.guarantee

    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless A learns the class, and D0 has its dimension and draws points of its domain.
        """
        with told_of(self.learner):
            self.learner.check(hypothesis_class)
        if self.marginal.dimension != hypothesis_class.dimension:
            raise ValueError(
                f"marginal: has dimension {self.marginal.dimension}, must be that of the class, "
                f"{hypothesis_class.dimension}"
            )
        support = self.marginal.support
        drawn = self.marginal.sample(1, np.random.default_rng(0)) if support is None else self.marginal.at(support)
        hypothesis_class.validated(drawn, f"marginal {self.marginal!r}")

    def check_private(self, n_private: int) -> None:
        """Check the number of private examples.

        Raises:
            ValueError: unless there are exactly n~.
        """
        if n_private != self.own_size:
            raise ValueError(
                f"points: {n_private} private examples, must be {self.own_size} = ceil(n_private / (10 n_public))"
            )

    def check_release(self, prepared: NothingPrepared, n_private: int) -> None:
        """Check that A can run on its sizes: on a public sample of a fixed seed, as that of a release is not drawn yet.

        Raises:
            ValueError: unless there are exactly n~ private examples, and for what A refuses.
        """
        super().check_release(prepared, n_private)
        drawn = fair_sample(self.marginal, self.n_public, np.random.default_rng(0))
        with told_of(self.learner):
            inner = self._inner(prepared.hypothesis_class, drawn)
        check_release_inside(self.learner, inner, self.n_private)

    def _inner(self, hypothesis_class: HypothesisClass, public: Sample) -> Any:
        public_labels = public.labels if self.learner.public_stage.needs_labels else None
        return self.learner.prepare(public.points, hypothesis_class, public_labels)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Any]:
        """Carry out algorithm 2.

        The cost ``exhausted`` is 1 if PrivSamp needed more than n~ private examples, else 0.

        Raises:
            ValueError: unless there are exactly n~ private examples.
        """
        hypothesis_class = prepared.hypothesis_class
        own = Sample(hypothesis_class.validated(points), as_labels(labels))
        self.check_private(len(own))
        private, public, exhausted = self.samples(own, _coins(randomness))
        if exhausted and self.run_out == "strict":
            nothing = hypothesis_class.cover(no_points(hypothesis_class)).listed()
            return Release(nothing[0], self.guarantee, randomness.source, {"cover_size": nothing.size, "exhausted": 1})
        inner = self._inner(hypothesis_class, public)
        release = self.learner.release(inner, private.points, private.labels, randomness)
        return Release(
            release.output, self.guarantee, release.randomness, {**release.cost, "exhausted": int(exhausted)}
        )

    def samples(self, own: Sample, generator: np.random.Generator) -> tuple[Sample, Sample, bool]:
        """Return samples for A from private examples and draws of D0.

        Args:
            own: (n~,) private examples of B.
            generator: gives coins and draws, which may be known.

        Returns:
            A private and a public sample, and whether the private examples ran out.

        Source:
            ABM19 algorithms 3 and 4.
        """
        coins = generator.random(self.n_private) < private_share(self.n_public)
        private, exhausted = private_sample(own, fair_sample(self.marginal, self.n_private, generator), coins)
        return private, fair_sample(self.marginal, self.n_public, generator), exhausted


def private_sample(own: Sample, filling: Sample, coins: Bools) -> tuple[Sample, bool]:
    """Return the output of PrivSamp (algorithm 3) for given coins and draws of D0, and whether the examples ran out.

    own: (n~,) private examples; filling: (n,) draws of D0; coins: (n,).  The j-th place with heads holds own example j
    if j <= n~; every other place holds its draw of D0.  The examples run out if there are more than n~ heads.

    >>> own, filling = Sample([[7.0]], [1]), Sample([[0.0], [0.0], [0.0]], [0, 0, 0])
    >>> sample, exhausted = private_sample(own, filling, np.array([False, True, True]))
    >>> sample.points.ravel().tolist(), sample.labels.tolist(), exhausted
    ([0.0, 7.0, 0.0], [0, 1, 0], True)
    """
    heads = np.flatnonzero(coins)
    used = heads[: len(own)]
    points, labels = filling.points.copy(), filling.labels.copy()
    points[used], labels[used] = own.points[: len(used)], own.labels[: len(used)]
    return Sample(points, labels), len(heads) > len(own)


def fair_sample(marginal: Marginal, n: int, generator: np.random.Generator) -> Sample:
    """Return n examples of D0: points of the marginal and independent fair labels.  PubSamp (algorithm 4)."""
    return Sample(marginal.sample(n, generator), generator.integers(0, 2, n, dtype=np.int8))


def _coins(randomness: Randomness) -> np.random.Generator:
    """Return a generator of coins and draws of D0.  The guarantee does not depend on their secrecy."""
    return randomness.generator if isinstance(randomness, Simulation) else np.random.default_rng(randomness.bits(128))
