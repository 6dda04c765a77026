"""The upper limit of a quantile of excess errors is the order statistic with the confidence that is claimed."""

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.classes.thresholds import Thresholds
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.planner import empirical, of_learner
from semipriv.practice.planner.empirical import CONFIDENCE, Scenario
from semipriv.practice.planner.population import Population

POPULATION = Population(Thresholds(), "integers", np.arange(10.0)[:, None])


@pytest.mark.parametrize("beta", [0.05, 0.2])
@pytest.mark.parametrize("trials", [100, 333])
def test_the_limit_is_the_least_order_statistic_that_has_the_confidence(
    beta: float, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P[Bin(trials, beta) <= k] <= 1 - CONFIDENCE if k + 1 trials are at or above it; a smaller one has less."""
    values = np.random.default_rng(trials).permutation(np.arange(trials) / trials)
    monkeypatch.setattr(of_learner, "excesses", lambda *_: iter(values))
    monkeypatch.setattr(empirical, "_run", lambda *_: iter(values))
    scenario, sizes = Scenario(POPULATION, trials=trials), {"n_public": 10, "n_private": 10}
    simulated = of_learner.learner_excess(Thresholds(), SSPP(1.0), sizes, beta, scenario=scenario).empirical
    other = empirical.empirical_excess(scenario, 10, 10, beta, 1.0)
    for excess in (simulated, other):
        above = int(np.sum(values >= excess.upper_limit))
        assert binom.cdf(above - 1, trials, beta) <= 1 - CONFIDENCE < binom.cdf(above, trials, beta)
        assert np.sum(values <= excess.quantile) == np.ceil(round((1 - beta) * trials, 9))
