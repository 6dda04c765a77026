"""Sparse vector: its distribution against the process itself, privacy over all neighbours, controls that break it."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import frequencies
import numpy as np
import pytest

from semipriv.audit.properties.entropy import LEVEL
from semipriv.core.fields import value
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.sparse_vector import SparseVector

Verdicts = tuple[bool, ...]
ALMOST_NOTHING = DiscreteLaplace(Fraction(1, 500))


def probability(scale: Fraction, reach: int) -> np.ndarray:
    """P[k] of discrete Laplace noise, k from -reach to reach."""
    weight = np.exp(-np.abs(np.arange(-reach, reach + 1)) / float(scale))
    return weight / math.fsum(weight)


def process(sparse: SparseVector, answers: list[int], reach: int) -> dict[Verdicts, float]:
    """Two answers or fewer: the algorithm run on all values of all noise, as Lyu, Su and Li 2017 state it."""
    d, c, k = sparse.sensitivity, sparse.cutoff, np.arange(-reach, reach + 1)
    first = Fraction(sparse.epsilon) * Fraction(sparse.threshold_share)
    second = Fraction(sparse.epsilon) - first
    r = k[:, None, None]
    noise = [k[None, :, None], k[None, None, :]]
    query = probability((1 if sparse.monotone else 2) * c * d / second, reach)
    mass = probability(d / first, reach)[:, None, None] * query[None, :, None] * query[None, None, :]
    above = [np.broadcast_to(q + n >= sparse.threshold + r, mass.shape) for q, n in zip(answers, noise, strict=False)]
    distribution: Counter[Verdicts] = Counter()
    for pattern in itertools.product([False, True], repeat=len(answers)):
        event = np.ones(mass.shape, bool)
        for verdict, given in zip(pattern, above, strict=False):
            event &= given == verdict
        distribution[stopped(pattern, c)] += float(mass[event].sum())
    return dict(distribution)


def stopped(pattern: Verdicts, cutoff: int) -> Verdicts:
    """The verdicts up to and with the last that is given."""
    yes = np.flatnonzero(pattern)
    return pattern[: yes[cutoff - 1] + 1] if yes.size >= cutoff else pattern


def double_sums(sparse: SparseVector, answers: list[int], reach: int) -> dict[Verdicts, float]:
    """Any number of answers: the sum over r of products of sums over each N."""
    r = np.arange(-reach, reach + 1)
    query = probability(Fraction(sparse.query_noise.scale), reach)
    weight = probability(Fraction(sparse.threshold_noise.scale), reach)
    yes = [np.array([query[r >= sparse.threshold + x - q].sum() for x in r]) for q in answers]
    no = [np.array([query[r < sparse.threshold + x - q].sum() for x in r]) for q in answers]
    distribution = {}
    for pattern in {stopped(p, sparse.cutoff) for p in itertools.product([False, True], repeat=len(answers))}:
        chosen = [yes[i] if verdict else no[i] for i, verdict in enumerate(pattern)]
        distribution[pattern] = math.fsum(weight * np.prod(chosen, axis=0)) if chosen else math.fsum(weight)
    return distribution


def agree(actual: dict[Verdicts, float], expected: dict[Verdicts, float], rel: float) -> None:
    assert actual.keys() == expected.keys()
    for pattern, p in expected.items():
        assert math.exp(actual[pattern]) == pytest.approx(p, rel=rel, abs=0)


# --------------------------------------------------------------------------------------------------------- distribution
@pytest.mark.parametrize(
    "sparse",
    [
        SparseVector(8.0, threshold=3),
        SparseVector(8.0, threshold=-2, cutoff=2, threshold_share=0.3),
        SparseVector(9.0, threshold=0, sensitivity=2, monotone=True, threshold_share=0.7),
    ],
    ids=str,
)
@pytest.mark.parametrize("answers", [[], [0], [3, 2], [-4, 4]])
def test_the_distribution_is_that_of_the_process(sparse, answers):
    agree(sparse.log_probabilities(answers), process(sparse, answers, 60), 1e-9)


@pytest.mark.parametrize("cutoff", [1, 2, 3, 10**9])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_distribution_is_a_double_sum(cutoff, share):
    answers = [0, 5, -3, 1, 30]
    sparse = SparseVector(10.0 * min(cutoff, 4), threshold=1, cutoff=cutoff, threshold_share=share)
    if cutoff == 10**9:
        sparse = SparseVector(2e9, threshold=1, cutoff=cutoff, threshold_share=1e-9)  # scales 1/2 and 1
    log_chances = sparse.log_probabilities(answers)
    agree(log_chances, double_sums(sparse, answers, 400), 1e-11)
    assert math.fsum(np.exp(list(log_chances.values()))) == pytest.approx(1, abs=1e-13)


def test_the_distribution_of_many_answers():
    """Twenty, far apart and on both sides, noise of the threshold ten times as wide as theirs."""
    sparse = SparseVector(2.2, threshold=0, threshold_share=1 / 22)
    answers = [40, -40, 0, 3, 25] * 4
    log_chances = sparse.log_probabilities(answers)
    assert len(log_chances) == 21
    agree(log_chances, double_sums_one_yes(sparse, answers, 700), 1e-12)
    assert math.fsum(np.exp(list(log_chances.values()))) == pytest.approx(1, abs=1e-13)


def double_sums_one_yes(sparse: SparseVector, answers: list[int], reach: int) -> dict[Verdicts, float]:
    """The same for cutoff 1, where there is one pattern for each answer and one more."""
    r = np.arange(-reach, reach + 1)
    query = probability(Fraction(sparse.query_noise.scale), 2 * reach)
    n = np.arange(-2 * reach, 2 * reach + 1)
    left = probability(Fraction(sparse.threshold_noise.scale), reach)
    distribution = {}
    for i, q in enumerate(answers):
        distribution[(False,) * i + (True,)] = math.fsum(left * [query[n >= sparse.threshold + x - q].sum() for x in r])
        left = left * [query[n < sparse.threshold + x - q].sum() for x in r]
    distribution[(False,) * len(answers)] = math.fsum(left)
    return distribution


def test_a_shift_of_all_numbers_does_not_matter():
    distribution = SparseVector(1.0, threshold=5, cutoff=2).log_probabilities([4, 9, 0])
    far = 10**30
    assert SparseVector(1.0, threshold=5 + far, cutoff=2).log_probabilities([4 + far, 9 + far, far]) == distribution


def test_a_tie_is_a_yes():
    """Hardly any noise: 0 >= 0 is yes, -1 >= 0 is no."""
    distribution = SparseVector(1000.0, threshold=0).log_probabilities([-1, 0])
    assert distribution[False, True] == pytest.approx(0, abs=1e-15)
    assert list(SparseVector(1e6, threshold=0).verdicts([-1, 0], Secure())) == [False, True]


# ----------------------------------------------------------------------------------------------------- privacy
def loss(sparse: SparseVector, answers: list[int], others: list[int]) -> float:
    """Largest |ln P[a | q] - ln P[a | q']| over the outputs a."""
    log_chances, two = sparse.log_probabilities(answers), sparse.log_probabilities(others)
    return max(abs(log_chances[a] - two[a]) for a in log_chances)


def largest_loss(sparse: SparseVector, centres: list[int], length: int, steps: list[tuple[int, ...]]) -> float:
    """Largest loss over all answers from the centres and all their neighbours, one step for each answer."""
    distribution: dict[tuple[int, ...], np.ndarray] = {}

    def at(answers: tuple[int, ...]) -> np.ndarray:
        if answers not in distribution:
            log_chances = sparse.log_probabilities(answers)
            distribution[answers] = np.array([log_chances[a] for a in sorted(log_chances)])
        return distribution[answers]

    pairs = itertools.product(itertools.product(centres, repeat=length), steps)
    return max(np.abs(at(q) - at(tuple(map(sum, zip(q, s, strict=True))))).max() for q, s in pairs)


def any_step(length: int, size: int = 1) -> list[tuple[int, ...]]:
    return list(itertools.product(range(-size, size + 1), repeat=length))


def one_way(length: int) -> list[tuple[int, ...]]:
    return [*itertools.product([0, 1], repeat=length), *itertools.product([0, -1], repeat=length)]


@pytest.mark.parametrize("cutoff", [1, 2, 3])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_no_neighbour_costs_more_than_epsilon(cutoff, share):
    """Three answers, each -8, 0 or 8 away from the threshold; all changes of each by -1, 0 or 1.

    Three answers cannot cost all of epsilon, but a yes far below costs what one noise gives: epsilon_2 / (2 c).
    """
    sparse = SparseVector(2.0, threshold=0, cutoff=cutoff, threshold_share=share)
    computed_largest_loss = largest_loss(sparse, [-8, 0, 8], 3, any_step(3))
    assert 0.99 * (1 - share) * 2.0 / (2 * cutoff) < computed_largest_loss <= 2.0 * (1 + 1e-12)


def test_no_neighbour_costs_more_than_epsilon_where_answers_move_by_two():
    sparse = SparseVector(2.0, threshold=1, cutoff=2, sensitivity=2)
    computed_largest_loss = largest_loss(sparse, [-7, 0, 9], 2, any_step(2, 2))
    assert 0.25 * 0.99 < computed_largest_loss <= 2.0 * (1 + 1e-12)


def worst_pair(cutoff: int, no: int, sensitivity: int = 1, gap: int = 60) -> tuple[list[int], list[int]]:
    """So many no far above the threshold force R up; then the yes far below it need as much noise of their own.

    On the neighbour the former have risen by D and the latter fallen by D.
    """
    above, below = [gap * sensitivity] * no, [-gap * sensitivity] * cutoff
    return above + below, [q + sensitivity for q in above] + [q - sensitivity for q in below]


TIGHT = [(1, 0.5, 1), (2, 0.5, 1), (3, 0.5, 1), (1, 0.3, 1), (2, 0.3, 1), (3, 0.2, 1), (1, 0.7, 1), (2, 0.5, 3)]


@pytest.mark.parametrize(("cutoff", "share", "sensitivity"), TIGHT)
def test_epsilon_is_attained(cutoff, share, sensitivity):
    """One pair of answers costs 99.9 per cent of epsilon: no smaller number would be true."""
    sparse = SparseVector(2.0, 0, cutoff, sensitivity, share)
    computed_loss = loss(sparse, *worst_pair(cutoff, 16, sensitivity))
    assert 0.999 * 2.0 < computed_loss <= 2.0 * (1 + 1e-12)


@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_no_neighbour_of_the_worst_answers_costs_more(cutoff):
    """All changes of the answers below, and of the two halves of those above: the most is 99.9 per cent of epsilon."""
    sparse = SparseVector(2.0, threshold=0, cutoff=cutoff, threshold_share=0.3)
    answers, _ = worst_pair(cutoff, 6)
    distribution = sparse.log_probabilities(answers)
    largest_difference = 0.0
    for first, second, *rest in any_step(2 + cutoff):
        step = [first] * 3 + [second] * 3 + rest
        other = sparse.log_probabilities([q + s for q, s in zip(answers, step, strict=True)])
        largest_difference = max(largest_difference, *(abs(distribution[a] - other[a]) for a in distribution))
    assert 0.999 * 2.0 < largest_difference <= 2.0 * (1 + 1e-12)


@value
class HalfTheQueryNoise(SparseVector):
    """As if queries were monotone."""

    @property
    def query_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(Fraction(super().query_noise.scale) / 2)


@value
class HalfTheThresholdNoise(SparseVector):
    @property
    def threshold_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(Fraction(super().threshold_noise.scale) / 2)


@value
class CutoffForgotten(SparseVector):
    """Lyu, Su and Li 2017, algorithm 4: noise of the queries does not grow with c."""

    @property
    def query_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(Fraction(super().query_noise.scale) / self.cutoff)


@value
class NoThresholdNoise(SparseVector):
    @property
    def threshold_noise(self) -> DiscreteLaplace:
        return ALMOST_NOTHING


@value
class NoQueryNoise(SparseVector):
    """Lyu, Su and Li 2017, algorithm 5."""

    @property
    def query_noise(self) -> DiscreteLaplace:
        return ALMOST_NOTHING


@value
class SensitivityForgotten(SparseVector):
    @property
    def query_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(Fraction(super().query_noise.scale) / self.sensitivity)


@pytest.mark.parametrize(
    ("broken", "least"),
    [
        (HalfTheQueryNoise, 2.9),
        (HalfTheThresholdNoise, 2.5),
        (CutoffForgotten, 3.9),
        (NoThresholdNoise, 2.9),
        (NoQueryNoise, 100),
        (SensitivityForgotten, 3.9),
    ],
)
def test_broken_controls_cost_more_than_epsilon(broken, least):
    """Epsilon = 2, three yes: the same pair, and where D is forgotten one with D = 3."""
    sensitivity = 3 if broken is SensitivityForgotten else 1
    sparse = broken(2.0, threshold=0, cutoff=3, sensitivity=sensitivity)
    computed_loss = loss(sparse, *worst_pair(3, 16, sensitivity))
    assert computed_loss > least
    correct = SparseVector(2.0, threshold=0, cutoff=3, sensitivity=sensitivity)
    assert loss(correct, *worst_pair(3, 16, sensitivity)) <= 2.0 * (1 + 1e-12)


# ---------------------------------------------------------------------------------------------------- monotone
@pytest.mark.parametrize("cutoff", [1, 2, 3])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_no_monotone_neighbour_costs_more_than_epsilon(cutoff, share):
    sparse = SparseVector(2.0, threshold=0, cutoff=cutoff, threshold_share=share, monotone=True)
    computed_largest_loss = largest_loss(sparse, [-8, 0, 8], 3, one_way(3))
    assert 0.4 * 2.0 < computed_largest_loss <= 2.0 * (1 + 1e-12)


@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_epsilon_is_attained_by_monotone_neighbours_and_exceeded_by_others(cutoff):
    """Only the answers above rise: 99.9 per cent of epsilon.  The others fall too: epsilon_1 + 2 epsilon_2."""
    sparse = SparseVector(2.0, threshold=0, cutoff=cutoff, threshold_share=0.3, monotone=True)
    answers, others = worst_pair(cutoff, 16)
    risen = [max(pair) for pair in zip(answers, others, strict=True)]
    assert 0.999 * 2.0 < loss(sparse, answers, risen) <= 2.0 * (1 + 1e-12)
    assert loss(sparse, answers, others) > 0.999 * (0.6 + 2 * 1.4)


def test_monotone_neighbours_cost_more_with_half_of_that_noise():
    sparse = HalfTheQueryNoise(2.0, threshold=0, cutoff=2, threshold_share=0.3, monotone=True)
    answers, others = worst_pair(2, 16)
    assert loss(sparse, answers, [max(pair) for pair in zip(answers, others, strict=True)]) > 3


# --------------------------------------------------------------------------------------------------- verdicts
def p_value(drawn: Counter[Verdicts], distribution: dict[Verdicts, float]) -> float:
    assert set(drawn) <= set(distribution)
    return frequencies.p_value([drawn[a] for a in distribution], drawn.total() * np.exp(list(distribution.values())))


@pytest.mark.parametrize("randomness", [Simulation(11), Secure()], ids=["simulation", "secure"])
@pytest.mark.parametrize(("cutoff", "monotone"), [(1, False), (2, True), (3, False)])
def test_verdicts_follow_the_distribution(randomness, cutoff, monotone):
    sparse = SparseVector(1.5 * cutoff, threshold=2, cutoff=cutoff, threshold_share=0.4, monotone=monotone)
    answers = np.array([0, 4, 1, 2, 9])
    drawn = Counter(tuple(sparse.verdicts(answers, randomness)) for _ in range(4000))
    assert p_value(drawn, sparse.log_probabilities(answers)) > LEVEL
    if isinstance(randomness, Simulation):  # answers higher by one are another distribution
        assert p_value(drawn, sparse.log_probabilities(answers + 1)) < LEVEL


@pytest.mark.parametrize("randomness", [Simulation(12), Secure()], ids=["simulation", "secure"])
def test_answers_that_depend_on_verdicts_follow_the_distribution_of_each_branch(randomness):
    sparse = SparseVector(6.0, threshold=0, cutoff=2)
    second = {True: -2, False: 3}

    def run() -> Verdicts:
        given: list[bool] = []

        def answers() -> Iterator[int]:
            yield 1
            yield second[given[0]]

        for verdict in sparse.verdicts(answers(), randomness):
            given.append(verdict)
        return tuple(given)

    distribution = {
        a: p for first, q in second.items() for a, p in sparse.log_probabilities([1, q]).items() if a[0] == first
    }
    assert math.fsum(np.exp(list(distribution.values()))) == pytest.approx(1, abs=1e-13)
    assert p_value(Counter(run() for _ in range(4000)), distribution) > LEVEL


@pytest.mark.parametrize("randomness", [Simulation(13), Secure()])
def test_answers_are_taken_one_at_a_time_and_none_after_the_last_yes(randomness):
    taken: list[int] = []

    def answers() -> Iterator[int]:
        for answer in (-(10**9), 10**9, -(10**9), 10**9, 10**9):
            taken.append(answer)
            yield answer

    verdicts = SparseVector(1.0, threshold=0, cutoff=2).verdicts(answers(), randomness)
    assert taken == []
    for number, expected in enumerate([False, True, False, True], start=1):
        assert next(verdicts) is expected
        assert len(taken) == number
    with pytest.raises(StopIteration):
        next(verdicts)
    assert len(taken) == 4


def test_the_end_of_the_answers_ends_the_verdicts():
    assert list(SparseVector(1.0, threshold=0).verdicts([], Secure())) == []
    assert list(SparseVector(1.0, threshold=0, cutoff=5).verdicts([-(10**9)] * 3, Secure())) == [False] * 3


def test_the_noise_of_the_threshold_is_drawn_once():
    """Wide for the threshold, almost none for the queries: equal answers get one verdict, and not always the same."""
    sparse = SparseVector(1000.01, threshold=0, cutoff=50, threshold_share=1e-6)
    runs = {tuple(sparse.verdicts([0] * 10, Simulation(14, (str(i),)))) for i in range(60)}
    assert runs == {(True,) * 10, (False,) * 10}


def test_integers_of_numpy_do_not_overflow():
    sparse = SparseVector(1.0, np.int64(2**62), cutoff=np.int64(2**40), sensitivity=np.int64(2**40))
    assert sparse.query_noise == DiscreteLaplace(2**82)
    assert list(sparse.verdicts(np.array([-(2**62)]), Secure())) in ([True], [False])
