"""Runs of the public-data reduction B at the paper's sizes, and of the learner A that B wraps, on the mixture.

The class is thresholds.  D is uniform on [0, 1] with target 1/2; D0 is uniform on [0, 1] (equal marginals) or on [1, 2]
(disjoint) with fair labels.  Only the counts of examples between thresholds are drawn, so that 1e9 examples are no
more work than ten.  The runs are exact in distribution.
"""

from dataclasses import dataclass

import numpy as np

from semipriv.classes.thresholds import Thresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.geometry.pieces import cell_representative
from semipriv.papers.abm19.bounds.reduction import own_size, private_share
from semipriv.papers.abm19.learners.public_data_reduction import PublicDataReduction
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.ledger.findings import Settings

TARGET = 0.5
_CHUNK = 50_000


@dataclass(frozen=True)
class Setup:
    """A_SSPP with thresholds at the sizes (n_public, n_private), and the reduction that wraps it.

    marginals: of D and D0, 'equal' or 'disjoint'.
    """

    n_public: int
    n_private: int
    marginals: str
    representative: str = "midpoint"
    epsilon: float = 1.0

    @property
    def settings(self) -> Settings:
        """The same as named values."""
        return {
            "n_public": self.n_public,
            "n_private": self.n_private,
            "marginals": self.marginals,
            "representative": self.representative,
            "epsilon": self.epsilon,
        }

    @property
    def runs(self) -> int:
        """Runs of A and of B for the gates of lemma 4.4.

        Their distributions must be seen to differ by less than 1/16 - 1/21 = .0149 at the level of a gate.  With equal
        marginals they differ by up to .005 for one public point, and by .002 for five or more; limits add .0082 for
        400,000 runs and .0102 for 260,000, and so do errors of the distance, .002 and .0024.
        """
        if self.marginals == "disjoint":
            return 50_000
        return 400_000 if self.n_public == 1 else 260_000

    @property
    def start(self) -> float:
        """Left end of the unit interval that D0 is uniform on."""
        return 0.0 if self.marginals == "equal" else 1.0

    @property
    def learner(self) -> PublicDataReduction:
        """The reduction itself."""
        inner = SSPP(self.epsilon, representative=self.representative)
        return PublicDataReduction(inner, self.n_private, self.n_public, Uniform(low=self.start, high=self.start + 1))

    def public_points(self, runs: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw public points of the mixture and of D0, (runs, n_public) each, which differ only in examples of D."""
        shape = runs, self.n_public
        base = self.start + generator.random(shape)
        substituted = generator.random(shape) < private_share(self.n_public)
        return np.where(substituted, generator.random(shape), base), base

    def errors(self, reduction: bool, runs: int, generator: np.random.Generator) -> Floats:
        """Draw err(h; D) of the thresholds that runs of B (``reduction``), or of A on the mixture, choose: (runs,).

        Mistakes depend only on the counts of examples between the thresholds of the cover.  The number of examples of D
        is Bin(n_private, p) for A and min(Bin(n_private, p), n~) for B; given it, the counts are multinomial.
        """
        mixture, base = self.public_points(runs, generator)
        of_d = generator.binomial(self.n_private, private_share(self.n_public), runs)
        if reduction:
            mixture, of_d = base, np.minimum(of_d, own_size(self.n_private, self.n_public))
        ends = np.pad(np.sort(mixture, axis=1), ((0, 0), (1, 1)), constant_values=((0, 0), (-np.inf, np.inf)))
        cover = cell_representative(ends[:, :-1], ends[:, 1:], self.representative, open_low=True)
        cuts = np.sort(np.column_stack([cover, np.full(runs, TARGET)]), axis=1)
        from_d = _counts(of_d, cuts, generator)
        from_d0 = _counts(self.n_private - of_d, cuts - self.start, generator)
        positives = generator.binomial(from_d0, 0.5)
        negatives = from_d0 - positives
        positive = np.pad(cuts >= TARGET, ((0, 0), (1, 0)))
        positives += from_d * positive
        negatives += from_d * ~positive
        chosen = choose(positives, negatives, cuts != TARGET, self.epsilon, generator)
        threshold = np.take_along_axis(cuts, chosen[:, None], axis=1)[:, 0]
        return np.abs(np.clip(threshold, 0.0, 1.0) - TARGET)


def _counts(total: Integers, cuts: Floats, generator: np.random.Generator) -> Integers:
    """Draw how many uniform points of [0, 1] lie before, between and after sorted cuts: (r,), (r, k) -> (r, k + 1)."""
    mass = np.diff(np.clip(cuts, 0.0, 1.0), axis=1, prepend=0.0, append=1.0)
    return generator.multinomial(total, mass)


def choose(
    positives: Integers,
    negatives: Integers,
    allowed: Bools,
    epsilon: float,
    generator: np.random.Generator,
) -> Indices:
    """Choose thresholds by the exponential mechanism: (r, k + 1) counts by label, (r, k) allowed -> (r,) places.

    A threshold errs on the ones before it and on the zeros after it.  With Gumbel noise the largest logit is a draw
    with probabilities proportional to exp(-epsilon mistakes / 2).
    """
    mistakes = np.cumsum(positives - negatives, axis=1)[:, :-1] + negatives.sum(axis=1, keepdims=True)
    logits = np.where(allowed, -epsilon / 2 * (mistakes - mistakes.min(axis=1, keepdims=True)), -np.inf)
    return np.asarray((logits + generator.gumbel(size=logits.shape)).argmax(axis=1))


@dataclass(frozen=True)
class Grid:
    """A second A: the exponential mechanism over all thresholds of ``atoms`` atoms, which ignores public points.

    D and D0 are uniform on the atoms 0, 1/(atoms - 1), ..., 1; n_public is nominal.
    """

    atoms: int
    n_private: int
    epsilon: float = 1.0
    n_public: int = 1

    def errors(self, target: int, runs: int, generator: np.random.Generator) -> Floats:
        """Draw err(h; D) of the thresholds that runs of B choose, (runs,), by counts; exact in distribution.

        The first ``target`` atoms have label 0, the others 1.
        """
        heads = generator.binomial(self.n_private, private_share(self.n_public), runs)
        of_d = np.minimum(heads, own_size(self.n_private, self.n_public))
        mass = np.full(self.atoms, 1 / self.atoms)
        from_d, from_d0 = (generator.multinomial(n, mass) for n in (of_d, self.n_private - of_d))
        positives = generator.binomial(from_d0, 0.5)
        negatives = from_d0 - positives
        positive = np.arange(self.atoms) >= target
        positives, negatives = (
            np.pad(a, ((0, 0), (1, 1))) for a in (positives + from_d * positive, negatives + from_d * ~positive)
        )
        chosen = choose(positives, negatives, np.ones((runs, self.atoms + 1), bool), self.epsilon, generator)
        return np.abs(chosen - target) / self.atoms


def paired_errors(setup: Setup, randomness: Simulation, effort: float) -> tuple[Floats, Floats]:
    """Draw the errors of independent runs of A and of B."""
    total = max(500, round(setup.runs * effort))
    return tuple(  # type: ignore[return-value]
        np.concatenate(
            [
                setup.errors(
                    which == "B",
                    min(_CHUNK, total - first),
                    randomness.spawn(which, *map(str, setup.settings.values()), first).generator,
                )
                for first in track(range(0, total, _CHUNK), "chunks")
            ]
        )
        for which in track(("A", "B"), "algorithms")
    )


def real_errors(setup: Setup, runs: int, randomness: Simulation) -> Floats:
    """Run the learner itself on fresh private samples of D, and return its errors (runs,)."""
    learner, errors = setup.learner, np.empty(runs)
    prepared = learner.prepare([], Thresholds())
    for i in track(range(runs), "runs"):
        points = randomness.generator.random((learner.own_size, 1))
        release = learner.release(prepared, points, (points[:, 0] >= TARGET).astype(np.int8), randomness)
        errors[i] = abs(np.clip(release.output.parameters[0], 0.0, 1.0) - TARGET)
    return errors
