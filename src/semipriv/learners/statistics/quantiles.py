"""Quantiles by group, from the counts of rows in bins: draws of a bin a group, or a noisy tree a group.

Of a group with counts x_1, ..., x_K, n of them, the bin j holds the q-quantile if B_j <= q n <= B_j + x_j, where B_j is
the number of rows in lower bins.  How far it is from that is its *penalty*, a number of rows:

    p_j = max(0, B_j - q n, q n - B_j - x_j).

*Draws*: each group's bin is drawn with P[j] ~ pi_j exp(-r p_j), with a public prior pi.  *Trees*: noisy counts in a tree
over the bins, one for each group, serve all levels q at once.  Which of the two is used, for all groups, follows from
public numbers alone (``drawn``).

Privacy of the draws, for replacing a row.  Write m = max(q, 1 - q).

1. A row that leaves a group or enters it moves B_j - q n by 1 - q or by q, and so q n - B_j - x_j: each p_j by at most
   m, up or down.  So the log-ratios of a draw lie in an interval of length 2 r m: it has bounded range 2 r m.  For
   q = 0, p_j = B_j moves in one direction, by at most 1: the range is r.  The same for q = 1.
2. A row that changes its group moves the draws of two groups, which are independent: two events of that range.  All
   other draws have the same law.
3. A row that stays in its group leaves n as it is, and moves B_j by at most one, up or down: one event of range 2 r, or
   r for q in {0, 1}.  Two events of range w r, with w = 2 m (1 for q in {0, 1}), hold it as well in pure accounting:
   2 r <= 4 m r; and in concentrated accounting, where they cost w^2 r^2 / 4 and it costs r^2 / 2, if w >= sqrt(2).  So
   there w = max(2 m, 17/12).

A person has W units, spread over rows in many groups and bins, and r / W takes the place of r.  Where R units leave a
group and A units enter it, p_j moves by at most y = max(q R + (1 - q) A, (1 - q) R + q A): the range is 2 r y / W.  The
sum of the ranges, and that of their squares, is convex in the R and A of all groups, each of which add up to W.  So both
are largest where all R are in one group, and all A: the two cases of a row.  For q = 0 the range is at most
(R + A) r / W, and W r / W if R = A: with F and F' the shares of the units that leave and enter, sup (F' - F) +
sup (F - F') <= 1.

Trees: a row is in one node of a level of one group's tree, so replacing it changes 2 L nodes by one each, as it does in
`semipriv.learners.statistics.shapes`.

Source:
    McSherry and Talwar 2007 (exponential mechanism); Durfee and Rogers 2019 (bounded range).
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
import scipy

from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rounded_down
from semipriv.core.types import Floats, Indices, Integers
from semipriv.learners.statistics.shapes import UNITS, measured, tree_event, tree_noise, widths
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import Composed, Event, selection_epsilon
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import estimate, run_variances

__all__ = [
    "Beliefs",
    "Draws",
    "Found",
    "Trees",
    "beliefs",
    "draws",
    "found_in_trees",
    "found_of_draws",
    "level",
    "penalties",
    "planned",
    "values",
]

_FINEST = 10_000
"""Largest denominator of a level: 1/3 is 3333/10000 or better."""
_FINE = 2**10
"""Parts of a row in scores: priors are rounded to them."""
_DOUBT = 0.1
"""Share of a draw's prior that is spread evenly over bins."""
_FAR = 40.0
"""Priors below e^-40 of the largest count as that."""
_BROAD = Fraction(17, 12)
"""At least the square root of 2."""


def level(at: float) -> Fraction:
    """Return a level as a fraction of small numbers, 0.1 as 1/10: the nearest with a denominator up to 10^4."""
    return Fraction(repr(float(at))).limit_denominator(_FINEST)


def penalties(counts: Integers, at: Fraction) -> Integers:
    """Return b p_j of each bin, for the level a / b: (G, K) int64 >= 0, in the units of the counts times b.

    >>> penalties(np.array([[2, 1, 1]]), Fraction(1, 2)).tolist()
    [[0, 0, 2]]
    """
    a, b = at.as_integer_ratio()
    through = np.cumsum(counts, axis=-1)
    n = through[..., -1:]
    return np.maximum(0, np.maximum(b * (through - counts) - a * n, a * n - b * through))


