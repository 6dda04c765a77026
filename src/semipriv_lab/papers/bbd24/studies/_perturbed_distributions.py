"""Algorithm 2 on two classes with mixtures as outputs, by counts and exact in distribution.

Signs: {+1, -1}, any points.  Chain: nine thresholds with values -1 and 1 over eight points, all of them public; private
points are uniform.  The loss is |f - y| / 2; responses are those of +1, or of the middle function, flipped with chance
FLIP.
"""

import math
from functools import cache

import numpy as np
import scipy

from semipriv.core.binomial import binomial_distribution
from semipriv.core.types import Floats
from semipriv.papers.bbd24.perturbation.calibration import finite_width, rho_perturbed
from semipriv.papers.bbd24.perturbation.perturb import mixture
from semipriv.papers.bbd24.perturbation.sizes import Sizes, Task, normal_quantile
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv_lab.papers.bbd24.studies._cells import SIGNS_WIDTH
from semipriv_lab.papers.bbd24.studies._chains import chain, chain_shares

EPSILON = 1.0
BETA = 0.05
PRIVACY_DELTA = 1e-5
DELTA = PRIVACY_DELTA / 2
"""For the stability, and as much for the noise."""
FLIP = 0.1
POINTS = 8
CHAIN_WIDTH = finite_width(POINTS + 1)
"""Bounds E sup w on the chain."""
NODES = 80
"""Of the integrals behind the distribution of the minimiser on the chain: good for about 1e-9."""


@cache
def unit(epsilon: float = EPSILON) -> float:
    """Return the standard deviation of normal noise for a distance of 1."""
    return gaussian_sigma(epsilon, DELTA)


def moved(sizes: Sizes, width: float) -> float:
    """Return the stability of algorithm 2 except with a chance of DELTA; width: bounds E sup w."""
    return rho_perturbed(sizes.eta, sizes.count, DELTA, width)


def signs_task(epsilon: float = EPSILON) -> Task:
    """Return the bound on the signs: the mean of m noisy equal values moves by rho unit times a normal variable."""
    return Task(0.5, 1.0, unit(epsilon) * normal_quantile(1, BETA / 8), range=2 * SIGNS_WIDTH, beta=BETA)


def chain_task(beta: float = BETA) -> Task:
    """Return the bound on the chain: noise moves the nearest mixture by no more than its own length.

    That is so in the norm of the public points, which is that of the private distribution only if it is uniform on
    them.
    """
    noise = unit() * normal_quantile(POINTS, beta / 8)
    return Task(0.5, CHAIN_WIDTH, noise, range=2 * CHAIN_WIDTH, beta=beta)


def signs_excesses(sizes: Sizes, trials: int, generator: np.random.Generator, epsilon: float = EPSILON) -> Floats:
    """Return the excess loss of algorithm 2 on the signs, responses -1 with chance FLIP: (trials,)."""
    lead = 2 * generator.binomial(sizes.n, 1 - FLIP, trials) - sizes.n
    share = scipy.special.ndtr(lead / (2 * sizes.eta))
    mean = 2 * generator.binomial(sizes.count, share) / sizes.count - 1
    noisy = mean + moved(sizes, SIGNS_WIDTH) * unit(epsilon) * generator.standard_normal(trials)
    return np.asarray((1 - np.clip(noisy, -1, 1)) * (0.5 - FLIP))


def signs_chance(sizes: Sizes, alpha: float, epsilon: float = EPSILON) -> float:
    """Return P[excess > alpha] of algorithm 2 on the signs, see ``signs_excesses``.

    A normal variable of variance (1 - f^2) / J, f the expectation of the mean of J minimisers given the sample, stands
    for its error.  J signs of mean f are replaced one after the other (Lindeberg): the chance moves by at most .18 /
    (J noise)^2 / noise, with the third absolute moments (1 - f^2) (1 + f^2) <= 1 and 1.6 (1 - f^2)^(3/2), and the
    largest |phi''| = .399: 1.1e-5 at the explicit sizes.
    """
    positives, logs = binomial_distribution(sizes.n, 1 - FLIP)
    mean = 2 * scipy.special.ndtr((2 * positives - sizes.n) / (2 * sizes.eta)) - 1
    deviation = np.sqrt((moved(sizes, SIGNS_WIDTH) * unit(epsilon)) ** 2 + (1 - mean**2) / sizes.count)
    return float(np.exp(logs) @ scipy.special.ndtr((1 - alpha / (0.5 - FLIP) - mean) / deviation))


def chain_excesses(sizes: Sizes, trials: int, generator: np.random.Generator) -> Floats:
    """Return the excess loss of algorithm 2 on the chain, uniform points, labels of f_4 flipped with chance FLIP."""
    functions = chain(POINTS)
    target = functions[POINTS // 2]
    gamma = math.sqrt(POINTS) * moved(sizes, CHAIN_WIDTH) * unit()
    excesses = np.empty(trials)
    for i in range(trials):
        seen = generator.multinomial(sizes.n, np.full(POINTS, 1 / POINTS))
        flipped = generator.binomial(seen, FLIP)
        losses = np.where(functions == target, flipped, seen - flipped).sum(axis=1).astype(float)
        counts = generator.multinomial(sizes.count, _shares(losses, sizes.eta))
        noisy = counts / sizes.count @ functions + gamma * generator.standard_normal(POINTS)
        output = mixture(functions, noisy)[0] @ functions
        excesses[i] = np.mean((1 - output * target) * (0.5 - FLIP))
    return excesses


def one_point_excesses(sizes: Sizes, trials: int, generator: np.random.Generator) -> Floats:
    """Return the excess loss of algorithm 2 on the chain if all records are at one point, with f_4's label: (trials,).

    The functions with that label there have no loss, whatever n is, and all others one of n >= 20 eta, which stands
    for it: 7 standard deviations of the process.  The nearest mixture is monotone regression, clipped.
    """
    functions, place = chain(POINTS), POINTS // 2
    losses = np.where(functions[:, place] == functions[place, place], 0.0, float(sizes.n))
    shares = chain_shares(list(np.minimum(losses, 20 * sizes.eta)), sizes.eta)
    gamma = math.sqrt(POINTS) * moved(sizes, CHAIN_WIDTH) * unit()
    counts = generator.multinomial(sizes.count, shares / shares.sum(), trials)
    noisy = counts / sizes.count @ functions + gamma * generator.standard_normal((trials, POINTS))
    outputs = np.array([scipy.optimize.isotonic_regression(values).x[place] for values in noisy])
    return np.asarray((1 - np.clip(outputs, -1, 1) * functions[place, place]) / 2)


def _shares(losses: Floats, eta: float) -> Floats:
    """Return how likely each function of the chain is the minimiser.

    The best one surely, up to 1e-30, if the others are 12 standard deviations of the process behind it.
    """
    best = int(np.argmin(losses))
    behind = np.delete(losses - losses[best], best)
    steps = np.delete(np.abs(np.arange(len(losses)) - best), best)
    if np.all(behind > 12 * 2 * eta * np.sqrt(steps / POINTS)):
        return np.eye(len(losses))[best]
    shares = chain_shares(list(losses), eta, NODES)
    return shares / shares.sum()
