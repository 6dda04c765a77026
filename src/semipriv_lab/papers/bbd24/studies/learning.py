"""How well RRSPM learns with Laplace weights (BBD24 algorithm 4, theorems 4 and 10, remark 1), simulated by counts.

Points are uniform on the line, on d lines for VC dimension d; private points have the same distribution, or lie in a
region of width sigma around the target.  epsilon = 1 unless varied.  Sizes are set by formulas before a run.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, clopper_pearson, loglog_slope
from semipriv.core.types import Floats
from semipriv.papers.bbd24.bounds.rrspm import paper_public, realizable_public, sizes
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, largest_limit
from semipriv_lab.papers.bbd24.studies import _intervals
from semipriv_lab.papers.bbd24.studies._share import share
from semipriv_lab.papers.bbd24.studies._thresholds import Problem, excesses

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


@claim(
    "BBD24-T4-laplace",
    "thresholds and intervals at explicit sizes, a fixed target, label noise .1, private points in a region around "
    "the target for sigma < 1",
    shown=lambda gates: largest_limit([row for row in gates if row.quantity == FAILURE]),
    constants="ours, explicit; the paper's are unstated",
    stream="T4",
)
def explicit(table: Table) -> str:
    """Compare the chance of an excess above alpha at the explicit sizes with beta; a hundredth of n must fail."""
    trials = table.trials(TRIALS, 20)

    def judge(settings: Settings, part: str, errors: Floats, alpha: float) -> None:
        fails = share(errors > alpha, SHARE)
        if part == "n / 10":
            table.recorded(TENTH, settings, fails, BETA, trials)
        elif part == "n":
            table.at_most(FAILURE, settings, fails, BETA, trials)
        else:
            table.exceeding(CONTROL, settings, fails, BETA, trials)

    for (alpha, sigma), (part, fewer) in product(CELLS, PARTS.items()):
        needed = sizes(alpha, BETA, lambda m: m + 1, lambda m: 2.0 * m, sigma)
        m, n = needed.n_public, needed.n_private // fewer
        generator = table.randomness.spawn("thresholds", repr(alpha), repr(sigma), part).generator
        errors = excesses(Problem(m, n, 2.0 * m, sigma, NOISE), trials, generator)
        judge({"class": "thresholds", "alpha": alpha, "sigma": sigma, "m": m, "n": n}, part, errors, alpha)
    needed, alpha = sizes(INTERVAL_ALPHA, BETA, lambda m: 1 + m * (m + 1) // 2, lambda m: 2.0 * m), INTERVAL_ALPHA
    for part, fewer in PARTS.items():
        m, n = needed.n_public, needed.n_private // fewer
        generator = table.randomness.spawn("intervals", part).generator
        errors = _intervals.excesses(m, n, 2.0 * m, trials, generator)
        judge({"class": "intervals", "alpha": alpha, "sigma": 1.0, "m": m, "n": n}, part, errors, alpha)
    failures = table.values(CONTROL)
    return (
        "sizes make the errors of lemmas 22 (sharp) and 23 (sharp) and theorem 9 add up to alpha; intervals at "
        f"sigma = 1 only.  They are far from the need: a hundredth of n fails in {min(failures):.2f} to "
        f"{max(failures):.2f} of the runs, a tenth in at most {max(table.values(TENTH)):.3f}"
    )


# ---------------------------------------------------------------------------------------------------- needs
NEED_BETA = 0.25
EPSILON = 1.0
"""Of the arms that are judged."""
NEED_TRIALS = 2000
"""With 400, set first, limits were too wide to tell 5.1 from 5."""
STEPS = tuple(1.2**i for i in range(-6, 7))
"""Grid of n about its centre."""
LONGER = tuple(1.2**i for i in range(-6, 19))
"""The same without label noise, where few public points leave d = 4 lines much to err."""
CENTRE = 0.55
"""The centre is so much of b sqrt(m) / alpha: from a pilot with a stream of its own."""
NEED = "least n with P[excess > alpha] <= 1/4"
EXPONENT = "exponent of the least n"
PAPER, TEACHING = "2 m / epsilon", "2 / epsilon"


@dataclass(frozen=True)
class Cell:
    """One need: alpha, sigma, epsilon, VC dimension d."""

    alpha: float = 0.2
    sigma: float = 1.0
    epsilon: float = EPSILON
    d: int = 1


@dataclass(frozen=True)
class Arm:
    """What varies, the cells by its values, and the exponent that the paper allows; None if it is recorded alone."""

    name: str
    cells: dict[float, Cell]
    allowed: float | None


AGNOSTIC_ALPHAS = (0.3, 0.2, 0.1)
REALIZABLE_ALPHAS = (0.4, 0.2, 0.1)
SIGMAS = (1.0, 0.5, 0.2)
DIMENSIONS = (1, 2, 4)
EPSILONS = (1.0, 0.5, 0.25)
AGNOSTIC = (
    Arm("1 / alpha", {1 / alpha: Cell(alpha=alpha) for alpha in AGNOSTIC_ALPHAS}, 5.0),
    Arm("1 / sigma", {1 / sigma: Cell(sigma=sigma) for sigma in SIGMAS}, 4.0),
    Arm("d", {float(d): Cell(d=d) for d in DIMENSIONS}, 2.0),
    Arm("1 / epsilon", {1 / epsilon: Cell(epsilon=epsilon) for epsilon in EPSILONS}, None),
)
REALIZABLE = (
    Arm("1 / alpha", {1 / alpha: Cell(alpha=alpha) for alpha in REALIZABLE_ALPHAS}, 3.0),
    AGNOSTIC[2],
    AGNOSTIC[3],
)
SCALES: dict[str, Callable[[int], float]] = {PAPER: lambda m: 2.0 * m, TEACHING: lambda m: 2.0}
"""Scales of the weights at epsilon = 1: the paper's, and that of the teaching sets of thresholds."""
MUTANT = "exponent of the least n of a negative control, weights that grow with the square of what varies, control"
CONTROL_TRIALS = 400
"""The control's weights have the paper's scale times the square of 1/alpha, 1/sigma or d over its first value."""


