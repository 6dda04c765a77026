"""Time every kernel beside its baseline in one run: results/benchmarks/{benchmarks.parquet,benchmarks.png}.

Times are medians over batches of calls in turn (work, baseline, work, ...), so that both meet the same machine; a batch
is as many calls as take 10 ms, at least one.  Compiled kernels are cached between runs; here the cache starts empty, so
the first call, timed apart, holds the compilation.  Kernels and baselines get one thread.

``run.py --without-avx``, after a whole run, measures the kernels of the page (``page.py``) again, with the instructions
of an x86-64 processor of 2008: demands are made of ratios, so they should be met there, too.
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

if __name__ == "__main__":  # before NumPy and numba are imported
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[threads] = "1"
    if "--without-avx" in sys.argv:
        os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
        os.environ["OPENBLAS_CORETYPE"] = "Prescott"
        os.environ["NUMBA_CPU_NAME"] = "nehalem"
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="semipriv-benchmarks-")

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import seaborn as sns
from benchmark import Benchmark, Call
from kernels import BENCHMARKS

from semipriv.core import tables
from semipriv.core.tables import Column, Schema

ROOT = Path(__file__).parent.parent
WHOLE, OLDER = (ROOT / f"results/benchmarks/benchmarks{end}.parquet" for end in ("", "_without_avx"))
RESULTS = Schema(
    "benchmarks",
    "speed of the kernels against named baselines, all timed in one run on one machine",
    (
        Column("benchmark", pa.string(), "kernel and sizes"),
        Column("baseline", pa.string(), "what does the same work; none: nothing comparable ends in reasonable time"),
        Column("seconds", pa.float64(), "median seconds of a call of the kernel"),
        Column("baseline_seconds", pa.float64(), "median seconds of the baseline, extrapolated where it says so"),
        Column("ratio", pa.float64(), "baseline_seconds / seconds"),
        Column("least_ratio", pa.float64(), "what the ratio must reach; null: no demand"),
        Column("limit", pa.float64(), "seconds that the kernel may take; null: no demand"),
        Column("growth_limit", pa.float64(), "largest growth allowed; null: no demand, or none measured"),
        Column("met", pa.bool_(), "whether all demands are met; null: none"),
        Column("memory", pa.float64(), "peak bytes of a process that does the work once; null: not measured"),
        Column("memory_limit", pa.float64(), "bytes that it may take; null: no demand"),
        Column("bytes", pa.float64(), "bytes that the work must read once; null: not counted"),
        Column("reads", pa.float64(), "seconds over those of one read of so many bytes; null: not counted"),
        Column("reads_limit", pa.float64(), "reads that it may take; null: no demand"),
        Column("count", pa.float64(), "hypotheses that are scored or listed; null: not counted"),
        Column("growth", pa.float64(), "cost at ten times the size over cost at the size; null: not measured"),
        Column("growth_sizes", pa.list_(pa.int64()), "the two sizes; null: not measured"),
        Column("first_call", pa.float64(), "seconds of the first call, compilation included where it is the first"),
        Column("repeats", pa.int64(), "batches of each that the medians are of"),
        Column("notes", pa.string(), "remarks"),
    ),
)


BATCH = 0.01
"""Seconds that a batch of calls takes at least."""


def seconds(call: Call, number: int = 1) -> float:
    """Return the seconds of one call, the mean of a batch."""
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def medians(calls: list[Call], repeats: int) -> list[float]:
    """Return the median seconds of each call, batches in turn."""
    numbers = [math.ceil(BATCH / max(seconds(call), 1e-6)) for call in calls]
    times = [[seconds(call, number) for call, number in zip(calls, numbers, strict=True)] for _ in range(repeats)]
    return [float(v) for v in np.median(np.array(times), axis=0)]


def one_read(size: int) -> Call:
    """Return a call that reads so many bytes once, as fast as NumPy does."""
    numbers = np.ones(max(1, size // 8))
    return numbers.max


def peak(name: str, factor: float) -> float:
    """Return the peak bytes of a new process that makes a benchmark and does its work once (``peak.py``)."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(Path(__file__).with_name("peak.py")), name, str(factor)]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(finished.stdout)


def measure(benchmark: Benchmark, factor: float = 1.0) -> dict[str, object]:
    """Time one benchmark; return its row of the results."""
    measured = benchmark.make(factor)
    first_call = seconds(measured.work)
    baseline = None
    calls = [
        measured.work,
        *([measured.baseline] if measured.baseline else []),
        *([one_read(measured.read)] if measured.read else []),
    ]
    own, *others = medians(calls, benchmark.repeats)
    if measured.baseline is not None:
        baseline = others[0] / measured.share
    reads = None if measured.read is None else own / others[-1]
    ratio = None if baseline is None else baseline / own
    least = benchmark.target if benchmark.at_most is None else 1 / benchmark.at_most
    growth, sizes = None, None
    if benchmark.growth is not None:
        small, large = benchmark.growth(factor)
        for _, call in (small, large):
            call()
        own_small, own_large = medians([small[1], large[1]], min(benchmark.repeats, 5))
        growth, sizes = own_large / own_small, [small[0], large[0]]
    growth_limit = None if growth is None else benchmark.growth_at_most
    memory = None if benchmark.memory is None else peak(benchmark.name, factor)
    demands = [] if growth_limit is None else [growth <= growth_limit]
    if least is not None and ratio is not None:
        demands.append(ratio >= least)
    if benchmark.reads_at_most is not None and reads is not None:
        demands.append(reads <= benchmark.reads_at_most)
    if benchmark.limit is not None:
        demands.append(own <= benchmark.limit)
    if memory is not None:
        demands.append(memory <= benchmark.memory)
    return {
        "benchmark": benchmark.name,
        "baseline": benchmark.baseline,
        "seconds": own,
        "baseline_seconds": baseline,
        "ratio": ratio,
        "least_ratio": least,
        "limit": benchmark.limit,
        "growth_limit": growth_limit,
        "met": all(demands) if demands else None,
        "memory": memory,
        "memory_limit": benchmark.memory,
        "bytes": measured.read,
        "reads": reads,
        "reads_limit": benchmark.reads_at_most,
        "count": measured.count,
        "growth": growth,
        "growth_sizes": sizes,
        "first_call": first_call,
        "repeats": benchmark.repeats,
        "notes": benchmark.notes,
    }


