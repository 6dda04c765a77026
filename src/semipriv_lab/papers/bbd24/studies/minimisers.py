"""Claims of BBD24 on the distance of two minimisers under one Gaussian process, whatever the norms of the functions.

The bound behind them is proved in docs/findings.md ("Theorem A").  It is checked here: exactly on finite classes of
the line, where minimisers are pieces of lower envelopes, and by draws in up to 20 dimensions.
"""

import math
from itertools import product

import numpy as np
import scipy

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, bernstein_interval
from semipriv.core.types import Floats
from semipriv.papers.bbd24.bounds.minimisers import expected_distance, squared_distance
from semipriv.papers.bbd24.bounds.stability import printed_distance_tail, printed_expected_distance
from semipriv.papers.bbd24.perturbation.calibration import least_count, rho_bernstein
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bbd24.studies._cells import SIGNS_WIDTH, share_different
from semipriv_lab.papers.bbd24.studies._envelopes import distances, width

STEIN = math.sqrt(2 / math.pi)

CASES = {2: 4000, 5: 4000, 40: 3000}
"""Random cases on the line by the number of functions."""
RATIOS = (0.01, 0.1, 1.0)
"""tau / eta of the two signs."""
CLASSES = tuple(product((2, 5, 20), (3, 30, 200)))
"""Dimension and number of functions, drawn."""
ETAS = (0.5, 3.0, 20.0)
DRAWS = 20_000
CLOSE, SPREAD = 0.95, 2001
"""The class that refutes theorem 5: as many functions from .95 to 1."""


def line_case(functions: int, generator: np.random.Generator) -> tuple[Floats, Floats, Floats, float]:
    """Return a random class on the line, its means, the means of a neighbour with tau = 1, and eta.

    Norms are anything from 0 to 1, in a third of the cases with both ends; the change of the means is random, or as bad
    as may be: 1 on one side of a cut and -1 on the other.
    """
    a = generator.uniform(-1, 1, functions)
    if generator.random() < 1 / 3:
        a[:2] = 1, -1
    eta = 10 ** generator.uniform(-1.5, 1.5)
    means = generator.standard_normal(functions) * 10 ** generator.uniform(-2, 1)
    if generator.random() < 0.5:
        means = eta * generator.uniform(0.1, 2) * a**2
    change = np.sign(a - generator.uniform(-1, 1)) if generator.random() < 0.5 else generator.uniform(-1, 1, functions)
    return a, means, means + change, float(eta)


def line_ratios(randomness: Simulation, effort: float) -> dict[int, tuple[float, float, float]]:
    """Return by the number of functions the largest ratios to bounds of the squared distance, distance and tail."""
    ratios = {}
    for functions, cases in track(CASES.items(), "classes"):
        generator, most = randomness.spawn("line", functions).generator, np.zeros(3)
        for _ in range(max(50, round(cases * effort))):
            a, means, others, eta = line_case(functions, generator)
            chances, lengths = distances(a, means, others, eta)
            bound = 2 * width(a) / eta
            tails = [chances[lengths >= r - 1e-12].sum() / _printed(r, eta, a) for r in np.unique(lengths) if r > 1e-9]
            square, mean = float(chances @ lengths**2), float(chances @ lengths)
            most = np.maximum(most, [square / bound, mean / math.sqrt(bound), float(max(tails, default=0.0))])
        ratios[functions] = (float(most[0]), float(most[1]), float(most[2]))
    return ratios


def _printed(radius: float, eta: float, a: Floats) -> float:
    """Return the smaller of the printed forms, with r^-2 and r^-4 and the least E w(f)^2 at its largest, 1."""
    return min(printed_distance_tail(1.0, radius, eta, width(a), power) for power in (2, 4))


def drawn_distances(
    dimension: int, functions: int, eta: float, draws: int, randomness: Simulation
) -> tuple[Floats, Floats]:
    """Return ||f - f'||^2 of a random class with norms from 0 to 1, tau = 1, and sup w, both (draws,)."""
    values = randomness.spawn("class").generator
    vectors = values.standard_normal((functions, dimension))
    vectors *= (values.uniform(0, 1, functions) / np.linalg.norm(vectors, axis=1))[:, None]
    means = values.standard_normal(functions)
    others = means + values.choice([-1.0, 1.0], functions)
    w = randomness.spawn("process").generator.standard_normal((draws, dimension)) @ vectors.T
    f, other = (np.argmin(mean + eta * w, axis=1) for mean in (means, others))
    return np.sum((vectors[f] - vectors[other]) ** 2, axis=1), w.max(axis=1)


