"""Claims on covers of public points: the event Bad, bound (1), covering radii and lemma 3.3 (ABM19 section 3).

The Bad diameter is the largest disagreement of two hypotheses that agree on all public points; the event Bad is that it
exceeds alpha.  On continuous distributions it is a sum of spacings: thresholds and intervals on the line, halfspaces on
a circle and on the moment curve, rectangles on a cross.  On discrete distributions all pairs of hypotheses are
compared: the same classes on few atoms of unequal weights, with the package's own covers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from semipriv.classes.base import REPRESENTATIVES, HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.kernels import njit
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, frequency
from semipriv.core.types import Bools, Floats, Indices, Words
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.beta import Beta
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.spacings import bad_diameters, bad_probability_thresholds
from semipriv.papers.abm19.bounds.sizes import bad_probability_bound, cover_points
from semipriv.papers.abm19.bounds.spacings import (
    bad_diameters_circle,
    bad_diameters_cross,
    bad_diameters_moment_curve,
    covering_radius_thresholds,
)
from semipriv_lab.ledger.claim import Reason, Table, claim
from semipriv_lab.ledger.findings import (
    Measurement,
    Settings,
    farthest_from_bound,
    gates,
    largest,
    largest_limit,
    recorded,
)

BETA = 0.05
TRIALS = 2000
"""Trials of a size at which P[Bad] is judged: a verdict on bound (1) at 0.01 takes 1,353 without the event."""
SEEN = 500
"""Trials of a size for the record, where the event is seen."""
COVERED = 100
"""Trials for the record that build the cover of their atoms, too, and measure its radius."""
COMPARED = 150
"""Trials of a size in which radius and diameter are compared; in each of them the comparison is exact."""
LEMMA = 300
"""Trials of a gate of lemma 3.3: a verdict on beta = 0.05 takes 264 without the event."""
ALPHAS, BETAS, DIMENSIONS = (1e-6, 0.2, 0.5, 1 - 1e-6), (1e-6, 0.05, 1 - 1e-6), (1, 2, 4, 100, 10_000)
"""Where m1 is held against bound (1): to the corners of alpha, beta in (0, 1)."""
EXACT = 8000
"""Trials of a gate on an exact value: at about 0.05 limits as wide as half of it take 5,400."""
BOUNDS = (0.9, 0.5, 0.1, 0.01)
"""Values of bound (1).  The frequency of Bad is judged at the sizes at which the bound has these values."""
SHARES = (60, 30, 20, 15, 12, 9, 6, 3)
"""Divisors of the size at which bound (1) is 1/2.  At these smaller sizes the bound says nothing, and Bad is seen."""
CONTROL, MISSED = 30, 0.1
"""At this part of that size P[Bad] must exceed MISSED on continuous distributions; set when known that it does."""
QUANTILES = (0.5, 0.95)
ATOMS_SEED = 20191205
"""Seed of the atoms' weights, and of the places of atoms in space."""
ROUNDING = 1e-12

TOO_FEW = f"control: P[Bad] at 1/{CONTROL} of the points at which bound (1) is 1/2"
HUNDREDTH = "at a hundredth of m1"
BAD, UNCOVERED, RADIUS, DIAMETER = "P[Bad]", "P[no alpha-cover]", "covering radius", "Bad diameter"
RATIO = "largest covering radius / Bad diameter"