def need_limits(failures: np.ndarray, grid: np.ndarray, trials: int, level: float) -> Interval:
    """Return the least n whose chance of failure is at most 1/4, with limits.

    failures: (k,) numbers of failures at the sizes (k,) of the grid, in trials each.  The chance falls with n, so that
    the need is above each size whose lower limit is above 1/4, and at most each size whose upper limit is below.
    """
    low, high = clopper_pearson(failures, trials, level)
    above, enough = grid[low > NEED_BETA], grid[high <= NEED_BETA]
    fits = grid[failures <= NEED_BETA * trials]
    return Interval(
        float(fits.min(initial=grid[-1])), float(above.max(initial=0.0)), float(enough.min(initial=math.inf))
    )


def _need(
    problem: Problem, alpha: float, steps: tuple[float, ...], trials: int, randomness: Simulation, level: float
) -> Interval:
    """Return the least n of a problem, whose own n is not looked at.

    Of the grid those sizes are simulated that a search for the least one needs, and from there those up to the first
    whose limits decide, to both sides.  Which ones depends on what is drawn, so the limits of all sizes of the grid
    must hold together: ``level`` is the error probability of each size, and their sum over the grid is what the claim
    allows.
    """
    centre = CENTRE * problem.scale * math.sqrt(problem.m) / alpha
    grid = sorted({round(centre * step) for step in steps})

    @cache
    def failures(n: int) -> int:
        errors = excesses(replace(problem, n=n), trials, randomness.spawn(n).generator)
        return int(np.count_nonzero(errors > alpha))

    def looked_at(sizes: Iterable[int], decided: Callable[[float, float], bool]) -> list[int]:
        """Return the sizes up to the first whose limits decide."""
        seen = []
        for n in sizes:
            seen.append(n)
            if decided(*map(float, clopper_pearson(failures(n), trials, level))):
                break
        return seen

    middle = bisect_left(grid, True, key=lambda n: failures(n) <= NEED_BETA * trials)
    below = looked_at(reversed(grid[:middle]), lambda low, _: low > NEED_BETA)
    seen = [*reversed(below), *looked_at(grid[middle:], lambda _, high: high <= NEED_BETA)]
    return need_limits(np.array([failures(n) for n in seen]), np.array(seen, float), trials, level)