SQUARE = "E ||f - f'||^2 / (2 tau W / eta), largest of random classes on the line"
PRINTED = "P[||f - f'|| >= r] / printed form, largest of random classes on the line"
SIGNS = "E ||f - f'||^2 / (2 tau W / eta), two signs"
NEAR = "E ||f - f'||^2 / (2 tau W / eta), norms from .95 to 1"
DRAWN = "E ||f - f'||^2, random classes in space"
SMALLER = "control: the same with the constant 1.9 in place of 2, two signs"
DOUBLED = "control: a change of 2 tau judged as one of tau, two signs"


@claim(
    "BBD24-P1-literal",
    "finite classes on the line by lower envelopes, exactly; two signs in closed form; random classes of norms 0 to 1 "
    "in 2 to 20 dimensions by draws",
    shown=SQUARE,
    stream="P1",
)
def any_norms(table: Table) -> str:
    """Compare the squared distance of minimisers with 2 tau W / eta, and its tail with the printed forms."""
    for functions, (square, _, printed) in table.once(line_ratios).items():
        table.at_most(SQUARE, {"functions": functions}, square, 1.0, rounding=1e-9)
        table.at_most(PRINTED, {"functions": functions}, printed, 1.0, rounding=1e-9)
    for ratio in RATIOS:
        settings: Settings = {"tau_over_eta": ratio}
        share, bound = share_different(ratio, 1.0), squared_distance(ratio, 1.0, SIGNS_WIDTH)
        table.at_most(SIGNS, settings, 4 * share / bound, 1.0)
        table.exceeding(SMALLER, settings, 4 * share / (0.95 * bound), 1.0)
        table.exceeding(DOUBLED, settings, 4 * share_different(2 * ratio, 1.0) / bound, 1.0)
    a = np.linspace(CLOSE, 1, SPREAD)
    for tau, side in product((1e-8, 1e-4, 1e-2), ("cut", "alternating")):
        change = np.sign(a - a.mean()) if side == "cut" else np.resize([1.0, -1.0], len(a))
        means = (a - a.mean()) ** 2
        chances, lengths = distances(a, means, means + tau * change, 0.1)
        bound = squared_distance(tau, 0.1, width(a))
        table.at_most(NEAR, {"tau": tau, "change": side}, float(chances @ lengths**2) / bound, 1.0)
    draws, level = table.trials(DRAWS, 100), GATE_LEVEL / (2 * len(CLASSES) * len(ETAS))
    for (dimension, functions), eta in track(list(product(CLASSES, ETAS)), "classes in space"):
        stream = table.randomness.spawn(dimension, functions, str(eta))
        squares, highest = drawn_distances(dimension, functions, eta, draws, stream)
        least = float(highest.mean()) - math.sqrt(2 * math.log(1 / level) / draws)
        settings = {"dimension": dimension, "functions": functions, "eta": eta}
        bound = squared_distance(1.0, eta, max(0.0, least))
        table.at_most(DRAWN, settings, bernstein_interval(squares, 4.0, level), bound, draws, judged=bound < 4)
    attained = max(table.values(SIGNS))
    return (
        "proved here for any norms, and attained: the two signs reach "
        f"{attained:.6f} of 2 tau W / eta.  By Markov's inequality P[||f - f'|| > r] <= 2 tau W / (eta r^2), which is "
        "below the printed 8 tau W / (r^4 eta kappa^2) and below its reading with r^-2, as kappa <= 1 and r <= 2.  On "
        "the class that refutes theorem 5, which is about near-minimisers of one process, the bound holds.  A "
        "drawn cell with a bound of 4, the square of the diameter, is not judged"
    )


MEAN = "E ||f - f'|| / sqrt(2 W / eta), largest of random classes on the line"
SIGNS_MEAN = "E ||f - f'|| / sqrt(2 W / eta), two signs"
BELOW = "sqrt(2 W / eta) / (9 W / eta)^(1/3), where sqrt(2 W / eta) < 2"
LESS = "control: E ||f - f'||, two signs, against 3/4 of the bound"
WIDTHS = (1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5, 2.0)
"""W / eta."""


