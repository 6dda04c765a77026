"""Claims BMN20-RELAX-i and BMN20-RELAX-ii: what A_LearnHalf keeps if the label does not determine the status.

Let h be a halfspace, and R a region of A_ConstrHalf that holds the public points outside h and misses h (claim 4.4).
If h is right on an example, so is 1[x not in R], with one exception: private zeros outside h, which R may miss.
Hence, relaxation (i), for every halfspace h

    min over G of mistakes <= mistakes(h) + #{private, y = 0, x not in h}.

Relaxation (ii) has no private zeros: min over G <= mistakes(h).  This also holds if only the public zeros span the
family, because public ones outside h are mistakes of h anyway.  Both statements are exact for each data set.  The data
sets are random, in general and in degenerate positions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import scipy

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_rows
from semipriv.core.samples import MixedSample, StatusModel, as_labels
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, frequency, mean_interval, slope_interval
from semipriv.distributions.statuses.base import StatusDistribution
from semipriv.distributions.statuses.by_label import ByLabel
from semipriv.distributions.statuses.by_threshold import ByThreshold
from semipriv.geometry.grid import Grid
from semipriv.papers.bmn20.regions.cover import RegionCover, region_cover
from semipriv.papers.bmn20.regions.family import MODES
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, at_most, comparable, recorded, within
from semipriv_lab.papers.bmn20.studies import _oracles as oracles
from semipriv_lab.papers.bmn20.studies._distributions import STEP, noisy_halfspace

PARTLY, ONES = "BMN20-RELAX-i", "BMN20-RELAX-ii"
POSITIONS = (
    "grid of radius 1",
    "grid of radius 2",
    "general",
    "public on a plane",
    "all on a plane",
    "one public point",
)
DIMENSIONS = (1, 2, 3)
DATA_SETS = 100
"""Data sets of each relaxation, dimension and kind of position."""
EVERY, ZEROS = "all public points", "public zeros"
CONSTRUCTIONS = (EVERY, ZEROS)

VIOLATIONS = "data sets that violate the inequality"
UNEQUAL = "data sets of the worst case on which the inequality is strict"
ABOVE = "data sets on which the best of G is worse than the best halfspace"
SINGLE = "data sets on which the best single halfspace of the family is worse than the best halfspace"
EXCESS = "mean of best of G less best halfspace, share of the sample"
DRAWN = "mean error of A_LearnHalf less that of the best halfspace"
LOG_SIZE = "mean ln|G|"
SLOPE = "slope of the excess in P[private, y = 0]"

RHOS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
SHARES = (1.0, 0.9, 0.7, 0.5, 0.2, 0.0)
SAMPLE, REPETITIONS, EPSILON = 200, 24, 1.0
FEW = 16
"""Examples up to which all halfspaces are listed: every cut of their integer points."""
FEWEST = 10
"""With fewer samples Student's limits of the excess say nothing: it is a multiple of 1 / n, and often 0."""
SMALL_EXCESS, UP_TO = 0.02, 0.4
"""Allowed excess for independent thinning and for the top of x_2, up to the second share of private zeros."""
_GATES = 2 * sum(rho <= UP_TO for rho in RHOS) + 1
_LEVEL = GATE_LEVEL / _GATES
"""Two-sided error level of one gate."""


# ---------------------------------------------------------------------------------------------------- one data set
@dataclass(frozen=True)
class Best:
    """Mistakes of the best halfspace h, private zeros outside h, and the least sum of the two over all halfspaces."""

    mistakes: int
    right_zeros: int
    least_sum: int


