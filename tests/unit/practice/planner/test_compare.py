"""Limits of least private sizes by simulation, and the comparison of learners."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.planner import private_size as sizes
from semipriv.practice.planner.answer import comparison_text
from semipriv.practice.planner.compare import REFERENCE, compare, refusal, suitable
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.population import Population, default_population
from semipriv.practice.planner.private_size import private_size
from semipriv.practice.planner.trials import excess

POPULATION = default_population(Thresholds(), 2000, Simulation(0))


def scripted(rate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials fail with a chance that depends on the size alone."""

    def excesses(
        _: object, __: object, given: Mapping[str, int], ___: float, trials: int, stream: Simulation
    ) -> Iterator[float]:
        yield from (stream.generator.random(trials) < rate(given["n_private"])).astype(float)

    monkeypatch.setattr(sizes, "excesses", excesses)


def size_of(seed: int, level: float = 0.05, most: int = 4000) -> sizes.PrivateSize:
    scenario = Scenario(POPULATION, seed=seed)
    return private_size(scenario, FixedGrid(1.0), 0.1, 0.1, {"n_public": 9}, most, level, lambda line: None)


def test_both_limits_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chance of 50 / n: 0.1 at 500."""
    scripted(lambda n: min(1.0, 50 / n), monkeypatch)
    answers = [size_of(seed) for seed in range(100)]
    wrong = sum((answer.upper or 10**9) < 500 or (answer.lower or 0) >= 500 for answer in answers)
    assert clopper_pearson(wrong, 100, 1e-4)[0] <= 0.05
    assert np.median([answer.upper or 10**9 for answer in answers]) <= 1500, "not much larger than needed"
    assert np.median([answer.lower or 0 for answer in answers]) >= 90


def test_a_rate_just_above_beta_is_rarely_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one just below is rarely refuted."""
    scripted(lambda n: 0.1001, monkeypatch)
    confirmed = sum(size_of(seed, 0.4).upper is not None for seed in range(200))
    assert clopper_pearson(confirmed, 200, 1e-4)[0] <= 0.2
    scripted(lambda n: 0.0999, monkeypatch)
    refuted = sum(size_of(seed, 0.4).lower is not None for seed in range(200))
    assert clopper_pearson(refuted, 200, 1e-4)[0] <= 0.2
    monkeypatch.setattr(sizes, "_spent", lambda level, attempt: 0.4)
    assert clopper_pearson(sum(size_of(seed, 0.4).lower is not None for seed in range(200)), 200, 1e-4)[0] > 0.2


def test_the_largest_size_is_not_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(lambda n: 1.0 if n < 5000 else 0.0, monkeypatch)
    answer = size_of(0, most=1000)
    assert answer.upper is None
    assert answer.lower is not None
    assert answer.lower <= 1000


@pytest.mark.parametrize("learner", [SSPP(50.0), EmpiricalRiskMinimiser(), FixedGrid(50.0)])
def test_a_trial_of_a_learner(learner: Any) -> None:
    """With many examples nothing is left but what public points or the grid cost; without any, about a third."""
    given = {"n_private": 5000} | ({} if learner == EmpiricalRiskMinimiser() else {"n_public": 500})
    many = [excess(POPULATION, learner, given, 0.2, Simulation(seed)) for seed in range(5)]
    assert 0 <= min(many) <= max(many) < 0.03
    assert all((size / 0.6 * 2000) == pytest.approx(round(size / 0.6 * 2000), abs=1e-6) for size in many)


