"""Kernels load numba when they are called, not when they are defined, and numba keeps what it compiled."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

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


def said(code: str, folder: Path) -> list[str]:
    paths = os.pathsep.join([str(ROOT / "src"), str(folder)])
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_kernel_calls_another_and_both_are_kept(tmp_path: Path) -> None:
    """The second process compiles nothing: it finds the function and the one that it calls."""
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    code = "import some_kernels; some_kernels.main()"
    assert said(code, tmp_path) == ["False", "14", "9", "0", "0", "True", "True"]
    assert said(code, tmp_path) == ["False", "14", "9", "1", "1", "True", "True"]


def test_rules_that_call_no_kernel_load_no_numba(tmp_path: Path) -> None:
    rules = "gather, generate_data, evaluate, evaluate_held_out, private_select, split_table"
    code = f"import sys; from semipriv.workflow import {rules}; print('numba' in sys.modules)"
    assert said(code, tmp_path) == ["False"]