def best_halfspace(sample: MixedSample) -> Best:
    """Find the best halfspace: among all of them for few examples, else by exact empirical risk minimisation.

    A private zero is a mistake of h if it is in h, else a zero outside h.  So the least sum is the number of private
    zeros plus the least number of mistakes on the other examples.
    """
    if len(sample) <= FEW:
        return _best_of_all(sample)
    h = Halfspaces(sample.points.shape[1])
    best = h.minimise(sample.points, sample.labels)
    negatives = sample.private & (sample.labels == 0)
    outside = ~h.predict(best.parameters[None], sample.points)[0]
    others = h.minimise(sample.points[~negatives], sample.labels[~negatives]).value
    return Best(
        round(best.value), int(np.count_nonzero(negatives & outside)), int(np.count_nonzero(negatives)) + round(others)
    )


def _best_of_all(sample: MixedSample) -> Best:
    points, place, _ = distinct_rows(sample.points.astype(np.int64))
    halfspaces, zero = oracles.dichotomies(points), sample.labels == 0
    negatives, positives, private = (
        np.bincount(place[which], minlength=len(points)) for which in (zero, ~zero, zero & sample.private)
    )
    mistakes = oracles.mistakes(halfspaces, negatives, positives)
    right_zeros = oracles.mistakes(halfspaces, np.zeros_like(private), private)
    best = int(np.argmin(mistakes))
    return Best(int(mistakes[best]), int(right_zeros[best]), int((mistakes + right_zeros).min()))


def regions(sample: MixedSample, mode: str = "facet", construction: str = EVERY) -> RegionCover:
    """Return G from all public points, or from those with label 0; either way mistakes count on all examples."""
    public = sample.public_examples
    d = sample.points.shape[1]
    rows = np.arange(len(public)) if construction == EVERY else np.flatnonzero(public.labels == 0)
    return region_cover(Grid.unit(d), public, rows, mode)


def least_mistakes(cover: RegionCover, sample: MixedSample) -> int:
    """Return the fewest mistakes of a member of G on all examples."""
    private = sample.private_examples
    return int(cover.tally(private.points, private.labels).histogram()[0][0])


def least_of_single(cover: RegionCover, sample: MixedSample) -> int:
    """Return the fewest mistakes of the empty region and of single halfspaces: J = 1."""
    single = replace(cover, family=replace(cover.family, most=1))
    return int(single.listed().mistakes(sample.points, sample.labels).min())


def allowed(best: Best, relaxation: str) -> tuple[int, ...]:
    """Return the mistakes that the claim allows the best of G: by the best halfspace, and by every halfspace."""
    if relaxation == PARTLY:
        return best.mistakes + best.right_zeros, best.least_sum
    return (best.mistakes,)


def draw_data_set(relaxation: str, position: str, dimension: int, generator: np.random.Generator) -> MixedSample:
    """Draw 0 to 6 public and 0 to 5 private examples in such a position, with random labels.

    The chances of a private zero and of a public one are drawn first, from none (label-determined) to independence;
    under relaxation (ii) there is no private zero.
    """
    public, private = (int(generator.integers(most)) for most in (7, 6))
    points = _points(position, public, private, dimension, generator)
    status = np.arange(public + private) >= public
    chance = generator.choice([0.0, 0.3, 0.5], 2)
    if relaxation == ONES:
        chance[1] = 0.0
    exception = generator.random(len(status)) < chance[status.astype(int)]
    model = StatusModel.PRIVATE_ONES if relaxation == ONES else StatusModel.ANY
    return MixedSample(points, status ^ exception, status, model)


def _points(position: str, public: int, private: int, d: int, generator: np.random.Generator) -> np.ndarray:
    """Draw integer points, public ones first."""
    n, radius = public + private, {"grid of radius 1": 1, "general": 50}.get(position, 2)
    points = generator.integers(-radius, radius + 1, (n, d))
    if position in ("public on a plane", "all on a plane"):
        slope = generator.integers(-1, 2, d - 1)
        on = (np.arange(n) < public) | (generator.random(n) < (0.7 if position == "public on a plane" else 1))
        points[on, -1] = points[on, :-1] @ slope
    if position == "one public point":
        points[:public] = generator.integers(-1, 2, d)
    return points


