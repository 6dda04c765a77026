"""How well RRSPM learns with Laplace weights (BBD24 algorithm 4, theorems 4 and 10, remark 1), simulated by counts.

Points are uniform on the line, on d lines for VC dimension d; private points have the same law, or lie in a region of
width sigma around the target.  epsilon = 1 unless varied.  Sizes are set by formulas before a run.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, clopper_pearson, frequency, loglog_slope
from semipriv.papers.bbd24.bounds.rrspm import paper_public, realizable_public, sizes
from semipriv.papers.bbd24.studies import _intervals
from semipriv.papers.bbd24.studies._thresholds import Problem, excesses
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    largest_limit,
    recorded,
)

CLAIMS = ("BBD24-T4-laplace", "BBD24-T10", "BBD24-R1")
FIGURE = "rrspm_needs"
SECONDS = 30


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-T4-laplace, BBD24-T10 and BBD24-R1."""
    return {
        "BBD24-T4-laplace": _explicit(randomness.spawn("T4"), effort),
        "BBD24-T10": _agnostic_need(randomness.spawn("T10"), effort),
        "BBD24-R1": _realizable_need(randomness.spawn("R1"), effort),
    }


# ---------------------------------------------------------------------------------------------------- theorem 4
BETA = 0.05
NOISE = 0.1
CELLS = ((0.2, 1.0), (0.2, 0.2), (0.1, 1.0), (0.1, 0.2))
"""alpha and sigma, for thresholds."""
INTERVAL_ALPHA = 0.3
TRIALS = 300
PARTS = {"n": 1, "n / 10": 10, "n / 100": 100}
"""By which n is divided."""
FAILURE = "P[excess > alpha]"
TENTH = "P[excess > alpha] at n / 10"
CONTROL = "P[excess > alpha] at n / 100, control"
SHARE = GATE_LEVEL / (2 * (len(CELLS) + 1))


