import itertools
import operator
from collections.abc import Iterator

import numpy as np

from semipriv.audit.properties.class_cases import Case
from semipriv.classes.discrete_thresholds import DiscreteThresholds

COMPARE = {"lt": operator.lt, "ge": operator.ge}
BASE = 2**53


def number(x: list[float]) -> int:
    """Digits in base 2^53 as an integer."""
    return sum(int(digit) * BASE**i for i, digit in enumerate(reversed(x)))


def digits(h: DiscreteThresholds, numbers: list[int]) -> np.ndarray:
    words = -(-h.bits // 53)
    rows = []
    for value in numbers:
        rest, row = value, []
        for _ in range(words - 1):
            rest, digit = divmod(rest, BASE)
            row.append(digit)
        rows.append([rest, *reversed(row)])
    return np.array(rows, float).reshape(-1, words)


def notable(h: DiscreteThresholds) -> list[int]:
    """Thresholds close to both ends of the domain, to powers of 2^53 and in the middle."""
    size = 2**h.bits
    middles = [0, size // 2, size, *(BASE**i for i in range(1, h.bits // 53 + 1))]
    return sorted({v for middle in middles for v in range(middle - 2, middle + 3) if 0 <= v <= size})


def domain(h: DiscreteThresholds) -> list[int]:
    return [v for v in notable(h) if v < 2**h.bits]


def says(h: DiscreteThresholds, parameters: list[float], x: list[float]) -> bool:
    return COMPARE[h.orientation](number(x), number(parameters))


def dichotomies(h: DiscreteThresholds, x: list[list[float]]) -> set[tuple[bool, ...]]:
    values = [number(p) for p in x]
    return {tuple(COMPARE[h.orientation](v, j) for v in values) for j in [0, *(v + 1 for v in values)]}


def parameters(h: DiscreteThresholds, rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.choice(digits(h, notable(h)), k)


def point_sets(h: DiscreteThresholds) -> list[np.ndarray]:
    rng, points = np.random.default_rng(20), digits(h, domain(h))
    return [
        rng.permutation(points)[:7],
        points[:7],
        points[-7:],
        points[[-1, 0, -1]],
        points[:1],
        points[-1:],
        points[:0],
    ]


def domain_points(h: DiscreteThresholds, rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice(digits(h, domain(h)), n)


def candidates(h: DiscreteThresholds, size: int) -> Iterator[list[list[float]]]:
    yield from map(list, itertools.combinations(digits(h, domain(h)).tolist(), size))


CASE = Case(
    dichotomies,
    says,
    parameters,
    point_sets=point_sets,
    domain_points=domain_points,
    many_points=domain_points,
    candidates=candidates,
    grid=lambda h: digits(h, domain(h)),
    domain_size=lambda h: 2**h.bits,
)
