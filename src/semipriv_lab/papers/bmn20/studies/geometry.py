"""Claims on the regions of BMN20 section 4: what public points cut out, and that some region is as good as a halfspace.

These claims speak of every data set and involve no randomness.  Each data set that is looked at is decided exactly, by
oracles that share no code with the learner (``_oracles``).  Observation 4.2 and corollary 4.4 are decided for every
halfspace, hence for all multisets of the points of a data set.  They speak of sets of real points, and are decided at
the points of the data set.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from math import comb, log

import numpy as np

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Floats, Integers
from semipriv.papers.bmn20.bounds.sizes import halfspaces as halfspaces_by_formula
from semipriv.papers.bmn20.bounds.sizes import hypotheses
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover
from semipriv.papers.bmn20.regions.family import Family, construct
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, at_most, exceeding, gates, recorded
from semipriv_lab.papers.bmn20.studies import _oracles as oracles
from semipriv_lab.papers.bmn20.studies._data_sets import EVERY, POINTS, DataSet, subsets_of_a_grid

DATA_SETS = 200
"""Random data sets of each dimension and way to place points: each is decided exactly, beside all sets of a grid."""
HELLY = {1: 40, 2: 20, 3: 4}
"""Number of them, by dimension, whose families are checked against Helly's theorem."""
MODES = ("facet", "full")
LITERAL = "containing"
"""Full mode in the literal reading: an arbitrary boundary contains all public points if a hyperplane does."""

GAP = DataSet(np.array([[0, 0], [1, 0], [2, 0]]), np.array([[3, 0], [4, 0], [5, 0]]))
"""The data set on which the literal reading fails: the axis is every line that may be chosen."""

SIZES = ((1, 1000), (2, 60), (2, 100), (2, 150), (3, 10), (3, 12), (3, 15))
"""Dimensions and numbers of public points in general position at which |G| is measured."""

ENDS = tuple(product((1, 2, 3, 8), (0, 1, 2, 9, 10**6)))
"""Dimensions and numbers of distinct public points at which the formulas are held against the bounds."""

BETTER = "G better than the best halfspace, share of data sets"
WITHOUT = "data sets without a g*, share"
PLACE = "x_1 of an example of the counterexample"
END = "x_1 of an end of the region with label 0"
_O42, _C44, _L43 = "BMN20-O4.2", "BMN20-C4.4", "BMN20-L4.3"
_GSTAR, _GSIZE, _GAP = "BMN20-GSTAR", "BMN20-GSIZE", "BMN20-O4.2-literal"
FEWER = "control: families in the plane of which no single member misses h, share"
VIOLATIONS = {
    _O42: "halfspaces h with conv(T) not an intersection of members",
    _L43: "families with h that contradict Helly's theorem",
    _C44: "halfspaces h that no region with T misses",
    _GSTAR: "data sets without a g*",
    _GSIZE: "families or G of a wrong size",
    _GAP: "data sets without a g*",
}
"""What is counted for each claim; the count must be 0."""
AT_POINTS = {
    _O42: ", decided at the points of each data set: conv(T) as a set of real points is not compared",
    _C44: ", decided at the points of each data set; for all real points in the families of BMN20-L4.3",
}
"""What is decided at finitely many points only; BMN20-L4.3 decides in fractions, for all points of the hull."""


def rows_by_claim(randomness: Simulation, effort: float) -> dict[str, list[Measurement]]:
    """Return the rows of all claims but the literal one; effort scales the number of data sets."""
    places = list(_places())
    every = [seen for d, points in track(places, "cells") for seen in measured(d, points, randomness, effort)]
    rows = {id: [row for seen in every for row in seen.rows(id)] for id in (_O42, _L43, _C44, _GSTAR, _GSIZE)}
    rows[_GSIZE] += list(_sizes(randomness.spawn("sizes").generator))
    rows[_L43].append(_one_fewer(randomness, effort))
    return rows


def _places() -> Iterator[tuple[int, str]]:
    """Yield each dimension with each way to place points in it."""
    for d in (1, 2, 3):
        for points in (EVERY, *(name for name, (dimensions, _) in POINTS.items() if d in dimensions)):
            yield d, points


