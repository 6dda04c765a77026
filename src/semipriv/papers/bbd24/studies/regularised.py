"""Claims of BBD24 on what algorithm 3 learns: lemma 16, theorems 3 and 7; privacy is calibrated by our constants.

epsilon = 1, delta = 1e-5, beta = .05.  Sizes are solved from ``perturbation.sizes`` before anything is drawn.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, frequency
from semipriv.papers.bbd24.perturbation.sizes import (
    Sizes,
    Task,
    comparison,
    exponent,
    laplace_quantile,
    least_on_grid,
    normal_quantile,
    regularised_sizes,
)
from semipriv.papers.bbd24.studies._cells import SLOPES_LIPSCHITZ
from semipriv.papers.bbd24.studies._regression_laws import Slopes, ball_excesses, ball_law, slopes_noise
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    largest,
    largest_limit,
    recorded,
)

CLAIMS = ("BBD24-L16", "BBD24-T3", "BBD24-T3-laplace", "BBD24-T7")
FIGURE = "regularised_need"
SECONDS = 8

EPSILON, DELTA, BETA = 1.0, 1e-5, 0.05
FLIPS = (0.1, 0.4)
"""P[response = -1] on slopes."""
ALPHAS = (0.2, 0.1, 0.05)
"""On slopes."""
BALL_ALPHAS = (0.1, 0.01)
"""On a ball: at the first one the function 0 would do, at the second one it would not."""
DIMENSIONS = (2, 5, 10)
SHIFTS = (("none", 1.0), ("region", 0.2), ("tilt", 0.2))
PUBLIC = 400
"""Public points for each dimension."""
TRIALS = 300


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-L16, BBD24-T3, BBD24-T3-laplace and BBD24-T7."""
    return {
        "BBD24-L16": _bound(randomness.spawn("L16"), effort),
        "BBD24-T3": _learns(randomness.spawn("T3"), effort),
        "BBD24-T3-laplace": _learns_purely(),
        "BBD24-T7": _growth(),
    }


# ---------------------------------------------------------------------------------------------------- sizes
@cache
def normal_unit() -> float:
    """Return the standard deviation of normal noise for a distance of 1."""
    return gaussian_sigma(EPSILON, DELTA)


def slopes_task(*, laplace: bool = False, spread: float = 1.0) -> Task:
    """Return the bound on slopes; spread: 1, or infinite for the route by 1 / sqrt(eta)."""
    part = BETA / 8
    noise = laplace_quantile(part) / EPSILON if laplace else normal_unit() * normal_quantile(1, part)
    return Task(SLOPES_LIPSCHITZ, 1.0, noise, spread, beta=BETA)


def ball_task(p: int, sigma: float, spread: float) -> Task:
    """Return the bound on linear functions on a ball with squared losses; spread: that of the public law.

    But for a chance of beta/8 the public points have a spread of c times as much at most, and the noise moves the
    output by at most c / sqrt(sigma) times its length, c of ``comparison``.
    """
    near = comparison(p, PUBLIC * p, spread, BETA / 8)
    noise = near / math.sqrt(sigma) * normal_unit() * normal_quantile(p, BETA / 8)
    return Task(1.0, 1.0, noise, near * spread, beta=BETA)


def slopes_run(found: Sizes, flip: float, *, louder: float = 1.0) -> Slopes:
    """Return algorithm 3 on slopes with normal noise, ``louder`` times what privacy asks for."""
    return Slopes(found.n, found.eta, flip, louder * slopes_noise(found.eta, normal_unit()))


# ---------------------------------------------------------------------------------------------------- lemma 16
ABOVE = "P[excess > bound]"
NINTH = "P[excess > bound / 9], control"
L16_SIZES = (1000, 7023)
L16_BALL = tuple((p, shift, sigma) for p in (2, 5) for shift, sigma in SHIFTS[:2])
QUANTILE = "bound / .95 quantile"