@dataclass(frozen=True, eq=False)
class Atoms:
    """A class on finitely many weighted atoms: all dichotomies of the atoms, and how much these disagree."""

    hypothesis_class: HypothesisClass
    points: Points
    weights: Floats
    _diameters: dict[int, float] = field(default_factory=dict)
    _radii: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.points) > 64:
            raise ValueError(f"points: must be at most 64, so that sets of them are words, got {len(self.points)}")

    @cached_property
    def table(self) -> Bools:
        """All dichotomies of the atoms, (k, n) bool, each once."""
        every = self.hypothesis_class.cover(self.points).listed().parameters
        return np.unique(self.hypothesis_class.predict(every, self.points), axis=0)

    @cached_property
    def disagreements(self) -> Floats:
        """Mass on which two dichotomies differ, for all pairs of them, (k, k)."""
        indicators = self.table.astype(np.float64)
        mass = (indicators * self.weights) @ (1 - indicators).T
        return np.asarray(mass + mass.T)

    @cached_property
    def _words(self) -> Words:
        """The dichotomies as words, (k,)."""
        return words(self.table)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {word: i for i, word in enumerate(self._words.tolist())}

    def diameter(self, hit: Indices) -> float:
        """Return the Bad diameter of the atoms that a public sample hits; each set of atoms is measured once."""
        seen = self._seen(hit)
        if seen not in self._diameters:
            group = self._words & np.uint64(seen)
            order = np.argsort(group, kind="stable")
            self._diameters[seen] = float(_largest_within(self.disagreements, order, group[order]))
        return self._diameters[seen]

    def radius(self, hit: Indices) -> float:
        """Return the covering radius of the package's cover of the atoms that a public sample hits, in the same way."""
        seen = self._seen(hit)
        if seen not in self._radii:
            cover = self.hypothesis_class.cover(self.points[np.unique(hit)]).listed()
            dichotomies = words(self.hypothesis_class.predict(cover.parameters, self.points))
            members = np.unique([self._rows[word] for word in dichotomies.tolist()])
            self._radii[seen] = float(_radius(self.disagreements, members))
        return self._radii[seen]

    def _seen(self, hit: Indices) -> int:
        """Return a set of atoms as a word."""
        return int(np.bitwise_or.reduce(np.uint64(1) << hit.astype(np.uint64), initial=np.uint64(0)))


def words(table: Bools) -> Words:
    """Return rows of at most 64 bits as words: (k, n) bool -> (k,); the first bit is the lowest."""
    return np.asarray(table @ (np.uint64(1) << np.arange(table.shape[1], dtype=np.uint64)))


@njit(cache=True)
def _largest_within(disagreements: Floats, order: Indices, group: Words) -> float:
    """Return the largest disagreements[i, j] of i and j in one group; ``order`` lists the indices group by group."""
    best, start = 0.0, 0
    for end in range(1, order.size + 1):
        if end == order.size or group[end] != group[start]:
            for a in range(start, end):
                for b in range(a + 1, end):
                    best = max(best, disagreements[order[a], order[b]])
            start = end
    return best


@njit(cache=True)
def _radius(disagreements: Floats, members: Indices) -> float:
    """Return max_i min_k disagreements[i, k], k among the members; leave a row that cannot raise the maximum."""
    worst = 0.0
    for i in range(disagreements.shape[0]):
        nearest = 1.0
        for k in members:
            nearest = min(nearest, disagreements[i, k])
            if nearest <= worst:
                break
        worst = max(worst, nearest)
    return worst


@dataclass(frozen=True, eq=False)
class Case:
    """A class, its continuous distribution with simulated Bad diameters, and its discrete distribution."""

    name: str
    distribution: str
    d: int
    alpha: float
    diameters: Callable[[int, int, np.random.Generator], Floats]
    atoms: Atoms

    def sizes(self) -> list[tuple[int, float]]:
        """Return numbers of public points with bound (1) at each: first those at which it says nothing, then BOUNDS."""
        half = cover_points(self.alpha, 0.5, self.d)
        small = [max(1, round(half / share)) for share in SHARES]
        sizes = [*small, *(cover_points(self.alpha, bound, self.d) for bound in BOUNDS)]
        return [(m, bad_probability_bound(m, self.alpha, self.d)) for m in sizes]


def cases() -> list[Case]:
    """Return the five classes with their distributions; their VC dimensions are 1, 2, 3, 4 and 4."""
    generator = np.random.default_rng(ATOMS_SEED)
    line = np.arange(64.0)[:, None]
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0), indexing="ij"), axis=-1).reshape(-1, 2)

    def atoms(h: HypothesisClass, points: Points) -> Atoms:
        return Atoms(h, points, generator.dirichlet(np.full(len(points), 0.3)))

    def drawn(h: HypothesisClass, n: int) -> Atoms:
        return atoms(h, generator.normal(size=(n, h.dimension)))

    return [
        Case("thresholds", "line", 1, 0.2, _on(bad_diameters, 1), atoms(Thresholds(), line)),
        Case("intervals", "line", 2, 0.2, _on(bad_diameters, 2), atoms(Intervals(), line[:32])),
        Case("halfspaces, d = 2", "circle", 3, 0.3, bad_diameters_circle, drawn(Halfspaces(2), 28)),
        Case("halfspaces, d = 3", "moment curve", 4, 0.3, _on(bad_diameters_moment_curve, 3), drawn(Halfspaces(3), 16)),
        Case("rectangles", "cross", 4, 0.3, bad_diameters_cross, atoms(Rectangles(2), grid)),
    ]


