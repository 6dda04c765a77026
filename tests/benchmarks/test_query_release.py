"""The baselines of query release do the same work, no worse than the kernels."""

import numpy as np
import query_release
import region_kernels

from semipriv.core.randomness import Simulation
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM


def test_the_dense_baseline_is_as_good() -> None:
    """Mean worst errors over 30 runs of each: neither is 1.5 times that of the other, with 1 sweep and with 10."""
    work, counts = query_release.prefixes(128), query_release.histogram(128, 10_000)
    matrix, exact = work.matrix().astype(float), work.sums(counts) / counts.sum()
    for sweeps in (1, 10):
        method, rng = MWEM(query_release.ROUNDS, sweeps), np.random.default_rng(1)
        own, dense = [], []
        for seed in range(30):
            fitted = method.fit(work, counts, Guarantee(query_release.EPSILON), Simulation(seed))
            own.append(np.abs(fitted.answers - exact).max())
            dense.append(np.abs(query_release.dense_mwem(matrix, counts, sweeps, rng)[0] - exact).max())
        assert 1 / 1.5 < np.mean(own) / np.mean(dense) < 1.5


def test_both_sides_find_the_same() -> None:
    for make in (region_kernels.entered, region_kernels.best(2, 40), region_kernels.best(3, 12)):
        case = make(1.0 if make is region_kernels.entered else 0.9)
        result = case.work()
        np.testing.assert_allclose(
            result if isinstance(result, np.ndarray) else result.value, case.baseline(), atol=1e-9
        )
    case = query_release.grouping(0.3)
    counts = case.work()
    assert sorted(case.baseline()) == sorted(counts[counts > 0])
    case = region_kernels.distinct(3, 5)(0.01)
    rows, place, counts = case.work()
    for own, other in zip((rows, place, counts), case.baseline(), strict=True):
        np.testing.assert_array_equal(own, np.reshape(other, own.shape))


def test_answers_of_many_points_are_those_of_the_distribution() -> None:
    """With 10^8 points only MWEM errs."""
    answers = query_release.many_points(1.0).work()
    assert np.all((answers >= 0) & (answers <= 1))
    assert answers.min() < 0.05
    assert answers.max() > 0.95