def _bound(randomness: Simulation, effort: float) -> Finding:
    """Compare the chance that the excess loss is above the bound with beta; a ninth of the bound must fail."""
    task, trials = slopes_task(), max(20, round(TRIALS * effort))
    rows: list[Measurement] = []
    for n in L16_SIZES:
        found = Sizes(n, task.lipschitz * math.sqrt(task.noise * n))
        bound = task.regularised(n, found.eta)
        for flip in FLIPS:
            where: Settings = {"class": "slopes", "n": n, "flips": flip, "the bound": round(bound, 6)}
            run = slopes_run(found, flip)
            rows.append(at_most(ABOVE, where, run.chance_above(bound), BETA, judged=bound < run.largest))
            rows.append(recorded(QUANTILE, where, bound / run.quantile(BETA)))
        below = slopes_run(found, 0.0).chance_above(bound / 9)
        rows.append(exceeding(NINTH, where | {"flips": 0.0}, below, BETA))
    for p, shift, sigma in L16_BALL:
        stream = randomness.spawn("ball", p, shift)
        law = ball_law(p, shift, sigma, stream.spawn("law").generator)
        for bound in BALL_ALPHAS:
            found = regularised_sizes(bound, ball_task(p, sigma, law.spread))
            where = {"class": f"ball, p = {p}", "n": found.n, "shift": shift, "sigma": sigma, "the bound": bound}
            generator = stream.spawn("trials", repr(bound)).generator
            errors = ball_excesses(law, found.n, PUBLIC * p, found.eta, normal_unit(), trials, generator)
            level = GATE_LEVEL / (len(L16_BALL) * len(BALL_ALPHAS))
            share = frequency(int(np.count_nonzero(errors > bound)), trials, level)
            rows.append(at_most(ABOVE, where, share, BETA, trials, judged=bound < law.largest))
            rows.append(recorded(QUANTILE, where, bound / float(np.quantile(errors, 1 - BETA)), None, trials))
    return conclude(
        "slopes with an absolute loss, in closed form; linear functions on a ball with the squared loss, by counts",
        rows,
        deciding=largest_limit([row for row in rows if row.quantity == ABOVE and row.verdict]),
        constants="repaired",
        reason=f"the bound is the sum of safe terms, {_room(rows, 'slopes')} times the .95 quantile of the excess on "
        f"slopes, {_room(rows, 'ball')} times on a ball, which has no control here (BBD24-T3 has one).  At n = 1,000 "
        "with .4 flipped no excess is above the bound, whatever the output: not judged.  The control has equal "
        "responses: with a tenth of them flipped, as it was set first, a ninth of the bound is just kept",
    )


def _room(rows: list[Measurement], kind: str) -> str:
    own = [row for row in rows if row.quantity == QUANTILE and str(row.settings["class"]).startswith(kind)]
    return f"{min(row.measured.value for row in own):.0f} to {max(row.measured.value for row in own):.0f}"


# ---------------------------------------------------------------------------------------------------- theorem 3
FAILURE = "P[excess > alpha]"
ZERO = "excess of the function 0"
BALL_FEW = "P[excess > alpha] at n / 300, same eta"
BALL_FEWER = "P[excess > alpha] at n / 3000, same eta, control"
BALL_RUNS = (*((alpha, FAILURE, 1) for alpha in BALL_ALPHAS), (0.01, BALL_FEW, 300), (0.01, BALL_FEWER, 3000))
"""alpha, what is measured, and the part of n.  With n / 3000 the regulariser is about 30 times the sum of losses."""
FEWER = "P[excess > alpha] at n / 100, eta / 10, control"
LOUDER = "P[excess > alpha] at 16 times the noise, control"
PURE_LOUDER = "P[excess > alpha] at 32 times the Laplace noise, control"


