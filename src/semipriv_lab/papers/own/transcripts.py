"""Transcripts with forced answers: what a release asks of its mechanisms, when these answer by given numbers.

While ``forced`` lasts, mechanisms add no noise and select nothing: they note what they are asked, and answer by numbers
that depend on a seed, the mechanism and public sizes alone.  If a release reads private rows through its mechanisms
only, then for one seed the releases of any two private tables of one size are equal, and so are the mechanisms, their
order and the number of values that each is asked for.  ``spent`` is how far what was asked on two neighbours is apart,
in units of privacy loss: sums of what the noise of each mechanism hides, by formulas of this file.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize_scalar

from semipriv.mechanisms.gaussian_integers import GaussianIntegers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.gaussians import composed_epsilon

ZEROS, HUGE = 0, 1
"""Seeds of two special transcripts: all noisy sums are 0, or as large as 2^40."""


@dataclass(frozen=True, eq=False)
class Request:
    """What a mechanism was asked.  mechanism: with all its parameters.  values: (k,), integers of the private rows."""

    mechanism: Any
    values: np.ndarray

    @property
    def public(self) -> tuple[str, tuple[int, ...]]:
        """What must be the same for all private tables: the mechanism, and how many values it gets."""
        return repr(self.mechanism), self.values.shape


class EnoughError(Exception):
    """As many requests were made as were to be seen."""


@contextmanager
def forced(seed: int, most: int | None = None) -> Iterator[list[Request]]:
    """Force the answers of all mechanisms by a seed, and yield the list to which their requests are added.

    most: the release is ended at this request by ``EnoughError``, which is raised to the caller.
    """
    requests: list[Request] = []
    answers = np.random.default_rng(seed)

    def note(mechanism: Any, values: Any) -> np.ndarray:
        given = np.asarray(values)
        requests.append(Request(mechanism, given.copy()))
        if len(requests) == most:
            raise EnoughError
        return given

    def numbers(width: float, shape: tuple[int, ...]) -> np.ndarray:
        if seed == ZEROS:
            return np.zeros(shape, np.int64)
        if seed == HUGE:
            return answers.integers(-(2**40), 2**40, shape)
        most = max(1, min(int(3 * width), 2**40))
        return answers.integers(-most, most + 1, shape)

    def release(self: Any, values: Any, randomness: Any) -> np.ndarray:
        return numbers(math.sqrt(self.noise.variance), note(self, values).shape)

    def add(self: Any, values: Any, randomness: Any) -> np.ndarray:
        return np.abs(numbers(math.sqrt(self.variance), note(self, values).shape))

    def sample(self: Any, scores: Any, randomness: Any, size: int | None = None) -> int:
        assert size is None
        return int(answers.integers(len(note(self, scores))))

    with (
        patch.object(NoisyIntegers, "release", release),
        patch.object(GaussianIntegers, "release", release),
        patch.object(DiscreteNoise, "add", add),
        patch.object(SelectionMechanism, "sample", sample),
        patch.object(ExponentialMechanism, "sample_each", SelectionMechanism.sample_each),
    ):
        yield requests


@contextmanager
def noted() -> Iterator[list[Request]]:
    """Let selections draw as they do, and yield the list to which their requests are added."""
    requests: list[Request] = []
    draw = SelectionMechanism.sample

    def sample(self: Any, scores: Any, randomness: Any, size: int | None = None) -> Any:
        requests.append(Request(self, np.array(scores)))
        return draw(self, scores, randomness, size)

    with (
        patch.object(SelectionMechanism, "sample", sample),
        patch.object(ExponentialMechanism, "sample_each", SelectionMechanism.sample_each),
    ):
        yield requests


@contextmanager
def silent() -> Iterator[None]:
    """Let noisy sums have no noise, as in the limit of large epsilon; selections draw as they do."""

    def release(self: Any, values: Any, randomness: Any) -> np.ndarray:
        return np.array(values)

    with patch.object(NoisyIntegers, "release", release), patch.object(GaussianIntegers, "release", release):
        yield


def spent(first: Sequence[Request], second: Sequence[Request], pure: bool) -> Fraction:
    """Return the largest privacy loss between what two neighbours asked: epsilons in sum, or rhos, exactly.

    Discrete Laplace noise of scale b hides an L1 distance at a loss of distance / b.  Discrete Gaussian noise of sigma
    costs a rho of distance^2 / (2 sigma^2), in L2.  A selection of rate r, whose scores move by at most D either way,
    loses 2 r D; that of the exponential mechanism has a rho of (r (largest - least move))^2 / 8.

    Raises ValueError if the requests are not of equal mechanisms and sizes.
    """
    if [a.public for a in first] != [b.public for b in second]:
        raise ValueError("requests: are not those of the same mechanisms")
    total = Fraction(0)
    for a, b in zip(first, second, strict=True):
        moves = [int(y) - int(x) for x, y in zip(a.values.tolist(), b.values.tolist(), strict=True)]
        total += _cost(a.mechanism, moves, pure)
    return total


def _cost(mechanism: Any, moves: Sequence[int], pure: bool) -> Fraction:
    if isinstance(mechanism, SelectionMechanism):
        rate = Fraction(mechanism.epsilon) / (2 * Fraction(mechanism.sensitivity))
        if pure:
            return 2 * rate * max(map(abs, moves))
        assert isinstance(mechanism, ExponentialMechanism), "of the two it alone has this rho"
        return (rate * (max(moves) - min(moves))) ** 2 / 8
    noise = mechanism if isinstance(mechanism, DiscreteNoise) else mechanism.noise
    if isinstance(noise, DiscreteLaplace):
        distance = Fraction(sum(map(abs, moves))) / Fraction(noise.scale)
        return distance if pure else distance**2 / 2
    assert isinstance(noise, DiscreteGaussian)
    assert not pure, "Gaussian noise has no epsilon without a delta"
    return Fraction(sum(move * move for move in moves)) / (2 * Fraction(noise.sigma) ** 2)


def is_pure(requests: Sequence[Request]) -> bool:
    """Return whether all mechanisms are pure: none has Gaussian noise."""
    noises = (getattr(request.mechanism, "noise", request.mechanism) for request in requests)
    return not any(isinstance(noise, DiscreteGaussian) for noise in noises)


def loss_of(first: Sequence[Request], second: Sequence[Request], delta: float) -> float:
    """Return the epsilon, at a delta, between what two neighbours asked, if some of it was Gaussian noise.

    It is that of the sum of rhos.  If nothing else was asked, it is the one of the theorem of
    `semipriv.privacy.gaussians` if that is smaller: for the smallest scale, and as many values as could have moved.
    """
    rho = spent(first, second, False)
    loss = epsilon_of(max(float(rho), 1e-300), delta)
    noises = [getattr(asked.mechanism, "noise", asked.mechanism) for asked in first]
    if not rho or not all(isinstance(noise, DiscreteGaussian) for noise in noises):
        return loss
    moved = sum(int(move) ** 2 for a, b in zip(first, second, strict=True) for move in (b.values - a.values).ravel())
    exact = composed_epsilon(rho, min(Fraction(noise.sigma) for noise in noises), Fraction(moved), delta)
    return loss if exact is None else min(loss, exact)


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon that rho implies at a delta, by Canonne, Kamath and Steinke 2020, proposition 12.

    It is the least value over a > 1 of a rho + ln(1 - 1 / a) + (ln(1 / delta) - ln a) / (a - 1), and 0 at least.

    >>> round(epsilon_of(0.02436, 1e-6), 3)
    1.0
    """

    def at(log: float) -> float:
        a = 1 + math.exp(log)
        return a * rho + math.log1p(-1 / a) + (-math.log(delta) - math.log(a)) / (a - 1)

    centre = 0.5 * math.log(-math.log(delta) / rho)
    optimum = minimize_scalar(at, bounds=(centre - 3, centre + 3), method="bounded", options={"xatol": 1e-10})
    return max(0.0, float(optimum.fun))