# ---------------------------------------------------------------------------------------------------- all data sets
@claim(
    "BMN20-RELAX-i",
    "best of G - best halfspace <= private zeros outside the best halfspace, and the same for every halfspace: "
    "random and degenerate data sets, d = 1, 2, 3, facet and full; sweeps of P[private | y = 0]",
)
def partly_correlated(table: Table) -> Callable[[Verdict], str]:
    """Check the inequality of relaxation (i) on every data set, and sweep over distributions of the status."""
    table.add(_enumerated(PARTLY, table.randomness, table.effort))
    table.add(_partly_correlated(table.randomness, table.effort))
    return _reason(table)


@claim(
    "BMN20-RELAX-ii",
    "best of G <= best halfspace where public examples have both labels: random and degenerate data sets, "
    "d = 1, 2, 3, facet and full, spanned by all public points and by the zeros; sweep of P[private | y = 1]",
)
def private_ones(table: Table) -> Callable[[Verdict], str]:
    """Check the inequality of relaxation (ii) on every data set, and sweep over distributions of the status."""
    table.add(_enumerated(ONES, table.randomness, table.effort))
    table.add(_private_ones(table.randomness, table.effort))
    return _reason(table)


def _reason(table: Table) -> Callable[[Verdict], str]:
    """Show the number of violations on all data sets together, and return the reason."""
    counts = table(VIOLATIONS)
    examined = sum(int(row.settings["data_sets"]) for row in counts)
    table.show(at_most(VIOLATIONS, {"data_sets": examined}, sum(row.measured.value for row in counts), 0.0))
    return lambda verdict: _said(table.rows, examined, verdict)


def _said(rows: list[Measurement], examined: int, verdict: Verdict) -> str:
    """Say how many checks there were, the first counterexample, what the controls found, and what was too little."""
    counts = [row for row in rows if row.quantity == VIOLATIONS]
    violated = round(sum(row.measured.value for row in counts if "position" in row.settings or "sweep" in row.settings))
    parts = [f"{violated} of {examined} checks violate the inequality"]
    parts += [f"counterexample: {row.settings['first']}" for row in counts if "first" in row.settings][:1]
    for quantity, name in ((ABOVE, "worse than the best halfspace"), (SINGLE, "single halfspaces (J = 1) worse")):
        controls = [row for row in rows if row.quantity == quantity]
        if controls:
            worse, of = (sum(int(v) for v in column) for column in zip(*map(_counted, controls), strict=True))
            parts.append(f"control: {name} on {worse} of {of}")
    parts += _sweep(rows)
    if verdict is Verdict.INCONCLUSIVE:
        undecided = next(row for row in rows if row.verdict is Verdict.INCONCLUSIVE)
        parts.append(f"too little for a verdict on: {undecided.quantity}, {undecided.settings}")
    return "; ".join(parts)


def _sweep(rows: list[Measurement]) -> Iterator[str]:
    """Say how far the best of G falls behind on the normal distribution, where it is judged and beyond."""
    for judged in (True, False):
        some = [row for row in rows if row.quantity == EXCESS and (row.verdict is not None) == judged]
        some = [row for row in some if row.settings["sweep"] in SWEEPS]
        if some:
            worst = max(some, key=lambda row: comparable(row.measured.value))
            shares = f"rho <= {UP_TO:g}, allowed {SMALL_EXCESS:g}" if judged else f"rho > {UP_TO:g}, not judged"
            limits = f"[{worst.measured.low:.2g}, {worst.measured.high:.2g}] from {worst.trials} samples"
            at = f"at most {worst.measured.value:.2g} {limits} (rho = {worst.settings['rho']:g})"
            yield f"mean excess on the normal distribution, {shares}: {at}"


def _counted(row: Measurement) -> tuple[float, int]:
    return row.measured.value, int(row.settings["data_sets"])