def _learns(randomness: Simulation, effort: float) -> Finding:
    """Compare the chance of an excess above alpha at explicit sizes with beta.

    Fewer records or more noise must fail.
    """
    trials = max(20, round(TRIALS * effort))
    rows: list[Measurement] = []
    for alpha in ALPHAS:
        found = regularised_sizes(alpha, slopes_task())
        rows += [_slopes_gate(slopes_run(found, flip), alpha) for flip in FLIPS]
    found = regularised_sizes(0.1, slopes_task())
    fewer = slopes_run(Sizes(found.n // 100, found.eta / 10), FLIPS[0])
    rows.append(exceeding(FEWER, _slopes(fewer, 0.1), fewer.chance_above(0.1), BETA))
    louder = slopes_run(found, FLIPS[0], louder=16)
    rows.append(exceeding(LOUDER, _slopes(louder, 0.1), louder.chance_above(0.1), BETA))
    cells = [(p, shift, sigma) for p in DIMENSIONS for shift, sigma in SHIFTS]
    level = GATE_LEVEL / (len(cells) * len(BALL_RUNS))
    for p, shift, sigma in track(cells, "balls"):
        stream = randomness.spawn("ball", p, shift)
        law = ball_law(p, shift, sigma, stream.spawn("law").generator)
        where: Settings = {"class": f"ball, p = {p}", "shift": shift, "sigma": sigma}
        rows.append(recorded(ZERO, where, law.excess(np.zeros(p))))
        for alpha, quantity, part in BALL_RUNS:
            found = regularised_sizes(alpha, ball_task(p, sigma, law.spread))
            n = found.n // part
            generator = stream.spawn("trials", repr(alpha), part).generator
            errors = ball_excesses(law, n, PUBLIC * p, found.eta, normal_unit(), trials, generator)
            share = frequency(int(np.count_nonzero(errors > alpha)), trials, level)
            cell = where | {"alpha": alpha, "n": n}
            if quantity == BALL_FEWER:
                rows.append(exceeding(quantity, cell, share, BETA, trials))
            else:
                judged = quantity == FAILURE and alpha < law.largest
                rows.append(at_most(quantity, cell, share, BETA, trials, judged=judged))
    zero = [row.measured.value for row in rows if row.quantity == ZERO]
    few = [row.measured.value for row in rows if row.quantity == BALL_FEW]
    flat = sum(row.quantity == FAILURE and not row.verdict and row.settings["class"] != "slopes" for row in rows)
    return conclude(
        "slopes (absolute loss) exactly, linear functions on a ball (squared loss) by counts, at explicit sizes; "
        "shifts by a region and by a tilt",
        rows,
        deciding=largest_limit([row for row in rows if row.quantity == FAILURE and row.verdict]),
        constants="ours, explicit; the paper's are unstated",
        reason="fixed laws, our calibration.  On a ball the function 0 has an excess of "
        f"{min(zero):.3f} to {max(zero):.3f}, so that alpha = .1 asks for nothing there; .01 was added for that.  At "
        f".01 a 300th of n, with the same eta, fails in {min(few):.2f} to {max(few):.2f} of the runs.  Not judged "
        f"where no excess can be above alpha: slopes with .4 flipped at .2, {flat} balls at .1",
    )


def _slopes(run: Slopes, alpha: float) -> Settings:
    return {"class": "slopes", "alpha": alpha, "n": run.n, "eta": round(run.eta, 3), "flips": run.flip}


def _slopes_gate(run: Slopes, alpha: float) -> Measurement:
    return at_most(FAILURE, _slopes(run, alpha), run.chance_above(alpha), BETA, judged=alpha < run.largest)


def _learns_purely() -> Finding:
    """Compare the chance of an excess above alpha with beta for Laplace noise, on one public point."""
    rows: list[Measurement] = []
    for alpha in ALPHAS:
        found = regularised_sizes(alpha, slopes_task(laplace=True))
        runs = [Slopes(found.n, found.eta, flip, slopes_noise(found.eta, 1 / EPSILON), "laplace") for flip in FLIPS]
        rows += [_slopes_gate(run, alpha) for run in runs]
        louder = replace(runs[0], noise=32 * runs[0].noise)
        rows.append(exceeding(PURE_LOUDER, _slopes(louder, alpha), louder.chance_above(alpha), BETA))
    return conclude(
        "slopes in closed form, Laplace noise of scale rho / epsilon on one public point",
        rows,
        deciding=largest([row for row in rows if row.quantity == FAILURE and row.verdict]),
        constants="ours, explicit; the paper's are unstated",
        reason="pure epsilon = 1; with m public points the noise on each is m times as large, its mean sqrt(m) times.  "
        "The control has louder noise: a hundredth of n, set first, fails at alpha = .2 only.  With "
        ".4 flipped no excess is above .2: not judged",
    )


# ---------------------------------------------------------------------------------------------------- theorem 7
GRID = (0.2, 0.1, 0.05, 0.025)
EXPLICIT = "explicit n"
NEED = "least n with P[excess > alpha] <= .05, exactly"
EXPONENT = "exponent of n in 1 / alpha"
IN_DIMENSION = "exponent of the explicit n in d"
STEEPER = "exponent of needs made steeper, control"
ALLOWED = 5.0


def exact_need(alpha: float, task: Task) -> int:
    """Return the least n of a grid from which on the excess on slopes is above alpha rarely, for both laws.

    eta = lipschitz sqrt(noise n).  The grid falls from the explicit n; on it the chance need not fall with n, as
    responses are few and whole.
    """

    def rare(n: int) -> bool:
        found = Sizes(n, task.lipschitz * math.sqrt(task.noise * n))
        return max(slopes_run(found, flip).chance_above(alpha) for flip in FLIPS) <= BETA

    return least_on_grid(regularised_sizes(alpha, task).n, rare)


def _growth() -> Finding:
    """Compute the exponents of explicit sizes and of the exact need."""
    task = slopes_task()
    routes: dict[tuple[str, str], Callable[[float], int]] = {
        (EXPLICIT, "slopes, known spread"): lambda a: regularised_sizes(a, task).n,
        (EXPLICIT, "slopes, 1 / sqrt(eta)"): lambda a: regularised_sizes(a, slopes_task(spread=math.inf)).n,
        (NEED, "slopes"): lambda a: exact_need(a, task),
    }
    rows: list[Measurement] = []
    for (quantity, name), size in routes.items():
        needs = {alpha: size(alpha) for alpha in GRID}
        rows += [recorded(quantity, {"route": name, "1 / alpha": 1 / alpha}, n) for alpha, n in needs.items()]
        rows.append(at_most(EXPONENT, {"route": name}, exponent(GRID, needs.__getitem__), ALLOWED))
    made = exponent(GRID, lambda a: exact_need(GRID[0], task) * (GRID[0] / a) ** 5.5)
    rows.append(exceeding(STEEPER, {"made with": 5.5}, made, ALLOWED))
    sizes = {p: regularised_sizes(0.1, ball_task(p, 1.0, math.sqrt(p + 2))).n for p in (2, 5, 10, 20)}
    rows += [recorded(EXPLICIT, {"route": "ball", "d": p}, n) for p, n in sizes.items()]
    rows.append(at_most(IN_DIMENSION, {"route": "ball"}, math.log(sizes[20] / sizes[2]) / math.log(10), 2.0))
    found = {str(row.settings["route"]): row.measured.value for row in rows if row.quantity == EXPONENT}
    return conclude(
        "explicit sizes of algorithm 3, and its exact need on slopes, at alpha = .2 to .025",
        rows,
        deciding=next(row for row in rows if row.quantity == EXPONENT and row.settings["route"] == "slopes"),
        constants="ours, explicit; the paper's are unstated",
        reason=f"no worse than alpha^-5 d^2: explicit sizes grow with exponents {found['slopes, known spread']:.2f} "
        f"(by the Lipschitz constant) and {found['slopes, 1 / sqrt(eta)']:.2f} (by 1 / sqrt(eta)), the exact need with "
        f"{found['slopes']:.2f}; not that the rate is 5",
    )
