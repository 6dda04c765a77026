"""The shape of a number's distribution over all rows: its bins, its noisy counts, and the ends to which it is clipped.

A number is counted in whole units u = 0, ..., 2^16 of its declared range.  Increasing cuts c_1 < ... < c_{K - 1} in
1, ..., 2^16 make K bins: row u is in bin j with c_j <= u < c_{j + 1}, where c_0 = 0 and the last bin is closed.

Privacy: a row is in one node of each of the L levels of a tree over the bins, so replacing it changes two nodes of a
level by one each: by 2 L in L1 and sqrt(2 L) in L2.  A person's W units are spread over nodes of a level, with W on
each level whatever rows the person has, so a replaced person changes a level by at most 2 W in L1.  In L2 it is at most
sqrt(2) W: the two vectors of units are >= 0 with the sum W, so each has a norm of at most W, and their product is >= 0.
Noise of W times the scale hides that.  All else is post-processing.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import attrs
import numpy as np

from semipriv.core import checks
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, GaussianEvent, Pure, gaussian_scale
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import estimate, node_counts

__all__ = [
    "FIRST",
    "UNITS",
    "Shape",
    "bins",
    "coarse",
    "cuts",
    "doubted",
    "ends",
    "expected_shape",
    "measured",
    "points",
    "shape",
    "tails",
    "tree_event",
    "tree_noise",
    "widths",
    "worthwhile",
]

UNITS = 2**16
"""Units of a declared range: u = 0 is its low end, u = 2^16 its high one."""
_LEAST = 1e-6
"""Least share of a bin in a prior: nothing is impossible."""


def cuts(public: Integers | None, most: int = 96) -> Integers:
    """Return increasing cuts in 1, ..., 2^16, at most ``most`` of them; no private row is looked at.

    Without public rows: multiples of 2^16 / 8, then of 2^16 / 32 and 2^16 / 64, and powers of two near both ends for
    heavy tails; the cuts 1 and 2^16 set rows at the ends themselves apart.  With public rows half of the cuts are
    theirs: if they have few distinct values, the middle of each two, else their quantiles, and both sides of each value
    that many rows share.

    Args:
        public: (m,) units of public rows in 0, ..., 2^16; None or m = 0: there are none.
        most: >= 2.

    Raises:
        ValueError: for units out of range, and for ``most`` < 2.

    >>> cuts(None, 8).tolist()
    [1, 16384, 24576, 32768, 40960, 49152, 57344, 65536]
    """
    most = checks.size("most", most, minimum=2)
    places = [1, UNITS]
    if public is not None and len(public):
        places += _public_cuts(_checked(public), max(1, most // 2))
    places += [UNITS * j // 8 for j in (4, 2, 6, 3, 5, 7, 1)]
    places += _geometric(range(11, -1, -2)) + [UNITS * j // 32 for j in range(1, 32)]
    places += _geometric(range(10, -1, -2)) + [UNITS * j // 64 for j in range(1, 64)]
    kept = list(dict.fromkeys(places))[:most]
    return np.array(sorted(kept), np.int64)


def coarse(signal: float, inner: Sequence[int], fine: Integers) -> Integers:
    """Return the few cuts between which a number is counted where there is little signal; ends may be at them alone.

    ``inner`` first, the ends that public rows suggest; then eighths of the range outside of the first two of them, for
    private rows that are not where public ones are.  The share of rows in a bin is measured with a deviation of about
    28 over the signal: so there are signal / 40 bins, at least 5 and at most 8.

    Args:
        signal: n epsilon, for this number.
        inner: ends, the likeliest two first; 0 and 2^16 are no cuts.
        fine: the cuts of ``cuts``, all of which are taken from a signal of ``_MANY`` on.

    Returns:
        Increasing cuts in 1, ..., 2^16; there is none if the range itself is suggested.

    >>> coarse(300, (0, 1000, 0, 5000), cuts(None)).tolist()
    [1000, 5000, 8192, 16384, 32768, 49152]
    """
    if signal >= _MANY:
        return fine
    low, high = inner[:2]
    outside = [UNITS * j // 8 for j in (4, 2, 6, 1, 7, 3, 5) if not low < UNITS * j // 8 < high]
    most = min(max(int(signal / 40), 5), 8) - 1
    kept = list(dict.fromkeys(cut for cut in [*inner, *outside] if 0 < cut < UNITS))[:most]
    return np.array(sorted(kept), np.int64)


def _geometric(powers: Iterable[int]) -> list[int]:
    """Return 2^k units from the low end and from the high end."""
    return [place for k in powers for place in (1 << k, UNITS - (1 << k))]


def _checked(public: Integers) -> Integers:
    units = np.asarray(public)
    if units.ndim != 1 or units.dtype.kind not in "iu" or units.min() < 0 or units.max() > UNITS:
        raise ValueError(f"public: must be (m,) whole units in 0, ..., {UNITS}")
    return units.astype(np.int64)


def _public_cuts(public: Integers, most: int) -> list[int]:
    """Return at most ``most`` cuts between public values, the most useful first."""
    values, counts = np.unique(public, return_counts=True)
    if len(values) - 1 <= most:
        return [int(cut) for cut in (values[1:] + values[:-1] + 1) // 2]
    heaped = values[np.argsort(-counts, kind="stable")][: most // 4]
    shared = {int(v) for v in heaped if counts[np.searchsorted(values, v)] * most >= 2 * len(public)}
    both = sorted({cut for v in shared for cut in (v, v + 1)})
    left = max(1, most - len(both))
    levels = np.arange(1, left + 1) / (left + 1)
    quantiles = np.quantile(public, levels, method="inverted_cdf").astype(np.int64)
    return [int(cut) for cut in [*both, *quantiles] if 1 <= cut <= UNITS]


def bins(cut: Integers, units: Integers) -> Integers:
    """Return the bin of each row, by its units."""
    return np.searchsorted(cut, units, side="right").astype(np.int64)


# ------------------------------------------------------------------------------------------------- noisy counts
def tree_noise(tree: Tree, spent: Fraction, gaussian: bool) -> DiscreteNoise:
    """Return the noise of a node, for a tree that may spend so much.

    Discrete Laplace of scale 2 L / spent where ``spent`` is a part of epsilon; discrete Gaussian with
    2 L / (2 sigma^2) <= spent where it is a part of rho.
    """
    changed = 2 * tree.levels
    return DiscreteGaussian(gaussian_scale(spent / changed)) if gaussian else DiscreteLaplace(changed / spent)


def tree_event(tree: Tree, noise: DiscreteNoise) -> Event:
    """Return what measuring one tree, or one tree in each group, does to the rows: 2 L nodes change by one."""
    if isinstance(noise, DiscreteGaussian):
        return Composed([(GaussianEvent(noise.sigma), 2 * tree.levels)])
    assert isinstance(noise, DiscreteLaplace), "noise is one of the two"
    return Pure(2 * tree.levels / Fraction(noise.scale))


def measured(
    tree: Tree, counts: Integers, noise: DiscreteNoise, randomness: Randomness, units: int = 1
) -> list[Floats]:
    """Return noisy counts of the nodes of each level, in rows (or persons): of bins (K,) as ``node_counts`` does.

    Args:
        tree: over the K bins.
        counts: (K,) int64, units of persons where they have several rows.
        noise: of ``tree_noise``.
        randomness: Secure() for a release.
        units: W of each person, 1 for rows.
    """
    drawn = noise.per(units)
    return [drawn.add(level, randomness).astype(np.float64) / units for level in node_counts(tree, counts)]


# ------------------------------------------------------------------------------------------------- shapes
@attrs.frozen(eq=False)
class Shape:
    """A distribution of a number: ``points`` in units, increasing, and their ``masses``, which add up to 1.

    parts: the shapes of which it is the mean, with their chances, where it is not known which of them is right.
    """

    points: Floats
    masses: Floats
    parts: Sequence[tuple[float, "Shape"]] = ()

    @classmethod
    def of(cls, public: Integers) -> "Shape":
        """Return the distribution of public rows, (m,) units with m >= 1."""
        values, counts = np.unique(_checked(public), return_counts=True)
        return cls(values.astype(np.float64), counts / counts.sum())


def widths(cut: Integers) -> Floats:
    """Return the share of units in each bin, (K,)."""
    return np.diff(np.concatenate([[0], cut, [UNITS + 1]])) / (UNITS + 1)


def points(cut: Integers, public: Integers | None) -> Floats:
    """Return where rows of each bin are taken to lie, (K,): at the mean of public rows in it, else in its middle."""
    edges = np.concatenate([[0], cut, [UNITS + 1]])
    middle = (edges[1:] + edges[:-1] - 1) / 2
    if public is None or not len(public):
        return middle
    place = bins(cut, public)
    count = np.bincount(place, minlength=len(middle))
    total = np.bincount(place, public, len(middle))
    return np.where(count > 0, total / np.maximum(count, 1), middle)


def shape(
    cut: Integers,
    tree: Tree,
    levels: Sequence[Floats],
    variance: float,
    n: int,
    public: Integers | None = None,
    missing: bool = False,
    fine: Integers | None = None,
) -> Shape:
    """Return the shape of a number from noisy counts in a tree over its bins.

    The mean of least squares under several priors, weighted by how well each explains the noisy counts: public shares
    that are worth m, m / 4, ..., m / 4^6 rows; shapes of which public rows are a biased sample, as of ``doubted``;
    public shares of 1 - d of the rows, d = .1, .3, .6, the others anywhere; and shares proportional to the width of
    bins, worth 1, 4, ..., 4^6 rows.  So public rows that are not like the private ones give way to the noisy counts.
    Within a bin that is counted, finer ones have shares as in the prior.  The shapes under each prior are its parts.

    Args:
        cut: cuts between which rows are counted, K - 1 of them.
        tree: over K cells, or K + 1 if missing.
        levels: noisy counts, as of ``measured``.
        variance: of their noise, in rows.
        n: rows, exactly; of public knowledge.
        public: (m,) units of public rows; None or m = 0: there are none.
        missing: whether one more cell, the last, counts rows whose number is missing; it is left out of the shape.
        fine: other cuts between which the shape is told, too.
    """
    every = cut if fine is None else np.union1d(cut, fine)
    starts = np.concatenate([[0], np.searchsorted(every, cut) + 1])
    sizes = np.diff(np.append(starts, len(every) + 1))
    width = widths(every)
    means, logs = [], []
    for given, worth, chance in _priors(every, public):
        own = np.maximum(given, _LEAST)
        counted = np.add.reduceat(own, starts)
        share = np.append(counted, 0.1 * counted.sum()) if missing else counted
        share = share / share.sum()
        fitted = estimate(tree, levels, variance, float(n), n * share, n * (n * share / worth))
        means.append(np.repeat(fitted.counts[: len(sizes)] / counted, sizes) * own)
        given_total = fitted.evidence + 0.5 * np.log(n * n / worth)  # of what was measured, given the sum of all
        logs.append(given_total + np.log(chance))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    places = points(every, public)
    kept = [np.maximum(mean, 1e-5 * n * width) for mean in means]
    mean = np.maximum(weights @ np.array(means), 1e-5 * n * width)
    parts = [(chance, Shape(places, mean / mean.sum())) for chance, mean in zip(weights, kept, strict=True)]
    return Shape(places, mean / mean.sum(), parts)


def expected_shape(cut: Integers, public: Integers | None = None) -> Shape:
    """Return the shape that is expected before a private row is counted: the mean of the priors of ``shape``."""
    priors = _priors(cut, public)
    mean = np.sum([chance * share for share, _, chance in priors], axis=0)
    return Shape(points(cut, public), mean / mean.sum())


def worthwhile(n: int, epsilon: float, public: Integers | None = None) -> bool:
    """Return whether counts of so many rows show a shape: n epsilon >= 150, or 4500 where no public row guides them.

    With less signal they do not show either whether public rows are like the private ones.

    Args:
        n: rows, or persons.
        epsilon: of the whole release; its ``FIRST`` part buys the shape.
        public: (m,) units of public rows; None or m = 0: there are none.
    """
    return n * epsilon >= (_COARSE if public is not None and len(public) else _FINE)


_COARSE, _FINE, _MANY = 150, 4500, 20_000
"""n epsilon from which on shares of few bins are seen through the noise; those of many; and so well that ends follow
from them better than from few."""
FIRST = Fraction(1, 10)
"""Part of a budget for the shapes of all numbers together, where they are worthwhile."""


_UNLIKE, _OTHER = 0.3, 0.07
"""Chance that some private rows are like no public one, and, if not, that none is."""


def _priors(cut: Integers, public: Integers | None) -> list[tuple[Floats, float, float]]:
    """Return shares of bins (K,), how many rows they are worth, and their chance."""
    width = widths(cut)
    if public is None or not len(public):
        return [(width, 4.0**j, 1 / 7) for j in range(7)]
    m, priors = len(public), []
    like, *biased = doubted(public)
    shares = _shares(cut, like[1], m)
    priors += [(width, 4.0**j, _OTHER / 7) for j in range(7)]
    priors += [(shares, m / 4.0**j, 0.4 if j == 0 else 0.06) for j in range(7)]
    priors += [
        (_shares(cut, biased_shape, m), m / 4.0**j, chance / 12) for chance, biased_shape in biased for j in range(3)
    ]
    mixed = [((1 - d) * shares + d * width, worth, 1 / 6) for d in (0.1, 0.3, 0.6) for worth in (4.0, 16.0)]
    return [(shares_of, worth, (1 - _UNLIKE) * chance) for shares_of, worth, chance in priors] + [
        (shares_of, worth, _UNLIKE * chance) for shares_of, worth, chance in mixed
    ]


def _shares(cut: Integers, source: Shape, m: int) -> Floats:
    """Return the shares of bins, with half a row of m spread by their width."""
    width = widths(cut)
    shares = np.bincount(bins(cut, np.rint(source.points)), source.masses, len(width)) + 0.5 * width / m
    return np.asarray(shares / shares.sum())


_DOUBTS = ((1.0, 0.5), (0.5, 0.15), (0.25, 0.1))
"""Powers of the public tail, with the chance of each at either end: what ends from public rows are made for."""


def doubted(public: Integers) -> list[tuple[float, Shape]]:
    """Return shapes that private rows may have, with their chances, where nothing but public rows tells of them.

    With chance 1/2 private rows are like the public ones.  Else the public rows were biased to small values or to large
    ones: then of the private rows a share S(u)^p is above u, or below, where S is the public share and p is 1/2 or 1/4.
    So where one public row of m is left, sqrt(1 / m) or (1 / m)^(1/4) of the private rows are; beyond the last
    public row they are spread evenly in the logarithm of their distance from it, up to the declared end.

    Args:
        public: (m,) units of public rows, m >= 1.
    """
    like = Shape.of(public)
    flipped = Shape.of(UNITS - np.asarray(public))
    doubts = [(_DOUBTS[0][1], like)]
    for power, chance in _DOUBTS[1:]:
        doubts.append((chance, _raised(like, power, len(public))))
        down = _raised(flipped, power, len(public))
        doubts.append((chance, Shape(UNITS - down.points[::-1], down.masses[::-1])))
    return doubts


def _raised(like: Shape, power: float, m: int) -> Shape:
    """Return the shape whose share above each point is the power of that of ``like``, with a tail to 2^16."""
    above = np.concatenate([np.cumsum(like.masses[::-1])[::-1][1:], [0.0]])
    above = (m * above + 1) / (m + 1)  # one more row, beyond all
    raised = np.concatenate([[1.0], above**power])
    last = like.points[-1]
    if last >= UNITS:
        raised[-1] = 0.0
        return Shape(like.points, -np.diff(raised))
    least = max(last / 4.0, 1.0)
    beyond = np.unique(np.minimum(last + np.geomspace(least, max(UNITS - last, least), 8), float(UNITS)))
    masses = np.concatenate([-np.diff(raised), np.full(len(beyond), raised[-1] / len(beyond))])
    return Shape(np.concatenate([like.points, beyond]), masses)


def ends(
    cut: Integers, shapes: Shape | Sequence[tuple[float, Shape]], sizes: Floats, variance: float
) -> tuple[int, int]:
    """Return the ends a < b, at cuts or at 0 and 2^16, to which a number is best clipped before it is averaged.

    They minimise the mean over groups, and over shapes by their chances, of

        tail^2 + (variance / size^2) ((a - mu)^2 + (b - mu)^2),

    where tail is the mean of |u - clip(u)|, mu that of clip(u), and the second term the noise of a mean from the two
    ends of a table of unit mass, each of that variance.  A group counts as at least half a row.

    Args:
        cut: cuts of the number.
        shapes: one shape, or shapes with chances, as of ``doubted``.
        sizes: (G,) expected rows of the groups, from public knowledge.
        variance: of the noise of a cell of the table that means come from, in rows.
    """
    listed = [(1.0, shapes)] if isinstance(shapes, Shape) else list(shapes)
    edges = np.unique(np.concatenate([[0], cut, [UNITS]])).astype(np.float64)
    noise = variance * float(np.mean(1 / np.maximum(sizes, 0.5) ** 2))
    i, j = np.triu_indices(len(edges), 1)
    low, high = edges[i], edges[j]
    cost = np.zeros(len(low))
    for chance, alternative in listed:
        overall = float(alternative.masses @ alternative.points)
        under = np.maximum(edges[:, None] - alternative.points, 0.0) @ alternative.masses  # E (e - u)+
        over = under + overall - edges  # E (u - e)+
        mean = overall + under[i] - over[j]
        cost += chance * ((under[i] + over[j]) ** 2 + noise * ((low - mean) ** 2 + (high - mean) ** 2))
    best = int(np.argmin(cost))
    return int(low[best]), int(high[best])


_TILTS = np.sinh(np.linspace(-6.0, 6.0, 401))
"""Tilts of a shape by which those of groups are found: up to e^202 times as much mass at one end as at the other."""


def tails(source: Shape, low: float, high: float, places: Floats, sizes: Floats) -> Floats:
    """Return what clipping took of the mean of each group, in units, of the shape of ``places``.

    A group has masses proportional to w(u) exp(t h(u)), where w is the shape of all rows, h(u) the place of the clipped
    number between the ends, and t such that its mean is that of the group: of all shapes with that mean it is the
    nearest to w in relative entropy.  What is above, and below, is then scaled to that of all rows, by 1/2 to 2.

    If the shape has parts, it is the median over them, by their chances.  With little signal a few rows that may be
    anywhere, or noise in a bin that is far away, would move the mean over parts further than clipping does.

    Args:
        source: shape of all rows.
        low: end, in units.
        high: end, in units.
        places: means of the clipped number by group, from 0 (low) to 1 (high).
        sizes: rows of the groups, about, in the shape of places.
    """
    if not source.parts:
        return _tails(source, low, high, places, sizes)
    lost = np.array([_tails(part, low, high, places, sizes) for _, part in source.parts])
    chances = np.broadcast_to(_column([chance for chance, _ in source.parts], lost.ndim), lost.shape)
    order = np.argsort(lost, axis=0, kind="stable")
    upto = np.cumsum(np.take_along_axis(chances, order, axis=0), axis=0)
    middle = np.argmax(upto >= upto[-1] / 2, axis=0)[None]
    return np.take_along_axis(np.take_along_axis(lost, order, axis=0), middle, axis=0)[0]


def _column(values: Sequence[float], dimension: int) -> Floats:
    return np.array(values).reshape(-1, *[1] * (dimension - 1))


def _tails(source: Shape, low: float, high: float, places: Floats, sizes: Floats) -> Floats:
    clipped = np.clip(source.points, low, high)
    place, over = (clipped - low) / (high - low), source.points - clipped
    logs = _TILTS[:, None] * place + np.log(np.maximum(source.masses, 1e-300))
    tilted = np.exp(logs - logs.max(axis=1, keepdims=True))
    tilted /= tilted.sum(axis=1, keepdims=True)
    means, weights, lost = tilted @ place, sizes / max(float(sizes.sum()), 1e-300), np.zeros(places.shape)
    for part in (np.maximum(over, 0.0), np.minimum(over, 0.0)):
        if whole := float(source.masses @ part):
            own = np.interp(places, means, tilted @ part)
            lost += own * np.clip(whole / (float(np.sum(weights * own)) or whole), 0.5, 2.0)
    return lost
