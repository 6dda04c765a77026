"""One synthetic table by another library, from a file to a file: ``rival_tables.py`` runs it in ``.venv-tables``.

    python benchmarks/rival_synthesis.py TABLE.npz METHOD EPSILON DELTA SEED OUTPUT.npz

TABLE holds codes of private rows (n, c) and the number of values of each column.  epsilon and delta are for adding or
removing a row, as these libraries count, except for AIM, where they are for its replacement.  Nothing of semipriv is
imported: its NumPy is newer.
"""

import sys
import warnings

import numpy as np
import pandas as pd
from diffprivlib.tools import histogram
from dpmm.models.aim import AIMGM
from dpmm.models.base.mechanisms import cdp_rho
from dpmm.models.priv_bayes import PrivBayesGM

INFERENCE = 1_000
"""Steps of the inference of graphical models: AIM's default.  dpmm has 5,000 for PrivBayes."""
LIMITED = {"n_iters": 250, "max_model_size": 1.0}
"""Steps of an inference and MiB of the model of AIM; by default it has 1,000 and 80, and does not end in 5 minutes."""
ROUNDS = 4
"""Rounds of AIM for each column, to begin with; by default 16."""
REPLACED = 0.9 * 2 + 0.1 * 4
"""What AIM spends if a row is replaced, in units of its rho.

Nine tenths of rho are for counts with Gaussian noise, which move by sqrt(2) in L2, not 1; one tenth is for the choice
of marginals by their L1 errors, which move by 2, not 1.
"""


def independent(private, sizes, epsilon, delta, seed):
    """Noisy histograms of single columns by diffprivlib; rows have independent columns."""
    rng, columns = np.random.default_rng(seed), []
    for column, size in zip(private.T, sizes, strict=True):
        edges = {"bins": int(size), "range": (-0.5, size - 0.5)}
        counts, _ = histogram(column, epsilon=epsilon / len(sizes), random_state=seed + len(columns), **edges)
        shares = np.maximum(counts, 0) + (counts.sum() <= 0)
        columns.append(rng.choice(int(size), len(private), p=shares / shares.sum()))
    return np.array(columns).T


def shortened(epsilon, delta):
    """Return the epsilon with which AIM's rho is a ``REPLACED``-th of that of epsilon, at the same delta."""
    wanted, low, high = cdp_rho(epsilon, delta) / REPLACED, 0.0, epsilon
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if cdp_rho(middle, delta) < wanted else (low, middle)
    return low


def dpmm(name):
    """Return a maker by a graphical model of dpmm."""

    def make(private, sizes, epsilon, delta, seed):
        names = [f"c{i}" for i in range(len(sizes))]
        steps = {"rounds": ROUNDS * len(sizes), **LIMITED} if name == "aim" else {"n_iters": INFERENCE}
        epsilon = shortened(epsilon, delta) if name == "aim" else epsilon
        kind = {"aim": AIMGM, "privbayes": PrivBayesGM}[name]
        model = kind(epsilon=epsilon, delta=delta, n_jobs=1, **steps)
        model.set_random_state(np.random.RandomState(seed))
        model.set_domain(dict(zip(names, map(int, sizes), strict=True)))
        model.fit(pd.DataFrame(private, columns=names))
        return model.generate(n_records=len(private))[names].to_numpy(int)

    return make


METHODS = {
    "independent": independent,
    "privbayes": dpmm("privbayes"),
    "aim": dpmm("aim"),
}


def main(table, method, epsilon, delta, seed, output):
    given = np.load(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = METHODS[method](given["private"], given["sizes"], float(epsilon), float(delta), int(seed))
    np.savez_compressed(output, rows=rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
