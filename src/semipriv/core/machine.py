"""The kernels and threads with which all is computed: equal configurations give equal bytes on other processors, too.

NumPy and OpenBLAS choose kernels by the processor on which they run, and the kernels of one round otherwise than those
of another.  So every process that computes results is told, before NumPy is imported, to use those for AVX2, which all
x86-64 processors since 2013 to 2015 have, and one thread.  Elsewhere, and where AVX2 is missing, threads alone are set.
"""

import os
import platform
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

KERNELS = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"}
"""Settings of NumPy, and of the OpenBLAS of NumPy and of SciPy, on x86-64 with AVX2."""
CONTRADICTING = ("NPY_ENABLE_CPU_FEATURES",)
"""Settings with which NumPy refuses these."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Linear algebra shares its sums out among threads, so that the last digits depend on their number."""
COMPILED = {"NUMBA_NUM_THREADS": "1"}
"""Compiled kernels count in whole numbers: more threads give the same counts."""
_FEATURES = ("AVX512_SPR", "AVX512_ICL", "X86_V4", "X86_V3", "AVX2", "X86_V2", "ASIMD")
"""What NumPy's kernels are named by, the widest first."""
CPUINFO = Path("/proc/cpuinfo")


def settings() -> dict[str, str]:
    """Return the environment of whatever computes results on this machine."""
    return ONE_THREAD | (KERNELS if has_avx2() else {})


def has_avx2() -> bool:
    """Return whether this is an x86-64 processor with AVX2; one that cannot be asked has it."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    try:
        flags = CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return "flags" not in flags or " avx2" in flags


def pin(*, one_core: bool = True) -> None:
    """Set the environment of this process and of those that it starts, whatever it says; before NumPy is imported.

    one_core: compiled kernels get one thread, too, as where many processes work side by side; numba, once it is loaded,
    would refuse another number.
    """
    for name in CONTRADICTING:
        os.environ.pop(name, None)
    os.environ.update(settings() | (COMPILED if one_core and "numba" not in sys.modules else {}))


def one_thread() -> AbstractContextManager[object]:
    """Let linear algebra use one thread inside the ``with`` block.

    Products of some thousand rows end before a second thread is awake; where others are at work, threads then wait for
    each other at full speed.
    """
    limiting: AbstractContextManager[object] = _pools().limit(limits=1, user_api="blas")
    return limiting


@cache
def _pools() -> Any:
    """Return what sets the threads of linear algebra; to find its libraries takes some milliseconds."""
    import threadpoolctl  # noqa: PLC0415  (slow, and before NumPy it would find nothing)

    return threadpoolctl.ThreadpoolController()


def kernels() -> str:
    """Return in one line which kernels NumPy and OpenBLAS use in this process; empty if NumPy is not loaded."""
    if "numpy" not in sys.modules:
        return ""
    import threadpoolctl  # noqa: PLC0415  (slow, and before NumPy it would find nothing)

    features: Mapping[str, bool] = import_module("numpy._core._multiarray_umath").__cpu_features__
    most = [name for name in _FEATURES if features.get(name)]
    pools = threadpoolctl.threadpool_info()
    blas = sorted({f"{pool['architecture']} ({pool['num_threads']})" for pool in pools if pool["user_api"] == "blas"})
    return f"kernels: NumPy {most[0] if most else 'baseline'}; OpenBLAS (threads) {', '.join(blas)}"
