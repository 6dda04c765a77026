"""Results do not depend on the processor, as far as NumPy and OpenBLAS can be told to behave like another one.

NumPy and OpenBLAS choose their kernels by the processor, or by the environment.  Here the environment asks for kernels
without AVX2, instead of another machine; without ``core.machine`` all these tables would differ.
"""

import os
import subprocess
from pathlib import Path

import pytest
from runs import FIXTURES, checked, command, contents, environment

from semipriv.core import machine

OTHER = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Prescott"}
KERNELS = str(FIXTURES / "kernels.yaml")
MADE = ("results/claims.parquet", "results/regression_vs_private/blocks/0/releases.parquet")
OWN = {*machine.KERNELS, *machine.ONE_THREAD, *machine.COMPILED}
"""What the tests set for themselves: a user's environment has none of it."""


@pytest.mark.skipif(not machine.has_avx2(), reason="bytes are promised for x86-64 with AVX2")
def test_bytes_do_not_depend_on_the_processor(tmp_path: Path) -> None:
    plain = {name: value for name, value in environment().items() if name not in OWN}
    for name, own in (("plain", {}), ("other", OTHER)):
        (tmp_path / name).mkdir()
        until = ["--cores", "2", "--until", "measure_study", "private_select", "--", *MADE]
        run = command(tmp_path / name, KERNELS, *until)
        checked(subprocess.run(run, capture_output=True, text=True, env=plain | own, check=False))
    tables, others = (contents(tmp_path / name, "results/**/*.parquet", "data/**/*") for name in ("plain", "other"))
    assert len(tables) == 6
    assert tables.keys() == others.keys()
    assert [name for name in tables if tables[name] != others[name]] == []
    logs = contents(tmp_path / "other/results/logs", "*.log")
    assert len(logs) == 4
    for text in logs.values():
        assert b"kernels: NumPy X86_V3; OpenBLAS (threads) Haswell (1)\n" in text


@pytest.mark.parametrize(
    ("processor", "cpuinfo", "known"),
    [
        ("x86_64", "flags\t\t: fpu sse4_2 avx avx2 bmi2\n", True),
        ("x86_64", "flags\t\t: fpu sse4_2 avx\n", False),
        ("x86_64", None, True),
        ("aarch64", "Features\t: fp asimd\n", False),
    ],
)
def test_kernels_are_set_where_the_processor_has_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, processor: str, cpuinfo: str | None, known: bool
) -> None:
    """OpenBLAS would die of an illegal instruction where it is told to use AVX2 and there is none."""
    if cpuinfo is not None:
        (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.machine", lambda: processor)
    assert machine.has_avx2() is known
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES"):
            patch.setenv(name, "given")
        machine.pin()
        assert (os.environ["OPENBLAS_CORETYPE"] == "Haswell") is known
        assert "NPY_ENABLE_CPU_FEATURES" not in os.environ, "NumPy refuses both settings together"


def test_the_tests_run_on_the_kernels_of_the_workflow() -> None:
    assert not machine.has_avx2() or machine.kernels().startswith("kernels: NumPy X86_V3; OpenBLAS (threads) Haswell")
