"""How well algorithms 2 and 3 of BBD24 learn: excess losses with explicit constants, and sizes solved from them.

Algorithm 3 minimises the sum of losses over n private records plus eta ||f||_m^2, algorithm 2 averages J minimisers of
the sum plus eta times a Gaussian process.  Both release the values on public points with noise and fit a function to
them.  Each bound is a sum of three errors: of n records, of the regulariser, and of the noise.  Losses are convex with
Lipschitz constant ``lipschitz`` and values in [0, 1].  Logarithms are natural.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import scipy

from semipriv.core import checks
from semipriv.core.least import least_size
from semipriv.papers.bbd24.perturbation.calibration import rho_perturbed, rho_regularised

PARTS = 8
"""Beta is shared by eight events, of which at most four are used."""


def deviation(n: int, lipschitz: float, richness: float, beta: float) -> float:
    """Return 2 lipschitz richness / sqrt(n) + sqrt(ln(1/beta) / (2n)), lemma 13 with explicit constants.

    sup_f L(f) - L_D(f), and sup_f L_D(f) - L(f), each exceed it with chance at most beta.  richness: sqrt(n) times the
    Rademacher complexity of the class, 1 for {+1, -1} and for linear functions of norm 1 on the unit ball, at most
    sqrt(2 ln N) for N functions, and at most sqrt(pi / 2) E sup w.

    >>> round(deviation(7023, 0.5, 1.0, 0.05 / 8), 4)
    0.0309
    """
    return 2 * lipschitz * richness / math.sqrt(n) + math.sqrt(math.log(1 / beta) / (2 * n))


def uniform_deviation(n: int, lipschitz: float, width: float, beta: float) -> float:
    """Return 6 lipschitz width / sqrt(n) + sqrt(ln(2/beta) / (2n)), lemma 13 with the loss's Lipschitz constant.

    sup_f |L_D(f) - L(f)| is at most this with probability 1 - beta, for losses in [0, 1].  width: E sup w_n.  By
    symmetrisation, contraction and E|g| = sqrt(2/pi) the mean of either side is at most 2 lipschitz sqrt(pi/2) width /
    sqrt(n); bounded differences do the rest.

    >>> round(uniform_deviation(10_000, 0.5, 0.8, 0.05), 4)
    0.0376
    """
    checks.size("n", n)
    checks.between("lipschitz", lipschitz, 0, math.inf, closed="l")
    checks.between("width", width, 0, math.inf, closed="l")
    checks.between("beta", beta, 0, 1)
    return 6 * lipschitz * width / math.sqrt(n) + math.sqrt(math.log(2 / beta) / (2 * n))


def comparison(dimension: int, points: int, spread: float, beta: float) -> float:
    """Return c with ||w||_mu <= c ||w||_m for all linear functions w, except with a chance of beta.

    c = 1 / sqrt(1 - t), t = sqrt(2 spread^2 ln(dimension / beta) / m), for m independent points; spread: the largest
    ratio of |<w, x>| to ||w||_mu.  The matrix Chernoff bound (Tropp 2012, theorem 1.1) for the points in the
    coordinates where E x x^T is the identity: their squared lengths are at most spread^2.

    >>> round(comparison(2, 800, 2.0, 0.05 / 8), 4)
    1.1472
    """
    need = 2 * spread * spread * math.log(dimension / beta)
    if points <= need:
        raise ValueError(f"points = {points!r}: must be above {need:g}")
    return 1 / math.sqrt(1 - math.sqrt(need / points))


def normal_quantile(dimension: int, beta: float) -> float:
    """Return the 1 - beta quantile of the length of a standard normal vector.

    >>> round(normal_quantile(1, 0.05), 3)
    1.96
    """
    return math.sqrt(2 * float(scipy.special.gammainccinv(dimension / 2, beta)))


def laplace_quantile(beta: float) -> float:
    """Return ln(1/beta), the 1 - beta quantile of |x| for x of the Laplace distribution of scale 1."""
    return math.log(1 / beta)


@dataclass(frozen=True)
class Task:
    """What a bound depends on but the sizes.

    lipschitz, richness: see ``deviation``.  noise: the 1 - beta/8 quantile of the distance that noise moves the output
    by, in the norm of the private distribution, for a stability of 1.  spread: K_Z of ``rho_regularised``, infinite if
    unknown.  range: a bound of E sup w - E inf w = 2 E sup w, for algorithm 2.  beta: failure probability.

    Raise ValueError for a number that is out of range; with a Lipschitz constant or a range of 0 nothing is to learn.
    """

    lipschitz: float
    richness: float
    noise: float
    spread: float = math.inf
    range: float = 1.0
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("lipschitz", "noise", "range"):
            checks.positive(name, getattr(self, name))
        checks.between("richness", self.richness, 0, math.inf, closed="l")
        if self.spread != math.inf:
            checks.positive("spread", self.spread)
        checks.between("beta", self.beta, 0, 1)

    @property
    def records(self) -> float:
        """sqrt(n) times twice the deviation: the error of the records."""
        return 2 * deviation(1, self.lipschitz, self.richness, self.beta / PARTS)

    def regularised(self, n: int, eta: float) -> float:
        """Return the bound on the excess loss of algorithm 3, with probability 1 - beta (lemma 16)."""
        moved = self.lipschitz * self.noise * rho_regularised(eta, self.lipschitz, self.spread)
        return self.records / math.sqrt(n) + eta / n + moved

    def perturbed(self, n: int, eta: float, count: int, delta: float) -> float:
        """Return the bound on the excess loss of algorithm 2 with mixtures as outputs (lemma 15).

        The regulariser costs eta / n times the mean range of w over the draws; count: J; delta: the chance that the
        stability does not hold.
        """
        spread = self.range + 2 * math.sqrt(2 * math.log(PARTS / self.beta) / count)
        moved = self.lipschitz * self.noise * rho_perturbed(eta, count, delta, self.range / 2)
        return self.records / math.sqrt(n) + eta * spread / n + moved


@dataclass(frozen=True)
class Sizes:
    """Numbers of private records, of minimisers that are averaged (1 for algorithm 3), and the weight eta."""

    n: int
    eta: float
    count: int = 1


def regularised_sizes(alpha: float, task: Task) -> Sizes:
    """Return the least n, with the best eta for it, for which ``Task.regularised`` is at most alpha.

    With a known spread eta = sqrt(c n), c = lipschitz^2 spread noise, else eta = (c n / 2)^(2/3), c = lipschitz noise.

    >>> from semipriv.privacy.gaussian import gaussian_sigma
    >>> task = Task(0.5, 1.0, gaussian_sigma(1.0, 1e-5) * normal_quantile(1, 0.05 / 8), 1.0)
    >>> regularised_sizes(0.1, task).n
    7023
    """
    checks.between("alpha", alpha, 0, 1)

    def best(n: int) -> float:
        if math.isinf(task.spread):
            return (task.lipschitz * task.noise * n / 2) ** (2 / 3)
        return task.lipschitz * math.sqrt(task.spread * task.noise * n)

    n = least_size(lambda n: task.regularised(n, best(n)), alpha)
    return Sizes(n, best(n))


def perturbed_sizes(alpha: float, task: Task, delta: float) -> Sizes:
    """Return the least n, with eta and J for it, for which ``Task.perturbed`` is at most alpha.

    J makes both parts of the stability alike: sqrt(2/pi) / eta for the expectations, the rest for the average, by the
    calibration that asks for fewer.

    >>> from semipriv.privacy.gaussian import gaussian_sigma
    >>> noise = gaussian_sigma(1.0, 5e-6) * normal_quantile(1, 0.05 / 8)
    >>> sizes = perturbed_sizes(0.1, Task(0.5, 1.0, noise, range=2 * math.sqrt(2 / math.pi)), 5e-6)
    >>> sizes.n, sizes.count
    (15894, 49186)
    """
    checks.between("alpha", alpha, 0, 1)
    stein = math.sqrt(2 / math.pi)

    def best(n: int) -> float:
        return math.sqrt(2 * stein * task.lipschitz * task.noise * n / task.range)

    log = math.log(2 / delta)

    def count(eta: float) -> int:
        by_mcdiarmid = (2 * (1 + math.sqrt(2 * log)) * eta / stein) ** 2
        linear, root = 2 * log * task.range / eta, stein / eta  # 4 L x^2 + sqrt(linear) x = root, for x = 1 / sqrt(J)
        by_bernstein = ((math.sqrt(linear) + math.sqrt(linear + 16 * log * root)) / (2 * root)) ** 2
        return math.ceil(min(by_mcdiarmid, by_bernstein))

    n = least_size(lambda n: task.perturbed(n, best(n), count(best(n)), delta), alpha)
    return Sizes(n, best(n), count(best(n)))


def least_on_grid(start: int, rare: Callable[[int], bool]) -> int:
    """Return the least n of a grid from which on rare(n) holds; the grid falls from ``start`` by 5 % a step.

    >>> least_on_grid(1000, lambda n: n >= 100)
    101
    """
    least = n = start
    while n and rare(n):
        least, n = n, min(n - 1, round(n / 1.05))
    return least


def exponent(alphas: tuple[float, ...], size: Callable[[float], float]) -> float:
    """Return the exponent in 1/alpha between the largest and the least alpha.

    >>> exponent((0.1, 0.05), lambda alpha: alpha**-2)
    2.0
    """
    first, last = max(alphas), min(alphas)
    return round(math.log(size(last) / size(first)) / math.log(first / last), 12)
