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
   other draws have the same distribution.
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
from semipriv.learners.statistics.shapes import UNITS, tree_event, tree_noise, widths
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import Composed, Event, selection_epsilon
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import Tree, isotonic_rows
from semipriv.queries.least_squares import estimate, node_counts, run_variances

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
_NOTHING = 40.0
"""Chances below e^-40 are 0."""
_SLIGHT = 1e-3
"""A belief with less than this share of a group is left out."""
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

    def spread(self, chances: Floats) -> Floats:
        """Return the prior of each candidate, (..., C), from the chance (..., K) that each bin holds the quantile.

        A bin has nine tenths of its probability, and its ends have the rest.
        """
        rest = np.zeros((*chances.shape[:-1], chances.shape[-1] + 1))
        rest[..., :-1] += chances / 20
        rest[..., 1:] += chances / 20
        return np.concatenate([rest, 0.9 * chances], axis=-1)

    def losses(self, shares: Floats, q: Floats, chances: Floats) -> Floats:
        """Return the expected distance of each candidate, sum_k ``chances`` d(c, k), (G, C).

        Below the bin of a candidate and above it these are sums of a term without c and one that c multiplies, so that
        two running sums serve all candidates.
        """
        through, middle = self._through(shares)
        zero = np.zeros((len(shares), 1))

        def above(values: Floats) -> Floats:
            return np.concatenate([np.cumsum(values[:, ::-1], axis=1)[:, ::-1], zero], axis=1)[:, self.high]

        def below(values: Floats) -> Floats:
            return np.concatenate([zero, np.cumsum(values, axis=1)], axis=1)[:, self.low]

        under = above(chances) - through[:, self.high] * above(chances / middle)
        over = below(chances) - (1 - through[:, self.low]) * below(chances / (1 - middle))
        return np.asarray(np.maximum(q[:, None] * under, 0.0) + np.maximum((1 - q[:, None]) * over, 0.0))

    def _through(self, shares: Floats) -> tuple[Floats, Floats]:
        """Return the shares below each edge, (G, K + 1), and below the middle of each bin, (G, K)."""
        through = np.concatenate([np.zeros((len(shares), 1)), np.cumsum(shares, axis=1)], axis=1)
        return through, np.clip((through[:, 1:] + through[:, :-1]) / 2, 1e-12, 1 - 1e-12)

    def distances(self, shares: Floats, q: Floats, some: Indices | None = None) -> Floats:
        """Return d(c, k) of ``found_of_draws``, (G, C, K), from shares of bins (G, K) and levels (G,).

        some: (G, c), candidates of each group; None: all.
        """
        listed = np.broadcast_to(np.arange(len(self.low)), (len(shares), len(self.low))) if some is None else some
        low, high = self.low[listed], self.high[listed]
        through, middle = self._through(shares)
        middle, level_, bin_ = middle[:, None, :], q[:, None, None], np.arange(shares.shape[1])
        under = level_ * (1 - np.take_along_axis(through, high, axis=1)[..., None] / middle)
        over = (1 - level_) * (1 - (1 - np.take_along_axis(through, low, axis=1)[..., None]) / (1 - middle))
        lower, higher = high[..., None] <= bin_, low[..., None] > bin_
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

    def rank_error(self, sizes: Floats) -> Floats:
        """Return the standard error of the rank of a draw in groups of so many evenly spread rows, in rows, (G,).

        Ranks are exponential on both sides of the quantile, and end where rows do: at q n on one side, and at (1 - q) n
        on the other.  For a large group it is ``deviation``, and for a small one that of a uniform rank.

        Args:
            sizes: n of each group, > 0.
        """
        ends = self.rate * np.stack([float(self.at) * sizes, float(1 - self.at) * sizes])
        squares, whole = (scipy.special.gammainc(power, ends).sum(axis=0) for power in (3, 1))
        return np.asarray(np.sqrt(2 * squares / whole) / self.rate)

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
        mechanism, drawn = self.mechanism(units), np.empty(len(counts), np.intp)
        for some in _runs(len(counts), len(candidates.value)):
            logs = np.log(prior[some])
            far = np.minimum(logs.max(axis=1, keepdims=True) - logs, _FAR) / float(mechanism.rate)
            handicaps = np.rint(np.minimum(far, 2.0**60)).astype(np.int64)
            scores = -candidates.penalties(counts[some], self.at) * self.fine - handicaps
            drawn[some] = mechanism.sample_each(scores, randomness)
        return drawn

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

    def release(self, counts: Integers, randomness: Randomness, units: int = 1) -> list[Floats]:
        """Return the noisy counts of each level of all trees, (G, nodes), in rows (or persons); counts: (G, K)."""
        drawn = self.noise.per(units)
        return [
            drawn.add(level.ravel(), randomness).astype(np.float64).reshape(level.shape) / units
            for level in node_counts(self.tree, counts)
        ]

    def rank_error(self, cells: int, at: Fraction, sizes: Floats) -> Floats:
        """Return the standard error of the rank a tree points to, in rows, (G,): at most that of a uniform rank."""
        uniform = math.sqrt(float(at**3 + (1 - at) ** 3) / 3)
        return np.minimum(self.deviation(cells), uniform * sizes)

    def deviation(self, cells: int) -> float:
        """Return the standard deviation of a noisy rank, in rows: the root of its mean variance over bins."""
        ends = np.arange(1, cells)
        unknown = np.full(cells, np.inf)
        variances = run_variances(self.tree, self.noise.variance, unknown, np.zeros_like(ends), ends)
        return float(np.mean(variances)) ** 0.5 if len(ends) else 0.0


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
    draws = [Draws.of(level_of, spent / len(at), concentrated) for level_of in at]
    trees = Trees.of(cells, spent, concentrated)
    deviation = math.sqrt(sum(draw.deviation**2 for draw in draws) / len(draws))
    return draws if deviation <= trees.deviation(cells) * (1 if public else 2) else trees


