"""Claim BCM20-T10-domain: A_PAP's answers do not depend on the size of the domain; those of a tree over it do.

The private distribution is uniform on an interval of length 2^-k, so that a domain of 2^k cells is needed to see it.
A_PAP with
hypotheses at public points compares points and does nothing else: its answers are a function of their ranks.  Errors
are those of means of labels -1 and 1.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.classes.thresholds import Thresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, loglog_slope, mean_interval
from semipriv.core.types import Floats, Integers, Whole
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.papers.bcm20.releases.prefix_noise import largest_prefix_noise, mean_of
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.tree import DyadicTree
from semipriv_lab.ledger.claim import Table, brief, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bcm20.studies._distributions import DISTRIBUTIONS, drawn_domain, pieces

EPSILON = 1.0
DELTA = 1e-6
BUDGET = Guarantee(EPSILON, DELTA)
THETA = 0.37
"""Low end of the interval."""
N_PUBLIC = 300
N_PRIVATE = 10_000
DISTRIBUTION = "uniform on an interval of length 2^-bits"
METHOD = "MWEM"
BITS = range(0, 65, 4)
"""log2 of the sizes of the domain."""
TREES = (4, 8, 10, 12, *range(16, 65, 8))
DRAWN = (4, 8, 12, 16)
"""Levels of trees that are drawn, too."""
TRIALS, RUNS = 200, 10
"""Trees, and runs of A_PAP."""
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
PUBLIC = (300, 1000)
BINS = 1024

DIFFER = "answers that differ from those on the domain of 2^0 intervals"
MAPPED = "answers that differ under a monotone map of all points"
AT = "A_PAP, largest error over all thresholds, on the compared points"
PAP = "A_PAP, largest error over all thresholds, mean"
TREE = "tree, largest noise of a prefix, mean, exact"
GRID = "fixed grid of 1024 bins without noise, largest error"
EXPONENT = "exponent of the tree's error in log2 of the domain, 16 to 64"
CROSSING = "private records from which the tree over 2^64 is better than A_PAP"

MAPS: dict[str, Callable[[Floats], Floats]] = {
    "exp": np.exp,
    "cube": lambda x: x**3,
    "2^-64 x": lambda x: np.ldexp(x, -64),
    "-1/x": lambda x: -1 / x,
}


# ---------------------------------------------------------------------------------------------------- the flat half
def exact_points(digits: Integers, bits: int) -> Whole:
    """Return theta + 2^-bits u in units of 2^-117 as Python integers, for u = digits / 2^53 and bits <= 64."""
    theta = int(Fraction(THETA) * 2**117)
    return np.array([theta + (digit << (64 - bits)) for digit in digits.tolist()], object)


def ranks(points: Whole) -> Floats:
    """Return the ranks 0, 1, ... of points of any ordered kind; equal points have one rank."""
    return np.asarray(np.unique(points, return_inverse=True)[1], np.float64)


def differing(first: Floats, second: Floats) -> int:
    """Return the number of answers that are not bit for bit the same; all, if there are not as many."""
    if len(first) != len(second):
        return max(len(first), len(second))
    return int(np.sum(first.view(np.int64) != second.view(np.int64)))


def answers(points: Floats, randomness: Simulation) -> Floats:
    """Return A_PAP's answers over its cover, from all points, the public ones first."""
    learner = QueryRelease(BUDGET.epsilon, BUDGET.delta, MWEM(), representative="lower")
    prepared = learner.prepare(points[:N_PUBLIC], Thresholds("le"))
    private = points[N_PUBLIC:]
    return learner.release(prepared, private, np.zeros(len(private), np.int8), randomness).output.shares


def largest_error(shares: Floats, public: Floats) -> float:
    """Return sup over t in [0, 1] of the error of the share of [0, t], for labels -1 and 1.

    shares: (m + 1,), of thresholds at -infinity and at the sorted public points (m,), each of which answers for all t
    up to the next one.
    """
    low, high = np.append(0.0, public), np.append(public, 1.0)
    return 2 * float(np.maximum(shares - low, high - shares).max())


