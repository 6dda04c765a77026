"""Exact distributions of walks above barriers: closed forms, sums of chances, and draws."""

import math

import numpy as np
import pytest
import scipy

from semipriv_lab.papers.bbd24.random_walks import Step, chosen_distribution, survivals


@pytest.mark.parametrize("step", Step)
def test_signs_of_the_first_sums_do_not_depend_on_the_step(step: Step) -> None:
    """P[the first r sums are positive] = C(2 r, r) / 4^r for every symmetric density (Sparre Andersen)."""
    walks = [(0.0,) * r for r in range(7)]
    for r, walk in enumerate(walks):
        assert survivals(walks, step)[walk] == pytest.approx(math.comb(2 * r, r) / 4**r, abs=1e-13)


def test_one_and_two_steps_are_closed_forms() -> None:
    computed_survivals = survivals([(0.7,), (-0.7,), (-50.0, 0.5), (0.5, 0.5)], Step.LAPLACE)
    assert computed_survivals[0.7,] == pytest.approx(math.exp(-0.7) / 2, rel=1e-14)
    assert computed_survivals[-0.7,] == pytest.approx(1 - math.exp(-0.7) / 2, rel=1e-14)
    assert computed_survivals[-50.0, 0.5] == pytest.approx((2 + 0.5) * math.exp(-0.5) / 4, rel=1e-12)
    assert survivals([(-9.0, 0.5)], Step.NORMAL)[-9.0, 0.5] == pytest.approx(
        float(scipy.special.ndtr(-0.5 / math.sqrt(2))), abs=1e-13
    )
    mass = scipy.integrate.quad(lambda x: math.exp(-x) / 2 * (1 - math.exp(0.5 - x) / 2), 0.5, 40)[0]
    assert computed_survivals[0.5, 0.5] == pytest.approx(mass, rel=1e-9)


@pytest.mark.parametrize("step", Step)
def test_distributions_are_those_of_the_least_perturbed_mistakes(step: Step) -> None:
    rng = np.random.default_rng(4)
    mistakes = rng.integers(0, 5, (20, 6)) / 2.5
    distributions = chosen_distribution(mistakes, step)
    assert np.abs(distributions.sum(axis=1) - 1).max() < 1e-12
    draw = rng.laplace if step is Step.LAPLACE else rng.normal
    weights = draw(0, 1, (50_000, 5))
    noise = np.pad(np.cumsum(weights[:, ::-1], axis=1)[:, ::-1], ((0, 0), (0, 1)))
    for q, distribution in zip(mistakes[:6], distributions, strict=False):
        shares = np.bincount((noise + q).argmin(axis=1), minlength=6) / len(noise)
        assert (np.abs(shares - distribution) < 5 * np.sqrt(distribution / len(noise)) + 1e-5).all()


def test_long_walks_and_wide_barriers_keep_their_mass() -> None:
    far = np.where(np.arange(17) == 8, 0.0, 30.0)[None]
    assert chosen_distribution(far).sum() == pytest.approx(1, abs=1e-11)
    assert chosen_distribution(np.array([[0.0, 60.0, 3.0]])).sum() == pytest.approx(1, abs=1e-12)
