"""The public-model discriminant: what its test decides, what it costs, what it learns with and without a shift."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from semipriv.audit.properties.same_coins import differences
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.learners._totals import Summand
from semipriv.learners.discriminant.gradients import (
    ONE_POPULATION,
    PARTS,
    SHIFTED,
    Step,
    cautious_hessian,
    chances,
    weighed,
)
from semipriv.learners.discriminant.plan import Plan
from semipriv.learners.discriminant.trust import BLIND
from semipriv.learners.discriminant.warm import Rule, handicapped, handicaps_of, possible, rules_of
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv.learners.regression.moments import UNLIKE
from semipriv.learners.stages.public_model import ModelledMetric
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.privacy.events import Composed, pure_guarantee
from semipriv.privacy.guarantee import Release

D = 12
WEIGHTS = np.random.default_rng(0).normal(size=D)


def examples(n: int, seed: int, sign: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    coins = np.random.default_rng(seed)
    x = coins.normal(size=(n, D))
    return x, (coins.random(n) < 1 / (1 + np.exp(-sign * 1.5 * x @ WEIGHTS))).astype(np.int8)


def prepared(sign: float = 1.0) -> ModelledMetric:
    x, y = examples(120, 1, sign)
    return PublicModelDiscriminant(1.0).prepare(x, Halfspaces(D), y)


def error(learner: object, built: object, n: int, trials: int = 5) -> float:
    held, truth = examples(4_000, 2)
    averages = []
    for trial in range(trials):
        x, y = examples(n, 10 + trial)
        averages.append(np.mean(learner.release(built, x, y, Simulation(trial)).output.predict(held) != truth))
    return float(np.mean(averages))


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_it_is_no_worse_than_public_rows_alone_and_than_private_rows_alone(epsilon: float) -> None:
    prepared_stage = prepared()
    held, truth = examples(4_000, 2)
    alone = float(np.mean(prepared_stage.metric.functions.predict(prepared_stage.rule[None], held)[0] != truth))
    private = error(PublicMetricDiscriminant(epsilon), prepared_stage.metric, 2_000)
    for same in (False, True):
        assert error(PublicModelDiscriminant(epsilon, same), prepared_stage, 2_000) <= min(alone, private) + 0.01


def test_a_public_model_that_is_wrong_everywhere_is_left() -> None:
    """Public labels the other way round: the test sees it; who declares one population pays."""
    prepared_stage = prepared(-1.0)
    private = error(PublicMetricDiscriminant(1.0), prepared_stage.metric, 2_000)
    assert error(PublicModelDiscriminant(1.0), prepared_stage, 2_000) < private + 0.02
    assert error(PublicModelDiscriminant(0.1, same_population=True), prepared_stage, 2_000, 2) > 0.5


def test_with_few_rows_the_test_gets_what_it_needs_to_see() -> None:
    """Up to half of epsilon, so that a model that is wrong everywhere is left; with less there is no test."""
    learner, prepared_stage = PublicModelDiscriminant(0.3), prepared(-1.0)
    mechanism = learner.test(prepared_stage, 300)
    assert mechanism is not None
    assert 17 / 300 < mechanism.epsilon <= 0.15
    assert np.sqrt(mechanism.noise.variance) / 300 <= BLIND
    assert PublicModelDiscriminant(0.1).test(prepared_stage, 300) is None
    assert error(learner, prepared_stage, 300, 10) < 0.45
    assert error(PublicModelDiscriminant(0.3, True), prepared_stage, 300, 10) > 0.55


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["trusted", "left"])
@pytest.mark.parametrize("same", [False, True], ids=["tested", "declared"])
def test_neighbours_look_alike_with_many_rows(sign: float, same: bool) -> None:
    """Counts move by 2 in L1, sums by two norms, scores by 1, and nothing else moves, whichever way is taken."""
    x, y = examples(300, 3)
    learner, prepared_stage = PublicModelDiscriminant(8.0, same), prepared(sign)

    def stage(points: np.ndarray, labels: np.ndarray, randomness: Randomness) -> Release:
        return learner.release(prepared_stage, points, labels, randomness)

    neighbours = []
    for point, label in itertools.product((x[1], np.full(D, 1e308), np.zeros(D), -100 * x[0]), (0, 1)):
        moved, changed = x.copy(), y.copy()
        moved[0], changed[0] = point, label
        neighbours.append((moved, changed))
    differing_draws, most = differences(stage, (x, y), neighbours, secure=True)
    assert differing_draws == []
    assert most > 1


@pytest.mark.parametrize("n", [1, 100, 3_000, 10**6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_both_ways_cost_what_the_test_leaves(epsilon: float, n: int) -> None:
    learner, prepared_stage = PublicModelDiscriminant(epsilon), prepared()
    event, mechanism = learner.release_event(prepared_stage, n), learner.test(prepared_stage, n)
    assert pure_guarantee(event).epsilon == epsilon
    rest = Fraction(epsilon) - (0 if mechanism is None else Fraction(mechanism.epsilon))
    for plan in (learner.plan(prepared_stage, n), learner.fallback(prepared_stage, n)):
        assert plan.event.pure <= rest
        assert plan.event.pure >= rest * Fraction(999, 1000)
    declared = PublicModelDiscriminant(epsilon, same_population=True)
    assert declared.test(prepared_stage, n) is None
    assert isinstance(declared.release_event(prepared_stage, n), Composed)
    assert pure_guarantee(declared.release_event(prepared_stage, n)).epsilon == epsilon


def test_handicaps_are_a_prior_and_public_mistakes() -> None:
    """A rule and its opposite, of no public mistake and of many; the last one has the prior; integers."""
    prepared_stage = prepared()
    y = prepared_stage.labels == 1
    right, wrong = np.where(y, 1.0, -1.0), np.where(y, -1.0, 1.0)
    collected = [Rule(prepared_stage.rule, wrong), Rule(-prepared_stage.rule, right)]
    for n in (200, 5_000):
        computed_handicapped = handicapped(prepared_stage, collected, 0.5, n)
        assert computed_handicapped.handicaps.dtype == np.int64
        assert computed_handicapped.handicaps.min() == 0
        best = computed_handicapped.candidates[int(np.argmin(computed_handicapped.handicaps))]
        assert np.allclose(best, -prepared_stage.rule / np.abs(prepared_stage.rule).max())
        first = next(
            i
            for i, p in enumerate(computed_handicapped.candidates)
            if np.allclose(p, prepared_stage.rule / np.abs(prepared_stage.rule).max())
        )
        assert computed_handicapped.handicaps[first] >= 100


@pytest.mark.parametrize("m", [0, 120])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-308, 1e-200, 1e308])
def test_no_epsilon_is_too_small_or_too_large_for_handicaps(epsilon: float, m: int) -> None:
    """What is charged can be drawn, and a handicap leaves room for mistakes: a number that overflows has no room."""
    x, y = examples(120, 1)
    learner = PublicModelDiscriminant(epsilon, same_population=True)
    prepared_stage = learner.prepare(x[:m], Halfspaces(D), y[:m])
    learner.check_release(prepared_stage, 40)
    handicaps = handicapped(
        prepared_stage,
        [Rule(prepared_stage.rule, prepared_stage.crossed)],
        learner.plan(prepared_stage, 40).selection,
        40,
    ).handicaps
    assert handicaps.min() >= 0
    assert handicaps.max() <= 2**54
    learner.release(prepared_stage, x[:40], y[:40], Secure())


def test_public_rows_alone_decide_rules_if_private_rows_say_nothing() -> None:
    """Noise instead of sums: no number of a private row gets into a rule."""
    prepared_stage, plan = prepared(), Plan(3, (Fraction(1), Fraction(1)), 0.5)

    def draw(noise: NoisyIntegers, summand: Summand) -> np.ndarray:
        return np.array([7, -900, 30, 4])

    first, other = (rules_of(prepared_stage, plan, 50, draw) for _ in range(2))
    assert len(first) == 1 + 2 * 4
    assert all(
        np.array_equal(a.rule, b.rule) and np.array_equal(a.scores, b.scores) for a, b in zip(first, other, strict=True)
    )


def test_it_releases_exactly() -> None:
    x, y = examples(3_000, 7)
    release = PublicModelDiscriminant(1.0).release(prepared(), x, y, Secure())
    assert release.certified().epsilon == 1
    assert np.mean(release.output.predict(x) == y) > 0.8


# ---------------------------------------------------------------------------------------------------- shift
def test_public_labels_that_tell_nothing_are_left_without_a_test() -> None:
    """A public decision: the whole epsilon is for the private rows."""
    x, y = examples(120, 1)
    learner = PublicModelDiscriminant(1.0)
    prepared_stage = learner.prepare(x, Halfspaces(D), np.random.default_rng(4).permutation(y))
    assert learner.test(prepared_stage, 2_000) is None
    actual_release_event, other = (
        learner.release_event(prepared_stage, 2_000),
        PublicMetricDiscriminant(1.0).release_event(prepared_stage.metric, 2_000),
    )
    assert actual_release_event == other


def test_a_noisy_gradient_says_what_a_public_row_is_worth() -> None:
    """Brute force over the worths, each with its density; near 0 a public row counts fully, far away hardly."""
    coins = np.random.default_rng(5)
    public, n, m = np.vstack([coins.normal(size=(3, 200)), np.ones(200)]), 1_000, 200
    start = coins.normal(size=200)
    near, far = np.full(4, 0.002), np.array([0.2, -0.2, 0.1, 0.1])
    p = chances(np.zeros(4), public, start)
    hessian = cautious_hessian(p, public, 0.01)
    least = 4 / (m * float((p * (1 - p)).mean()) * SHIFTED)
    worths = [w for w in PARTS.tolist() if w > least] + [least]
    for mean in (near, far):
        step = Step(np.zeros(4), mean, 0.01)
        shares, collected = [], []
        for place, worth in enumerate(worths):
            prior = np.linalg.inv(worth * m * hessian)
            lost = UNLIKE * 4 / m * float(np.trace(hessian @ prior))
            noise = 1e-4 * np.eye(4) + (1 / n + lost / m) * hessian
            chance = ONE_POPULATION if place == 0 else (1 - ONE_POPULATION) / (len(worths) - 1)
            shares.append(chance * multivariate_normal(np.zeros(4), noise + hessian @ prior @ hessian).pdf(mean))
            gain = prior @ hessian @ np.linalg.inv(noise + hessian @ prior @ hessian)
            collected.append(gain @ mean)
        expected = np.average(collected, axis=0, weights=shares)
        own = weighed(step, public, start, n)
        assert np.allclose(own, expected, rtol=1e-6)
        fully, hardly = (float(np.abs(own - gradient_rows).max()) for gradient_rows in (collected[0], collected[-1]))
        assert (fully < hardly) == (mean is near)


# ---------------------------------------------------------------------------------------------------- epsilon to 0
KINDS = ("good", "permuted", "opposite")


def labelled(kind: str) -> ModelledMetric:
    x, y = examples(120, 1, -1.0 if kind == "opposite" else 1.0)
    known = np.random.default_rng(4).permutation(y) if kind == "permuted" else y
    return PublicModelDiscriminant(1.0).prepare(x, Halfspaces(D), known)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-18, 1e-12, 1e-8])
def test_as_epsilon_falls_the_public_model_is_released(kind: str, epsilon: float) -> None:
    """Whatever the public labels are: another rule was released with a chance of .08, however small epsilon was."""
    prepared_stage = labelled(kind)
    x, y = examples(400, 6)
    for seed in range(40):
        output = PublicModelDiscriminant(epsilon).release(prepared_stage, x, y, Simulation(seed)).output
        assert np.array_equal(output.parameters, prepared_stage.rule / np.abs(prepared_stage.rule).max())


@pytest.mark.parametrize("kind", KINDS)
def test_errors_tend_to_those_of_the_public_model(kind: str) -> None:
    """In the mean over coins; with n epsilon = 10 private rows mend what public labels tell wrongly."""
    prepared_stage, n = labelled(kind), 400
    held, truth = examples(4_000, 2)
    x, y = examples(n, 6)
    alone = float(np.mean(prepared_stage.metric.functions.predict(prepared_stage.rule[None], held)[0] != truth))
    far = []
    for product in (10.0, 1.0):
        outputs = (
            PublicModelDiscriminant(product / n).release(prepared_stage, x, y, Simulation(i)).output for i in range(150)
        )
        far.append(float(np.mean([np.mean(output.predict(held) != truth) for output in outputs])) - alone)
    assert far[0] < 0.02
    assert abs(far[1]) < 0.005


def test_from_where_rows_tell_something_on_the_prior_is_what_it_was() -> None:
    """Handicaps of a prior at n epsilon = 20 and more are in proportion to 1 / epsilon; below they are larger."""
    prior, mistakes = np.array([0.05, 0.8, 0.0, 0.0]), np.zeros(4, np.int64)

    def of(product: float) -> np.ndarray:
        return handicaps_of(prior, mistakes, product / 10**6, 0.0, 10**6) * (product / 10**6) / 2

    most = np.log((0.8 + 0.15 / 4) / (np.array([0.05, 0.8, 0, 0]) + 0.15 / 4))
    assert np.allclose(of(20.0), most, atol=1e-4)
    assert np.allclose(of(2_000.0), most, atol=2e-3)
    assert (of(10.0)[2:] > most[2:] + 0.6).all()
    assert (of(1e-6)[2:] > most[2:] + 16).all()


def test_candidates_that_no_score_can_hold_are_not_taken() -> None:
    assert possible(np.array([0, 5, 2**53]), 1).tolist() == [0, 1]
    assert possible(np.array([0, 2**40, 7]), 2**13).tolist() == [0, 2]
