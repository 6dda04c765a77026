"""Time MWEM beside smartnoise-synth's on 1,024 bins, 1,023 prefixes, T = 20, n = 10^4, epsilon = 1, in one process.

It is no part of ``make bench``: smartnoise-synth 1.0.8 needs pandas below 3, which the locks do not have, and some 6 GB
of torch and CUDA.  In an environment of its own, from the top folder:

    python -m venv /tmp/smartnoise && /tmp/smartnoise/bin/pip install . smartnoise-synth
    PYTHONPATH=benchmarks /tmp/smartnoise/bin/python benchmarks/smartnoise_mwem.py

Its MWEM gets the prefixes as its queries, and is called where counts are known: without its preprocessing.  Both spend
epsilon / (2 T) on each choice and each measurement.  It releases the last iterate, and never chooses a query again;
sweeps (``mult_weights_iterations``) are 1, 10, and its default 20.
"""

import time
from collections.abc import Callable

import numpy as np
from query_release import EPSILON, ROUNDS, histogram, prefixes
from snsynth.mwem import Histogram, MWEMSynthesizer, Query

from semipriv.core.randomness import Simulation
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM

BINS, N, REPEATS = 1_024, 10_000, 20
WORK, COUNTS = prefixes(BINS), histogram(BINS, N)


def own(sweeps: int, iterate: str) -> Callable[[int], np.ndarray]:
    method = MWEM(ROUNDS, sweeps, iterate)
    return lambda seed: method.fit(WORK, COUNTS, Guarantee(EPSILON), Simulation(seed)).answers


def smartnoise(sweeps: int) -> Callable[[int], np.ndarray]:
    def answers(_: int) -> np.ndarray:
        other = MWEMSynthesizer(EPSILON, iterations=ROUNDS, mult_weights_iterations=sweeps)
        given = Histogram(COUNTS.astype(float), [BINS], [BINS], [0])
        given.queries = [Query([slice(0, end)]) for end in range(1, BINS)]
        given.iterations, given.meas_eps = ROUNDS, EPSILON / (2 * ROUNDS)
        other.histograms, other.max_iterations = [given], ROUNDS
        ((weights, _, _),) = other.mwem()
        return WORK.sums(weights / weights.sum())

    return answers


def main() -> None:
    exact = WORK.sums(COUNTS) / N
    print("sweeps  what                  CPU ms  times  mean largest error of a share")
    for sweeps in (1, 10, 20):
        ways = {f"semipriv, {iterate}": own(sweeps, iterate) for iterate in ("average", "last")}
        ways["smartnoise-synth"] = smartnoise(sweeps)
        spent, errors = {name: [] for name in ways}, {name: [] for name in ways}
        for seed in range(-1, REPEATS):
            for name, way in ways.items():
                start = time.process_time()
                answers = way(seed + 1)
                if seed >= 0:  # the first call compiles
                    spent[name].append(time.process_time() - start)
                    errors[name].append(np.abs(answers - exact).max())
        least = np.median(spent["semipriv, last"])
        for name in ways:
            median = np.median(spent[name])
            print(f"{sweeps:6}  {name:20}  {1e3 * median:6.2f}  {median / least:5.1f}  {np.mean(errors[name]):.4f}")


if __name__ == "__main__":
    main()
