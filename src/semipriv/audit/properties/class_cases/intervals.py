import numpy as np

from semipriv.audit.properties.class_cases import INFINITY, Case
from semipriv.classes.intervals import Intervals


def says(h: Intervals, parameters: list[float], x: list[float]) -> bool:
    return parameters[0] <= x[0] <= parameters[1]


def dichotomies(h: Intervals, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Of [p, q] for all points p and q: those with p > q are empty."""
    ends = [p[0] for p in x]
    met = {tuple(lo <= p <= hi for p in ends) for lo in ends for hi in ends}
    return met | {(False,) * len(x)}


def parameters(h: Intervals, rng: np.random.Generator, k: int) -> np.ndarray:
    """Short and long ones, points, a ray to each side or the whole line, and the empty set."""
    finite = np.sort(rng.integers(-3, 4, (k - 2, 2)), axis=1)
    unbounded = [(-INFINITY, 1), (0, INFINITY), (-INFINITY, INFINITY)][rng.integers(3)]
    return np.concatenate([finite, [unbounded, (INFINITY, -INFINITY)]]).astype(float)


CASE = Case(dichotomies, says, parameters)