def allowed(row: dict[str, object]) -> str:
    return "" if row["growth_limit"] is None else f" (at most {row['growth_limit']:g})"


def line(row: dict[str, object]) -> str:
    parts = [f"{row['benchmark']:<72} {row['seconds']:>9.4g} s"]
    if row["ratio"] is not None:
        demanded = "" if row["least_ratio"] is None else f" (at least {row['least_ratio']:.3g})"
        parts.append(f"{row['ratio']:>9.4g} x {row['baseline']}{demanded}")
    if row["limit"] is not None:
        parts.append(f"limit {row['limit']:g} s")
    if row["memory"] is not None:
        parts.append(f"peak memory {row['memory'] / 2**20:.0f} MiB (at most {row['memory_limit'] / 2**20:.0f})")
    if row["reads"] is not None:
        demanded = "" if row["reads_limit"] is None else f" (at most {row['reads_limit']:g})"
        parts.append(f"{row['reads']:.3g} reads of its bytes{demanded}")
    if row["count"] is not None:
        parts.append(f"{row['count']:.4g} hypotheses")
    if row["growth"] is not None:
        parts.append(
            f"growth {row['growth']:.3g} from {row['growth_sizes'][0]} to {row['growth_sizes'][1]}{allowed(row)}"
        )
    parts.append(f"first call {row['first_call']:.3g} s")
    parts.append({True: "met", False: "MISSED", None: ""}[row["met"]])
    return "; ".join(part for part in parts if part)


def draw(rows: list[dict[str, object]], path: Path) -> None:
    """Draw ratios over their demands, and the time of enumeration against the number of dichotomies."""
    sns.set_theme(style="whitegrid", context="paper")
    table = pd.DataFrame([row for row in rows if row["ratio"] is not None])
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6.5), width_ratios=[1.5, 1], layout="constrained")
    names = table["benchmark"] + "\nagainst " + table["baseline"]
    place = np.arange(len(table))
    left.barh(place, table["ratio"], color=sns.color_palette()[0], height=0.6, label="measured")
    left.plot(table["least_ratio"], place, "|", color="black", markersize=14, markeredgewidth=2, label="demanded")
    left.set(xscale="log", xlabel="time of the baseline / time of the kernel", yticks=place, yticklabels=names)
    left.tick_params(axis="y", labelsize=6.5)
    left.margins(y=0.01)
    left.invert_yaxis()
    left.legend(loc="lower right")
    counted = pd.DataFrame([row for row in rows if "enumeration" in str(row["benchmark"]) and row["ratio"] is None])
    counted["dimension"] = counted["benchmark"].str.extract(r"(d = \d)", expand=False)
    sns.lineplot(counted, x="count", y="seconds", hue="dimension", style="dimension", markers=True, ax=right)
    grid = np.array([counted["count"].min(), counted["count"].max()])
    middle = counted.iloc[len(counted) // 2]
    right.plot(grid, middle["seconds"] * grid / middle["count"], ":", color="grey", label="linear")
    right.set(xscale="log", yscale="log", xlabel="halfspace dichotomies", ylabel="seconds to list them")
    right.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def of_page(rows: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows of kernels that have a demand and a count of the bytes that they must read."""
    demands = ("least_ratio", "reads_limit")
    return [row for row in rows if row["bytes"] is not None and any(row[demand] is not None for demand in demands)]


def measured(benchmarks: Iterable[Benchmark], path: Path) -> list[dict[str, object]]:
    """Time benchmarks one after the other; print their rows and write them."""
    rows = []
    for benchmark in benchmarks:
        rows.append(measure(benchmark))
        print(line(rows[-1]), flush=True)
    tables.write(path, RESULTS, rows)
    print(f"written: {path.relative_to(ROOT)}")
    return rows


def main() -> None:
    if "--without-avx" in sys.argv:
        names = {row["benchmark"] for row in of_page(tables.read(WHOLE, RESULTS).to_pylist())}
        measured((benchmark for benchmark in BENCHMARKS if benchmark.name in names), OLDER)
    else:
        draw(measured(BENCHMARKS, WHOLE), WHOLE.with_suffix(".png"))


if __name__ == "__main__":
    main()
