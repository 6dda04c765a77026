"""Exact noise of a vector, beside the same distribution drawn number by number in fractions."""

from collections.abc import Callable

from benchmark import Benchmark, Made, size

from semipriv.core.randomness import Secure
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

NUMBERS, ALONE = 1e6, 2_000
"""Numbers of the vector, and those that the baseline draws, to extrapolate."""


def vector(noise: DiscreteLaplace | DiscreteGaussian) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        numbers, alone = size(NUMBERS, factor), size(ALONE, factor)
        return Made(
            lambda: noise.sample(Secure(), numbers),
            lambda: [noise.exact(Secure()) for _ in range(alone)],
            share=alone / numbers,
            count=numbers,
        )

    return make


BENCHMARKS = tuple(
    Benchmark(
        f"{kind}, scale {scale:,}: 1e6 exact draws",
        "one by one, in fractions (Canonne, Kamath and Steinke 2020)",
        vector(noise(scale)),
        target=target,
        repeats=5,
    )
    for kind, noise, target in (
        ("discrete Laplace noise", DiscreteLaplace, 80),
        ("discrete Gaussian noise", DiscreteGaussian, 150),
    )
    for scale in (10, 10**6)
)