def data_sets(d: int, points: str, randomness: Simulation, effort: float) -> list[DataSet]:
    """Return data sets: every public set of a grid, thinned out by effort, or random ones."""
    if points == EVERY:
        every = list(subsets_of_a_grid(d))
        return every[:: max(1, round(1 / effort))]
    make = POINTS[points][1]
    rng = randomness.spawn("data sets", d, points).generator
    return [make(rng, d) for _ in range(max(2, round(effort * DATA_SETS)))]


# ---------------------------------------------------------------------------------------------------- one data set
@dataclass(frozen=True, eq=False)
class Sets:
    """A family as sets of the distinct points of a data set: words with a bit for each.

    public, hull: the public points, and the points in their hull.  members: the members of the family within the hull,
    each once.  listed: the same, as often as the list has them.  most: largest number of members in an intersection.
    """

    public: int
    hull: int
    members: Integers
    listed: Integers
    most: int

    @classmethod
    def of(cls, data: DataSet, prepared: RegionCover) -> "Sets":
        """Return the sets of the family of a prepared learner."""
        family, places = prepared.family, prepared.functions.grid.place(data.points)
        if family.hull is None:
            nothing = np.zeros(0, np.int64)
            return cls(0, 0, nothing, nothing, 1)
        inside = family.hull.contains(places)
        values = family.hull.project(places) @ family.hyperplanes[:, :-1].T + family.hyperplanes[:, -1]
        hull = oracles.word(inside)
        listed = [hull] * family.whole
        for column, count in zip(values.T, family.multiplicity.tolist(), strict=True):
            listed += [oracles.word(side & inside) for side in (column >= 0, column <= 0)] * count
        members = np.array(listed, np.int64)
        return cls(oracles.word(data.negatives > 0), hull, np.unique(members), members, family.most)


def prepared(data: DataSet, mode: str) -> RegionCover:
    """Return G of a data set in 'facet' or 'full' mode, or in the LITERAL reading of the paper."""
    cover = _learner(mode).prepare(data.public, Halfspaces(data.dimension), np.zeros(len(data.public), np.int64))
    if mode != LITERAL:
        return cover
    places = cover.functions.grid.place(cover.points)
    return replace(cover, family=construct(places, "full", LITERAL))


@cache
def _learner(mode: str) -> LearnHalf:
    return LearnHalf(1.0, mode="facet" if mode == "facet" else "full")


def histogram(cover: RegionCover, data: DataSet) -> tuple[Integers, Integers]:
    """Return numbers of mistakes on all examples, and how many members of G make each, as the learner counts."""
    return cover.tally(data.private, np.ones(len(data.private), np.int64)).histogram()


def least_mistakes(cover: RegionCover, data: DataSet) -> int:
    """Return the fewest mistakes of a member of G."""
    return int(histogram(cover, data)[0][0])


# ---------------------------------------------------------------------------------------------------- many data sets
@dataclass
class Seen:
    """What was seen on the data sets of one dimension, way to place points and mode.

    halfspaces: number of dichotomies h with T not empty.  needed: how many of these need 1, 2, 3 members.  families:
    number of families checked against Helly's theorem.  failures, counterexamples: the number of failures of each
    claim, and the first data set that fails it.
    """

    settings: Settings
    data_sets: int = 0
    halfspaces: int = 0
    families: int = 0
    better: int = 0
    needed: Integers = field(default_factory=lambda: np.zeros(3, np.int64))
    failures: Counter[str] = field(default_factory=Counter)
    counterexamples: dict[str, str] = field(default_factory=dict)

    def fail(self, claim: str, times: int, data: DataSet) -> None:
        """Count failures of a claim on a data set."""
        if times:
            self.failures[claim] += times
            self.counterexamples.setdefault(claim, str(data))

    def rows(self, claim: str) -> Iterator[Measurement]:
        """Yield the measurements of a claim."""
        counted: Settings = {"data_sets": self.data_sets, "halfspaces": self.halfspaces}
        if claim == _L43:
            counted = {"families": self.families}
        if claim in self.counterexamples:
            counted["counterexample"] = self.counterexamples[claim]
        yield at_most(VIOLATIONS[claim], self.settings | counted, self.failures[claim], 0.0)
        if claim == _GSTAR:
            yield recorded(BETTER, self.settings | counted, self.better / self.data_sets)
        if claim == _C44 and self.halfspaces:
            for members in (1, 2, 3)[: int(self.settings["d"])]:
                settings = self.settings | counted | {"members": members}
                share = int(self.needed[members - 1]) / self.halfspaces
                yield recorded("halfspaces that need so many members, share", settings, share)


