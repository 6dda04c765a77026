"""RecConcave: qualities and runs against brute force, what neighbours change, exact privacy, draws, what it finds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import exact_delta, exact_privacy_loss
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers._rec_concave import Listed, Rank, RecConcave, best_run, levels
from semipriv.papers.bns15.queries.sanitizers.quasi_concave import QuasiConcave, chooser
from semipriv.privacy.guarantee import Guarantee, Neighbours

BITS, PROMISE = 3, 3
HALF = Fraction(1, 2)
RUNS = ((2, 0), (2, 1), (4, 2), (8, 4), (8, 0))
DATA = [(data, rank) for n in (1, 2, 3) for data in itertools.product(range(8), repeat=n) for rank in range(1, n + 1)]


def quality(data, rank: int) -> Rank:
    return Rank(tuple(sorted(data)), BITS, rank, PROMISE)


def values(data, rank: int) -> list[int]:
    """From the definition."""
    return [
        PROMISE + min(sum(e <= x for e in data) - rank, sum(e >= x for e in data) - (len(data) - rank))
        for x in range(8)
    ]


def test_qualities_and_their_best_runs() -> None:
    for data, rank in DATA[::3]:
        own, run_quality = values(data, rank), quality(data, rank)
        assert [run_quality.at(x) for x in range(8)] == own
        assert run_quality.most == max(own) >= PROMISE
        assert all(run_quality.interval(c) == Listed(tuple(own)).interval(c) for c in range(-1, 7))
        for length, shift in RUNS:
            runs: dict[int, list[int]] = {}
            for x in range(8):
                runs.setdefault((x + shift) // length * length - shift, []).append(own[x])
            start, gap = best_run(run_quality, length, shift)
            first, *second = sorted((max(run) for run in runs.values()), reverse=True)
            assert max(runs[start]) == first
            assert gap == (first - second[0] if second else None)


@pytest.mark.parametrize("size", [8, 6])
def test_lengths_of_runs(size: int) -> None:
    """Against all runs, also beyond the last point; the result rises, then falls, and reaches its promise."""
    for data, rank in DATA[::5]:
        own = values(data, rank)[:size]
        padded = own + [min(0, own[-1])] * (8 - size)
        longest = [max(min(padded[i : i + 2**j]) for i in range(9 - 2**j)) for j in range(4)]
        longest.append(min(0, longest[-1]))
        actual_values = RecConcave(Fraction(1), 0.1).lengths(Listed(tuple(own)), PROMISE, HALF).values
        assert actual_values == tuple(min(longest[j] - 2, PROMISE - longest[j + 1]) for j in range(4))
        top = actual_values.index(max(actual_values))
        assert list(actual_values[:top]) == sorted(actual_values[:top])
        assert list(actual_values[top:]) == sorted(actual_values[top:], reverse=True)


def test_what_neighbours_change() -> None:
    """Qualities and lengths by at most 1; distances by at most 1, or both are 0: gaps do differ by 2."""
    rec_concave, gaps = RecConcave(Fraction(1), 0.1), set()
    for data, rank in DATA[::3]:
        run_quality = quality(data, rank)
        for last in range(8):
            other = quality((*data[:-1], last), rank)
            assert all(abs(run_quality.at(x) - other.at(x)) <= 1 for x in range(8))
            lengths = zip(
                *(
                    rec_concave.lengths(actual_run_quality, PROMISE, HALF).values
                    for actual_run_quality in (run_quality, other)
                ),
                strict=True,
            )
            assert all(abs(a - b) <= 1 for a, b in lengths)
            for length, shift in RUNS:
                (here, gap), (there, beside) = (
                    best_run(actual_run_quality, length, shift) for actual_run_quality in (run_quality, other)
                )
                assert (gap is None) == (beside is None)
                if gap is not None and here == there:
                    assert abs(rec_concave.dist(gap) - rec_concave.dist(beside)) <= 1
                    gaps.add(abs(gap - beside))
                elif gap is not None:
                    assert rec_concave.dist(gap) == rec_concave.dist(beside) == 0
    assert max(gaps) == 2


def test_runs_that_do_not_stand_out_are_released_with_probability_delta_at_most() -> None:
    for epsilon, delta in ((Fraction(1), 0.1), (Fraction(1, 7), 1e-6), (Fraction(3), 0.4)):
        rec_concave = RecConcave(epsilon, delta)
        chance = math.exp(rec_concave.noise.log_cumulative(-rec_concave.least))
        assert delta * math.exp(-1.001 * float(epsilon)) / 2 < chance <= delta
        passes = rec_concave.noise.log_cumulative(np.arange(-rec_concave.least, 60.0))
        fails = rec_concave.noise.log_cumulative(
            -np.arange(-rec_concave.least, 60.0) - 1
        )  # a distance moves by 1: epsilon, and all
        for chances in (passes, fails):
            assert np.abs(np.diff(chances)).max() == pytest.approx(float(epsilon))
        assert [rec_concave.dist(gap) for gap in range(6)] == [0, 0, 0, 1, 1, 2]


@pytest.mark.parametrize(("n", "rank"), [(2, 1), (3, 2)])
def test_exact_privacy_of_one_level(n: int, rank: int) -> None:
    """(4 epsilon, 2 delta), with four points that are drawn of at once; a base of all points is pure."""
    epsilon, delta = Fraction(1, 2), 0.05
    rec_concave = RecConcave(epsilon, delta, base=4)
    assert levels(8, 4) == 1

    def distribution(actual_rec_concave: RecConcave):
        def of(data):
            listed = actual_rec_concave.output_distribution(Rank(tuple(sorted(data)), BITS, rank, 2), 2, HALF)
            return {x: math.log(chance) for x, chance in listed.items() if chance > 0}

        return of

    slots = [range(8)] * n
    assert exact_delta(distribution(rec_concave), slots, 4 * float(epsilon), exchangeable=True) <= 2 * delta
    assert exact_delta(distribution(rec_concave), slots, 0.0, exchangeable=True) > 0.01
    loose = RecConcave(8 * epsilon, 0.9, base=4)
    assert exact_delta(distribution(loose), slots, 4 * float(epsilon), exchangeable=True) > 2 * delta
    pure = exact_privacy_loss(distribution(RecConcave(epsilon, delta)), slots, exchangeable=True).loss
    assert 0.5 * epsilon < pure <= float(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])
def test_draws_follow_the_distribution(randomness: Randomness) -> None:
    rec_concave, run_quality = RecConcave(Fraction(2), 0.3, base=4), quality((1, 5, 5), 2)
    distribution = {
        x: chance for x, chance in rec_concave.output_distribution(run_quality, PROMISE, HALF).items() if chance > 0
    }
    assert math.fsum(distribution.values()) == pytest.approx(1)
    counts = dict.fromkeys(distribution, 0)
    for _ in range(500):
        counts[rec_concave.choose(run_quality, PROMISE, HALF, randomness)] += 1
    assert chisquare(list(counts.values()), 500 * np.array(list(distribution.values()))).pvalue > 1e-6


def test_the_sanitizer() -> None:
    """Quantiles of many entries, and of none; shares of epsilon and delta."""
    h, generator = DiscreteThresholds(40), np.random.default_rng(1)
    data = generator.integers(0, 2**40, 40_000)
    decoded = h.decode(QuasiConcave().sanitize(h.encode(data.tolist()), h, 2, 1.0, Simulation(1)))
    assert np.mean(data < decoded[0]) == pytest.approx(0.25, abs=0.15)
    assert np.mean(data < decoded[1]) == pytest.approx(0.75, abs=0.15)
    assert decoded[0] < decoded[1]
    computed_chooser, none = chooser(40, 2, 1.0, 1e-6), chooser(5, 2, 1.0, 1e-6)
    assert (computed_chooser.epsilon, none.epsilon) == (Fraction(1, 14), Fraction(1, 2))
    assert 8 * computed_chooser.delta <= 1e-6 < 8.001 * computed_chooser.delta
    assert h.decode(QuasiConcave().sanitize(h.encode([]), h, 2, 1.0, Simulation(1))) == [2**39] * 2
    assert GenericLearner(0.5, QuasiConcave(1e-5)).guarantee == Guarantee(0.5, 1e-5, Neighbours.REPLACE_ENTRY)
