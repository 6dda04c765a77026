import operator

import numpy as np

from semipriv.audit.properties.class_cases import INFINITY, Case
from semipriv.classes.thresholds import Thresholds

COMPARE = {"ge": operator.ge, "gt": operator.gt, "le": operator.le, "lt": operator.lt}


def says(h: Thresholds, parameters: list[float], x: list[float]) -> bool:
    return COMPARE[h.orientation](x[0], parameters[0])


def dichotomies(h: Thresholds, x: list[list[float]]) -> set[tuple[bool, ...]]:
    cuts = [-INFINITY, INFINITY, *(p[0] for p in x)]
    return {tuple(COMPARE[h.orientation](p[0], t) for p in x) for t in cuts}


def parameters(h: Thresholds, rng: np.random.Generator, k: int) -> np.ndarray:
    return np.append(rng.integers(-3, 4, k - 2), [-np.inf, np.inf])[:, None].astype(float)


CASE = Case(dichotomies, says, parameters)
