"""Claims of BNS15 on numbers of dichotomies: Sauer's bound (B.2), and symmetric differences (observation 3.2)."""

import math
from collections.abc import Iterator
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
from semipriv.papers.bns15.bounds.generalisation import sauer_power
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    nearest_to_bound,
    recorded,
)

CLAIMS = ("BNS15-O3.2", "BNS15-B.2")
SECONDS = 4

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
    def table(self) -> NDArray[np.int64]:
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


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-O3.2 and BNS15-B.2.  Effort plays no part: it is exact, and quick."""
    counts = [found for case in track(CASES, "classes") for found in _counted(case, randomness.spawn(case.name))]
    return {"BNS15-O3.2": _differences(counts), "BNS15-B.2": _sauer(counts)}


@dataclass(frozen=True)
class Counted:
    """Sets of one size: the most dichotomies of the class on a set, and the most of the differences over their square.

    sets: how many were looked at; every: whether these were all of the size.
    """

    case: Case
    points: int
    sets: int
    every: bool
    dichotomies: int
    share: float


def _counted(case: Case, stream: Simulation) -> Iterator[Counted]:
    table = case.table
    places = table.shape[1]
    for size in range(1, min(LARGEST, places) + 1):
        number = math.comb(places, size)
        every = case.alike or number <= ALL
        if case.alike:
            sets = iter([tuple(range(size))])
        elif every:
            sets = combinations(range(places), size)
        else:
            drawn = stream.spawn(size).generator
            sets = iter([tuple(drawn.choice(places, size, replace=False)) for _ in range(RANDOM_SETS)])
        found = [_on(table, chosen) for chosen in sets]
        yield Counted(case, size, len(found), every, max(n for n, _ in found), max(d / n**2 for n, d in found))


def _on(table: NDArray[np.int64], chosen: tuple[int, ...]) -> tuple[int, int]:
    """Return the numbers of dichotomies of the class and of its symmetric differences on some points."""
    own = patterns(table, chosen)
    return len(own), len(differences(own))


def patterns(table: NDArray[np.int64], chosen: tuple[int, ...]) -> Patterns:
    """Return the labelings of some points, the columns of a table of 0 and 1."""
    return np.unique(table[:, list(chosen)] @ (1 << np.arange(len(chosen))))


def differences(own: Patterns) -> Patterns:
    """Return the labelings by symmetric differences of two concepts.

    >>> differences(np.array([0b000, 0b001, 0b011, 0b111])).tolist()
    [0, 1, 2, 3, 4, 6, 7]
    """
    return np.unique(own[:, None] ^ own)


def shattered(table: NDArray[np.int64]) -> int:
    """Return the VC dimension of the rows of a table of 0 and 1, by search of all sets of columns."""
    size = 0
    while size < table.shape[1] and any(
        len(patterns(table, chosen)) == 2 ** (size + 1) for chosen in combinations(range(table.shape[1]), size + 1)
    ):
        size += 1
    return size


def _where(found: Counted) -> Settings:
    return {"class": found.case.name, "points": found.points}


def _said(counts: list[Counted]) -> str:
    drawn = sorted({(found.case.name, found.points) for found in counts if not found.every})
    names = sorted({name for name, _ in drawn})
    return (
        f"all sets of up to {LARGEST} points, one a size where all are alike by symmetry; from {drawn[0][1]} points on "
        f"{RANDOM_SETS} random ones a size for {' and '.join(names)}"
    )


# ---------------------------------------------------------------------------------------------------- B.2
def _sauer(counts: list[Counted]) -> Finding:
    """Compare the most dichotomies of l points with (e l / V)^V, for l >= V; with 1 in place of e it must fail."""
    rows: list[Measurement] = []
    name = "dichotomies"
    for found in counts:
        vc = found.case.functions.vc_dimension
        bound = sauer_power(found.points, vc)
        if found.points < vc:
            rows.append(recorded(f"{name}, fewer points than V", _where(found), found.dichotomies, bound))
        else:
            rows.append(at_most(name, _where(found), found.dichotomies, bound))
    worst = max(
        (found for found in counts if found.points >= found.case.functions.vc_dimension),
        key=lambda found: found.dichotomies / sauer_power(found.points, found.case.functions.vc_dimension, 1.0),
    )
    small = sauer_power(worst.points, worst.case.functions.vc_dimension, 1.0)
    rows.append(exceeding("dichotomies, control with 1 in place of e", _where(worst), worst.dichotomies, small))
    return conclude(
        "numbers of dichotomies, by listing the concepts",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == name]),
        reason=f"on these classes; {_said(counts)}; the theorem asks for l >= V points",
    )


# ---------------------------------------------------------------------------------------------------- O3.2
RHO = 10
"""VC(differences) <= RHO V, by (e rho)^2 < 2^rho."""


def _differences(counts: list[Counted]) -> Finding:
    """Compare dichotomies of differences with their square and with Sauer's, and VC dimensions with 10 V."""
    rows: list[Measurement] = []
    for found in counts:
        rows.append(at_most("dichotomies of differences / square of the class's", _where(found), found.share, 1.0))
        vc = found.case.functions.vc_dimension
        if found.points >= vc:
            bound = sauer_power(found.points, vc) ** 2
            rows.append(at_most("square of the class's dichotomies", _where(found), found.dichotomies**2, bound))
    dimensions = []
    for case in CASES:
        table = case.table
        if table.shape[1] <= VC_POINTS:
            both = np.unique((table[:, None] ^ table).reshape(-1, table.shape[1]), axis=0)
            bound = RHO * case.functions.vc_dimension
            dimensions.append(at_most("VC dimension of differences", {"class": case.name}, shattered(both), bound))
    rows += dimensions
    rows.append(at_most("(e rho)^2 / 2^rho", {"rho": RHO}, (math.e * RHO) ** 2 / 2**RHO, 1.0))
    rows.append(exceeding("(e rho)^2 / 2^rho, control", {"rho": RHO - 1}, (math.e * 9) ** 2 / 2**9, 1.0))
    most = max(row.measured.value for row in dimensions)
    return conclude(
        "symmetric differences of all pairs of concepts, by listing",
        rows,
        deciding=nearest_to_bound(dimensions),
        reason=f"on these classes, and the arithmetic of the proof, which needs 10: with 9 it fails; {_said(counts)}; "
        f"VC dimensions of differences are searched on domains of up to {VC_POINTS} points: at most {most:.0f}, far "
        "from 10 V",
    )