def measured(d: int, points: str, randomness: Simulation, effort: float) -> list[Seen]:
    """Look at both modes on the data sets of one dimension and way to place points."""
    both = [Seen({"d": d, "points": points, "mode": mode}) for mode in MODES]
    helly = max(1, round(effort * HELLY[d]))
    for i, data in enumerate(track(data_sets(d, points, randomness, effort), "data sets")):
        for seen, mode in zip(both, MODES, strict=True):
            cover = prepared(data, mode)
            look(seen, data, cover)
            if i < helly:
                families, failures = helly_failures(data, cover)
                seen.families += families
                seen.fail(_L43, failures, data)
    return both


def look(seen: Seen, data: DataSet, cover: RegionCover) -> None:
    """Decide all claims but Helly's theorem on one data set."""
    sets, words = Sets.of(data, cover), data.halfspaces
    halfspaces, hulls, uncovered, *needed = oracles.examine(words, sets.public, sets.hull, sets.members, sets.most)
    seen.data_sets += 1
    seen.halfspaces += int(halfspaces)
    seen.needed += needed
    seen.fail(_O42, int(hulls), data)
    seen.fail(_C44, int(uncovered), data)

    mistakes, hypotheses = histogram(cover, data)
    seen.better += int(mistakes[0]) < data.best
    region = _region(sets, int(words[np.argmin(data.mistakes)]))
    wrong = region is None or oracles.mistakes(np.array([~region]), data.negatives, data.positives)[0] > data.best
    seen.fail(_GSTAR, wrong or mistakes[0] > data.best, data)

    counts = oracles.histogram(sets.listed, sets.hull, sets.most, data.negatives, data.positives)
    listed = np.flatnonzero(counts).tolist() == mistakes.tolist() and counts[mistakes].tolist() == hypotheses.tolist()
    right = right_size(cover.family, data, str(seen.settings["mode"]))
    seen.fail(_GSIZE, not listed or not right or counts.sum() != cover.size, data)


def _region(sets: Sets, h: int) -> int | None:
    """Return the witness of corollary 4.4 for the point set h: a region in the hull that contains T and misses h."""
    kept = sets.public & ~h
    if not kept:
        return 0
    members = oracles.witness(h, kept, sets.hull, sets.members, sets.most)
    region = sets.hull
    for i in members:
        region &= int(sets.members[i])
    return region if len(members) and region & kept == kept and not region & h else None


# ---------------------------------------------------------------------------------------------------- Helly
def helly_failures(data: DataSet, cover: RegionCover) -> tuple[int, int]:
    """Check lemma 4.3 on the families of corollary 4.4; return the number of families and of those that contradict it.

    Each dichotomy gives a real halfspace h.  The members that contain T have no point of the hull in common with h; by
    the lemma, k of these members and h have none already.  Decided for real points, not for those of the data set.
    """
    total = failures = 0
    for members, halfspaces in _families(data, cover):
        total += len(halfspaces)
        failures += sum(chosen is None for chosen in oracles.certificates(members, halfspaces))
    return total, failures


def _families(data: DataSet, cover: RegionCover) -> Iterator[tuple[Integers, list[list[int]]]]:
    """Yield the members that contain T, with the halfspaces h of which T is what they leave of the public points.

    Both by their values at affinely independent public points.
    """
    family = cover.family
    if family.hull is None:
        return
    planes = np.array([_whole(row) for row in _halfspaces(data).tolist()], object)
    places = cover.functions.grid.place(cover.points)
    basis = oracles.affine_basis(places)
    members = family.hyperplanes[:, :-1] @ family.hull.project(places).T + family.hyperplanes[:, -1:]
    members = np.concatenate([members, -members])
    above = planes[:, :-1] @ cover.points.astype(np.int64).T.astype(object) + planes[:, -1:]
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(above >= 0):
        groups.setdefault(row.astype(bool).tobytes(), []).append(i)
    for rows in groups.values():
        kept = above[rows[0]] < 0
        if np.any(kept):
            usable = members[np.all(members[:, kept.astype(bool)] >= 0, axis=1)][:, basis]
            yield usable, [above[i, basis].tolist() for i in rows]


