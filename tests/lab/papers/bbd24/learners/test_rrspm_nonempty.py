"""RRSPM without the pattern of zeros: what wins, the noise, its exact loss, and what it costs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from semipriv.audit.exact import learner_privacy_loss
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.intervals import Intervals
from semipriv.core.randomness import Simulation
from semipriv.core.roles import Role
from semipriv.learners.oracles._projected import Projected
from semipriv.learners.oracles.base import Counted
from semipriv.learners.oracles.exact import Exact
from semipriv.mechanisms import perturbed_minimum
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.perturbed_minimum import PerturbedMinimum, distinct_sums
from semipriv.papers.bbd24.learners.rrspm import RRSPM
from semipriv.papers.bbd24.learners.rspm import RSPM
from semipriv_lab.papers.bbd24.studies import _interval_ends

LINE = np.arange(1.0, 7.0)[:, None]


@pytest.mark.parametrize(("points", "expected"), [(1, 4.0), (2, 8.0), (3, 8.0), (6, 8.0)])
def test_noise_on_intervals_stops_growing_at_two_points(points: int, expected: float) -> None:
    for patterns, scale in (("nonempty", expected), ("all", 4.0 * points)):
        learner = RRSPM(0.5, scale="teaching", patterns=patterns)
        prepared = learner.prepare(np.repeat(LINE[:points], 2, axis=0), Intervals())
        assert learner._noise(prepared) == Laplace(scale)


def loss_on_four_points(shift: int, epsilon: int) -> float:
    """Return the loss of intervals with a one on four points; a private point tells the middle one from the others."""
    intervals = [tuple(int(i <= k <= j) for k in range(4)) for i in range(4) for j in range(i, 4)]
    h = FiniteClass([*((*row, int(row == (0, 1, 1, 0))) for row in intervals), (0,) * 5])
    distributions = []
    for positives in range(4):
        labels = np.repeat([1, 0], [positives, 3 - positives]).astype(np.int8)
        problem = Projected(h, np.arange(4.0)[:, None], np.full((3, 1), 4.0), labels, Exact(), nonempty=True)
        ties = tuple(distinct_sums(problem.listed()[0]))
        distributions.append(
            PerturbedMinimum(DiscreteLaplace(Fraction(shift, epsilon)), ties).output_distribution(problem)[1]
        )
    return float(np.abs(np.diff(distributions, axis=0)).max())


def test_the_shift_of_four_points_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly epsilon at 8 / epsilon; a third more where one of the four points is missing.

    So private points off the line, where a record tells one interval from all others, need more than real intervals.
    """
    monkeypatch.setattr(perturbed_minimum, "LISTED", 4)
    assert loss_on_four_points(8, 8) == pytest.approx(8, abs=1e-9)
    assert loss_on_four_points(6, 8) == pytest.approx(8 * 8 / 6, abs=1e-9)


def listed(m: int, x: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return patterns of m points with a one, and the least mistakes of an interval with each."""
    return Projected(Intervals(), LINE[:m], x[:, None], labels.astype(np.int8), Exact(), nonempty=True).listed()


def least_shift(patterns: np.ndarray, change: np.ndarray, row: int) -> float:
    """Return the least |v|_1 with <v, h' - h> >= change(h) - change(h') for all h', by linear programming."""
    rivals = np.delete(patterns.astype(float) - patterns[row], row, axis=0)
    need = change[row] - np.delete(change, row)
    if not len(need):
        return 0.0
    return float(linprog(np.ones(2 * rivals.shape[1]), A_ub=np.hstack([-rivals, rivals]), b_ub=-need).fun)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_a_shift_of_4_serves_every_interval_on_the_line(m: int) -> None:
    """By linear programmes, for random records, of which some stand on public points, and one is replaced."""
    rng = np.random.default_rng(m)
    most = 0.0
    for _ in range(40):
        n = int(rng.integers(1, 14))
        x, labels = rng.choice(np.arange(0.5, m + 1, 0.25), n), rng.integers(0, 2, n)
        x2, labels2 = x.copy(), labels.copy()
        x2[0], labels2[0] = rng.choice(np.arange(0.5, m + 1, 0.25)), rng.integers(0, 2)
        (patterns, before), (_, after) = listed(m, x, labels), listed(m, x2, labels2)
        most = max(most, *(least_shift(patterns, after - before, row) for row in range(len(patterns))))
    assert most <= min(4, 2 * m) + 1e-9
    assert most >= min(2, m - 1)


