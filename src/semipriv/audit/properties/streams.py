"""Random streams of a simulation: which were begun, and which begun twice."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from semipriv.core.randomness import Simulation

Stream = tuple[int, tuple[str, ...]]
"""Seed and path."""


def _line() -> str:
    """Return the line of the package that asked for a generator."""
    frame = sys._getframe()
    while not frame.f_globals.get("__name__", "").startswith("semipriv.") or "randomness" in frame.f_code.co_filename:
        assert frame.f_back is not None
        frame = frame.f_back
    return f"{frame.f_globals['__name__']}:{frame.f_lineno}"


@contextmanager
def streams() -> Iterator[Counter[tuple[Stream, str]]]:
    """Count how often a stream is begun and drawn from, by seed, path and line of code; counted at the end."""
    generator = Simulation.__dict__["generator"]
    asked: list[tuple[Stream, str, np.random.Generator, Any]] = []
    begun: Counter[tuple[Stream, str]] = Counter()

    def started(self: Simulation) -> np.random.Generator:
        stream: np.random.Generator = generator.func(self)
        asked.append(((self.seed, self.path), _line(), stream, stream.bit_generator.state["state"]))
        return stream

    spied: Any = cached_property(started)
    spied.__set_name__(Simulation, "generator")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Simulation, "generator", spied)
        yield begun
    begun.update((s, at) for s, at, stream, before in asked if stream.bit_generator.state["state"] != before)


def begun_again(begun: Counter[tuple[Stream, str]]) -> list[tuple[Stream, str]]:
    """Return the streams that were begun more than once, with the lines that did: their samples are equal."""
    often: Counter[Stream] = Counter()
    for (stream, _), times in begun.items():
        often[stream] += times
    return [(stream, line) for stream, line in begun if often[stream] > 1]
