"""Kernels load numba when they are called, not when they are defined, and numba keeps what it compiled."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from semipriv.classes import _by_label, thresholds
from semipriv.core import kernels
from semipriv.core.kernels import Kernel, njit
from semipriv.mechanisms.sampling import choice
from semipriv.mechanisms.selection import base

KERNELS = """
import sys
from semipriv.core.kernels import njit, prange

@njit(cache=True)
def inner(x):
    return x * x

@njit(cache=True, parallel=True)
def outer(n):
    total = 0
    for i in prange(n):
        total += inner(i)
    return total

def main():
    before = "numba" in sys.modules
    values = outer(4), inner(3)
    hits = [sum(kernel.compiled.stats.cache_hits.values()) for kernel in (inner, outer)]
    print(before, *values, *hits, outer.compiled.targetoptions.get("parallel"), prange is not range)
"""


def printed(code: str, folder: Path) -> list[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_kernel_calls_another_and_both_are_kept(tmp_path: Path) -> None:
    """The second process compiles nothing: it finds the function and the one that it calls."""
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    code = "import some_kernels; some_kernels.main()"
    assert printed(code, tmp_path) == ["False", "14", "9", "0", "0", "True", "True"]
    assert printed(code, tmp_path) == ["False", "14", "9", "1", "1", "True", "True"]


def arrays(generator: np.random.Generator) -> dict[Kernel, tuple]:
    """Arguments for each kernel that has a stand-in, many of them equal."""
    n, p = (int(k) for k in generator.integers(0, [40, 300]))
    x, labels = generator.integers(0, 9, n).astype(float), generator.integers(0, 2, n).astype(np.int8)
    mass, error = generator.random(p + 1), generator.choice([0.0, 1e-16, 1e-3], p + 1)
    scores = generator.integers(-20, 5, p + 1)
    low, rank = float(generator.random()), int(generator.integers(0, 3))
    _, tops = base._extremes.py_func(scores)
    return {
        _by_label._split: (x, labels),
        thresholds._fewest: (np.sort(x[labels == 1]), np.sort(x[labels == 0])),
        choice._left: (mass, error, low, low + 1e-9),
        base._extremes: (scores,),
        base._pooled: (scores, tops, int(scores.max()), 12),
        base._count: (scores, tops, int(scores.max()) - 1),
        base._index: (scores, tops, int(scores.max()), rank),
    }


def test_a_stand_in_returns_what_the_kernel_does_to_the_type() -> None:
    """Labels may be split in any order: what is made of them is sorted."""

    def plain(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(plain, value))
        return np.sort(value).tolist() if isinstance(value, np.ndarray) else (type(value), value)

    generator = np.random.default_rng(1)
    for _ in range(100):
        for kernel, given in arrays(generator).items():
            assert plain(kernel.stand_in(*given)) == plain(kernel.compiled(*given)), kernel.__name__


def test_kernels_with_stand_ins_are_those_that_are_compared() -> None:
    modules = (_by_label, thresholds, choice, base)
    kernels = {
        value for module in modules for value in vars(module).values() if isinstance(value, Kernel) and value.stand_in
    }
    assert kernels == set(arrays(np.random.default_rng(1)))


def test_a_stand_in_is_called_until_numba_would_have_been_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "spent", 0.0)
    monkeypatch.setattr(Kernel, "compiled", lambda *_: "compiled")
    monkeypatch.setattr(kernels, "sys", SimpleNamespace(modules={}))
    kernel = njit(stand_in=lambda *_: "in Python", seconds=0.4 * kernels.LOADING)(lambda x, y: None)
    assert [kernel(np.ones(1), 3) for _ in range(4)] == ["in Python"] * 2 + ["compiled"] * 2
    assert type(njit(interpreted=True)(lambda x: x[0])(np.array([2, 3]))) is int, "as what is compiled returns"
    monkeypatch.setattr(kernels, "sys", SimpleNamespace(modules={"numba": None}))
    monkeypatch.setattr(Kernel, "spent", 0.0)
    assert kernel(np.ones(1), 3) == "compiled", "it is loaded anyway"