def test_the_ends_of_intervals_have_their_mistakes_and_the_shift_of_the_proof_serves() -> None:
    """Against the listed intervals; no shift of the proof is smaller than the least one."""
    rng = np.random.default_rng(6)
    m, n = 3, 6
    for _ in range(20):
        slots = np.sort(rng.integers(0, 2 * m + 1, n))
        labels, other = rng.integers(0, 2, n), rng.integers(0, 2, n)
        other = np.where(np.arange(n) == 2, other, labels)
        x = 0.5 + slots / 2 + 0.01 * np.arange(n) * (slots % 2 == 0)  # apart in a gap, together on a public point
        collected_rows = []
        for labelling in (labels, other):
            patterns, mistakes = listed(m, x, labelling)
            b, a = _interval_ends.ends(tuple(zip(slots.tolist(), labelling.tolist(), strict=True)), m)
            gaps = [(int(row.argmax()), int(row.argmax() + row.sum())) for row in patterns]
            assert mistakes.tolist() == [labelling.sum() + b[j] - a[k] for k, j in gaps]
            collected_rows.append((mistakes, b, a))
        change, (b, a) = (
            collected_rows[1][0] - collected_rows[0][0],
            (collected_rows[1][i] - collected_rows[0][i] for i in (1, 2)),
        )
        for row, (k, j) in enumerate(gaps):
            v, spare = _interval_ends.shift(b, a, k, j)
            assert spare >= 0
            assert least_shift(patterns, change, row) <= np.abs(v).sum() + 1e-9 <= 4 + 1e-9


def between_two_points(zeros: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return places and labels of zeros on both sides of one record, all between two public points, and a neighbour's.

    An interval with one of the two points ends before all of them; the one with both makes all mistakes but one.
    """
    x = np.concatenate([np.full(zeros, 1.2), [1.5], np.full(zeros, 1.8)])
    totals = np.zeros(len(x), int)
    totals[zeros] = 1
    return x, totals, np.zeros(len(x), int)


def test_the_shift_of_4_is_attained_on_two_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that is flipped between them: the loss is epsilon at 4 / epsilon, and a third more at 3 / epsilon."""
    monkeypatch.setattr(perturbed_minimum, "LISTED", 4)
    x, first, other = between_two_points(2)
    (patterns, before), (_, after) = listed(2, x, first), listed(2, x, other)
    both = int(np.flatnonzero(patterns.all(axis=1))[0])
    assert least_shift(patterns, after - before, both) == pytest.approx(4)
    for shift, loss in ((4, 1.0), (3, 4 / 3)):
        distributions = []
        for labels in between_two_points(40)[1:]:
            problem = Projected(
                Intervals(),
                LINE[:2],
                between_two_points(40)[0][:, None],
                labels.astype(np.int8),
                Exact(),
                nonempty=True,
            )
            ties = tuple(distinct_sums(problem.listed()[0]))
            distributions.append(
                PerturbedMinimum(DiscreteLaplace(Fraction(shift)), ties).output_distribution(problem)[1]
            )
        assert float(np.abs(np.subtract(*distributions)).max()) == pytest.approx(loss, abs=2e-3)


def test_exact_loss_on_the_line() -> None:
    learner = RRSPM(2.0, weights="discrete_laplace", scale="teaching", patterns="nonempty")
    points = np.array([[1.0], [1.5], [3.5]])
    assert learner_privacy_loss(learner, Intervals(), LINE[:3], points, 2).within_claim


def test_the_least_pattern_with_a_one_wins() -> None:
    """Against the list of patterns of intervals; as many calls as public points, whatever the data are."""
    rng = np.random.default_rng(3)
    for trial in range(30):
        m, n = int(rng.integers(1, 6)), int(rng.integers(0, 8))
        x, y = rng.random((n, 1)) * 8, (rng.integers(0, 2, n) * (trial % 3 > 0)).astype(np.int8)
        counted = Counted(Exact())
        problem = Projected(Intervals(), LINE[:m], x, y, counted, nonempty=True)
        weights = rng.normal(size=m) * 2 + trial % 2
        minimiser = problem.minimum(weights, 1.0)
        assert counted.calls == m
        patterns, mistakes = problem.listed()
        assert patterns.any(axis=1).all()
        assert len(patterns) == m * (m + 1) / 2
        values = mistakes + patterns @ weights
        assert values[np.all(patterns == minimiser, axis=1)].item() == pytest.approx(values.min(), abs=1e-12)


def test_zeros_are_never_released() -> None:
    """Even where all private labels are 0; without public points nothing is left out."""
    learner = RRSPM(50.0, scale="teaching", patterns="nonempty")
    assert (learner.role, learner.short_title) == (Role.VARIANT, "RRSPM (teaching sets, non-empty patterns)")
    x, y = np.linspace(0, 7, 50)[:, None], np.zeros(50, int)
    release = learner.release(learner.prepare(LINE, Intervals()), x, y, Simulation(1))
    assert release.output.predict(LINE).sum() == 1
    assert release.cost == {"oracle_calls": 7.0, "public_points": 6.0}
    nothing = learner.release(learner.prepare(LINE[:0], Intervals()), x, 1 - y, Simulation(1))
    assert math.isinf(nothing.output.parameters[0])
    assert nothing.cost["oracle_calls"] == 1


def test_one_nonempty_pattern_of_a_domain_is_released() -> None:
    left = RSPM(1.0, patterns="nonempty").prepare(np.zeros((0, 1)), FiniteClass([(0, 0), (0, 1)]))
    assert RSPM(1.0, patterns="nonempty").release(left, [[0.0]], [1], Simulation(1)).output.parameters.tolist() == [1.0]
