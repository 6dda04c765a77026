"""Quantiles by group, from the counts of rows in bins: draws of a bin a group, or a noisy tree a group.

A candidate is an end, a cut or a bin, for which the median of its public rows stands, or else its middle.  Of a group
of n rows, let B_c be the number of rows below a candidate c and T_c the number of those below it or in it; for a cut
they are equal.  How far c is from the q-quantile is its *penalty*, a number of rows:

    p_c = max(0, B_c - q n, q n - T_c).

*Draws*: each group's candidate is drawn with P[c] ~ pi_c exp(-r p_c), with a public prior pi.  *Trees*: noisy counts in
a tree over the bins, one for each group, serve all levels q at once.  Which of the two is used, for all groups, follows
from public numbers alone (``planned``).

Privacy of the draws, for replacing a row.  Write m = max(q, 1 - q).

1. A row that leaves a group or enters it moves B_c - q n by 1 - q or by q, and so q n - T_c: each p_c by at most m, up
   or down.  So the log-ratios of a draw lie in an interval of length 2 r m: it has bounded range 2 r m.  For
   q = 0, p_c = B_c moves in one direction, by at most 1: the range is r.  The same for q = 1.
2. A row that changes its group moves the draws of two groups, which are independent: two events of that range.  All
   other draws have the same law.
3. A row that stays in its group leaves n as it is, and moves B_c and T_c by at most one: by one for candidates between
   its old and its new value, all in one direction, and else by nothing.  One event of range 2 r, or r for q in {0, 1}.
   Two events of range w r, with w = 2 m (1 for q in {0, 1}), cost as much or more in pure accounting: 2 r <= 4 m r and
   r <= 2 r.  In concentrated accounting they cost w^2 r^2 / 4, and it costs r^2 / 8 for q in {0, 1}, and else r^2 / 2:
   as much or more, if w >= sqrt(2).  So there w = max(2 m, 17/12) for 0 < q < 1.

A person has W units, spread over rows in many groups and bins, and r / W takes the place of r.  Where R units leave a
group and A units enter it, p_c moves by at most y = max(q R + (1 - q) A, (1 - q) R + q A): the range is 2 r y / W.  For
q = 0, p_c = B_c moves by D_c = a_c - l_c, the units that enter and leave below c: for c < d, D_c - D_d is at most
l_d - l_c <= R, and D_d - D_c at most a_d - a_c <= A: the range is max(R, A) r / W.  So for q = 1, by symmetry.  The sum
of the ranges and that of their squares are convex in the R and in the A of all groups, each of which add up to W.  So
both are largest where all R are in one group, and all A: then 2 r or 4 m r, and 4 r^2 or 8 m^2 r^2; for q in {0, 1}
r or 2 r, and r^2 or 2 r^2.  These are the bounds of a row.

Trees: a row is in one node of a level of one group's tree, so replacing it changes 2 L nodes by one each, as it does in
`semipriv.learners.statistics.shapes`.

Source:
    McSherry and Talwar 2007 (exponential mechanism); Durfee and Rogers 2019 (bounded range).
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import attrs
import numpy as np
import scipy

from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rounded_down
from semipriv.core.types import Floats, Indices, Integers
from semipriv.learners.statistics.intervals import quantile_limits
from semipriv.learners.statistics.shapes import UNITS, measured, tree_event, tree_noise, widths
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import Composed, Event, selection_epsilon
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import Tree, isotonic
from semipriv.queries.least_squares import estimate, run_variances

__all__ = [
    "Beliefs",
    "Candidates",
    "Draws",
    "Found",
    "Trees",
    "beliefs",
    "found_in_trees",
    "found_of_draws",
    "limits_of_trees",
    "planned",
    "prior",
    "sizes_in_trees",
    "unshrunk",
]

_FINEST_PRIOR = 10
"""Logarithms of priors are rounded to r 2^-10 / b, or to less than 2^-9 where that is less."""
_DOUBT, _DOUBT_ALONE = 0.1, 0.5
"""Share of a draw's prior that is spread evenly over candidates, with public rows and without."""
_FAR = 40.0
"""Priors below e^-40 of the largest count as that."""
_BROAD = Fraction(17, 12)
"""At least the square root of 2."""
_EQUAL = 1e-9
"""Ranks that differ by no more than this share of all rows are the same, but for the rounding of floats."""