# ------------------------------------------------------------------------------------------------- beliefs
@attrs.frozen(eq=False)
class Beliefs:
    """What may be thought of each group's distribution before its rows are counted: J of them.

    Groups without public rows are of one sort, the first of U: the same is thought of them.

    shares: (J, U, K) of bins, > 0.  worth: (J, U), how many rows each is worth.  chances: (J,), add up to 1.  public:
    whether public rows tell of them.  sort: (G,) of each group.
    """

    shares: Floats
    worth: Floats
    chances: Floats
    public: bool
    sort: Indices

    @property
    def mean(self) -> Floats:
        """Mean shares of each group, (G, K)."""
        return np.asarray(np.tensordot(self.chances, self.shares, 1)[self.sort])

    @property
    def size(self) -> int:
        """Numbers that a group takes, J K."""
        return len(self.shares) * self.shares.shape[2]

    def alike(self, sizes: Floats, some: slice = slice(None)) -> tuple[Indices, Indices]:
        """Return the first group of each kind, (P,), and the kind of each group, (G,), among some groups, all by
        default: those of a kind are of one sort and of one size by ``roughly``.
        """
        pairs = np.stack([self.sort[some].astype(np.float64), sizes[some]], axis=1)
        _, first, kind = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        return first, kind.ravel()

    def at(self, q: Fraction, sizes: Floats, some: slice = slice(None)) -> Floats:
        """Return the probability that each bin holds the q-quantile of a group's rows, (J, G, K).

        A group of n rows is a sample, so that the worth kappa has 1 / kappa = 1 / worth + 1 / n.

        Args:
            q: the level; moved to half a row from 0 and from 1.
            sizes: (G,) rows of the groups, about.
            some: for which groups, all by default.
        """
        first, kind = self.alike(sizes, some)
        sort, n = self.sort[some][first], np.maximum(sizes[some][first], 1.0)
        kappa = 1 / (1 / self.worth[:, sort] + 1 / n)
        return held(self.shares[:, sort], kappa, inner(q, n))[:, kind]


def roughly(sizes: Floats) -> Floats:
    """Return sizes within 2 %, at least 1, of which there are few."""
    return np.exp(np.rint(32 * np.log(np.maximum(sizes, 1.0))) / 32)


