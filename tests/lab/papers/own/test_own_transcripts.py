"""Forced transcripts: what they cost, against the exact distributions of the noise, and what they tell apart."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.learners.discriminant.plan import GaussianPlan, Plan
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.mechanisms.gaussian_integers import GaussianIntegers
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated
from semipriv_lab.papers.own.studies import privacy
from semipriv_lab.papers.own.transcripts import Request, epsilon_of, forced, loss_of, noted, silent, spent


def requests(mechanism: object, *values: list[int]) -> list[list[Request]]:
    return [[Request(mechanism, np.array(value))] for value in values]


def test_laplace_noise_costs_the_largest_ratio_of_its_distribution() -> None:
    mechanism = NoisyIntegers(4, Fraction(3, 2))
    collected, other = [3, -1], [1, 0]
    window = np.arange(-30, 31)
    worst = sum(
        np.abs(mechanism.noise.log_probability(window - a) - mechanism.noise.log_probability(window - b)).max()
        for a, b in zip(collected, other, strict=True)
    )
    assert float(spent(*requests(mechanism, collected, other), pure=True)) == pytest.approx(worst)
    assert spent(*requests(mechanism, collected, other), pure=True) == Fraction(9, 8)


def test_gaussian_noise_costs_the_renyi_divergence_of_its_distribution() -> None:
    mechanism = GaussianIntegers(4, Fraction(1, 8))
    window = np.arange(-200, 201)
    p, q = (mechanism.noise.log_probability(window - a) for a in (0, 3))
    order = 3.0
    divergence = np.log(np.exp(order * p - (order - 1) * q).sum()) / (order - 1)
    rho = float(spent(*requests(mechanism, [0, 0], [3, 0]), pure=False))
    assert divergence == pytest.approx(order * rho, rel=1e-6)


@pytest.mark.parametrize("kind", [PermuteAndFlip, ExponentialMechanism])
def test_a_selection_costs_at_least_what_its_distribution_loses(kind: type) -> None:
    mechanism = kind(1.5)
    for first, other in itertools.product(itertools.product((0, 1, 2), repeat=3), repeat=2):
        distributions = [mechanism.log_probabilities(list(scores)) for scores in (first, other)]
        loss = float(np.abs(distributions[0] - distributions[1]).max())
        assert loss <= float(spent(*requests(mechanism, list(first), list(other)), pure=True)) + 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [(0.01, 1e-9), (1.0, 1e-6), (3.0, 0.5), (1e4, 0.999)])
def test_the_whole_rho_of_a_guarantee_is_its_epsilon(epsilon: float, delta: float) -> None:
    rho = float(ZeroConcentrated.within(Guarantee(epsilon, delta)).rho)
    assert epsilon_of(rho, delta) == pytest.approx(epsilon, rel=1e-6)


def test_gaussian_noise_alone_is_judged_by_its_exact_account() -> None:
    """Two values move; the distribution of the difference of noises gives delta.  Beside a selection rhos add up."""
    sigma, delta = 6.5, 1e-6
    first, other = requests(DiscreteGaussian(sigma), [0, 0], [1, -1])
    k = np.arange(-100, 101)
    distribution = np.convolve(*[np.exp(DiscreteGaussian(sigma).log_probability(k))] * 2)
    losses = (1 - np.arange(-200, 201)) / sigma**2
    computed_loss_of = loss_of(first, other, delta)
    assert computed_loss_of < 0.95 * epsilon_of(float(spent(first, other, False)), delta)
    for epsilon, fine in ((computed_loss_of, True), (0.97 * computed_loss_of, False)):
        assert (distribution @ -np.expm1(np.minimum(epsilon - losses, 0)) <= delta) == fine
    drawn = requests(ExponentialMechanism(1e-9), [0, 0], [0, 0])
    beside = [[*own, *draw] for own, draw in zip((first, other), drawn, strict=True)]
    assert loss_of(*beside, delta) == epsilon_of(float(spent(*beside, False)), delta) > computed_loss_of


def test_mechanisms_of_other_sizes_are_no_neighbours() -> None:
    with pytest.raises(ValueError, match="not those of the same mechanisms"):
        spent(*requests(NoisyIntegers(2, 1.0), [0, 0], [0]), pure=True)


def test_what_is_forced_is_undone_and_what_is_noted_draws() -> None:
    coins = np.random.default_rng(0)
    x, y = coins.normal(size=(300, 2)), coins.integers(0, 2, 300).astype(np.int8)
    learner = PublicMetricDiscriminant(2.0)
    prepared = learner.prepare(x[:20], Halfspaces(2))

    def drawn() -> list[float]:
        return learner.release(prepared, x, y, Simulation(3)).output.parameters.ravel().tolist()

    usual = drawn()
    with forced(2) as asked:
        other = drawn()
    assert len(asked) == len(learner.plan(prepared, 300).gradients) + 1
    with noted() as selected:
        assert drawn() == usual
    assert len(selected) == 1
    with silent():
        drawn()
    assert drawn() == usual != other


@pytest.mark.parametrize(
    ("kind", "name"), [("two labels", "public_metric_discriminant"), ("several labels", "public_metric_multiclass")]
)
def test_corners_reach_each_way_to_release(kind: str, name: str) -> None:
    """No sum, several sums, and Gaussian noise: what is not reached is not replayed."""
    transcript_case = privacy.case(kind, privacy.by_name(name))
    plans = [
        transcript_case.make(e, d).plan(transcript_case.prepared, n)
        for e, d, n in (*privacy.CORNERS, *privacy.WITH_DELTA)
    ]
    assert {(type(plan), len(plan.gradients) > 1) for plan in plans} == {
        (Plan, False),
        (Plan, True),
        (GaussianPlan, True),
    }