# ------------------------------------------------------------------------------------------------- mechanisms
@attrs.frozen
class Draws:
    """One draw for each group, for one level.

    at: the level.  epsilon: bounded range of the draw of one group, for a row that leaves it or enters it.  broad: the
    range over r, that is w.
    """

    at: Fraction
    epsilon: float
    broad: Fraction

    @classmethod
    def of(cls, at: Fraction, spent: Fraction, concentrated: bool) -> "Draws":
        """Return the draws that spend so much of epsilon, or of rho if ``concentrated``."""
        broad = Fraction(1) if at in (0, 1) else 2 * max(at, 1 - at)
        if concentrated:
            return cls(at, selection_epsilon(spent / 2), max(broad, _BROAD))
        return cls(at, rounded_down(spent / 2), broad)

    @property
    def event(self) -> Event:
        """What the draws of all groups do to the rows: those of two groups change."""
        return Composed([(self.mechanism().event, 2)])

    @property
    def rate(self) -> float:
        """The exponent r of one row."""
        return float(Fraction(self.epsilon) / self.broad)

    def mechanism(self, units: int = 1) -> ExponentialMechanism:
        """Return the mechanism of one group, whose scores are minus b ``_FINE`` p_j, of units of persons."""
        score = self.broad * self.at.denominator * _FINE / 2
        return ExponentialMechanism(self.epsilon, score).per(units)

    def release(self, counts: Integers, prior: Floats, randomness: Randomness, units: int = 1) -> Indices:
        """Return a bin of each group, (G,), drawn exactly under Secure.

        Args:
            counts: (G, K) int64, of rows, or units of persons.
            prior: (G, K), > 0, of public knowledge or of what was released before.
            randomness: Secure() for a release.
            units: W of each person, 1 for rows.
        """
        mechanism = self.mechanism(units)
        far = np.minimum(np.log(prior.max(axis=1, keepdims=True)) - np.log(prior), _FAR) / float(mechanism.rate)
        handicaps = np.rint(np.minimum(far, 2.0**60)).astype(np.int64)
        scores = -penalties(counts, self.at) * _FINE - handicaps
        return np.array([mechanism.sample(one, randomness) for one in scores], np.intp)


@attrs.frozen(eq=False)
class Trees:
    """A noisy tree for each group, for all levels at once."""

    tree: Tree
    noise: DiscreteNoise

    @classmethod
    def of(cls, cells: int, spent: Fraction, concentrated: bool) -> "Trees":
        """Return the trees over so many bins that spend so much of epsilon, or of rho if ``concentrated``."""
        tree = best_tree(cells)
        return cls(tree, tree_noise(tree, spent, concentrated))

    @property
    def event(self) -> Event:
        """What the trees of all groups do to the rows: 2 L nodes change by one."""
        return tree_event(self.tree, self.noise)

    def release(self, counts: Integers, randomness: Randomness, units: int = 1) -> list[list[Floats]]:
        """Return the noisy levels of each group, in rows (or persons); counts: (G, K)."""
        return [measured(self.tree, one, self.noise, randomness, units) for one in counts]

    def deviation(self, cells: int) -> float:
        """Return the standard deviation of a noisy rank, in rows: the root of its mean variance over bins."""
        ends = np.arange(1, cells)
        unknown = np.full(cells, np.inf)
        each = run_variances(self.tree, self.noise.variance, unknown, np.zeros_like(ends), ends)
        return float(np.mean(each)) ** 0.5 if len(ends) else 0.0


def planned(cells: int, at: Sequence[Fraction], spent: Fraction, concentrated: bool) -> list[Draws] | Trees:
    """Return what measures quantiles of these levels, within so much of epsilon, or of rho if ``concentrated``.

    Draws at equal parts, or trees: whichever has the smaller standard deviation of a rank, sqrt(2) / r for draws.
    Both are decided by the number of bins and of levels, and by the budget.

    >>> type(planned(64, [Fraction(i, 9) for i in range(10)], Fraction(1), False)).__name__
    'Trees'
    """
    each = [Draws.of(one, spent / len(at), concentrated) for one in at]
    trees = Trees.of(cells, spent, concentrated)
    deviation = math.sqrt(sum(2 / one.rate**2 for one in each) / len(each))
    return each if deviation <= trees.deviation(cells) else trees


# ------------------------------------------------------------------------------------------------- beliefs
@attrs.frozen(eq=False)
class Beliefs:
    """What may be thought of each group's distribution before its rows are counted: J of them.

    shares: (J, G, K) of bins, > 0.  worth: (J, G), how many rows each is worth.  chances: (J,), add up to 1.
    """

    shares: Floats
    worth: Floats
    chances: Floats

    @property
    def mean(self) -> Floats:
        """Mean shares of each group, (G, K)."""
        return np.asarray(np.tensordot(self.chances, self.shares, 1))

    def at(self, q: Fraction, sizes: Floats) -> Floats:
        """Return the probability that each bin holds the q-quantile of a group's rows, (J, G, K).

        Shares of the lower bins of a Dirichlet distribution are beta distributed: with F their expected sum, and kappa
        the worth, the quantile is in bin j or lower with probability P[Beta(kappa F, kappa (1 - F)) >= q].  A group of
        n rows is a sample, so that 1 / kappa = 1 / worth + 1 / n.

        Args:
            q: the level; moved to half a row from 0 and from 1.
            sizes: (G,) rows of the groups, about.
        """
        n = np.maximum(sizes, 1.0)
        kappa = (1 / (1 / self.worth + 1 / n))[..., None]
        inner = np.clip(float(q), 0.5 / n, 1 - 0.5 / n)[:, None]
        below = np.clip(np.cumsum(self.shares, axis=-1), 0.0, 1.0)
        reached = scipy.special.betainc(np.maximum(kappa * (1 - below), 1e-9), np.maximum(kappa * below, 1e-9), 1 - inner)
        reached[..., -1] = 1.0
        return np.maximum(np.diff(reached, axis=-1, prepend=0.0), 1e-15)