def _explicit(randomness: Simulation, effort: float) -> Finding:
    """Compare the chance of an excess above alpha at the explicit sizes with beta; a hundredth of n must fail."""
    trials = max(20, round(TRIALS * effort))
    rows: list[Measurement] = []
    for alpha, sigma in CELLS:
        found = sizes(alpha, BETA, lambda m: m + 1, lambda m: 2.0 * m, sigma)
        where: Settings = {"class": "thresholds", "alpha": alpha, "sigma": sigma, "m": found.n_public}
        for part, fewer in PARTS.items():
            n = found.n_private // fewer
            problem = Problem(found.n_public, n, 2.0 * found.n_public, sigma, NOISE)
            stream = randomness.spawn("thresholds", repr(alpha), repr(sigma), part)
            rows.append(_judged(where | {"n": n}, excesses(problem, trials, stream.generator), alpha, part))
    found = sizes(INTERVAL_ALPHA, BETA, lambda m: 1 + m * (m + 1) // 2, lambda m: 2.0 * m)
    where = {"class": "intervals", "alpha": INTERVAL_ALPHA, "sigma": 1.0, "m": found.n_public}
    for part, fewer in PARTS.items():
        n = found.n_private // fewer
        generator = randomness.spawn("intervals", part).generator
        errors = _intervals.excesses(found.n_public, n, 2.0 * found.n_public, trials, generator)
        rows.append(_judged(where | {"n": n}, errors, INTERVAL_ALPHA, part))
    few, tenth = ([row.measured.value for row in rows if row.quantity == said] for said in (CONTROL, TENTH))
    return conclude(
        "thresholds and intervals at explicit sizes, a fixed target, label noise .1, private points in a region around "
        "the target for sigma < 1",
        rows,
        deciding=largest_limit([row for row in rows if row.quantity == FAILURE]),
        constants="ours, explicit; the paper's are unstated",
        reason="sizes make the errors of lemmas 22 (sharp) and 23 (sharp) and theorem 9 add up to alpha; intervals at "
        f"sigma = 1 only.  They are far from the need: a hundredth of n fails in {min(few):.2f} to {max(few):.2f} of "
        f"the runs, a tenth in at most {max(tenth):.3f}",
    )


def _judged(where: Settings, errors: np.ndarray, alpha: float, part: str) -> Measurement:
    share = frequency(int(np.count_nonzero(errors > alpha)), len(errors), SHARE)
    if part == "n / 10":
        return recorded(TENTH, where, share, BETA, len(errors))
    gate, said = (at_most, FAILURE) if part == "n" else (exceeding, CONTROL)
    return gate(said, where, share, BETA, len(errors))


# ---------------------------------------------------------------------------------------------------- needs
NEED_BETA = 0.25
NEED_TRIALS = 2000
"""With 400, set first, limits were too wide to tell 5.1 from 5."""
STEPS = tuple(1.2**i for i in range(-6, 7))
"""Grid of n about its centre."""
CENTRE = 0.55
"""The centre is so much of b sqrt(m) / alpha: from a pilot with a stream of its own."""
NEED = "least n with P[excess > alpha] <= 1/4"
EXPONENT = "exponent of the least n"
STEEPER = "upper limit of the exponent of needs made steeper, control"
PAPER, TEACHING = "2 m / epsilon", "2 / epsilon"


@dataclass(frozen=True)
class Cell:
    """One need: alpha, sigma, epsilon, VC dimension d."""

    alpha: float = 0.2
    sigma: float = 1.0
    epsilon: float = 1.0
    d: int = 1


@dataclass(frozen=True)
class Arm:
    """What varies, the cells by its values, the exponent that the paper allows, and that of the control.

    allowed: None if the exponent is recorded alone.
    """

    name: str
    cells: dict[float, Cell]
    allowed: float | None
    control: float = 0.0


AGNOSTIC = (
    Arm("1 / alpha", {1 / alpha: Cell(alpha=alpha) for alpha in (0.3, 0.2, 0.1)}, 5.0, 5.5),
    Arm("1 / sigma", {1 / sigma: Cell(sigma=sigma) for sigma in (1.0, 0.5, 0.2)}, 4.0, 4.5),
    Arm("d", {float(d): Cell(d=d) for d in (1, 2, 4)}, 2.0, 2.5),
    Arm("1 / epsilon", {1 / epsilon: Cell(epsilon=epsilon) for epsilon in (1.0, 0.5, 0.25)}, None),
)
REALIZABLE = (Arm("1 / alpha", {1 / alpha: Cell(alpha=alpha) for alpha in (0.4, 0.2, 0.1)}, 3.0, 3.5),)
SCALES: dict[str, Callable[[int], float]] = {"2 m / epsilon": lambda m: 2.0 * m, "2 / epsilon": lambda m: 2.0}
"""Scales of the weights at epsilon = 1: the paper's, and that of the teaching sets of thresholds."""


def need_limits(failures: np.ndarray, grid: np.ndarray, trials: int, level: float) -> Interval:
    """Return the least n whose chance of failure is at most 1/4, with limits.

    failures: (k,) numbers of failures at the sizes (k,) of the grid, in trials each.  The chance falls with n, so that
    the need is above each size whose lower limit is above 1/4, and at most each size whose upper limit is below.
    """
    low, high = clopper_pearson(failures, trials, level)
    above, enough = grid[low > NEED_BETA], grid[high <= NEED_BETA]
    fits = grid[failures <= NEED_BETA * trials]
    return Interval(
        float(fits.min(initial=grid[-1])),
        float(above.max(initial=0.0)),
        float(enough.min(initial=math.inf)),
    )


def _need(problem: Problem, alpha: float, trials: int, randomness: Simulation, level: float) -> Interval:
    """Return the least n of a problem, whose own n is not looked at."""
    centre = CENTRE * problem.scale * math.sqrt(problem.m) / alpha
    grid = np.array(sorted({round(centre * step) for step in STEPS}))
    failures = np.array(
        [
            np.count_nonzero(excesses(replace(problem, n=n), trials, randomness.spawn(n).generator) > alpha)
            for n in grid.tolist()
        ]
    )
    return need_limits(failures, grid.astype(float), trials, level)


@dataclass(frozen=True)
class _Run:
    """How needs are measured: public points, label noise, trials, and the error level of one limit."""

    public: Callable[[float, float, int, float], int]
    noise: float
    trials: int
    level: float

    def needs(self, arm: Arm, scale: str, randomness: Simulation) -> tuple[list[Interval], list[Measurement]]:
        """Return the needs of an arm, and their rows."""
        needs, rows = [], []
        for value, cell in arm.cells.items():
            m = self.public(cell.alpha, NEED_BETA, cell.d, cell.sigma)
            problem = Problem(m, 0, SCALES[scale](m) / cell.epsilon, cell.sigma, self.noise, cell.d)
            needs.append(_need(problem, cell.alpha, self.trials, randomness.spawn(repr(value)), self.level))
            where: Settings = {"arm": arm.name, "value": round(value, 6), "scale": scale, "m": m}
            rows.append(recorded(NEED, where, needs[-1], None, self.trials))
        return needs, rows


def _growth(
    arms: tuple[Arm, ...],
    public: Callable[[float, float, int, float], int],
    noise: float,
    randomness: Simulation,
    effort: float,
) -> Iterator[Measurement]:
    """Yield the needs of each arm, their exponent, and that of needs made steeper.

    For alpha those of our scale, too.
    """
    limits = 2 * len(STEPS) * sum(len(arm.cells) for arm in arms)
    run = _Run(public, noise, max(20, round(NEED_TRIALS * effort)), GATE_LEVEL / limits)
    for arm in track(arms, "arms"):
        values = list(arm.cells)
        needs, rows = run.needs(arm, PAPER, randomness.spawn(arm.name, PAPER))
        yield from rows
        slope = _slope(values, needs)
        where: Settings = {"arm": arm.name, "scale": PAPER}
        if arm.allowed is None:
            yield recorded(EXPONENT, where, slope, 1.0, run.trials)
            continue
        yield at_most(EXPONENT, where, slope, arm.allowed, run.trials)
        worse = [_times(need, (x / values[0]) ** arm.control, needs[0]) for x, need in zip(values, needs, strict=True)]
        made = where | {"made with": arm.control}
        yield exceeding(STEEPER, made, _slope(values, worse).high, arm.allowed)
    needs, rows = run.needs(arms[0], TEACHING, randomness.spawn(arms[0].name, TEACHING))
    yield from rows
    own: Settings = {"arm": arms[0].name, "scale": TEACHING}
    yield recorded(EXPONENT, own, _slope(list(arms[0].cells), needs), None, run.trials)


def _slope(values: list[float], needs: list[Interval]) -> Interval:
    return loglog_slope(values, [n.value for n in needs], [n.low for n in needs], [n.high for n in needs])


def _times(need: Interval, factor: float, first: Interval) -> Interval:
    """Return a need that is the first one's times a factor, with the relative limits of its own."""
    value = first.value * factor
    return Interval(value, value * need.low / need.value, value * need.high / need.value)


def _of(rows: list[Measurement], quantity: str, scale: str = PAPER) -> list[Measurement]:
    return [row for row in rows if row.quantity == quantity and row.settings.get("scale") == scale]


def _told(row: Measurement) -> str:
    found = row.measured
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}] in {row.settings['arm']}"


