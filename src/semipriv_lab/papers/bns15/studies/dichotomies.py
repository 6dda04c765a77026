"""Claims of BNS15 on numbers of dichotomies: Sauer's bound (B.2), and symmetric differences (observation 3.2)."""

import math
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.point_functions import PointFunctions
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.types import Integers
from semipriv.papers.bns15.bounds.generalisation import sauer_power
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

Patterns = NDArray[np.int64]
"""(k,) distinct labelings of a set of points, the label of point i at bit i."""

LARGEST = 12
"""Points of the largest sets."""
ALL = 10_000
"""Up to so many sets of a size all are looked at."""
RANDOM_SETS = 100
"""Sets of a size that are drawn if there are more."""
VC_POINTS = 16
"""Points of the largest domain whose subsets are searched for a shattered one."""


@dataclass(frozen=True)
class Case:
    """A class over {0, ..., values - 1}^dimension and its name in BNS15.

    alike: whether all sets of a size have equally many dichotomies, by symmetry.
    """

    name: str
    functions: HypothesisClass
    values: int
    alike: bool = False

    @property
    def table(self) -> Integers:
        """The concepts on the whole domain: (k, points) of 0 and 1."""
        points = list(product(range(self.values), repeat=self.functions.dimension))
        concepts = self.functions.cover(points).listed().parameters
        return self.functions.predict(concepts, points).astype(np.int64)


CASES = (
    *(Case(f"THRESH_{bits}", DiscreteThresholds(bits), 2**bits, True) for bits in (4, 5, 6, 7, 8)),
    Case("RECTANGLE_2^1", DiscreteRectangles(1, 2), 4),
    Case("RECTANGLE_3^2", DiscreteRectangles(2, 3), 8),
    Case("POINT_4", PointFunctions(4, 1), 2, True),
)


@dataclass(frozen=True)
class Counted:
    """Sets of one size: the most dichotomies of the class on a set, and the most of the differences over their square.

    every: whether all sets of the size were looked at.
    """

    case: Case
    points: int
    every: bool
    dichotomies: int
    share: float

    @property
    def settings(self) -> Settings:
        """The class and the number of points."""
        return {"class": self.case.name, "points": self.points}

    def sauer(self, factor: float = math.e) -> float:
        """Return (factor points / V)^V."""
        return sauer_power(self.points, self.case.functions.vc_dimension, factor)


def counts(randomness: Simulation, effort: float) -> list[Counted]:
    """Count on sets of every size; effort plays no part, as it is quick."""
    rows = []
    for case in track(CASES, "classes"):
        table, stream = case.table, randomness.spawn(case.name)
        places = table.shape[1]
        for size in range(1, min(LARGEST, places) + 1):
            every = case.alike or math.comb(places, size) <= ALL
            if case.alike:
                sets = iter([tuple(range(size))])
            elif every:
                sets = combinations(range(places), size)
            else:
                drawn = stream.spawn(size).generator
                sets = iter([tuple(drawn.choice(places, size, replace=False)) for _ in range(RANDOM_SETS)])
            labelings = [patterns(table, chosen) for chosen in sets]
            share = max(len(differences(patterns)) / len(patterns) ** 2 for patterns in labelings)
            rows.append(Counted(case, size, every, max(map(len, labelings)), share))
    return rows


def patterns(table: Integers, chosen: tuple[int, ...]) -> Patterns:
    """Return the labelings of some points, the columns of a table of 0 and 1."""
    return np.unique(table[:, list(chosen)] @ (1 << np.arange(len(chosen))))


def differences(labelings: Patterns) -> Patterns:
    """Return the labelings by symmetric differences of two concepts.

    >>> differences(np.array([0b000, 0b001, 0b011, 0b111])).tolist()
    [0, 1, 2, 3, 4, 6, 7]
    """
    return np.unique(labelings[:, None] ^ labelings)


def shattered(table: Integers) -> int:
    """Return the VC dimension of the rows of a table of 0 and 1, by search of all sets of columns."""
    size = 0
    while size < table.shape[1] and any(
        len(patterns(table, chosen)) == 2 ** (size + 1) for chosen in combinations(range(table.shape[1]), size + 1)
    ):
        size += 1
    return size


def _sets(rows: list[Counted]) -> str:
    """Say which sets were looked at."""
    drawn = sorted({(row.case.name, row.points) for row in rows if not row.every})
    names = sorted({name for name, _ in drawn})
    return (
        f"all sets of up to {LARGEST} points, one a size where all are alike by symmetry; from {drawn[0][1]} points on "
        f"{RANDOM_SETS} random ones a size for {' and '.join(names)}"
    )


RHO = 10
"""VC(differences) <= RHO V, by (e rho)^2 < 2^rho."""


@claim("BNS15-O3.2", "symmetric differences of all pairs of concepts, by listing", shown="VC dimension of differences")
def symmetric_differences(table: Table) -> str:
    """Compare dichotomies of differences with their square and with Sauer's, and VC dimensions with 10 V."""
    for row in table.once(counts):
        table.at_most("dichotomies of differences / square of the class's", row.settings, row.share, 1.0)
        if row.points >= row.case.functions.vc_dimension:
            table.at_most("square of the class's dichotomies", row.settings, row.dichotomies**2, row.sauer() ** 2)
    dimensions = []
    for case in CASES:
        concepts = case.table
        if concepts.shape[1] <= VC_POINTS:
            both = np.unique((concepts[:, None] ^ concepts).reshape(-1, concepts.shape[1]), axis=0)
            dimensions.append(shattered(both))
            bound = RHO * case.functions.vc_dimension
            table.at_most("VC dimension of differences", {"class": case.name}, dimensions[-1], bound)
    table.at_most("(e rho)^2 / 2^rho", {"rho": RHO}, (math.e * RHO) ** 2 / 2**RHO, 1.0)
    table.exceeding("(e rho)^2 / 2^rho, control", {"rho": RHO - 1}, (math.e * 9) ** 2 / 2**9, 1.0)
    return (
        f"on these classes, and the arithmetic of the proof, which needs 10: with 9 it fails; "
        f"{_sets(table.once(counts))}; VC dimensions of differences are searched on domains of up to {VC_POINTS} "
        f"points: at most {max(dimensions)}, far from 10 V"
    )


@claim("BNS15-B.2", "numbers of dichotomies, by listing the concepts", shown="dichotomies")
def sauer(table: Table) -> str:
    """Compare the most dichotomies of l points with (e l / V)^V, for l >= V; with 1 instead of e it must fail."""
    judged = []
    for row in table.once(counts):
        if row.points < row.case.functions.vc_dimension:
            table.recorded("dichotomies, fewer points than V", row.settings, row.dichotomies)
        else:
            judged.append(row)
            table.at_most("dichotomies", row.settings, row.dichotomies, row.sauer())
    worst = max(judged, key=lambda row: row.dichotomies / row.sauer(1.0))
    control = "dichotomies, control with 1 in place of e"
    table.exceeding(control, worst.settings, worst.dichotomies, worst.sauer(1.0))
    return f"checked on these classes; {_sets(table.once(counts))}; the theorem asks for l >= V points"