def _on(
    simulated: Callable[[int, int, int, np.random.Generator], Floats], d: int
) -> Callable[[int, int, np.random.Generator], Floats]:
    """Return (m, trials, generator) -> the diameters of that dimension."""
    return lambda m, trials, generator: simulated(m, d, trials, generator)


# ---------------------------------------------------------------------------------------------------- samples
def _classes(randomness: Simulation, effort: float) -> list[Case]:
    """Return the classes for all claims of a run, which share what is known of their atoms."""
    return cases()


def _where(case: Case, m: int, discrete: bool) -> Settings:
    distribution = f"{len(case.atoms.points)} atoms" if discrete else case.distribution
    return {"class": case.name, "distribution": distribution, "d": case.d, "alpha": case.alpha, "n_public": m}


def _discrete(case: Case, m: int, trials: int, covered: int, randomness: Simulation) -> tuple[Floats, Floats]:
    """Draw public samples on the atoms: Bad diameters (trials,), and covering radii of the first, (covered,).

    A sample is drawn by how often it hits each atom; samples that hit the same atoms are measured once.
    """
    generator = randomness.spawn("atoms", case.name, m).generator
    seen = generator.multinomial(m, case.atoms.weights, trials) > 0
    _, first, of = np.unique(words(seen), return_index=True, return_inverse=True)
    sets = [np.flatnonzero(seen[i]) for i in first]
    diameters = np.array([case.atoms.diameter(hit) for hit in sets])[of]
    return diameters, np.array([case.atoms.radius(sets[i]) for i in of[:covered]])


def _continuous(case: Case, m: int, trials: int, randomness: Simulation) -> Floats:
    return case.diameters(m, trials, randomness.spawn(case.distribution, case.name, m).generator)


# ---------------------------------------------------------------------------------------------------- claims
@claim(
    "ABM19-E1",
    "frequency of Bad on continuous and discrete distributions at sizes where bound (1) is "
    f"{', '.join(map(str, BOUNDS[:-1]))} and {BOUNDS[-1]}",
    shown=BAD,
    constants="repaired: 2 m >= d; otherwise the paper's",
    stream="bound",
)
def bound_on_bad(table: Table) -> Reason:
    """Compare P[Bad] with bound (1); the comparison is for the record if the bound is not below 1."""
    classes = table.once(_classes)
    level = GATE_LEVEL / (len(classes) * (2 * len(BOUNDS) + 1))
    sizes = [(case, m, bound, i) for case in classes for i, (m, bound) in enumerate(case.sizes())]
    for case, m, bound, i in track(sizes, "sizes"):
        trials = table.trials(TRIALS if bound < 1 else SEEN, 20)
        for discrete in (False, True):
            settings = _where(case, m, discrete)
            if discrete:
                diameters, radii = _discrete(case, m, trials, table.trials(COVERED, 20), table.randomness)
                table.add(_quantiles(RADIUS, settings, radii))
            else:
                diameters = _continuous(case, m, trials, table.randomness)
            measured = frequency(int(np.sum(diameters > case.alpha)), trials, level)
            table.at_most(BAD, settings, measured, bound, trials, judged=bound < 1)
            if not discrete and SHARES[i : i + 1] == (CONTROL,):
                table.exceeding(TOO_FEW, settings, measured, MISSED, trials, rounding=0.0)
            table.add(_quantiles(DIAMETER, settings, diameters))
    return lambda verdict: (
        "too few trials for an upper limit below 0.01, or for the control"
        if verdict is Verdict.INCONCLUSIVE
        else f"the row holds by its proof: Bad is never seen where the bound is below 1, nor at {_blind(table)} of the "
        f"points at which it is 1/2; at {CONTROL} times fewer than these, a control, P[Bad] is at least "
        f"{min(table.values(TOO_FEW)):.2f} on the continuous distributions; {len(gates(table.rows))} gates"
    )


