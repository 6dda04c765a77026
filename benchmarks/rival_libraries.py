"""Statistics by group by other libraries, from a file to a file: ``rival_statistics.py`` runs it in an environment.

    python benchmarks/rival_libraries.py ROWS.npz EPSILON OUTPUT.npz

ROWS holds for each draw the groups a and b (draws, n), numbers v and w (draws, n), the sizes of a and b, and the ranges
of v and w.  epsilon is for adding or removing a row, as these libraries count; each of the six statistics gets a sixth.
Nothing of semipriv is imported.
"""

import sys
import warnings

import diffprivlib.tools as ibm
import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
CANDIDATES = 65
"""Values of a median that OpenDP may choose: it asks for a list, here equally far apart over the range."""
STATISTICS = ("count a", "count b", "count a b", "mean a", "mean b", "median a")


def asked(statistic, ranges):
    """Return the groups of a statistic, and OpenDP's expression of it."""
    kind, *by = statistic.split()
    if kind == "count":
        return by, dp.len(signed=True)
    (low, high) = ranges["v" if kind == "mean" else "w"]
    if kind == "mean":
        return by, pl.col("v").fill_nan(low).fill_null(low).dp.mean((low, high))
    candidates = [float(candidate) for candidate in np.linspace(low, high, CANDIDATES)]
    return by, pl.col("w").fill_nan(low).fill_null(low).dp.median(candidates)


def opendp(frames, statistic, sizes, ranges, epsilon):
    """Return the statistic of each frame (draws, groups); groups are public, as each has a row."""
    by, expression = asked(statistic, ranges)
    shape = [sizes[column] for column in by]
    most = {"max_length": frames[0].height, "max_groups": int(np.prod(shape))}
    context = dp.Context.compositor(
        data=frames[0].lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=tuple(by), invariant="keys", **most)],
    )
    measurement, answers = context.query().group_by(*by).agg(expression).resolve(), []
    for frame in frames:
        released = measurement(frame.lazy()).collect()
        values = np.full(shape, np.nan)
        values[tuple(released[column].to_numpy() for column in by)] = released[released.columns[-1]].to_numpy()
        answers.append(values.ravel())
    return np.array(answers)


def diffprivlib(rows, statistic, sizes, ranges, epsilon, coins):
    """Return the statistic of each draw (draws, groups).  Its mean of a group takes the number of rows as public."""
    kind, *by = statistic.split()
    size = int(np.prod([sizes[column] for column in by]))
    answers = []
    for t in range(len(rows["a"])):
        cell = np.ravel_multi_index([rows[column][t] for column in by], [sizes[column] for column in by])
        if kind == "count":
            counts, _ = ibm.histogram(cell, epsilon=epsilon, bins=size, range=(-0.5, size - 0.5), random_state=coins)
            answers.append(counts)
            continue
        name, of = ("v", ibm.mean) if kind == "mean" else ("w", ibm.median)
        parts = [rows[name][t][cell == g] for g in range(size)]
        same = {"epsilon": epsilon, "bounds": ranges[name], "random_state": coins}
        answers.append([float(of(part, **same)) if len(part) else np.nan for part in parts])
    return np.array(answers, float)


def main(source, epsilon, target):
    given = dict(np.load(source))
    sizes = {"a": int(given["sizes"][0]), "b": int(given["sizes"][1])}
    ranges = {"v": tuple(map(float, given["v_range"])), "w": tuple(map(float, given["w_range"]))}
    share, coins = float(epsilon) / len(STATISTICS), np.random.RandomState(7)
    frames = [pl.DataFrame({name: given[name][t] for name in "abvw"}) for t in range(len(given["a"]))]
    answers = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statistic in STATISTICS:
            answers[f"opendp {statistic}"] = opendp(frames, statistic, sizes, ranges, share)
            answers[f"diffprivlib {statistic}"] = diffprivlib(given, statistic, sizes, ranges, share, coins)
    np.savez_compressed(target, **answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