def held(shares: Floats, kappa: Floats, level: Floats) -> Floats:
    """Return the probability that each bin holds a quantile, (..., K), at least 1e-15.

    Shares of the lower bins of a Dirichlet distribution are beta distributed: with F their expected sum, and kappa
    the worth, the quantile is in bin j or lower with probability P[Beta(kappa F, kappa (1 - F)) >= q].  It is at most
    exp(-2 (kappa + 1) (F - q)^2) for F < q (Marchal and Arbel 2017), and so is the rest for F > q: where that is
    nothing, it is not worked out.

    Args:
        shares: of bins, (..., K).
        kappa: (...,).
        level: q, that broadcasts with kappa.
    """
    below = np.clip(np.cumsum(shares, axis=-1), 0.0, 1.0)
    q, kappa = np.broadcast_to(level, kappa.shape)[..., None], kappa[..., None]
    reached = (below >= q).astype(np.float64)
    open_ = 2 * (kappa + 1) * (below - q) ** 2 < _NOTHING
    f, k, p = below[open_], np.broadcast_to(kappa, below.shape)[open_], np.broadcast_to(q, below.shape)[open_]
    reached[open_] = scipy.special.betainc(np.maximum(k * (1 - f), 1e-9), np.maximum(k * f, 1e-9), 1 - p)
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
    beliefs_of: list[tuple[Floats, Floats | float, float]] = []
    some, sort = public is not None and int(public.sum()) > 0, np.zeros(groups, np.intp)
    if public is not None and some:
        every = public.sum(axis=0) + 0.5 * width
        every = every / every.sum()
        seen = public.sum(axis=1) > 0
        sort = np.where(seen, np.cumsum(seen), 0)
        sorts = np.concatenate([np.zeros_like(public[:1]), public[seen]])
        size = sorts.sum(axis=1)
        own = (sorts + _SMOOTH * every) / (size[:, None] + _SMOOTH)
        beliefs_of += [(own, part * (size + _SMOOTH), chance) for part, chance in _PUBLIC]
        if overall is not None:
            raked = own * (np.maximum(overall, 1e-9) / every)
            beliefs_of += [(raked, part * (size + _SMOOTH), chance) for part, chance in _RAKED]
    if overall is not None:
        beliefs_of += [(overall, 1 / (1 / worth + 1 / max(known, 1e-3)), chance) for worth, chance in _OVERALL]
    beliefs_of.append((width, 2.0, 0.02))
    beliefs_of.append((np.full(len(width), 1 / len(width)), 2.0, 0.02 if some else 0.1))
    number = int(sort.max()) + 1  # of sorts
    shares = np.array([np.broadcast_to(np.maximum(belief, 1e-9), (number, len(width))) for belief, _, _ in beliefs_of])
    worths = np.array([np.broadcast_to(np.asarray(worth, np.float64), (number,)) for _, worth, _ in beliefs_of])
    chances = np.array([chance for *_, chance in beliefs_of])
    return Beliefs(shares / shares.sum(axis=2, keepdims=True), worths, chances / chances.sum(), some, sort)


def prior(draws: Draws, candidates: Candidates, given: Beliefs, sizes: Floats) -> Floats:
    """Return the prior of a draw, (G, C): where the quantile is believed to be, and a part that is spread evenly."""
    doubt = _DOUBT if given.public else _DOUBT_ALONE
    priors, about = np.empty((len(sizes), len(candidates.value))), roughly(sizes)
    for some in _runs(len(sizes), given.size):
        spread_out = candidates.spread(np.tensordot(given.chances, given.at(draws.at, about, some), 1))
        priors[some] = (1 - doubt) * spread_out / spread_out.sum(axis=1, keepdims=True) + doubt / spread_out.shape[1]
    return priors


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
    about = roughly(sizes)
    like = _likelihoods(draws, candidates, drawn, prior, given, about)
    evidence = np.empty((len(given.chances), len(drawn)))
    for some in _runs(len(drawn), given.size):
        evidence[:, some] = np.einsum("jgk,gk->jg", given.at(draws.at, about, some), like[some])
    evidence = np.maximum(evidence, 1e-300)
    parts, weights = responsibilities(evidence, given.chances)
    parts /= evidence
    chances = np.empty_like(like)
    for some in _runs(len(drawn), given.size):
        chances[some] = like[some] * np.einsum("jg,jgk->gk", parts[:, some], given.at(draws.at, about, some))
    result = _found(candidates, chances, weights, given.mean, inner(draws.at, sizes))
    return result if given.public else attrs.evolve(result, best=drawn)