_PUBLIC = ((1.0, 0.5), (0.25, 0.1), (0.06, 0.05))
"""Of public rows of a group: the part of their number that they are worth, and the chance of that."""
_RAKED = ((1.0, 0.15), (0.25, 0.1))
_OVERALL = ((300.0, 0.08), (75.0, 0.08), (20.0, 0.08), (5.0, 0.08))
_SMOOTH = 8.0
"""Rows that the distribution of all public rows is worth in a group."""


def beliefs(
    cut: Integers, groups: int, public: Integers | None, overall: Floats | None = None, known: float = 0.0
) -> Beliefs:
    """Return beliefs from public rows and from the shape of all private rows.

    The public rows of the group, smoothed to all of them; the same, raked to the shape of all private rows, which
    corrects a bias that all groups share; that shape itself; and shares by the width of bins.

    Args:
        cut: cuts of the number, K - 1 of them.
        groups: G.
        public: (G, K) counts of public rows; None: there are none.
        overall: (K,) shares of all private rows, as of ``shapes.shape``; None: not measured.
        known: how many rows that shape is worth: those of a sample that would show as much of it.
    """
    width = widths(cut)
    cells = len(width)
    found: list[tuple[Floats, Floats, float]] = []

    def add(shares: Floats, worth: Floats | float, chance: float) -> None:
        whole = np.broadcast_to(np.maximum(shares, 1e-9), (groups, cells))
        whole = whole / whole.sum(axis=1, keepdims=True)
        found.append((whole, np.broadcast_to(np.asarray(worth, np.float64), (groups,)), chance))

    if public is not None and public.sum() > 0:
        every = public.sum(axis=0) + 0.5 * width
        every = every / every.sum()
        size = public.sum(axis=1)
        own = (public + _SMOOTH * every) / (size[:, None] + _SMOOTH)
        for part, chance in _PUBLIC:
            add(own, part * (size + _SMOOTH), chance)
        if overall is not None:
            for part, chance in _RAKED:
                add(own * (np.maximum(overall, 1e-9) / every), part * (size + _SMOOTH), chance)
    if overall is not None:
        for worth, chance in _OVERALL:
            add(overall, 1 / (1 / worth + 1 / max(known, 1e-3)), chance)
    add(width, 2.0, 0.02)
    add(np.full(cells, 1 / cells), 2.0, 0.02)
    chances = np.array([chance for *_, chance in found])
    return Beliefs(
        np.array([shares for shares, *_ in found]), np.array([worth for _, worth, _ in found]), chances / chances.sum()
    )


def prior(at: Draws, given: Beliefs, sizes: Floats) -> Floats:
    """Return the prior of a draw, (G, K): where the quantile is believed to be, and a tenth of it spread evenly."""
    where = np.tensordot(given.chances, given.at(at.at, sizes), 1)
    return np.asarray((1 - _DOUBT) * where + _DOUBT / where.shape[1])


# ------------------------------------------------------------------------------------------------- estimates
@attrs.frozen(eq=False)
class Found:
    """Bins of the quantiles of one level in each group.

    best: (G,), with the least expected distance in rank.  chances: (G, K), of each bin, given what was released.
    weights: (J,), what each belief turned out to be worth.
    """

    best: Indices
    chances: Floats
    weights: Floats

    def limits(self, coverage: float) -> tuple[Indices, Indices]:
        """Return the lowest and the highest bin of an interval with that chance, half of the rest on either side."""
        reached = np.cumsum(self.chances, axis=1)
        rest = (1 - coverage) / 2
        low = (reached < rest).sum(axis=1)
        high = (reached < 1 - rest).sum(axis=1)
        return low, np.minimum(np.maximum(high, low), self.chances.shape[1] - 1)