def growth(
    table: Table,
    arms: tuple[Arm, ...],
    public: Callable[[float, float, int, float], int],
    noise: float,
    steps: tuple[float, ...],
) -> None:
    """Add the needs of each arm, their exponent, and that of a negative control; for alpha those of our scale, too.

    public: number of public points for alpha, beta, d and sigma.  noise: chance that a label is flipped.  steps: of the
    grid of n.
    """
    trials, control_trials = table.trials(NEED_TRIALS, 20), table.trials(CONTROL_TRIALS, 20)
    cells = sum(len(arm.cells) + 2 * (arm.allowed is not None) for arm in arms)
    level = GATE_LEVEL / (2 * len(steps) * cells)

    def need(arm: Arm, value: float, name: str, scale: Callable[[int], float], trials: int) -> Interval:
        cell = arm.cells[value]
        m = public(cell.alpha, NEED_BETA, cell.d, cell.sigma)
        problem = Problem(m, 0, scale(m) / cell.epsilon, cell.sigma, noise, cell.d)
        estimate = _need(problem, cell.alpha, steps, trials, table.randomness.spawn(arm.name, name, repr(value)), level)
        table.recorded(NEED, {"arm": arm.name, "value": round(value, 6), "scale": name, "m": m}, estimate, None, trials)
        return estimate

    for arm in track(arms, "arms"):
        values = list(arm.cells)
        needs = [need(arm, value, PAPER, SCALES[PAPER], trials) for value in values]
        settings: Settings = {"arm": arm.name, "scale": PAPER}
        slope = _slope(values, needs)
        if arm.allowed is None:
            table.recorded(EXPONENT, settings, slope, 1.0, trials)
            continue
        table.at_most(EXPONENT, settings, slope, arm.allowed, trials)
        ends = [values[0], values[-1]]
        steeper = [need(arm, value, "twin", _louder((value / values[0]) ** 2), control_trials) for value in ends]
        table.exceeding(MUTANT, {"arm": arm.name}, _slope(ends, steeper), arm.allowed, control_trials)
    arm = arms[0]
    needs = [need(arm, value, TEACHING, SCALES[TEACHING], trials) for value in arm.cells]
    settings = {"arm": arm.name, "scale": TEACHING}
    table.recorded(EXPONENT, settings, _slope(list(arm.cells), needs), None, trials)


def _louder(factor: float) -> Callable[[int], float]:
    """Return scales of weights: so many times those of the paper."""
    return lambda m: factor * SCALES[PAPER](m)


def _slope(values: list[float], needs: list[Interval]) -> Interval:
    return loglog_slope(values, [n.value for n in needs], [n.low for n in needs], [n.high for n in needs])


def described(row: Measurement) -> str:
    """Return an exponent with its limits, in words."""
    slope = row.measured
    return f"{slope.value:.2f} [{slope.low:.2f}, {slope.high:.2f}] in {row.settings['arm']}"


def compared(table: Table) -> str:
    """Return the needs by both scales at the least alpha, in words."""
    paper, ours = (table.values(NEED, arm="1 / alpha", scale=scale)[-1] for scale in (PAPER, TEACHING))
    return (
        f"At alpha = .1 the need is {paper:,.0f} by the paper's scale and {ours:,.0f} by 2 / epsilon, the scale of the "
        "teaching sets of thresholds"
    )


@claim(
    "BBD24-T10",
    "least n by simulations on a grid of n, thresholds on d lines, label noise .1, P[excess > alpha] <= 1/4",
    constants="m with constant 1",
    stream="T10, again",
)
def agnostic_need(table: Table) -> str:
    """Measure the exponents of the least n, at m = (d + ln(1/beta)) / (alpha sigma)^2 public points."""
    growth(table, AGNOSTIC, paper_public, NOISE, STEPS)
    *judged, left = table(EXPONENT, scale=PAPER)
    table.show(judged[0])
    inverse = [10.0, 5.0, 2.5]
    for name, scale in (("2 m / epsilon", SCALES[PAPER]), ("4 / epsilon", lambda m: 4.0)):
        needed = [sizes(1 / x, BETA, lambda m: m + 1, scale).n_private for x in inverse]
        quantity = "exponent in 1 / alpha of the explicit n"
        table.recorded(quantity, {"scale": name}, loglog_slope(inverse, needed).value)
    return (
        f"no worse than the rate: exponents {', '.join(map(described, judged))}; not that the rate is 5, nor for "
        f"other classes.  {described(left)}, recorded: as its value is the claimed 1, no limits end below.  alpha = .3 "
        "stands for .4, which no excess exceeds on this distribution.  400 trials, set first, were too few: the run is "
        "one with a fresh seed since.  A control whose weights grow with the square of what varies misses each "
        f"exponent.  {compared(table)}"
    )


@claim(
    "BBD24-R1",
    "least n by simulations on a grid of n, thresholds without label noise, P[excess > alpha] <= 1/4",
    constants="m with constant 1",
    stream="R1, again",
)
def realizable_need(table: Table) -> str:
    """Measure the exponents of the least n without label noise, at m = (d + ln(1/beta)) / (alpha sigma) points."""
    growth(table, REALIZABLE, realizable_public, 0.0, LONGER)
    *judged, left = table(EXPONENT, scale=PAPER)
    table.show(judged[0])
    return (
        f"no worse than the rate for Laplace weights: exponents {', '.join(map(described, judged))}; "
        f"{described(left)}, recorded as for BBD24-T10; the Gaussian half rests on a refuted claim.  With a fresh "
        "seed, and a control that misses, as BBD24-T10; the grid of n is longer than it was set first, too short for d "
        f"= 4.  {compared(table)}"
    )