# ---------------------------------------------------------------------------------------------------- tree and grid
def noise_of(levels: int) -> DiscreteGaussian:
    """Return the noise of a node of the tree over 2^levels leaves."""
    noise = DyadicTree().noise(2**levels, BUDGET)
    assert isinstance(noise, DiscreteGaussian), "delta > 0"
    return noise


@cache
def largest_noise(levels: int) -> float:
    """Return the mean of the largest noise of a prefix of the tree over 2^levels leaves, in counts, exactly."""
    return mean_of(largest_prefix_noise(levels, noise_of(levels)))


def tree_error(levels: int, n: int = N_PRIVATE) -> float:
    """Return the mean of the largest noise of a prefix of that tree, for means of labels -1 and 1 of n records."""
    return 2 * largest_noise(levels) / n


def grid_error(bits: int) -> float:
    """Return the largest error on an interval of length 2^-bits inside the grid, of exact answers at middles of bins.

    Thresholds between two neighbouring points of the grid all have the answer of the one in the middle.
    """
    grid = np.linspace(0, 1, BINS)
    middles = (grid[:-1] + grid[1:]) / 2
    low, middle, high = (np.clip(np.ldexp(x - THETA, bits), 0, 1) for x in (grid[:-1], middles, grid[1:]))
    return 2 * float(np.maximum(middle - low, high - middle).max())


def pap_error(m: int, n: int, randomness: Simulation) -> float:
    """Return A_PAP's largest error over all thresholds, exactly, on points of an atomless distribution."""
    generator = randomness.spawn("data").generator
    domain = drawn_domain(DISTRIBUTIONS[0], m, Thresholds("le"), generator)
    counts = generator.multinomial(n, pieces(domain, DISTRIBUTIONS[0])).astype(np.int64)
    shares = MWEM().fit(domain.workload, counts, BUDGET, randomness.spawn("release")).answers
    return largest_error(shares, domain.cover.points[:, 0])


def crossing(noise: float, means: list[float]) -> float:
    """Return the n at which noise / n falls below the means by ``SIZES``, linear in logarithms; infinity if nowhere."""
    gap = np.log(noise / np.array(SIZES)) - np.log(means)
    later = np.flatnonzero(gap < 0)
    if not later.size:
        return np.inf
    i = int(later[0])
    if i == 0:
        return float(SIZES[0])
    share = gap[i - 1] / (gap[i - 1] - gap[i])
    return float(np.exp((1 - share) * np.log(SIZES[i - 1]) + share * np.log(SIZES[i])))


def drawn_trees(table: Table, trials: int) -> None:
    """Draw trees over few leaves; their largest prefix must have the mean of the exact distribution."""
    for levels in track(DRAWN, "drawn trees", work=[2.0**levels for levels in DRAWN]):
        tree, noise, counts = DyadicTree().tree(2**levels), noise_of(levels), np.zeros(2**levels, np.int64)
        streams = (table.randomness.spawn("trees", levels, trial) for trial in range(trials))
        prefixes = [tree.prefixes(counts, noise, stream) for stream in streams]
        highest = mean_interval([float(errors.max()) for errors in prefixes], GATE_LEVEL / len(DRAWN))
        absolute = mean_interval([float(np.abs(errors).max()) for errors in prefixes])
        quantity, exact = "tree, largest noise of a prefix in counts, mean", largest_noise(levels)
        table.equals(quantity, {"bits": levels}, highest, exact, trials)
        quantity = "tree, largest absolute noise of a prefix in counts, mean"
        table.recorded(quantity, {"bits": levels}, absolute, exact, trials)


def crossings(table: Table, runs: int) -> None:
    """Measure A_PAP by private records, and from how many on the tree over 2^64 leaves is better."""
    for m in track(PUBLIC, "public points"):
        means = []
        for n in SIZES:
            errors = [pap_error(m, n, table.randomness.spawn("crossings", m, n, run)) for run in range(runs)]
            mean = table.recorded(PAP, {"n_public": m, "n_private": n}, mean_interval(errors), tree_error(64, n), runs)
            means.append(mean.measured.value)
        table.recorded(CROSSING, {"n_public": m, "bits": 64}, crossing(tree_error(64, 1), means))