def found_in_trees(
    trees: Trees,
    candidates: Candidates,
    levels: Sequence[Floats],
    given: Beliefs,
    sizes: Floats,
    at: Sequence[Fraction],
) -> list[Found]:
    """Return where the quantiles of each level are in each group, given its noisy tree: post-processing.

    Least squares under each belief, weighted by how well the belief explains the noisy counts; the chance of a bin
    follows from the estimated shares as that of a belief does, with what the noise leaves unknown as its worth.
    """
    groups, cells = len(sizes), given.shares.shape[2]
    n = np.maximum(sizes, 2.0)
    known = (np.maximum(sizes, 1.0) / max(trees.deviation(cells), 1e-9)) ** 2

    def estimated(some: slice) -> tuple[Floats, Floats]:
        """Return shares (J, G, K) of some groups by each belief, and the logarithm of its evidence, (J, G)."""
        sort, size = given.sort[some], n[some]
        share = given.shares[:, sort]
        spread = (size**2 / given.worth[:, sort])[..., None] * share
        noisy = [level[some] for level in levels]
        fitted = estimate(trees.tree, noisy, trees.noise.variance, size, size[:, None] * share, spread)
        counts = np.maximum(fitted.counts, 1e-6 * size[:, None])
        log = fitted.evidence + 0.5 * np.log(spread.sum(axis=-1))  # of what was measured, given the sum of all
        return counts / counts.sum(axis=-1, keepdims=True), log

    logs = np.empty((len(given.chances), groups))
    for some in _runs(groups, given.size):
        logs[:, some] = estimated(some)[1]
    parts, weights = responsibilities(np.exp(logs - logs.max(axis=0)), given.chances)
    parts = np.where(parts < _SLIGHT, 0.0, parts)
    mean, chances = np.empty((groups, cells)), np.empty((len(at), groups, cells))
    for some in _runs(groups, given.size):
        shares, part = estimated(some)[0], parts[:, some]
        mean[some] = np.einsum("jg,jgk->gk", part, shares)
        j, g = np.nonzero(part)
        for i, q in enumerate(at):
            worth = given.worth[j, given.sort[some][g]] + float(q * (1 - q)) * known[some][g]
            kappa = 1 / (1 / worth + 1 / np.maximum(sizes[some][g], 1.0))
            own = np.zeros_like(shares)
            own[j, g] = part[j, g][:, None] * held(shares[j, g], kappa, inner(q, sizes[some])[g])
            chances[i, some] = own.sum(axis=0)
    return [_found(candidates, by_bin, weights, mean, inner(q, sizes)) for q, by_bin in zip(at, chances, strict=True)]