@dataclass
class Count:
    """The number of data sets seen, the number that failed, and the first that failed."""

    seen: int = 0
    failed: int = 0
    first: str = ""

    def add(self, failed: bool, sample: MixedSample) -> None:
        """Count one more data set."""
        self.seen += 1
        self.failed += failed
        if failed and not self.first:
            parts = (sample.points.tolist(), sample.labels.tolist(), sample.private.astype(int).tolist())
            self.first = "points {}, labels {}, private {}".format(*parts)

    def row(self, quantity: str, at: Settings) -> Measurement:
        """Return the measurement that no data set may fail."""
        settings = at | {"data_sets": self.seen} | ({"first": self.first} if self.first else {})
        return at_most(quantity, settings, self.failed, 0.0)

    def control(self, quantity: str, settings: Settings) -> Measurement:
        """Return the measurement that some data sets must fail; otherwise the data sets cannot tell."""
        verdict = Verdict.HOLDS if self.failed else Verdict.INCONCLUSIVE
        return Measurement(quantity, settings | {"data_sets": self.seen}, Interval.exact(self.failed), None, 0, verdict)


def _enumerated(claim: str, randomness: Simulation, effort: float) -> Iterator[Measurement]:
    """Count violations of the inequality and of two controls: the label-determined guarantee, J = 1 in the plane."""
    above, single = Count(), Count()
    for d, position in track(list(product(DIMENSIONS, POSITIONS)), "positions"):
        ways = list(product(MODES, CONSTRUCTIONS if claim == ONES else (EVERY,)))
        counts = {way: Count() for way in ways}
        for trial in track(range(max(1, round(DATA_SETS * effort))), "data sets"):
            generator = randomness.spawn("relaxations", claim, d, position, trial).generator
            sample = draw_data_set(claim, position, d, generator)
            best = best_halfspace(sample)
            for mode, construction in ways:
                cover = regions(sample, mode, construction)
                least = least_mistakes(cover, sample)
                counts[mode, construction].add(least > min(allowed(best, claim)), sample)
                if claim == PARTLY and mode == "facet":
                    above.add(least > best.mistakes, sample)
                if claim == ONES and d == 2 and (mode, construction) == ("facet", EVERY):
                    single.add(least_of_single(cover, sample) > best.mistakes, sample)
        for (mode, construction), count in counts.items():
            settings: Settings = {"d": d, "position": position, "mode": mode, "construction": construction}
            yield count.row(VIOLATIONS, settings)
    yield (
        above.control(ABOVE, {"mode": "facet"})
        if claim == PARTLY
        else single.control(SINGLE, {"mode": "facet", "d": 2})
    )


# ---------------------------------------------------------------------------------------------------- sweeps
def tight(n: int, rho: float, generator: np.random.Generator) -> MixedSample:
    """Draw the worst case of relaxation (i) on the line.

    Public zeros are at 0, private zeros in (0, 1/2), ones in [1/2, 1].  Labels 0 and 1 are equally likely, and a
    zero is private with probability rho; lengths are in units of 2^-18.
    """
    positives, private = generator.random(n) < 0.5, generator.random(n) < rho
    half = 2**17
    position = generator.integers(1, half, n)
    points = np.where(positives, half + position, np.where(private, position, 0))
    return MixedSample(points[:, None], as_labels(positives), positives | private)


SWEEPS = ("independent thinning", "top of x_2")


def _distribution(sweep: str, rho: float) -> StatusDistribution:
    """Return the distribution in which a share rho of the zeros is private: at random, or those of largest x_2."""
    if sweep == SWEEPS[0] or rho in (0, 1):
        return ByLabel(rho, 1.0)
    return ByThreshold(1, float(scipy.special.ndtri(1 - rho)) * STEP)


