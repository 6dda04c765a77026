"""Sizes of representative domains, and dual VC dimensions (BCM20 claim 3, fact 4): exact, by enumeration.

Queries are the hypotheses of the package's own covers of random public points, cells the points of its own
representative domains.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.functions import Parameters
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import loglog_slope
from semipriv.papers.bcm20.bounds.domains import cells_printed, cells_sum, largest_shattered
from semipriv.report.ledger.findings import Finding, Measurement, Settings, at_most, conclude, gates, recorded, within

CLAIMS = ("BCM20-C3", "BCM20-F4")
FIGURE = "domains"
SECONDS = 4

CELLS = "cells"
SUM = "cells, bound by the sum of binomial coefficients"
CLOSED = "cells, closed form"
CONTROL = "control: cells over the sum with p - 1"
SLOPE = "exponent of the cells in the queries"
DUAL = "dual VC dimension"
SHARP = "dual VC dimension of stumps, sharp"
Labels = NDArray[np.bool_]
LINES = "lines"
FEATURES = 15
"""Most features of stumps on the cube; their cells are 2^15 points."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-C3 and BCM20-F4."""
    return {
        "BCM20-C3": _cells(randomness.spawn("cells")),
        "BCM20-F4": _dual(randomness.spawn("dual"), effort),
    }


# ---------------------------------------------------------------------------------------------------- claim 3
@dataclass(frozen=True)
class Case:
    """Covers of random public points of a class, by number of points.

    exhausted: most public points at which the dual VC dimension of the cover is found by exhaustion; with more, the
    one of the class stands in, which is no smaller.
    """

    name: str
    functions: HypothesisClass
    points: tuple[int, ...]
    exhausted: int = 20


CASES = (
    Case("thresholds", Thresholds(), tuple(range(2, 21))),
    Case("intervals", Intervals(), tuple(range(2, 21))),
    Case("rectangles", Rectangles(2), tuple(range(2, 9))),
    Case("stumps in the plane", DecisionStumps(2), tuple(range(2, 21))),
    Case("halfplanes", Halfspaces(2), (*range(2, 11), 12, 16), 10),
    Case(LINES, Halfspaces(2), (*range(2, 13), 16, 20), 16),
)
CUBES = range(1, 11)


def closed_form(name: str, points: int, queries: int) -> int | None:
    """Return the number of cells where public points in general position fix it; None elsewhere.

    The points on the line have two constant thresholds, and closed intervals whose ends are the points themselves or
    lie between them.  Lines, no two of them parallel and no three through one point, cut the plane into
    1 + L + C(L, 2) cells.
    """
    forms = {"thresholds": points, "intervals": 2 * points - 1, LINES: 1 + queries + math.comb(queries, 2)}
    return forms.get(name)


def queries_of(case: Case, points: int, generator: np.random.Generator) -> Parameters:
    """Return the cover of uniform points; for lines one of the two orientations of each, without the constants."""
    x = generator.random((points, case.functions.dimension))
    cover = case.functions.cover(x).listed()
    if case.name != LINES:
        return cover.parameters
    labels = cover.dichotomies()
    chosen = labels[:, 0] & ~labels.all(axis=1)
    return cover.parameters[chosen]


def _cells(randomness: Simulation) -> Finding:
    """Count the cells of covers, beside claim 3's bound and the sharper sum."""
    rows: list[Measurement] = []
    work = [case.points[-1] ** 2 for case in CASES]
    for case in track(CASES, "classes", work=work):
        generator = randomness.spawn(case.name).generator
        for m in case.points:
            parameters = queries_of(case, m, generator)
            domain = case.functions.representative_domain(parameters)
            p = case.functions.dual_vc_dimension
            if m <= case.exhausted:
                p = largest_shattered(case.functions.predict(parameters, domain))
            rows += _judged(case.name, m, len(parameters), len(domain), p, m <= case.exhausted)
    for p in CUBES:
        labels = cube(p)
        queries, cells = len(labels), len(np.unique(labels, axis=1).T)
        rows += _judged("stumps on the cube", 2**p, queries, cells, largest_shattered(labels), True)
        rows.append(_exactly(CLOSED, {"class": "stumps on the cube", "queries": p}, cells, 2**p))
    slopes = [_slope(rows, name) for name in ("thresholds", "intervals", LINES, "halfplanes")]
    slack = {row.settings["class"]: (row.bound or 0) / row.measured.value for row in rows if row.quantity == CELLS}
    said = ", ".join(f"{slope.measured.value:.2f} ({slope.settings['class']})" for slope in slopes)
    slackest = ", ".join(f"{slack[name]:.1f} ({name})" for name in slack)
    return conclude(
        "cells of the package's own covers by enumeration: thresholds, intervals, rectangles, stumps, halfplanes",
        [*rows, *slopes],
        deciding=_last_lines(rows),
        reason="holds for all enumerated covers, by the printed bound and by the sharper sum of C(M, i), i <= p; "
        "lines and stumps on the cube reach the sum, so that one cell more breaks it, and with p - 1 thresholds "
        "break it too; for intervals and rectangles the bound is far off and p - 1 would pass: their counts show "
        "nothing more. Halfplanes have both orientations, and on their lines the label vectors of floating point. p: "
        "by exhaustion, the class's own for the largest covers of halfplanes and lines. The printed bound is above "
        f"the cells, at the most public points, by factors of {slackest}; exponents {said}. Not said: that the "
        "printed bound is tight",
    )


