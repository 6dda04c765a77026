"""What a curve of growth is: a size that varies, and the bound that its cost keeps."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmark import Call


@dataclass(frozen=True)
class Curve:
    """make(size) prepares a call, outside the clock; formula: its cost up to a factor, of ``bound`` in words.

    fixed: the other sizes.  turns: how often each size is timed, at most; fewer where a call takes a second.
    """

    name: str
    size: str
    sizes: Sequence[int]
    bound: str
    formula: Callable[[float], float]
    make: Callable[[int], Call]
    fixed: str = ""
    turns: int = 5


def constant(size: float) -> float:
    return 1.0


def linear(size: float) -> float:
    return size


def log_linear(size: float) -> float:
    return size * math.log(size)


def power(exponent: float) -> Callable[[float], float]:
    return lambda size: size**exponent
