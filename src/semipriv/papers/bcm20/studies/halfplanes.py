"""Record BCM20-T10-halfplanes: A_PAP with MWEM on halfplanes at the few public points whose cells can be listed.

The laws are mixtures of normal laws, so that the mean of each halfplane is known.  The largest errors over all
halfplanes are lower estimates: over the cover of fresh points.  Labels are -1 and 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.functions import Parameters
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points
from semipriv.core.statistics import Verdict, mean_interval
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.stages.representative_domain import Domain, domain_of
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Floats
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.prior import Prior
from semipriv.report.ledger.findings import Finding, Measurement, Settings, conclude, recorded

CLAIMS = ("BCM20-T10-halfplanes",)
SECONDS = 4

CLAIM = "BCM20-T10-halfplanes"
BUDGET = Guarantee(1.0, 1e-6)
CLASS = Halfspaces(2)
SIZES = (8, 12)
RECORDS = (10_000, 100_000)
TRIALS = 5
FRESH = 40
"""Points whose cover gives the halfplanes over which errors are the largest."""
COVER_PART = "largest difference of a halfplane and its projection"
ON_COVER = "error over the cover"
UNIFORM = "error over the cover, uniform cells"
TOTAL = "error over halfplanes, lower estimate"
ALONE = "error of public means over halfplanes, lower estimate"
OVER = "error over halfplanes / that of public means, lower estimates"
CELLS = "cells"


@dataclass(frozen=True)
class Mixture:
    """Normal laws N(c, s^2 I), each with the same weight; centres: c."""

    centres: tuple[tuple[float, float], ...]
    deviation: float

    def sample(self, n: int, generator: np.random.Generator) -> Points:
        """Draw n points, (n, 2)."""
        centre = np.array(self.centres)[generator.integers(len(self.centres), size=n)]
        return centre + self.deviation * generator.standard_normal((n, 2))

    def means(self, parameters: Parameters) -> Floats:
        """Return P[w x + b >= 0] for halfplanes (k, 3), (k,): the mean of Phi((w c + b) / (s |w|)) over the centres."""
        normal, offset = parameters[:, :2], parameters[:, 2]
        inside = normal @ np.array(self.centres).T + offset[:, None]
        with np.errstate(divide="ignore"):  # w = 0: everywhere or nowhere
            scaled = inside / (self.deviation * np.hypot(normal[:, 0], normal[:, 1]))[:, None]
        return np.asarray(scipy.special.ndtr(scaled).mean(axis=1))


LAWS = {
    "N(0, I)": Mixture(((0.0, 0.0),), 1.0),
    "three clusters": Mixture(((0.0, 0.0), (3.0, 0.0), (0.0, 3.0)), 0.5),
}


def _largest(one: Floats, other: Floats) -> float:
    return 2 * float(np.abs(one - other).max())


@dataclass(frozen=True, eq=False)
class Planes:
    """Halfplanes with their means, and the public points' domain.  place: the cover's hypothesis of each."""

    domain: Domain
    exact: Floats
    means: Floats
    place: NDArray[np.intp]

    def over(self, answers: Floats) -> float:
        """Return the largest error over the halfplanes and the cover."""
        return max(_largest(answers[self.place], self.means), _largest(answers, self.exact))


def planes(law: Mixture, m: int, randomness: Simulation) -> Planes:
    """Draw m public points, and the fresh points of the halfplanes."""
    public = law.sample(m, randomness.spawn("public").generator)
    domain = domain_of(public, public, CLASS, "midpoint")
    fresh = CLASS.cover(law.sample(FRESH, randomness.spawn("fresh").generator)).listed().parameters
    exact = law.means(domain.cover.parameters)
    place = Answers(domain.cover, domain.representatives, np.clip(exact, 0.0, 1.0)).project(fresh)
    return Planes(domain, exact, law.means(fresh), place)


def _trial(law: Mixture, m: int, randomness: Simulation) -> dict[tuple[str, int], float]:
    """Return what one public sample gives, by quantity and number of records; 0 where it has none."""
    known = planes(law, m, randomness)
    work, public = known.domain.workload, known.domain.public
    uniform = Prior().fit(work, public, BUDGET, randomness).answers
    found = {
        (CELLS, 0): float(work.cells),
        (COVER_PART, 0): _largest(known.exact[known.place], known.means),
        (UNIFORM, 0): _largest(uniform, known.exact),
        (ALONE, 0): known.over(work.sums(public / m)),
    }
    for n in RECORDS:
        counts = known.domain.counts(law.sample(n, randomness.spawn("records", n).generator))
        answers = MWEM().fit(work, counts, BUDGET, randomness.spawn("draw", n)).answers
        total = known.over(answers)
        found |= {(ON_COVER, n): _largest(answers, known.exact), (TOTAL, n): total}
        found |= {(OVER, n): total / found[ALONE, 0]}
    return found


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Record BCM20-T10-halfplanes."""
    rows, trials = list[Measurement](), max(2, int(TRIALS * effort))
    for name, m in track([(name, m) for name in LAWS for m in SIZES], "cells"):
        runs = [_trial(LAWS[name], m, randomness.spawn(name, m, trial)) for trial in range(trials)]
        for quantity, n in runs[0]:
            where: Settings = {"law": name, "n_public": m}
            if n:
                where["n_private"] = n
            mean = mean_interval([found[quantity, n] for found in runs])
            rows.append(recorded(quantity, where, mean, None, trials))
    finding = conclude(
        "A_PAP with MWEM on halfplanes, epsilon = 1, delta = 1e-6, means of "
        f"{TRIALS} runs; errors for labels -1 and 1 over the cover of {FRESH} fresh points, a lower estimate",
        rows,
        verdict=Verdict.ILLUSTRATION,
        deciding=next(row for row in rows if row.quantity == TOTAL and row.settings == _SHOWN),
        constants="none: far fewer public points than theorem 10 asks for",
        reason=_reason(rows),
    )
    return {CLAIM: finding}


_SHOWN: Settings = {"law": "N(0, I)", "n_public": SIZES[-1], "n_private": RECORDS[-1]}


def _reason(rows: Sequence[Measurement]) -> str:
    """Say which part dominates, and that nothing is gained or how much."""

    def span(quantity: str, n: int | None = None) -> str:
        found = [r.measured.value for r in rows if r.quantity == quantity and n in (None, r.settings.get("n_private"))]
        return f"{min(found):.2f} to {max(found):.2f}"

    return (
        f"no gate. At m = 8 and 12 the cover dominates: a halfplane and its projection differ by {span(COVER_PART)}, "
        f"while MWEM's error over the cover is {span(ON_COVER, 10_000)} with 1e4 records and {span(ON_COVER, 100_000)} "
        f"with 1e5 (uniform cells: {span(UNIFORM)}). The error over all halfplanes is {span(TOTAL)}, that of public "
        f"means alone {span(ALONE)}; the quotient of the two is on average {span(OVER)}: little is gained, "
        "not nothing as was expected, since the cover does not change with private data"
    )