def _judged(name: str, m: int, queries: int, cells: int, p: int, exhausted: bool) -> list[Measurement]:
    where: Settings = {"class": name, "n_public": m, "queries": queries, "p": p, "exhausted": int(exhausted)}
    rows = [
        at_most(CELLS, where, cells, cells_printed(queries, p)),
        at_most(SUM, where, cells, float(cells_sum(queries, p))),
    ]
    exact = closed_form(name, m, queries)
    if exact is not None:
        rows.append(_exactly(CLOSED, where, cells, exact))
    if name in ("thresholds", LINES, "stumps on the cube"):
        smaller = cells / cells_sum(queries, p - 1)
        rows.append(within(CONTROL, where, smaller, math.nextafter(1, 2), math.inf, 1.0))
    return rows


def _last_lines(rows: list[Measurement]) -> Measurement:
    """Return the row on the sum with the most lines whose dual VC dimension was found by exhaustion."""
    own = [row for row in rows if row.quantity == SUM and row.settings["class"] == LINES]
    return [row for row in own if row.settings["exhausted"]][-1]


def _exactly(quantity: str, where: Settings, measured: int, exact: int) -> Measurement:
    return within(quantity, where, measured, exact, exact, float(exact))


def _slope(rows: list[Measurement], name: str) -> Measurement:
    """Return the exponent of the cells in the queries, over the upper half of the covers of a class."""
    own = [row for row in rows if row.quantity == CELLS and row.settings["class"] == name]
    own = own[len(own) // 2 :]
    slope = loglog_slope([float(row.settings["queries"]) for row in own], [row.measured.value for row in own])
    return recorded(SLOPE, {"class": name}, slope)


# ---------------------------------------------------------------------------------------------------- fact 4
def cube(p: int) -> Labels:
    """Return the labels of the p stumps on all points of {0, 1}^p, (p, 2^p)."""
    return np.asarray((np.arange(2**p) >> np.arange(p)[:, None]) & 1, dtype=np.bool_)


def stump_witness(p: int) -> Labels:
    """Return the labels (p, s) of the p stumps on s = floor(log2 p) points that they shatter: stump i has bits of i."""
    return np.asarray((np.arange(p)[:, None] >> np.arange(p.bit_length() - 1)) & 1, dtype=np.bool_)


def all_classes(points: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return VC and dual VC dimension of every class but the empty one on so many points, at most 4: by its functions.

    Class c holds function f iff bit f of c is set, and function f labels point x with bit x of f.  A class on fewer
    points is one of these, with a point repeated.
    """
    functions = np.arange(2**points)
    classes = np.arange(1, 2 ** (2**points), dtype=np.int64)

    def holds(members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each class whether it holds one of the functions."""
        return (classes & int((1 << functions[members]).sum())) != 0

    vc, dual = np.zeros(len(classes), np.int64), np.zeros(len(classes), np.int64)
    for subset in range(2**points):
        patterns = [pattern for pattern in range(2**points) if pattern & ~subset == 0]
        shattered = np.all([holds((functions & subset) == pattern) for pattern in patterns], axis=0)
        vc = np.maximum(vc, np.where(shattered, subset.bit_count(), 0))
    labels = ((functions[:, None] >> np.arange(points)) & 1).astype(np.bool_)
    for size in range(1, points.bit_length()):
        for chosen in itertools.combinations(range(2**points), size):
            if len(np.unique(labels[list(chosen)], axis=1).T) == 2**size:
                mask = sum(1 << f for f in chosen)
                dual = np.maximum(dual, np.where((classes & mask) == mask, size, 0))
    return vc, dual


def _dual(randomness: Simulation, effort: float) -> Finding:
    """Compare dual VC dimensions with 2^(VC + 1) - 1: all classes on 4 points, stumps, random tables."""
    vc, dual = all_classes(4)
    rows = []
    for d in range(5):
        where: Settings = {"classes": f"all {int(np.sum(vc == d))} of VC dimension {d} on at most 4 points", "vc": d}
        rows.append(at_most(DUAL, where, float(dual[vc == d].max()), 2.0 ** (d + 1) - 1))
    for p in track(range(1, FEATURES + 1), "features", work=[2.0**p for p in range(1, FEATURES + 1)]):
        witness = stump_witness(p)
        d = witness.shape[1]
        realised = len(np.unique(witness, axis=0)) if d else 1
        settings: Settings = {"classes": "stumps on the cube", "p": p, "vc": d}
        rows.append(_exactly("dichotomies of floor(log2 p) points by p stumps", settings, realised, 2**d))
        found = largest_shattered(cube(p))
        rows.append(at_most(DUAL, settings, found, 2.0 ** (d + 1) - 1))
        if p == 2 ** (d + 1) - 1:
            rows.append(_exactly(SHARP, settings, found, p))
    generator = randomness.spawn("tables").generator
    tables = max(20, round(500 * effort))
    found_of: dict[int, int] = {}
    for _ in range(tables):
        table = generator.random((6, 12)) < 0.5
        d = largest_shattered(table.T)
        found_of[d] = max(found_of.get(d, 0), largest_shattered(table))
    for d, largest in sorted(found_of.items()):
        where = {"classes": "random tables of 6 functions on 12 points", "vc": d}
        rows.append(recorded(DUAL, where, largest, 2.0 ** (d + 1) - 1, tables))
    return conclude(
        "VC and dual VC dimension by exhaustion: all classes on at most 4 points, stumps on the cube, random tables",
        rows,
        deciding=[row for row in gates(rows) if row.quantity == DUAL][-1],
        reason="checked, and sharp for stumps: p = 1, 3, 7, 15 of them have dual VC dimension p = 2^(VC + 1) - 1, so "
        "that a bound smaller by 1 fails there; classes on 4 points are below the bound from VC dimension 1 on and "
        "have no power. Of p stumps the VC dimension is floor(log2 p): p functions shatter no more, and a witness is "
        "enumerated. Not said: for every class, which is Assouad's proof",
    )