# ---------------------------------------------------------------------------------------------------- study
@claim(
    "BCM20-T10-domain",
    f"A_PAP with MWEM on the exact ranks of points in an interval of length 2^-k, {N_PUBLIC} public and "
    f"{N_PRIVATE:,} private, epsilon = {EPSILON:g}, delta = {brief(DELTA)}, equal coins; a dyadic tree over 2^k "
    "leaves by the exact "
    "distribution of its largest prefix",
)
def flat_in_the_domain(table: Table) -> str:
    """Compare A_PAP's answers on domains of 2^0 to 2^64, on one sample with equal coins, beside a tree and a grid."""
    randomness = table.randomness.spawn("flat")
    digits = randomness.spawn("points").generator.integers(1, 2**53, N_PUBLIC + N_PRIVATE)
    plain = digits / 2**53
    public = np.sort(plain[:N_PUBLIC])
    settings: Settings = {"distribution": DISTRIBUTION, "method": METHOD, "n_public": N_PUBLIC, "n_private": N_PRIVATE}
    settings |= {"epsilon": EPSILON, "delta": DELTA}

    def released(points: Floats) -> Floats:
        return answers(points, randomness.spawn("release"))

    first = released(ranks(exact_points(digits, 0)))
    for bits in track(BITS, "domains"):
        shares = released(ranks(exact_points(digits, bits)))
        table.show(table.at_most(DIFFER, settings | {"bits": bits}, float(differing(first, shares)), 0.0))
        table.recorded(AT, settings | {"bits": bits}, largest_error(shares, public))
    for name, function in MAPS.items():
        changed = float(differing(first, released(function(plain))))
        table.at_most(MAPPED, settings | {"map": name, "bits": 0}, changed, 0.0)
    changed = float(differing(first, released(THETA + np.ldexp(plain, -64))))
    quantity = "control: answers that differ if floats stand for exact points"
    table.within(quantity, settings | {"bits": 64}, changed, 1.0, N_PUBLIC + 1.0, 1.0)

    for levels in track(TREES, "trees", work=[float(levels) ** 3 for levels in TREES]):
        table.recorded(TREE, {"bits": levels, "n_private": N_PRIVATE}, tree_error(levels))
    drawn_trees(table, max(4, int(TRIALS * table.effort)))
    for bits in BITS[1:]:
        table.recorded(GRID, {"bits": bits, "bins": BINS}, grid_error(bits))
    crossings(table, max(2, int(RUNS * table.effort)))
    steep = [levels for levels in TREES if levels >= 16]
    exponent = table.recorded(EXPONENT, {}, loglog_slope(steep, [tree_error(levels) for levels in steep]))

    tree = ", ".join(f"{tree_error(bits):.3f} (2^{bits})" for bits in (10, 32, 64))
    few_records, many_records = (
        [table.values(PAP, n_public=m, n_private=n)[0] for m in PUBLIC] for n in (N_PRIVATE, SIZES[-1])
    )
    pap = ", ".join(f"{error:.3f} (m = {m})" for m, error in zip(PUBLIC, few_records, strict=True))
    pap_of_many = ", ".join(f"{error:.4f} (m = {m})" for m, error in zip(PUBLIC, many_records, strict=True))
    places = ", ".join(f"{table.values(CROSSING, n_public=m)[0]:.2g} (m = {m})" for m in PUBLIC)
    return (
        "the flat half is judged: with hypotheses at public points, the representative 'lower', A_PAP's answers are "
        "bit for bit the same on all these domains and under monotone maps; midpoints between public points are not "
        "invariant under maps. Growth is an illustration: this tree grows, with exponent "
        f"{exponent.measured.value:.2f} in log2 of the domain over 16..64, at n = {N_PRIVATE:,} {tree} beside A_PAP's "
        f"{pap}; its noise is taken on one side, without that of sampling, a lower bound. That every private method "
        "without public data grows (with log* of the domain) is cited. A_PAP does not always win: the tree over 2^64 "
        f"is better from about n = {places}, and at n = {SIZES[-1]:,} has {tree_error(64, SIZES[-1]):.4f} against "
        f"{pap_of_many}. The grid has {BINS} bins, fewer than the tree, and no noise; its error goes to 2, as one bin "
        "holds all"
    )