def _partly_correlated(randomness: Simulation, effort: float) -> Iterator[Measurement]:
    """Measure the sweeps of relaxation (i): independent thinning, the top of x_2, then the tight distribution."""
    repetitions = max(2, round(REPETITIONS * effort))
    for sweep, rho in track(list(product(SWEEPS, RHOS)), "cells"):
        stream = randomness.spawn("sweep", sweep, repr(rho))
        draws = (
            noisy_halfspace(SAMPLE, _distribution(sweep, rho), stream.spawn(i).generator) for i in range(repetitions)
        )
        settings: Settings = {"d": 2, "sweep": sweep, "rho": rho, "n": SAMPLE, "epsilon": EPSILON}
        gate = SMALL_EXCESS if rho <= UP_TO else None
        yield from _swept(PARTLY, list(draws), settings, EVERY, gate)
    yield from _tight(randomness.spawn("tight"), max(2, round(4 * REPETITIONS * effort)))


def _swept(
    claim: str, samples: list[MixedSample], settings: Settings, construction: str, gate: float | None
) -> Iterator[Measurement]:
    """Measure the excess of the best of G and of the draw over samples; check the inequality on each of them."""
    excess, drawn, sizes, count = [], [], [], Count()
    for sample in track(samples, "samples"):
        cover, best, private = regions(sample, "facet", construction), best_halfspace(sample), sample.private_examples
        tally = cover.tally(private.points, private.labels)
        least = int(tally.histogram()[0][0])
        count.add(least > min(allowed(best, claim)), sample)
        excess.append((least - best.mistakes) / len(sample))
        drawn.append((tally.expected_mistakes(EPSILON / 2) - best.mistakes) / len(sample))
        sizes.append(float(np.log(cover.size)))
    settings = settings | {"construction": construction}
    mean = mean_interval(excess, _LEVEL)
    yield count.row(VIOLATIONS, settings)
    if gate is None:
        yield recorded(EXCESS, settings, mean, None, len(samples))
    else:
        yield at_most(EXCESS, settings, mean, gate, len(samples), fewest=FEWEST)
    yield recorded(DRAWN, settings, mean_interval(drawn), None, len(samples))
    yield recorded(LOG_SIZE, settings, mean_interval(sizes), None, len(samples))


def _tight(randomness: Simulation, repetitions: int) -> Iterator[Measurement]:
    """Check on the worst case that the inequality is an equality on every data set and the excess has slope 1."""
    shares, unequal = [], Count()
    level = _LEVEL / len(RHOS)
    for rho in track(RHOS, "shares"):
        total = 0
        for i in track(range(repetitions), "samples"):
            sample = tight(SAMPLE, rho, randomness.spawn(repr(rho), i).generator)
            best, least = best_halfspace(sample), least_mistakes(regions(sample), sample)
            unequal.add(least != min(allowed(best, PARTLY)), sample)
            total += least - best.mistakes
        shares.append(frequency(total, repetitions * SAMPLE, level))
        settings: Settings = {"d": 1, "sweep": "worst case", "rho": rho, "n": SAMPLE, "construction": EVERY}
        yield recorded(EXCESS, settings, shares[-1], None, repetitions)
    yield unequal.row(UNEQUAL, {"d": 1, "sweep": "worst case", "mode": "facet", "construction": EVERY})
    slope = slope_interval(tuple(rho / 2 for rho in RHOS), shares)
    settings = {"d": 1, "sweep": "worst case"}
    yield within(SLOPE, settings, slope, 0.9, 1.1, 1.0, repetitions)


def _private_ones(randomness: Simulation, effort: float) -> Iterator[Measurement]:
    """Sweep from label-determined data to no private example; all public points span the regions, or only the zeros."""
    repetitions = max(2, round(REPETITIONS / 2 * effort))
    for share in track(SHARES, "shares"):
        stream = randomness.spawn("private ones", repr(share))
        n = SAMPLE // 2
        samples = [noisy_halfspace(n, ByLabel(0.0, share), stream.spawn(i).generator) for i in range(repetitions)]
        for construction in CONSTRUCTIONS:
            settings: Settings = {"d": 2, "sweep": "private ones", "share": share, "n": n, "epsilon": EPSILON}
            yield from _swept(ONES, samples, settings, construction, None)
