"""Print what public rows are worth to query release on a table of 15 categorical columns, biased or not.

The law is made up, of the size of a census extract: 12 hidden groups, columns independent within a group.  With bias b
the groups of the public rows have the probabilities (1 - b) p + b p', of the private rows p.  Errors are mean L1
distances of the 105 two-way marginals to those of the private table: of the public rows alone, of the fitted weights,
and of as many rows written as there are private ones.  One release each: nothing is chosen by what is printed.
"""

import time

import numpy as np
import pandas as pd

from semipriv.queries.schema import Schema
from semipriv.queries.table_release import TableRelease
from semipriv.randomness import Simulation

SIZES = (2, 12, 9, 7, 15, 6, 5, 2, 10, 9, 7, 5, 12, 8, 2)
GROUPS, PRIVATE, PUBLIC = 12, 32_384, 3_238
BIASES, WORTHS, ROUNDS = (0.0, 0.3, 1.0), (0.01, 0.1, 1.0, 10.0), (15, None)
EPSILON, DELTA, SEED = 1.0, 1e-9, 17
SCHEMA = Schema({f"column_{i}": size for i, size in enumerate(SIZES)})


def table(n: int, bias: float, name: str) -> pd.DataFrame:
    law = Simulation(SEED).spawn("law").generator
    own, other = law.dirichlet(np.ones(GROUPS), size=2)
    generator = Simulation(SEED).spawn(name, str(bias)).generator
    group = generator.choice(GROUPS, n, p=(1 - bias) * own + bias * other)
    columns = []
    for size in SIZES:
        cumulative = law.dirichlet(np.full(size, 0.5), size=GROUPS).cumsum(axis=1)
        columns.append((generator.random((n, 1)) > cumulative[group][:, :-1]).sum(axis=1))
    return SCHEMA.table(np.array(columns).T)


def main() -> None:
    private = table(PRIVATE, 0.0, "private")
    print(f"epsilon {EPSILON:g}, delta {DELTA:g}, {PRIVATE:,} private and {PUBLIC:,} public rows, {len(SIZES)} columns")
    print("  bias  rounds  kappa / n_public   public  fitted  written  CPU seconds")
    for bias in BIASES:
        public = table(PUBLIC, bias, "public")
        for rounds in ROUNDS:
            for worth in WORTHS:
                learner = TableRelease(EPSILON, DELTA, rounds=rounds, kappa=worth * PUBLIC)
                prepared = learner.prepare(public, SCHEMA)
                randomness = Simulation(SEED).spawn("release", str(bias), str(rounds), str(worth))
                start = time.process_time()
                output = learner.release(prepared, private, randomness).output
                spent = time.process_time() - start
                errors = [one.distances(private, 2).mean() for one in (output.public, output)]
                errors.append(output.synthetic(PRIVATE, randomness).distances(private, 2).mean())
                print(
                    f"{bias:6.1f}  {'all' if rounds is None else rounds!s:>6}  {worth:16g}  "
                    + "  ".join(f"{error:7.4f}" for error in errors)
                    + f"  {spent:11.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