def _blind(table: Table) -> str:
    """Return the least share of those points, of the ones that were tried, at which Bad was seen nowhere."""
    at: dict[int, list[float]] = {}
    places: dict[tuple[str, str], int] = {}
    for row in table(BAD):
        cell = (str(row.settings["class"]), str(row.settings["distribution"]))
        places[cell] = places.get(cell, -1) + 1
        at.setdefault(places[cell], []).append(row.measured.value)
    unseen = [share for i, share in enumerate(SHARES) if max(max(at[j]) for j in range(i, len(SHARES))) == 0]
    return f"1/{max(unseen)}" if unseen else "none"


def _quantiles(quantity: str, settings: Settings, values: Floats) -> Iterator[Measurement]:
    for q in QUANTILES:
        value = float(np.quantile(values, q, method="inverted_cdf"))
        yield recorded(quantity, settings | {"quantile": q}, value, None, len(values))


@claim("ABM19-E1-exact", "frequency of Bad on covers of thresholds", shown=farthest_from_bound, stream="exact")
def exact_probability(table: Table) -> Reason:
    """Compare the frequency of Bad, measured on the package's own covers of thresholds, with the spacings formula."""
    trials = table.trials(EXACT, 20)
    cells: list[tuple[Marginal, int, Fraction]] = [
        (Uniform(), 28, Fraction(1, 5)),
        (Normal(mean=3.0, sd=2.0), 29, Fraction(1, 5)),
        (Beta(a=0.5, b=2.0), 69, Fraction(1, 10)),
        (Uniform(), 450, Fraction(1, 50)),
    ]
    for marginal, m, alpha in track(cells, "distributions"):
        generator = table.randomness.spawn("bad", m, str(alpha)).generator
        bad = sum(_cell_masses(marginal, m, generator).max() > float(alpha) for _ in track(range(trials), "trials"))
        measured = frequency(int(bad), trials, GATE_LEVEL / len(cells))
        settings: Settings = {
            "class": "thresholds",
            "distribution": repr(marginal),
            "alpha": float(alpha),
            "n_public": m,
        }
        table.equals(BAD, settings, measured, bad_probability_thresholds(m, alpha), trials)
    return lambda verdict: "confidence limits wider than half of the value" if verdict is Verdict.INCONCLUSIVE else ""


def _cell_masses(marginal: Marginal, m: int, generator: np.random.Generator) -> Floats:
    """Return the mass between the least and the greatest threshold of each dichotomy of m public points.

    It is the largest disagreement of two thresholds of that dichotomy.  Bad iff the largest of all exceeds alpha.
    """
    points = marginal.sample(m, generator)
    least = Thresholds().cover(points, "lower").listed().parameters[:, 0]
    greatest = Thresholds().cover(points, "upper").listed().parameters[:, 0]
    return marginal.cdf_left(greatest) - marginal.cdf_left(least)