def _compared(rows: list[Measurement]) -> str:
    own, ours = (_of(rows, NEED, scale) for scale in (PAPER, TEACHING))
    last = [row for row in own if row.settings["arm"] == "1 / alpha"][-1]
    return (
        f"At alpha = .1 the need is {last.measured.value:,.0f} by the paper's scale and "
        f"{ours[-1].measured.value:,.0f} by 2 / epsilon, the scale of the teaching sets of thresholds"
    )


FORMULA = "exponent in 1 / alpha of the explicit n"


def _agnostic_need(randomness: Simulation, effort: float) -> Finding:
    """Measure the exponents of the least n, at m = (d + ln(1/beta)) / (alpha sigma)^2 public points."""
    rows = list(_growth(AGNOSTIC, paper_public, NOISE, randomness, effort))
    inverse = [10.0, 5.0, 2.5]
    for name, scale in (("2 m / epsilon", SCALES[PAPER]), ("4 / epsilon", lambda m: 4.0)):
        explicit = [sizes(1 / x, BETA, lambda m: m + 1, scale).n_private for x in inverse]
        rows.append(recorded(FORMULA, {"scale": name}, loglog_slope(inverse, explicit).value))
    judged = [row for row in _of(rows, EXPONENT) if row.verdict is not None]
    left = next(row for row in _of(rows, EXPONENT) if row.verdict is None)
    return conclude(
        "least n by simulations on a grid of n, thresholds on d lines, label noise .1, P[excess > alpha] <= 1/4",
        rows,
        deciding=judged[0],
        constants="m with constant 1",
        reason=f"no worse than the rate: exponents {', '.join(map(_told, judged))}; not that the rate is 5, nor for "
        f"other classes.  {_told(left)}, recorded: as its value is the claimed 1, no limits end below.  alpha = .3 "
        f"stands for .4, which no excess exceeds on this law, and 400 trials, set first, were too few.  "
        f"{_compared(rows)}",
    )


def _realizable_need(randomness: Simulation, effort: float) -> Finding:
    """Measure the exponent of the least n without label noise, at m = (d + ln(1/beta)) / (alpha sigma) points."""
    rows = list(_growth(REALIZABLE, realizable_public, 0.0, randomness, effort))
    judged = [row for row in _of(rows, EXPONENT) if row.verdict is not None]
    return conclude(
        "least n by simulations on a grid of n, thresholds without label noise, P[excess > alpha] <= 1/4",
        rows,
        deciding=judged[0],
        constants="m with constant 1",
        reason=f"no worse than the rate for Laplace weights: exponent {_told(judged[0])}; the Gaussian half rests on a "
        f"refuted claim.  {_compared(rows)}",
    )