def test_a_trial_of_a_mixed_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ones are private, zeros public with their labels."""
    from semipriv.papers.bmn20.learners.learn_half import LearnHalf

    h, seen = Halfspaces(1), []
    atoms = np.arange(-40.0, 40.0)[:, None]
    release = LearnHalf.release

    def watched(learner: Any, prepared: Any, points: Any, labels: Any, stream: Any) -> Any:
        seen.append((len(points), np.asarray(labels)))
        return release(learner, prepared, points, labels, stream)

    monkeypatch.setattr(LearnHalf, "release", watched)
    population = Population(h, "integers", atoms)
    errors = [excess(population, LearnHalf(20.0), {"n": 400}, 0.1, Simulation(seed)) for seed in range(6)]
    assert np.median(errors) < 0.1
    assert all((labels == 1).all() for _, labels in seen)
    assert 0 < min(n for n, _ in seen) < max(n for n, _ in seen) < 400


def test_a_comparison() -> None:
    """Best first, the reference last, neighbours said; the shares of the error level add up to 5 %."""
    from semipriv.papers.bmn20.learners.learn_half import LearnHalf

    scenario = Scenario(default_population(Halfspaces(1), 2000, Simulation(0)))
    integers = Scenario(Population(Halfspaces(1), "integers", np.arange(-50.0, 50.0)[:, None]))
    compared = compare(integers, [LearnHalf(1.0), SSPP(1.0)], 0.3, 0.3, n_public=20, most=500)
    assert compared.rows[-1].learner == REFERENCE
    assert compared.rows[-1].reference
    assert [row.private_size.level for row in compared.rows] == [pytest.approx(0.05 / 3)] * 3
    uppers = [row.private_size.upper or 10**9 for row in compared.rows[:-1]]
    assert uppers == sorted(uppers)
    text = comparison_text(compared)
    assert "replace private features" in text
    assert "replace private example" in text
    assert "different neighbours" in text
    assert "not private" in text
    assert "proves nothing for other populations" in text
    assert refusal(scenario, LearnHalf(1.0), 5) is not None, "no grid"


def test_who_suits_a_class() -> None:
    scenario = Scenario(POPULATION)
    learners, left = suitable(scenario, 1.0, 1e-6, 20)
    names = {type(learner).__name__ for learner in learners}
    assert {"SSPP", "FixedGrid"} <= names
    assert not names & {"DiscardPrivate", "EmpiricalRiskMinimiser", "LearnHalf", "QueryRelease"}
    assert all(reason.startswith("learn_half learns halfspaces") for name, reason in left if name == "learn_half")


# ------------------------------------------------------------------ many features
WIDE = Population(Halfspaces(8), "normal", np.random.default_rng(1).standard_normal((2000, 8)) * 10.0 ** np.arange(8))


def test_targets_of_many_features_use_all_of_them_and_have_any_share_of_ones() -> None:
    targets = [WIDE.target(Simulation(seed)) for seed in range(60)]
    shares = np.sort([target.predict(WIDE.atoms).mean() for target in targets])
    assert np.abs(shares - (np.arange(60) + 0.5) / 60).max() < 0.25, "uniform: Kolmogorov and Smirnov, 1e-3"
    weights = np.array([target.parameters.ravel()[:-1] for target in targets])
    assert np.all(np.abs(weights.mean(axis=0)) < 0.6)
    assert np.all((weights.std(axis=0) > 0.6) & (weights.std(axis=0) < 1.5))


@pytest.mark.parametrize("learner", [PublicMetricDiscriminant(8.0), PublicModelDiscriminant(8.0)])
def test_a_trial_of_many_features(learner: Any) -> None:
    """Public rows of the same target: with many private rows little is left, with few much."""
    few, many = (
        np.mean([excess(WIDE, learner, {"n_public": 100, "n_private": n}, 0.1, Simulation(s)) for s in range(6)])
        for n in (4, 20_000)
    )
    assert many < 0.04 < few


def test_who_is_compared_on_many_features() -> None:
    """None that lists hypotheses; the reference is a model that can be fitted."""
    scenario = Scenario(WIDE)
    for learner in (SSPP(1.0), FixedGrid(1.0), REFERENCE):
        assert "lists halfspaces, of more than 5 features there are too many" in (refusal(scenario, learner, 30) or "")
    assert refusal(scenario, PublicModelDiscriminant(1.0), 30) is None
    compared = compare(scenario, [PublicMetricDiscriminant(4.0)], 0.35, 0.5, n_public=30, most=100)
    assert [type(row.learner).__name__ for row in compared.rows] == ["PublicMetricDiscriminant", "LogisticRegression"]
    assert compared.rows[-1].reference
    with pytest.raises(ValueError, match="a cover: lists halfspaces, of more than 5 features there are too many"):
        WIDE.check_cover(10)