@claim(
    "BBD24-L7-sharp",
    "finite classes on the line by lower envelopes, exactly; two signs in closed form",
    shown=MEAN,
    constants="ours",
)
def expected(table: Table) -> str:
    """Compare the mean distance of minimisers with sqrt(2 W / eta), and that with lemma 7's bound."""
    for functions, (_, mean, _) in table.once(line_ratios).items():
        table.at_most(MEAN, {"functions": functions}, mean, 1.0, rounding=1e-9)
    for eta in (1e-6, 0.5, 1.0, 5.0, 20.0, 50.0, 1e4):
        measured, bound = 2 * share_different(1.0, eta), expected_distance(eta, SIGNS_WIDTH)
        table.at_most(SIGNS_MEAN, {"eta": eta}, measured / bound, 1.0)
    measured, bound = 2 * share_different(1.0, 0.5), expected_distance(0.5, SIGNS_WIDTH)
    table.exceeding(LESS, {"eta": 0.5}, measured, 0.75 * bound)
    for share in WIDTHS:
        ratio = expected_distance(1.0, share) / printed_expected_distance(1.0, share)
        table.at_most(BELOW, {"W_over_eta": share}, ratio, 1.0)
    return (
        "proved here, for any norms and without a least one (kappa); never above lemma 7's (9 W / eta)^(1/3): "
        f"{max(table.values(BELOW)):.3f} of it at most"
    )


SPENT = "P[distance of the averages > rho] / delta_c, two signs"
NO_RANGE = "control: the same with a sixteenth of the variance, and without the term of the range"
CALLS = "least J for a stability of twice Stein's term, two signs"
CALIBRATIONS = {"McDiarmid": math.inf, "the smaller one": SIGNS_WIDTH}
"""Bounds on E sup w: without one, stability is by McDiarmid's inequality."""
CALLED = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0)
"""Values of eta for that."""
CHANCE = 1e-6
COUNTS = (1000, 10_000, 100_000, 1_000_000)
AVERAGED = (1.0, 5.0, 20.0, 80.0)


@claim(
    "BBD24-L1-bernstein",
    "averages of the two signs under one process, exactly by binomial tails",
    shown=SPENT,
    constants="ours",
)
def averages(table: Table) -> str:
    """Compare the tail of the distance of two averages with the chance that the calibration allows."""
    for eta, count in product(AVERAGED, COUNTS):
        settings: Settings = {"eta": eta, "J": count}
        rho, share = rho_bernstein(eta, count, CHANCE, SIGNS_WIDTH), share_different(1.0, eta)
        spent = float(scipy.special.bdtrc(math.floor(rho * count / 2), count, share)) / CHANCE
        table.at_most(SPENT, settings, spent, 1.0)
        if eta >= 5:
            threshold = STEIN / eta + math.sqrt(4 * SIGNS_WIDTH * math.log(2 / CHANCE) / (16 * eta * count))
            spent = float(scipy.special.bdtrc(math.floor(threshold * count / 2), count, share)) / CHANCE
            table.exceeding(NO_RANGE, settings, spent, 1.0)
    for corner in table.corners("eta", "J", "delta"):
        eta, count, chance = corner["eta"], corner["J"], corner["delta"]
        rho, share = rho_bernstein(eta, count, chance, SIGNS_WIDTH), share_different(1.0, eta)
        beyond = float(scipy.special.bdtrc(math.floor(rho * count / 2), count, share)) if rho < 2 else 0.0
        table.at_most("P[distance of the averages > rho], two signs, at corners", corner, beyond, chance)
    for eta, (name, wide) in product(CALLED, CALIBRATIONS.items()):
        count = least_count(2 * STEIN / eta, eta, CHANCE, wide)
        table.recorded(CALLS, {"eta": eta, "calibration": name}, count)
    old, new = (table.values(CALLS, calibration=name) for name in CALIBRATIONS)
    saved = [numerator / other for numerator, other, eta in zip(old, new, CALLED, strict=True) if eta >= 5]
    return (
        "proved here, with theorem A for the variance: calls of the oracle grow like 1 / rho, not 1 / rho^2. For a "
        f"stability of twice Stein's term {min(saved):.0f} to {max(saved):.0f} times fewer are enough at eta = 5 to 80"
    )