def _one_fewer(randomness: Simulation, effort: float) -> Measurement:
    """Measure how many families in the plane need two members: for Helly's number less one the check must fail."""
    points, total, failures = "grid of radius 2", 0, 0
    for data in data_sets(2, points, randomness.spawn("one fewer"), effort)[: max(1, round(effort * HELLY[2]))]:
        cover = prepared(data, MODES[0])
        if cover.family.most == 2:
            for members, halfspaces in _families(data, cover):
                total += len(halfspaces)
                failures += sum(not oracles.alone(members, h) for h in halfspaces)
    settings: Settings = {"d": 2, "points": points, "mode": MODES[0], "families": total}
    return exceeding(FEWER, settings, failures / max(total, 1), 0.0, rounding=0.0)


def _whole(row: list[float]) -> list[int]:
    """Return a positive multiple of a row in integers; the denominators of floats are powers of two."""
    ratios = [value.as_integer_ratio() for value in row]
    common = max(q for _, q in ratios)
    return [p * (common // q) for p, q in ratios]


def _halfspaces(data: DataSet) -> Floats:
    """Return a closed halfspace (w, b) for each dichotomy of the points."""
    return Halfspaces(data.dimension).cover(np.concatenate([data.public, data.private])).listed().parameters


# ---------------------------------------------------------------------------------------------------- sizes
def right_size(family: Family, data: DataSet, mode: str) -> bool:
    """Return whether the list's length and |G| are as the formulas say, and at most what the claim says."""
    points = distinct_rows(data.public).rows
    m, d = len(points), data.dimension
    count, size = formulas(points, mode)
    return family.count == count <= most_halfspaces(m, d) and family.size == size <= (most_halfspaces(m, d) + 1) ** d


def most_halfspaces(m: int, d: int) -> int:
    """Return 2 (m + 1)^d, a bound on the halfspaces of the family of m points in dimension d, in both modes."""
    return 2 * (m + 1) ** d


def formulas(points: Integers, mode: str) -> tuple[int, int]:
    """Return H and |G| for distinct public points (m, d).

    full: H = 2 sum_{i <= d} C(m, i), J = d.  facet: H = 2 #{k independent points}, J = k; for k = 0 H = J = 1.
    |G| = 1 + sum_{1 <= j <= J} C(H, j); 1 without public points.
    """
    m, d = points.shape
    if not m:
        return 0, 1
    if mode == "full":
        count, most = 2 * sum(comb(m, i) for i in range(d + 1)), d
    else:
        k, independent = oracles.independent_sets(points)
        count, most = (2 * independent, k) if k else (1, 1)
    return count, 1 + sum(comb(count, j) for j in range(1, most + 1))


def _sizes(rng: np.random.Generator) -> Iterator[Measurement]:
    """Compare ln|G| for public points in general position with its bound, and H and |G| with the formulas.

    The formulas alone are compared with the bounds to the ends of m and d.
    """
    for (d, m), mode in product(ENDS, MODES):
        most = most_halfspaces(m, d)
        settings: Settings = {"d": d, "m": m, "mode": mode}
        yield at_most("H by formula", settings, float(halfspaces_by_formula(m, d, mode)), float(most))
        yield at_most("ln |G| by formula", settings, log(hypotheses(m, d, mode)), d * log(most + 1))
    for d, m in SIZES:
        points = np.unique(rng.integers(-(2**14), 2**14, (m, d)), axis=0)
        while len(points) < m or not _general(points):
            points = np.unique(rng.integers(-(2**14), 2**14, (2 * m, d)), axis=0)[rng.permutation(m)]
        for mode in MODES:
            family, (count, size) = construct(points, mode), formulas(points, mode)
            settings = {"d": d, "m": m, "mode": mode, "H": family.count, "G": str(family.size)}
            yield at_most(VIOLATIONS[_GSIZE], settings, float((family.count, family.size) != (count, size)), 0.0)
            yield at_most("ln |G|", settings, log(family.size), d * log(most_halfspaces(m, d) + 1))


def _general(points: Integers) -> bool:
    m, d = points.shape
    return oracles.independent_sets(points) == (d, comb(m, d))


# ---------------------------------------------------------------------------------------------------- the gap
@claim("BMN20-O4.2-literal", "exact: mistakes of all regions and of the best halfspace")
def literal(table: Table) -> str:
    """Measure the counterexample, how often random data sets are one, and what the figure shows of it."""
    for mode in (LITERAL, *MODES):
        settings: Settings = {"d": 2, "points": "the counterexample", "mode": mode, "data": str(GAP)}
        table.refutable(
            "least mistakes of G", settings, float(least_mistakes(prepared(GAP, mode), GAP)), float(GAP.best)
        )
    places = [(d, points) for d, points in _places() if d > 1 and points != EVERY]
    for d, points in track(places, "cells"):
        data = data_sets(d, points, table.randomness, table.effort / 2)
        without = sum(least_mistakes(prepared(data, LITERAL), data) > data.best for data in track(data, "data sets"))
        settings = {"d": d, "points": points, "mode": LITERAL, "data_sets": len(data)}
        table.recorded(WITHOUT, settings, without / len(data))
    for mode in (LITERAL, MODES[0]):
        table.add(_picture(mode))
    table.show(table.rows[0])
    return (
        "a boundary through all public points cuts nothing off their affine hull; boundaries spanned inside the "
        "hull repair it: see BMN20-O4.2"
    )


def _picture(mode: str) -> Iterator[Measurement]:
    """Record the examples of the counterexample, and the ends of the region of a best member of G, cut off beside them.

    Of the best members the one with the longest region is taken.
    """
    cover = prepared(GAP, mode)
    everyone = np.concatenate([GAP.public, GAP.private]).astype(np.float64)
    labels = np.repeat([0, 1], [len(GAP.public), len(GAP.private)])
    listed = cover.listed()
    mistakes = listed.mistakes(everyone, labels)
    low, high = int(everyone[:, 0].min()) - 1, int(everyone[:, 0].max()) + 1
    axis = np.column_stack([np.arange(low, high + 1), np.zeros(high - low + 1)])
    best = listed.parameters[mistakes == least_mistakes(cover, GAP)]
    zeros = ~cover.functions.predict(best, axis)
    chosen = int(np.argmax(zeros.sum(axis=1)))
    settings: Settings = {"d": 2, "points": "the counterexample", "mode": mode}
    wrong = cover.functions.predict(best[chosen : chosen + 1], everyone)[0] != labels
    for (x_1, x_2), label, mistaken in zip(everyone.tolist(), labels.tolist(), wrong.tolist(), strict=True):
        status = "private" if label else "public"
        yield recorded(PLACE, settings | {"x_2": x_2, "status": status, "label": label, "mistaken": int(mistaken)}, x_1)
    for end, place in zip(("left", "right"), axis[zeros[chosen], 0][[0, -1]].tolist(), strict=True):
        yield recorded(END, settings | {"end": end}, place)


def concluded(table: Table, id: str) -> str:
    """Fill the table of a claim; shown: the gate of the largest excess, of equal ones the one on the most data sets."""
    judged = [row for row in gates(table.add(table.once(rows_by_claim)[id])) if row.quantity != FEWER]
    counted, what = ("families", "families with a halfspace") if id == _L43 else ("data_sets", "data sets and modes")
    counts = [int(row.settings.get(counted, 0)) for row in judged]
    excess = [row.measured.value - (row.bound or 0.0) for row in judged]
    table.show(judged[max(zip(excess, counts, range(len(judged)), strict=True))[2]])
    counterexamples = [str(row.settings["counterexample"]) for row in judged if "counterexample" in row.settings]
    reason = f"exact for the {sum(counts)} {what} looked at{AT_POINTS.get(id, '')}; the proof covers the rest"
    if id == _L43:
        share = table.values(FEWER)[0]
        reason += f". With one member fewer, a control, {share:.2f} of the families in the plane would contradict it"
    return "; ".join(counterexamples[:3]) or reason


EXPERIMENT = "exact: all halfspaces, on every public set of a small grid and on random and degenerate data sets"
spanned = claim("BMN20-O4.2", EXPERIMENT)(lambda table: concluded(table, _O42))
helly = claim("BMN20-L4.3", EXPERIMENT)(lambda table: concluded(table, _L43))
missed = claim("BMN20-C4.4", EXPERIMENT)(lambda table: concluded(table, _C44))
star = claim("BMN20-GSTAR", EXPERIMENT)(lambda table: concluded(table, _GSTAR))
sizes = claim("BMN20-GSIZE", EXPERIMENT)(lambda table: concluded(table, _GSIZE))
