"""Runs of the public-data reduction B, and of the learner A that it wraps on the mixture, at the paper's sizes.

Up to 1e9 examples, by the counts of examples in cells: thresholds, D uniform on [0, 1] with target 1/2, D0 uniform on
[0, 1] (equal marginals) or [1, 2] (disjoint) with fair labels.  Exact in law.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semipriv.bounds.abm19.reduction import own_size, private_share
from semipriv.classes.base import cell_representative
from semipriv.classes.thresholds import Thresholds
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.learners.public_data_reduction import PublicDataReduction
from semipriv.learners.sspp import SSPP
from semipriv.ledger.findings import Settings
from semipriv.progress import track
from semipriv.randomness import Simulation

FloatArray = NDArray[np.float64]

TARGET = 0.5
_CHUNK = 50_000


@dataclass(frozen=True)
class Cell:
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
        """As named values."""
        return {
            "n_public": self.n_public,
            "n_private": self.n_private,
            "marginals": self.marginals,
            "representative": self.representative,
            "epsilon": self.epsilon,
        }

    @property
    def start(self) -> float:
        """Left end of the unit interval on which D0 lives."""
        return 0.0 if self.marginals == "equal" else 1.0

    @property
    def learner(self) -> PublicDataReduction:
        """The reduction itself."""
        inner = SSPP(self.epsilon, representative=self.representative)
        return PublicDataReduction(inner, self.n_private, self.n_public, Uniform(low=self.start, high=self.start + 1))

    def public_points(self, runs: int, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Public points of the mixture and of D0, (runs, n_public) each, coupled: equal but for the examples of D."""
        shape = runs, self.n_public
        base = self.start + generator.random(shape)
        substituted = generator.random(shape) < private_share(self.n_public)
        return np.where(substituted, generator.random(shape), base), base

    def errors(self, reduction: bool, runs: int, generator: np.random.Generator) -> FloatArray:
        """err(h; D) of the thresholds that runs of B (``reduction``), or of A on the mixture, choose: (runs,).

        Exact in law: mistakes depend on the counts of examples between the thresholds of the cover, which are
        multinomial given how many examples are of D, Bin(n_private, p) for A and min(Bin(n_private, p), n~) for B.
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
        ones = generator.binomial(from_d0, 0.5)
        zeros = from_d0 - ones
        positive = np.pad(cuts >= TARGET, ((0, 0), (1, 0)))
        ones += from_d * positive
        zeros += from_d * ~positive
        chosen = choose(ones, zeros, cuts != TARGET, self.epsilon, generator)
        threshold = np.take_along_axis(cuts, chosen[:, None], axis=1)[:, 0]
        return np.abs(np.clip(threshold, 0.0, 1.0) - TARGET)


def _counts(total: NDArray[np.int64], cuts: FloatArray, generator: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of uniform points of [0, 1] before, between and after sorted cuts: (r,), (r, k) -> (r, k + 1)."""
    mass = np.diff(np.clip(cuts, 0.0, 1.0), axis=1, prepend=0.0, append=1.0)
    return generator.multinomial(total, mass)


def choose(
    ones: NDArray[np.int64],
    zeros: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    epsilon: float,
    generator: np.random.Generator,
) -> NDArray[np.intp]:
    """Exponential mechanism among thresholds between cells: (r, k + 1) counts by label, (r, k) allowed -> (r,) places.

    A threshold errs on the ones before it and the zeros after it; Gumbel noise makes exp(-epsilon mistakes / 2).
    """
    mistakes = np.cumsum(ones - zeros, axis=1)[:, :-1] + zeros.sum(axis=1, keepdims=True)
    logits = np.where(allowed, -epsilon / 2 * (mistakes - mistakes.min(axis=1, keepdims=True)), -np.inf)
    return np.asarray((logits + generator.gumbel(size=logits.shape)).argmax(axis=1))


@dataclass(frozen=True)
class Grid:
    """A second A, which ignores public points: the exponential mechanism over all thresholds of ``atoms`` atoms.

    D and D0 are uniform on the atoms 0, 1/(atoms - 1), ..., 1; n_public is nominal.  The first ``target`` atoms have
    label 0, the others 1.
    """

    atoms: int
    n_private: int
    epsilon: float = 1.0
    n_public: int = 1

    def errors(self, target: int, runs: int, generator: np.random.Generator) -> FloatArray:
        """err(h; D) of the thresholds that runs of B choose, (runs,); by counts, exact in law."""
        heads = generator.binomial(self.n_private, private_share(self.n_public), runs)
        of_d = np.minimum(heads, own_size(self.n_private, self.n_public))
        mass = np.full(self.atoms, 1 / self.atoms)
        from_d, from_d0 = (generator.multinomial(n, mass) for n in (of_d, self.n_private - of_d))
        ones = generator.binomial(from_d0, 0.5)
        zeros = from_d0 - ones
        positive = np.arange(self.atoms) >= target
        ones, zeros = (np.pad(a, ((0, 0), (1, 1))) for a in (ones + from_d * positive, zeros + from_d * ~positive))
        chosen = choose(ones, zeros, np.ones((runs, self.atoms + 1), bool), self.epsilon, generator)
        return np.abs(chosen - target) / self.atoms


def paired_errors(cell: Cell, randomness: Simulation, effort: float) -> tuple[FloatArray, FloatArray]:
    """Errors of independent runs of A and of B."""
    total = max(500, round((400_000 if cell.marginals == "equal" else 50_000) * effort))
    return tuple(  # type: ignore[return-value]
        np.concatenate(
            [
                cell.errors(
                    which == "B",
                    min(_CHUNK, total - first),
                    randomness.spawn(which, *map(str, cell.settings.values()), first).generator,
                )
                for first in track(range(0, total, _CHUNK), "chunks")
            ]
        )
        for which in track(("A", "B"), "algorithms")
    )


def real_errors(cell: Cell, runs: int, randomness: Simulation) -> FloatArray:
    """The same of runs of the learner itself, on fresh private samples of D."""
    learner, found = cell.learner, np.empty(runs)
    prepared = learner.prepare([], Thresholds())
    for i in track(range(runs), "runs"):
        points = randomness.generator.random((learner.own_size, 1))
        release = learner.release(prepared, points, (points[:, 0] >= TARGET).astype(np.int8), randomness)
        found[i] = abs(np.clip(release.hypothesis.parameters[0], 0.0, 1.0) - TARGET)
    return found
