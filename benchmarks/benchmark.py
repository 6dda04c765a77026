"""What a benchmark is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Call = Callable[[], Any]


@dataclass(frozen=True)
class Made:
    """A benchmark ready to be timed.  share: the part of the baseline's work that ``baseline`` does, to extrapolate.

    read: bytes that the work cannot do without reading once, whatever the algorithm.
    """

    work: Call
    baseline: Call | None = None
    share: float = 1.0
    count: float | None = None
    read: int | None = None


@dataclass(frozen=True)
class Benchmark:
    """make(factor) prepares one size.  target: ratio baseline / work that must be reached, or, with ``at_most``,
    the largest ratio work / baseline allowed; limit: seconds that the work may take.  growth: make for n and 10 n;
    growth_at_most: how many times dearer the larger may be, None where the cost is not linear by nature.  memory: bytes
    that a process which does the work once, and nothing else, may occupy at its peak.  reads_at_most: how many times as
    long as one read of its bytes the work may take.
    """

    name: str
    baseline: str
    make: Callable[[float], Made]
    target: float | None = None
    at_most: float | None = None
    limit: float | None = None
    growth: Callable[[float], list[tuple[int, Call]]] | None = None
    growth_at_most: float | None = 12
    memory: float | None = None
    reads_at_most: float | None = None
    repeats: int = 7
    notes: str = ""
    tags: tuple[str, ...] = field(default=())


def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def size(n: float, factor: float) -> int:
    return max(3, round(n * factor))