def found_of_draws(draws: Draws, drawn: Indices, prior: Floats, given: Beliefs, sizes: Floats) -> Found:
    """Return where the quantile of each group is, given its draw: post-processing.

    Bayes' rule with the known distribution of a draw.  If bin k holds the quantile, its middle being at the level q,
    the penalty of bin t is about n d(t, k) with

        d(t, k) = q (1 - F_t / F_k') below k,    (1 - q) (1 - (1 - F_{t - 1}) / (1 - F_k')) above,

    F the cumulative mean of the beliefs and F_k' its value in the middle of bin k.  So a draw of a small group, or of a
    small budget, moves nothing, and the result is that of the beliefs; with a large budget it is the draw itself.
    The weights of the beliefs are fitted to the draws of all groups.
    """
    distance = distances(given.mean, draws.at)
    weight = np.log(prior)[:, :, None] - draws.rate * np.maximum(sizes, 0.0)[:, None, None] * distance
    weight -= weight.max(axis=1, keepdims=True)
    mass = np.exp(weight)
    groups = np.arange(len(drawn))
    like = mass[groups, drawn] / mass.sum(axis=1)
    return _combined(given.at(draws.at, sizes) * like, given.chances, distance)


def found_in_trees(trees: Trees, levels: Sequence[list[Floats]], given: Beliefs, sizes: Floats, at: Sequence[Fraction]) -> list[Found]:
    """Return where the quantiles of each group are, given its noisy tree: post-processing.

    Least squares under each belief, weighted by how well the belief explains the noisy counts; a bin's chance follows
    from the estimated shares as that of a belief does, with what the noise leaves unknown as its worth.
    """
    groups, cells = given.shares.shape[1:]
    known = (np.maximum(sizes, 1.0) / max(trees.deviation(cells), 1e-9)) ** 2
    shares, logs = np.empty_like(given.shares), np.empty(given.shares.shape[:2])
    for g in range(groups):
        size = max(float(sizes[g]), 2.0)
        for j, share in enumerate(given.shares[:, g]):
            spread = size**2 * share / given.worth[j, g]
            one = estimate(trees.tree, levels[g], trees.noise.variance, size, size * share, spread)
            shares[j, g], logs[j, g] = np.maximum(one.counts, 1e-6 * size), one.evidence
    shares /= shares.sum(axis=2, keepdims=True)
    evidence = np.exp(logs - logs.max(axis=0))
    found = []
    for q in at:
        left = Beliefs(shares, given.worth + float(q * (1 - q)) * known, given.chances)
        joint = left.at(q, sizes) * evidence[..., None]
        held = np.einsum("jg,jgk->gk", responsibilities(evidence, given.chances)[0], shares)
        found.append(_combined(joint, given.chances, distances(held, q)))
    return found


def _combined(joint: Floats, chances: Floats, distance: Floats) -> Found:
    """Return bins from joint (J, G, K), the probability of a bin and of what was released under each belief."""
    evidence = np.maximum(joint.sum(axis=2), 1e-300)
    shares, weights = responsibilities(evidence, chances)
    posterior = np.einsum("jg,jgk->gk", shares / evidence, joint)
    posterior /= posterior.sum(axis=1, keepdims=True)
    best = np.argmin(np.einsum("gtk,gk->gt", distance, posterior), axis=1)
    return Found(best, posterior, weights)


def responsibilities(evidence: Floats, chances: Floats, strength: float = 2.0, steps: int = 60) -> tuple[Floats, Floats]:
    """Return the share of each belief in each group, (J, G), and its weight, (J,), by expectation maximisation.

    The weights are the same in all groups; a Dirichlet prior is worth ``strength`` groups.
    """
    weights = chances
    for _ in range(steps):
        shares = weights[:, None] * evidence
        shares /= shares.sum(axis=0)
        weights = (shares.sum(axis=1) + strength * chances) / (shares.shape[1] + strength)
    return shares, weights


def distances(shares: Floats, at: Fraction) -> Floats:
    """Return d(t, k) of ``found_of_draws``, (G, K, K), from shares of bins (G, K)."""
    q = float(at)
    through = np.cumsum(shares, axis=1)
    below = through - shares
    middle = np.clip((through + below) / 2, 1e-12, 1 - 1e-12)[:, None, :]
    under = q * (1 - through[:, :, None] / middle)
    over = (1 - q) * (1 - (1 - below[:, :, None]) / (1 - middle))
    cells = np.arange(shares.shape[1])
    lower = cells[:, None] < cells
    found = np.where(lower, under, over)
    found[:, cells, cells] = 0.0
    return np.maximum(found, 0.0)


def values(cut: Integers, public: Integers | None) -> Floats:
    """Return the value that stands for each bin, in units, (K,): the median of public rows in it, else its middle."""
    edges = np.concatenate([[0], cut, [UNITS + 1]])
    found = (edges[1:] + edges[:-1] - 1) / 2
    if public is not None and len(public):
        ordered = np.sort(public)
        start, stop = np.searchsorted(ordered, edges[:-1]), np.searchsorted(ordered, edges[1:])
        held = stop > start
        found[held] = ordered[((start + stop - 1) // 2)[held]]
    return found