@attrs.frozen(eq=False)
class Candidates:
    """What may be released as a quantile: C = 2 K + 1 candidates over K bins, from public knowledge.

    The K + 1 ends and cuts, then the bins, both in order.  Every bin is one, so that wherever rows lie, many of them in
    one place or few, some candidate has a penalty of less than a row.

    low, high: (C,), the number of bins below each, and of those below it or in it: equal for a cut, one more for a bin.
    value: (C,), in units, with fractions where public rows have such: a value that public rows share is told as it is.
    """

    low: Indices
    high: Indices
    value: Floats

    @classmethod
    def of(cls, cut: Integers, public: Integers | Floats | None = None) -> "Candidates":
        """Return both ends, all cuts, and each bin, with the median of its public rows, or else its middle.

        A cut beside a bin of one unit has the value of that bin, which is at least as near in rank: the bin of the cut
        has B rows below it and T up to its end, and the cut has B or T of both.

        Args:
            cut: cuts of the number.
            public: (m,) public rows, 2^16 times their places in [0, 1]; None: there are none.

        >>> Candidates.of(np.array([1, 2**15]), np.array([5, 7.25, 9])).value.tolist()
        [0.0, 0.0, 32768.0, 65536.0, 0.0, 7.25, 49152.0]
        """
        edges = np.concatenate([[0], cut, [UNITS]])
        starts, stops = edges[:-1], np.append(cut, UNITS + 1)
        ordered = np.sort(np.asarray([] if public is None else public, np.float64))
        first, last = np.searchsorted(ordered, starts - 0.5), np.searchsorted(ordered, stops - 0.5)
        middle = np.append(ordered, 0.0)[np.maximum(first + last - 1, 0) // 2]
        inside = np.where(last > first, middle, (starts + stops - 1) // 2)
        outside, single = edges.astype(np.float64), stops - starts == 1
        outside[1:][single] = inside[single]
        outside[:-1][single] = inside[single]
        places = np.arange(len(edges))
        value = np.concatenate([outside, inside])
        return cls(np.append(places, places[:-1]), np.append(places, places[1:]), value)

    def penalties(self, counts: Integers, at: Fraction) -> Integers:
        """Return b p_c of each candidate, for the level a / b: (G, C) int64 >= 0, in units of the counts times b.

        >>> Candidates.of(np.array([1, 2])).penalties(np.array([[2, 1, 1]]), Fraction(1, 2)).tolist()
        [[4, 0, 2, 4, 0, 0, 2]]
        """
        a, b = at.as_integer_ratio()
        below = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        n = below[:, -1:]
        return np.maximum(0, np.maximum(b * below[:, self.low] - a * n, a * n - b * below[:, self.high]))

    def spread(self, where: Floats) -> Floats:
        """Return the prior of each candidate, (..., C), from the chance (..., K) that each bin holds the quantile.

        A bin has nine tenths of its probability, and its ends have the rest.
        """
        rest = np.zeros((*where.shape[:-1], where.shape[-1] + 1))
        rest[..., :-1] += where / 20
        rest[..., 1:] += where / 20
        return np.concatenate([rest, 0.9 * where], axis=-1)

    def distances(self, shares: Floats, q: Floats) -> Floats:
        """Return d(c, k) of ``found_of_draws``, (G, C, K), from shares of bins (G, K) and levels (G,)."""
        through = np.concatenate([np.zeros((len(shares), 1)), np.cumsum(shares, axis=1)], axis=1)
        middle = np.clip((through[:, 1:] + through[:, :-1]) / 2, 1e-12, 1 - 1e-12)[:, None, :]
        level_ = q[:, None, None]
        under = level_ * (1 - through[:, self.high, None] / middle)
        over = (1 - level_) * (1 - (1 - through[:, self.low, None]) / (1 - middle))
        bin_ = np.arange(shares.shape[1])
        lower, higher = self.high[:, None] <= bin_, self.low[:, None] > bin_
        return np.maximum(np.where(lower, under, np.where(higher, over, 0.0)), 0.0)


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
            return cls(at, selection_epsilon(spent / 2), broad if at in (0, 1) else max(broad, _BROAD))
        return cls(at, rounded_down(spent / 2), broad)

    @property
    def event(self) -> Event:
        """What the draws of all groups do to the rows: those of two groups change."""
        return Composed([(self.mechanism().event, 2)])

    @property
    def rate(self) -> float:
        """The exponent r of one row."""
        return float(Fraction(self.epsilon) / self.broad)

    @property
    def fine(self) -> int:
        """Parts of a row in scores, a power of two: priors are rounded to them."""
        return 1 << min(max(_FINEST_PRIOR + math.ceil(math.log2(self.rate)), 0), _FINEST_PRIOR)

    @property
    def deviation(self) -> float:
        """Standard deviation of the rank of a draw among evenly spread candidates, in rows: sqrt(2) / r."""
        return 2**0.5 / self.rate

    def mechanism(self, units: int = 1) -> ExponentialMechanism:
        """Return the mechanism of one group, whose scores are minus b ``fine`` p_c, of units of persons."""
        score = self.broad * self.at.denominator * self.fine / 2
        mechanism: ExponentialMechanism = ExponentialMechanism(self.epsilon, cast(Any, score)).per(units)
        return mechanism

    def release(
        self, candidates: Candidates, counts: Integers, prior: Floats, randomness: Randomness, units: int = 1
    ) -> Indices:
        """Return a candidate of each group, (G,), drawn exactly under Secure.

        Args:
            candidates: of public knowledge.
            counts: (G, K) int64, of rows, or units of persons.
            prior: (G, C), > 0, of public knowledge or of what was released before.
            randomness: Secure() for a release.
            units: W of each person, 1 for rows.
        """
        mechanism = self.mechanism(units)
        far = np.minimum(np.log(prior.max(axis=1, keepdims=True)) - np.log(prior), _FAR) / float(mechanism.rate)
        handicaps = np.rint(np.minimum(far, 2.0**60)).astype(np.int64)
        scores = -candidates.penalties(counts, self.at) * self.fine - handicaps
        return np.array([mechanism.sample(one, randomness) for one in scores], np.intp)

    def rank_limit(self, prior: Floats, coverage: float) -> Floats:
        """Return how far in rank a draw is beyond the nearest candidate at most, in rows, (G,), with that chance.

        With p* the least penalty and pi* the prior of a candidate that has it, P[p_c >= p* + x] is at most
        exp(-r (p* + x)) / (pi* exp(-r p*)); so x = ln(1 / (min pi (1 - coverage))) / r, whatever the rows are.

        Args:
            prior: (G, C), as it was used; any positive multiple of it.
            coverage: in (0, 1).
        """
        least = prior.min(axis=1) / prior.sum(axis=1)
        return np.asarray(-np.log(least * (1 - coverage)) / self.rate)


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


def planned(
    cells: int, at: Sequence[Fraction], spent: Fraction, concentrated: bool, public: bool = True
) -> list[Draws] | Trees:
    """Return what measures quantiles of these levels, within so much of epsilon, or of rho if ``concentrated``.

    Draws at equal parts, or trees: whichever has the smaller standard deviation of a rank.  A tree has to say which of
    all bins holds a quantile: without public rows to guide it, it must be twice as good as that.

    Args:
        cells: K, the number of bins.
        at: levels.
        spent: part of epsilon, or of rho.
        concentrated: whether it is of rho.
        public: whether there are public rows.

    >>> type(planned(64, [Fraction(1, 2)], Fraction(1), False)).__name__
    'list'
    >>> type(planned(64, [Fraction(i, 9) for i in range(10)], Fraction(1), False)).__name__
    'Trees'
    """
    each = [Draws.of(one, spent / len(at), concentrated) for one in at]
    trees = Trees.of(cells, spent, concentrated)
    deviation = math.sqrt(sum(one.deviation**2 for one in each) / len(each))
    return each if deviation <= trees.deviation(cells) * (1 if public else 2) else trees


# ------------------------------------------------------------------------------------------------- beliefs
@attrs.frozen(eq=False)
class Beliefs:
    """What may be thought of each group's distribution before its rows are counted: J of them.

    shares: (J, G, K) of bins, > 0.  worth: (J, G), how many rows each is worth.  chances: (J,), add up to 1.  public:
    whether public rows tell of them.
    """

    shares: Floats
    worth: Floats
    chances: Floats
    public: bool

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
        below = np.clip(np.cumsum(self.shares, axis=-1), 0.0, 1.0)
        reached = scipy.special.betainc(
            np.maximum(kappa * (1 - below), 1e-9), np.maximum(kappa * below, 1e-9), 1 - inner(q, sizes)[:, None]
        )
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

    some = public is not None and int(public.sum()) > 0
    if public is not None and some:
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
    add(np.full(cells, 1 / cells), 2.0, 0.02 if some else 0.1)
    chances = np.array([chance for *_, chance in found])
    shares, worths = (np.array([one[i] for one in found]) for i in (0, 1))
    return Beliefs(shares, worths, chances / chances.sum(), some)


def prior(draws: Draws, candidates: Candidates, given: Beliefs, sizes: Floats) -> Floats:
    """Return the prior of a draw, (G, C): where the quantile is believed to be, and a part that is spread evenly."""
    doubt = _DOUBT if given.public else _DOUBT_ALONE
    where = candidates.spread(np.tensordot(given.chances, given.at(draws.at, sizes), 1))
    return np.asarray((1 - doubt) * where / where.sum(axis=1, keepdims=True) + doubt / where.shape[1])


# ------------------------------------------------------------------------------------------------- estimates
@attrs.frozen(eq=False)
class Found:
    """Where the quantiles of one level are in each group, given what was released.

    best: (G,), the candidate with the least expected distance in rank.  chances: (G, K), that each bin holds the
    quantile.  weights: (J,), what each belief turned out to be worth.
    """

    best: Indices
    chances: Floats
    weights: Floats


def found_of_draws(
    draws: Draws, candidates: Candidates, drawn: Indices, prior: Floats, given: Beliefs, sizes: Floats
) -> Found:
    """Return where the quantile of each group is, given its draw: post-processing.

    Bayes' rule with the known distribution of a draw.  If bin k holds the quantile, its middle being at the level q,
    the penalty of candidate c is about n d(c, k) with

        d(c, k) = q (1 - T_c / F_k) below k,    (1 - q) (1 - (1 - B_c) / (1 - F_k)) above, 0 in it,

    B_c, T_c and F_k the mean shares of the beliefs below the candidate, below it or in it, and below the middle of
    bin k.  So a draw of a small group, or of a small budget, moves nothing, and the result is that of the beliefs; with
    a large budget it is the draw itself.  The weights of the beliefs are fitted to the draws of all groups.  Without
    public rows beliefs are no knowledge, and the draw stands.

    Args:
        draws: the mechanism.
        candidates: of which it drew.
        drawn: (G,), what was drawn.
        prior: (G, C), as it was used.
        given: beliefs.
        sizes: (G,) rows of the groups, about: as they were released, or expected.
    """
    mean, like = given.mean, np.empty((len(drawn), given.shares.shape[2]))
    q = np.full(len(drawn), float(draws.at))
    for some in _runs(len(drawn), mean.shape[1] * len(candidates.value)):
        weight = _weights(draws, candidates, prior[some], mean[some], sizes[some], q[some])
        like[some] = weight[np.arange(len(weight)), drawn[some]] - scipy.special.logsumexp(weight, axis=1)
    like = np.exp(like - like.max(axis=1, keepdims=True))
    found = _combined(candidates, given.at(draws.at, sizes) * like, given.chances, mean, draws.at, sizes)
    return found if given.public else attrs.evolve(found, best=drawn)


def found_in_trees(
    trees: Trees,
    candidates: Candidates,
    levels: Sequence[list[Floats]],
    given: Beliefs,
    sizes: Floats,
    at: Sequence[Fraction],
) -> list[Found]:
    """Return where the quantiles of each level are in each group, given its noisy tree: post-processing.

    Least squares under each belief, weighted by how well the belief explains the noisy counts; the chance of a bin
    follows from the estimated shares as that of a belief does, with what the noise leaves unknown as its worth.
    """
    cells = given.shares.shape[2]
    known = (np.maximum(sizes, 1.0) / max(trees.deviation(cells), 1e-9)) ** 2
    shares, logs = np.empty_like(given.shares), np.empty(given.shares.shape[:2])
    for g, size in enumerate(np.maximum(sizes, 2.0).tolist()):
        for j, share in enumerate(given.shares[:, g]):
            spread = size**2 * share / given.worth[j, g]
            one = estimate(trees.tree, levels[g], trees.noise.variance, size, size * share, spread)
            shares[j, g] = np.maximum(one.counts, 1e-6 * size)
            logs[j, g] = one.evidence + 0.5 * math.log(spread.sum())  # of what was measured, given the sum of all
    shares /= shares.sum(axis=2, keepdims=True)
    evidence = np.exp(logs - logs.max(axis=0))
    held = np.einsum("jg,jgk->gk", responsibilities(evidence, given.chances)[0], shares)
    found = []
    for q in at:
        left = attrs.evolve(given, shares=shares, worth=given.worth + float(q * (1 - q)) * known)
        joint = left.at(q, sizes) * evidence[..., None]
        found.append(_combined(candidates, joint, given.chances, held, q, sizes))
    return found


def unshrunk(
    trees: Trees, candidates: Candidates, levels: Sequence[list[Floats]], sizes: Floats, at: Sequence[Fraction]
) -> Indices:
    """Return the candidates that noisy trees alone point to, (levels, G): by least squares, made nondecreasing.

    Where several are as good, as on a stretch without rows, it is the one in the middle.
    """
    order = np.argsort(candidates.low + candidates.high)
    found = np.empty((len(at), len(levels)), np.intp)
    for g, size in enumerate(_whole(sizes)):
        below = _ranks(trees, levels[g], size)
        for i, q in enumerate(at):
            rank = float(q) * size
            away = np.maximum(below[candidates.low] - rank, rank - below[candidates.high])
            (best,) = np.nonzero(away[order] <= away.min() + _EQUAL * size)
            found[i, g] = order[best[len(best) // 2]]
    return found


def limits_of_trees(
    trees: Trees, levels: Sequence[list[Floats]], sizes: Floats, at: Fraction, cut: Integers, coverage: float
) -> tuple[Floats, Floats]:
    """Return limits of the quantile of each group by its noisy tree alone, in units, (G,) each: post-processing.

    A row counts as u units from u - 1/2 on, so limits are half a unit below cuts.  They are those of
    `semipriv.learners.statistics.intervals.quantile_limits`.  The noise of an estimated rank is a sum of that
    of many nodes; its limit is taken for the wider one of a normal and of a Laplace distribution.

    Args:
        trees: the mechanism.
        levels: noisy counts of each group.
        sizes: (G,) rows of the groups, about.
        at: the level.
        cut: cuts of the number.
        coverage: chance of the limits, in (0, 1).
    """
    n, edges = _whole(sizes), np.concatenate([[0], cut - 0.5, [UNITS]])
    places = np.arange(len(edges))
    unknown = np.full(len(cut) + 1, np.inf)
    deviations = np.sqrt(run_variances(trees.tree, trees.noise.variance, unknown, np.zeros_like(places), places))
    rest = (1 - coverage) / 2
    width = deviations * max(-float(scipy.special.ndtri(rest)), -math.log(2 * rest) / 2**0.5)
    below = np.array([_ranks(trees, one, size) for one, size in zip(levels, n, strict=True)])
    return quantile_limits(below - float(at) * np.array(n)[:, None], width, edges)


def sizes_in_trees(
    trees: Trees, levels: Sequence[list[Floats]], sizes: Floats, unsure: Floats
) -> tuple[Floats, Floats]:
    """Return the rows of each group that have a number, (G,), from its noisy tree and from what is known, and the
    standard deviation of what they are off by.

    Each level of a tree sums up to them, with the noise of its nodes; both are weighted by their inverse variances.

    Args:
        trees: the mechanism.
        levels: noisy counts of each group.
        sizes: (G,) rows as they were released before, or expected.
        unsure: (G,) standard deviation of what these are off by, >= 0.
    """
    nodes = np.array([len(level) for level in levels[0]], np.float64)
    each = np.array([[level.sum() for level in one] for one in levels])
    noise = max(trees.noise.variance, 1e-9) / (1 / nodes).sum()
    weight = unsure**2 / (unsure**2 + noise)
    return sizes + weight * (each @ (1 / nodes) / (1 / nodes).sum() - sizes), np.sqrt(weight * noise)


def _whole(sizes: Floats) -> list[int]:
    """Return whole numbers of rows, at least one a group."""
    return [max(round(one), 1) for one in sizes.tolist()]


def _ranks(trees: Trees, levels: list[Floats], size: int) -> Floats:
    """Return the rows of a group below each edge, (K + 1,), by least squares, made nondecreasing."""
    cells = len(levels[0])
    one = estimate(trees.tree, levels, trees.noise.variance, size, np.zeros(cells), np.full(cells, np.inf))
    return np.concatenate([[0.0], isotonic(np.cumsum(one.counts)[:-1], size), [size]])


def _weights(draws: Draws, candidates: Candidates, prior: Floats, shares: Floats, sizes: Floats, q: Floats) -> Floats:
    """Return the log-probability of each candidate if bin k holds the quantile, but for a constant, (G, C, K)."""
    rows = draws.rate * np.maximum(sizes, 0.0)
    weight = np.log(prior)[:, :, None] - rows[:, None, None] * candidates.distances(shares, q)
    return np.asarray(weight - weight.max(axis=1, keepdims=True))


def _combined(
    candidates: Candidates, joint: Floats, chances: Floats, shares: Floats, at: Fraction, sizes: Floats
) -> Found:
    """Return where quantiles are from joint (J, G, K), the probability of a bin and of what was released."""
    evidence = np.maximum(joint.sum(axis=2), 1e-300)
    held, weights = responsibilities(evidence, chances)
    posterior = np.einsum("jg,jgk->gk", held / evidence, joint)
    posterior /= posterior.sum(axis=1, keepdims=True)
    best, q = np.empty(len(posterior), np.intp), inner(at, sizes)
    for some in _runs(len(best), shares.shape[1] * len(candidates.value)):
        loss = np.einsum("gck,gk->gc", candidates.distances(shares[some], q[some]), posterior[some])
        best[some] = np.argmin(loss, axis=1)
    return Found(best, posterior, weights)


def inner(at: Fraction, sizes: Floats) -> Floats:
    """Return the level for each group, (G,), moved to half a row from 0 and from 1."""
    half = 0.5 / np.maximum(sizes, 1.0)
    return np.clip(float(at), half, 1 - half)


def responsibilities(
    evidence: Floats, chances: Floats, strength: float = 2.0, steps: int = 60
) -> tuple[Floats, Floats]:
    """Return the share of each belief in each group, (J, G), and its weight, (J,), by expectation maximisation.

    The weights are the same in all groups; a Dirichlet prior is worth ``strength`` groups.
    """
    weights = chances
    for _ in range(steps):
        shares = weights[:, None] * evidence
        shares /= shares.sum(axis=0)
        weights = (shares.sum(axis=1) + strength * chances) / (shares.shape[1] + strength)
    return shares, weights


def _runs(groups: int, numbers: int) -> list[slice]:
    """Return slices of the groups, of each of which so many numbers are held, about 4 million at once."""
    step = max(1, 2**22 // max(numbers, 1))
    return [slice(start, start + step) for start in range(0, groups, step)]
