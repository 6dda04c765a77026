"""Claim BMN20-CL4.5: empirical excess of A_LearnHalf's draw, exactly on each of many data sets.

The histogram of mistakes over G gives the distribution of the number of mistakes for every epsilon, exactly: only the
data sets are random.  One family of data sets nearly attains the tail bound.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Sample
from semipriv.core.types import Bools, Floats, Integers
from semipriv.papers.bmn20.bounds.sizes import excess_examples, excess_mean, excess_tail
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionTally
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, at_most, nearest_to_bound
from semipriv_lab.papers.bmn20.studies.printed import CELLS, closed_failure

EPSILONS = (0.1, 0.5, 1.0, 4.0)
BETAS = (1 - 1e-6, 0.5, 0.1, 0.01, 1e-6)
LARGE_EPSILON = 1e4
"""On the data that nearly attain the bounds, too."""
TAIL = "P[excess mistakes >= tail bound] / beta, largest"
MEAN = "mean excess mistakes / bound, largest"
BEYOND = "P[empirical excess over the best halfspace > alpha], largest"
HOSTILE = "data that refute the size without ln(1/epsilon)"
RATIOS = ("|G| / number of best", "|G|")
"""R in the bounds: R_0 of the data set, or |G|, which is never smaller."""

DATA_SETS = 24
"""Random data sets of each kind and dimension at effort 1."""
MOST = {1: (400, 200), 2: (60, 30), 3: (40, 9)}
"""Most examples, and most public ones among them, by dimension."""
TIGHT = 1000
"""Distinct public points of the data sets that nearly attain the bounds."""


@dataclass(frozen=True, eq=False)
class Data:
    """A mixed sample of integer points."""

    public: Sample
    private: Sample

    @property
    def dimension(self) -> int:
        """Number of features."""
        return self.public.points.shape[1]

    @cached_property
    def tally(self) -> RegionTally:
        """Mistakes of all of G on all examples."""
        learner = LearnHalf(1.0, privacy="any")
        prepared = learner.prepare(self.public.points, Halfspaces(self.dimension), self.public.labels)
        return prepared.tally(self.private.points, self.private.labels)

    @cached_property
    def gaps(self) -> tuple[Integers, Integers]:
        """Numbers of mistakes beyond the least of G, and how many hypotheses make each number."""
        mistakes, counts = self.tally.histogram()
        return mistakes - mistakes[0], counts

    def log_ratio(self, ratio: str) -> float:
        """Return ln|G|, or ln of |G| over the number of hypotheses with the fewest mistakes."""
        size = math.log(self.tally.cover.size)
        return size if ratio == "|G|" else size - math.log(int(self.gaps[1][0]))

    def output_distribution(self, epsilon: float) -> Floats:
        """Return the probability of each gap under A_LearnHalf, proportional to count exp(-epsilon gap / 2)."""
        gaps, counts = self.gaps
        weights = counts * np.exp(-epsilon / 2 * gaps)
        return np.asarray(weights / weights.sum())


# ---------------------------------------------------------------------------------------------------- data sets
def _split(points: Integers, labels: Bools, private: Bools) -> Data:
    """Return the mixed sample with at most MOST public examples; further ones are dropped."""
    public = np.flatnonzero(~private)[: MOST[points.shape[1]][1]]
    y = labels.astype(np.int8)
    return Data(_sample(points[public], y[public]), _sample(points[private], y[private]))


def _sample(points: Integers, labels: NDArray[np.int8]) -> Sample:
    return Sample(points.astype(np.float64), labels)


def _linear(generator: np.random.Generator, d: int, rate: float) -> tuple[Integers, Bools]:
    """Draw points in general position, with labels of a random halfspace through their middle, flipped at the rate."""
    n = int(generator.integers(4, MOST[d][0] + 1))
    points = generator.integers(-1000, 1001, (n, d))
    labels = points @ generator.normal(size=d) >= 300 * generator.normal()
    return points, labels ^ (generator.random(n) < rate)


def _realizable(generator: np.random.Generator, d: int) -> Data:
    points, labels = _linear(generator, d, 0.0)
    return _split(points, labels, labels)


def _noisy(generator: np.random.Generator, d: int) -> Data:
    points, labels = _linear(generator, d, 0.2)
    return _split(points, labels, labels)


def _degenerate(generator: np.random.Generator, d: int) -> Data:
    """Draw points of a coarse grid, many of them equal.

    Half of the time all public points lie on a line, or are equal.
    """
    n = int(generator.integers(2, MOST[d][0] + 1))
    points = generator.integers(-2, 3, (n, d))
    labels = generator.random(n) < generator.random()
    kind = generator.integers(4)
    if kind < 2:
        origin, step = generator.integers(-2, 3, (2, d))
        points[~labels] = origin + (0 if kind else generator.integers(-3, 4, ((~labels).sum(), 1))) * step
    return _split(points, labels, labels)


def _private_zeros(generator: np.random.Generator, d: int) -> Data:
    """Draw data for relaxation (i): zeros may be private."""
    points, labels = _linear(generator, d, 0.1)
    return _split(points, labels, labels | (generator.random(len(labels)) < 0.3))


def _public_ones(generator: np.random.Generator, d: int) -> Data:
    """Draw data for relaxation (ii): ones may be public."""
    points, labels = _linear(generator, d, 0.1)
    return _split(points, labels, labels & (generator.random(len(labels)) < 0.7))


KINDS: dict[str, Callable[[np.random.Generator, int], Data]] = {
    "realizable": _realizable,
    "noisy": _noisy,
    "degenerate": _degenerate,
    "relaxation (i)": _private_zeros,
    "relaxation (ii)": _public_ones,
}


def tight(m: int, gap: int) -> Data:
    """Return data on the line on which one hypothesis is best and the 2 m others of G make ``gap`` mistakes more.

    Some of them make one or two beyond that.  Zeros are at 0, 2, .., 2 (m - 1) and ones between them, so that moving
    the end of a region does not matter.  ``gap`` more zeros stand at the middle zero and ``gap`` more ones beside it;
    only the region that ends there separates them.
    """
    zeros, middle = 2 * np.arange(m), 2 * (m // 2)
    public = np.concatenate([zeros, np.full(gap, middle)])
    private = np.concatenate([zeros + 1, np.full(gap, middle + 1)])
    ends = [_sample(x[:, None], np.full(len(x), label, np.int8)) for label, x in enumerate((public, private))]
    return Data(*ends)


def _tight_data(epsilon: float) -> Iterator[Data]:
    """Yield data whose gaps are at the tail bounds, and data whose mean is about largest."""
    log_ratio = math.log(2 * TIGHT + 1)
    for beta in BETAS:
        yield tight(TIGHT, math.ceil(2 / epsilon * (log_ratio - math.log(beta))))
    yield tight(TIGHT, max(1, round(2 / epsilon * (log_ratio - 1.5))))


# ---------------------------------------------------------------------------------------------------- measurement
@claim(
    "BMN20-CL4.5",
    "exact tails and means of the excess from the histogram of mistakes over G, data set by data set",
    shown=nearest_to_bound,
    constants="explicit: (2 / epsilon)(ln R + ln(1 / beta)), with R = R_0 of the data set and with |G|",
)
def tails(table: Table) -> str:
    """Measure tail and mean of the excess on every data set, and the sizes that suffice by the claim."""
    for kind, d in track(list(product(KINDS, MOST)), "kinds"):
        table.add(_random(kind, d, table.effort, table.randomness.spawn(kind, d)))
    for epsilon in (*EPSILONS, LARGE_EPSILON):
        table.add(_rows(list(_tight_data(epsilon)), epsilon, {"kind": "tight", "d": 1}))
    for case in track(SUFFICIENT, "sizes"):
        _sufficient(table, *case)
    for _, alpha, beta, epsilon in CELLS:
        n = excess_examples(alpha, beta, epsilon, 1)
        settings: Settings = {"d": 1, "alpha": alpha, "beta": beta, "epsilon": epsilon, "n": n, "kind": HOSTILE}
        table.at_most(BEYOND, settings, closed_failure(n, alpha, epsilon), beta)
    return _reason(table)


def _random(kind: str, d: int, effort: float, randomness: Simulation) -> Iterator[Measurement]:
    """Measure all epsilons on the data sets of one kind."""
    count = max(1, round(DATA_SETS * effort))
    data = [KINDS[kind](randomness.spawn(i).generator, d) for i in range(count)]
    for epsilon in EPSILONS:
        yield from _rows(data, epsilon, {"kind": kind, "d": d})


def _rows(data: list[Data], epsilon: float, at: Settings) -> Iterator[Measurement]:
    """Measure the largest tail over beta, and the largest mean over its bound: neither may exceed 1."""
    for ratio in RATIOS:
        settings = at | {"epsilon": epsilon, "ratio": ratio, "data_sets": len(data)}
        shares = [_shares(data_set, epsilon, data_set.log_ratio(ratio)) for data_set in data]
        for quantity, largest in zip((TAIL, MEAN), np.max(shares, axis=0).tolist(), strict=True):
            yield at_most(quantity, settings, largest, 1.0)


def _shares(data: Data, epsilon: float, log_ratio: float) -> tuple[float, float]:
    """Return the largest P[excess >= bound] / beta of all betas, and the mean excess over its bound."""
    gaps, distribution = data.gaps[0], data.output_distribution(epsilon)
    tail = max(distribution[gaps >= excess_tail(log_ratio, epsilon, beta)].sum() / beta for beta in BETAS)
    return float(tail), float(distribution @ gaps) / excess_mean(log_ratio, epsilon)


SUFFICIENT = (
    (1, 0.2, 0.05, 1.0, 0.5, 0.2),
    (1, 0.1, 0.05, 1.0, 0.5, 0.2),
    (1, 0.05, 0.05, 1.0, 0.5, 0.2),
    (1, 0.1, 0.05, 0.1, 0.5, 0.2),
    (2, 0.2, 0.05, 1.0, 0.25, 0.1),
    (2, 0.1, 0.05, 1.0, 0.2, 0.1),
    (3, 0.2, 0.05, 1.0, 0.02, 0.0),
)
"""d, alpha, beta, epsilon, P[x below the target], and the rate of flipped labels."""


def _sufficient(table: Table, d: int, alpha: float, beta: float, epsilon: float, share: float, rate: float) -> None:
    """Measure P[err^(g) - err^(best halfspace) > alpha] of the draw at the claim's n, exactly on each data set."""
    n, worst = excess_examples(alpha, beta, epsilon, d), 0.0
    count = table.trials(10 if d == 1 else 3, fewest=1)
    randomness = table.randomness.spawn("sizes", *map(str, (d, alpha, beta, epsilon, share, rate)))
    for i in track(range(count), "data sets"):
        generator = randomness.spawn(i).generator
        points = generator.integers(0, 2**15, (n, d))
        labels = (points[:, 0] >= share * 2**15) ^ (generator.random(n) < rate)
        y = labels.astype(np.int8)
        data = Data(_sample(points[~labels], y[~labels]), _sample(points[labels], y[labels]))
        best = Halfspaces(d).minimise(points, y).value if rate else 0.0
        mistakes = data.tally.histogram()[0]
        worst = max(worst, float(data.output_distribution(epsilon)[mistakes - best > alpha * n].sum()))
    settings = {"d": d, "alpha": alpha, "beta": beta, "epsilon": epsilon, "n": n, "rate": rate}
    table.at_most(BEYOND, {**settings, "kind": "sizes of the claim", "data_sets": count}, worst, beta)


def _reason(table: Table) -> str:
    """Say how near the draw comes to the bounds, on data sets made for it and on random ones."""
    parts = []
    for quantity, what in ((TAIL, "tail over beta"), (MEAN, "mean over its bound")):
        for tight, kind in ((True, "data sets made for it"), (False, "random data sets")):
            rows = [row for row in table(quantity) if (row.settings["kind"] == "tight") == tight]
            parts.append(f"{what} at most {max(row.measured.value for row in rows):.2g} on {kind}")
    return "; ".join(parts)