def _thresholds(m: int, trials: int, generator: np.random.Generator) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield each rule of representatives, covering radii of the package's covers of thresholds, and Bad diameters.

    The distribution is uniform; radii and diameters: (trials,).
    """
    samples = generator.random((trials, m))
    diameters = np.diff(np.sort(samples, axis=1), axis=1, prepend=0.0, append=1.0).max(axis=1)
    for rule in REPRESENTATIVES:
        covers = (Thresholds().cover(points, rule).listed().parameters[:, 0] for points in samples)
        yield rule, np.array([covering_radius_thresholds(t) for t in covers]), diameters


@claim(
    "ABM19-D2.7",
    "covering radius of the package's covers against the Bad diameter, trial by trial",
    shown=largest,
    stream="radii",
)
def radii_of_covers(table: Table) -> str:
    """Compare the covering radius with the Bad diameter in every trial: their ratio is at most 1."""
    classes, trials = table.once(_classes), table.trials(COMPARED, 20)
    for m in (3, 10, 30, 100):
        for rule, radii, diameters in _thresholds(m, trials, table.randomness.spawn("line", m).generator):
            settings: Settings = {"class": "thresholds", "distribution": "line", "representative": rule, "n_public": m}
            table.add([_ratio(settings, radii, diameters)])
    for case, m in track([(drawn, m) for drawn in classes for m, _ in drawn.sizes()[:4]], "sizes"):
        diameters, radii = _discrete(case, m, trials, trials, table.randomness)
        table.add([_ratio(_where(case, m, True), radii, diameters)])
    return "exact in each trial; that an alpha-cover is one of radius <= alpha is the definition"


def _ratio(settings: Settings, radii: Floats, diameters: Floats) -> Measurement:
    excess = radii > diameters + ROUNDING
    ratio = np.divide(radii, diameters, out=np.where(excess, np.inf, 0.0), where=diameters > 0)
    measured = Interval.exact(float(ratio.max()))
    verdict = Verdict.VIOLATED if excess.any() else Verdict.HOLDS
    return Measurement(RATIO, settings, measured, 1.0, len(radii), verdict)


@claim(
    "ABM19-L3.3",
    f"P[Bad] and P[no alpha-cover] at m1(alpha, {BETA:g}, d) public points, five classes, continuous and discrete "
    "distributions; "
    "bound (1) at m1 to the corners of alpha, beta and d",
    shown=lambda rows: largest_limit([row for row in rows if row.quantity in (BAD, UNCOVERED)]),
    constants="repaired: bound (1) solved for m, of order d ln(16/alpha); the paper prints d ln(1/alpha)",
    stream="lemma",
)
def lemma(table: Table) -> Reason:
    """Compare P[Bad] and P[no alpha-cover] with beta at m1 public points, bound (1) with beta at the domain's corners.

    Controls have m1 / 100 points, where both probabilities must exceed beta.
    """
    classes, trials = table.once(_classes), table.trials(LEMMA, 20)
    level = GATE_LEVEL / (2 * (len(classes) * 3 + len(REPRESENTATIVES)))
    for alpha, beta, d in product(ALPHAS, BETAS, DIMENSIONS):
        m = cover_points(alpha, beta, d)
        settings: Settings = {"alpha": alpha, "beta": beta, "d": d, "n_public": m}
        table.at_most("bound (1) at m1", settings, bad_probability_bound(m, alpha, d), beta)
    for case in track(classes, "classes"):
        enough = cover_points(case.alpha, BETA, case.d)
        for m in (enough, max(1, enough // 100)):
            line, atoms = _where(case, m, False), _where(case, m, True)
            rows: list[tuple[str, Settings, Floats]] = []
            if case.name == "thresholds":
                drawn = _thresholds(m, trials, table.randomness.spawn("line", m).generator)
                rows += [(UNCOVERED, line | {"representative": rule}, radii) for rule, radii, _ in drawn]
            rows.append((BAD, line, _continuous(case, m, trials, table.randomness)))
            diameters, radii = _discrete(case, m, trials, trials, table.randomness)
            rows += [(BAD, atoms, diameters), (UNCOVERED, atoms, radii)]
            for quantity, settings, values in rows:
                measured = frequency(int(np.sum(values > case.alpha)), trials, level)
                if m == enough:
                    table.at_most(quantity, settings, measured, BETA, trials)
                else:
                    table.exceeding(f"control: {quantity} {HUNDREDTH}", settings, measured, BETA, trials, rounding=0.0)
    judged = [row for name in (BAD, UNCOVERED) for row in table(name)]
    seen = "no" if not any(row.measured.value for row in judged) else "some"
    power = min(row.measured.low for row in table.rows if HUNDREDTH in row.quantity)
    return lambda verdict: (
        ("too few trials for an upper limit below 0.05, or for a control; " if verdict is Verdict.INCONCLUSIVE else "")
        + f"the lemma holds by its proof, with {seen} failures at m1 points; at a hundredth of them, controls, all "
        f"lower limits are at least {power:.2f}, and ABM19-E1 says where between the two failures begin. The order "
        "that the paper prints is ABM19-L3.3-literal"
    )