def unshrunk(
    trees: Trees, candidates: Candidates, levels: Sequence[Floats], sizes: Floats, at: Sequence[Fraction]
) -> Indices:
    """Return the candidates that noisy trees alone point to, (levels, G): by least squares, made nondecreasing.

    Where several are as good, as on a stretch without rows, it is the one in the middle.
    """
    order = np.argsort(candidates.low + candidates.high)
    low, high = candidates.low[order], candidates.high[order]
    size, below = _whole(sizes), _ranks(trees, levels, sizes)
    places = np.empty((len(at), len(size)), np.intp)
    for some in _runs(len(size), len(order)):
        for i, q in enumerate(at):
            rank = float(q) * size[some, None]
            away = np.maximum(below[some][:, low] - rank, rank - below[some][:, high])
            best = np.cumsum(away <= away.min(axis=1, keepdims=True) + _EQUAL * size[some, None], axis=1)
            places[i, some] = order[np.argmax(best == best[:, -1:] // 2 + 1, axis=1)]
    return places


def limits_of_trees(
    trees: Trees, levels: Sequence[Floats], sizes: Floats, at: Sequence[Fraction], cut: Integers, coverage: float
) -> list[tuple[Floats, Floats]]:
    """Return limits of the quantile of each level and group by its noisy tree alone, in units, (G,) each.

    A row counts as u units from u - 1/2 on, so limits are half a unit below cuts.  They are those of
    `semipriv.learners.statistics.intervals.quantile_limits`.  The noise of an estimated rank is a sum of that
    of many nodes; its limit is taken for the wider one of a normal and of a Laplace distribution.

    Args:
        trees: the mechanism.
        levels: noisy counts of the groups.
        sizes: (G,) rows of the groups, about.
        at: the levels.
        cut: cuts of the number.
        coverage: chance of the limits, in (0, 1).
    """
    edges = np.concatenate([[0], cut - 0.5, [UNITS]])
    places = np.arange(len(edges))
    unknown = np.full(len(cut) + 1, np.inf)
    deviations = np.sqrt(run_variances(trees.tree, trees.noise.variance, unknown, np.zeros_like(places), places))
    rest = (1 - coverage) / 2
    width = deviations * max(-float(scipy.special.ndtri(rest)), -math.log(2 * rest) / 2**0.5)
    below, size = _ranks(trees, levels, sizes), _whole(sizes)
    return [quantile_limits(below - float(q) * size[:, None], width, edges) for q in at]


def sizes_in_trees(trees: Trees, levels: Sequence[Floats], sizes: Floats, unsure: Floats) -> tuple[Floats, Floats]:
    """Return the rows of each group that have a number, (G,), from its noisy tree and from what is known, and the
    standard deviation of what they are off by.

    Each level of a tree sums up to them, with the noise of its nodes; both are weighted by their inverse variances.

    Args:
        trees: the mechanism.
        levels: noisy counts of each group.
        sizes: (G,) rows as they were released before, or expected.
        unsure: (G,) standard deviation of what these are off by, >= 0.
    """
    nodes = np.array([level.shape[1] for level in levels], np.float64)
    totals = np.stack([level.sum(axis=1) for level in levels], axis=1)
    noise = max(trees.noise.variance, 1e-9) / (1 / nodes).sum()
    weight = unsure**2 / (unsure**2 + noise)
    return sizes + weight * (totals @ (1 / nodes) / (1 / nodes).sum() - sizes), np.sqrt(weight * noise)


def _whole(sizes: Floats) -> Floats:
    """Return whole numbers of rows, at least one a group."""
    return np.maximum(np.rint(sizes), 1.0)


def _ranks(trees: Trees, levels: Sequence[Floats], sizes: Floats) -> Floats:
    """Return the rows of each group below each edge, (G, K + 1), by least squares, made nondecreasing."""
    size, cells = _whole(sizes), levels[0].shape[1]
    fitted = estimate(trees.tree, levels, trees.noise.variance, size, np.zeros(cells), np.full(cells, np.inf))
    inside = isotonic_rows(np.cumsum(fitted.counts, axis=1)[:, :-1], size)
    return np.concatenate([np.zeros((len(size), 1)), inside, size[:, None]], axis=1)


def _likelihoods(
    draws: Draws, candidates: Candidates, drawn: Indices, prior: Floats, given: Beliefs, sizes: Floats
) -> Floats:
    """Return the probability of what was drawn if bin k holds the quantile, but for a factor, (G, K).

    sizes: as of ``roughly``.  Groups of a kind have one prior, and one sum over all candidates.
    """
    mean, q = given.mean, np.full(len(drawn), float(draws.at))
    first, kind = given.alike(sizes)
    totals = np.empty((len(first), mean.shape[1]))
    for some in _runs(len(first), mean.shape[1] * len(candidates.value)):
        rows = first[some]
        away = candidates.distances(mean[rows], q[rows]) * (draws.rate * sizes[rows, None, None])
        totals[some] = scipy.special.logsumexp(np.log(prior[rows])[:, :, None] - away, axis=1)
    own = candidates.distances(mean, q, drawn[:, None])[:, 0] * (draws.rate * sizes[:, None])
    like = -own - totals[kind]
    return np.asarray(np.exp(like - like.max(axis=1, keepdims=True)))


def _found(candidates: Candidates, chances: Floats, weights: Floats, shares: Floats, q: Floats) -> Found:
    """Return where quantiles are from the chance of each bin, (G, K), but for a factor."""
    posterior = chances / chances.sum(axis=1, keepdims=True)
    best = np.empty(len(posterior), np.intp)
    for some in _runs(len(best), len(candidates.value)):
        best[some] = np.argmin(candidates.losses(shares[some], q[some], posterior[some]), axis=1)
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
