"""Rows of studies are of the samples, sizes and bounds that they name."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.bounds.sizes import hypotheses
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bmn20.studies import bounds, excess, geometry, rates, relaxations
from semipriv_lab.papers.bmn20.studies._distributions import line_distribution


@pytest.mark.parametrize("realizable", [True, False])
@pytest.mark.parametrize("case", [bounds.Case(1, 0, 200, (0.1, 1.0), 0.2), bounds.Case(2, 8, 100, (0.3, 3.0), 0.1)])
def test_an_error_is_held_against_the_bound_of_its_own_case(realizable: bool, case: bounds.Case) -> None:
    """At its own n, d, epsilon and ln|G|: the relative bound for realizable distributions, else the additive one."""
    drawn = case.trial(realizable, Simulation(2))
    distribution = bounds.realizable_bound if realizable else bounds.agnostic_bound
    sizes = {distribution(case.n, case.d, e, bounds.BETA, 0.0): e for e in case.epsilons}
    for (lowest, epsilon), actual_bound in zip(sizes.items(), drawn.bounds, strict=True):
        assert (
            lowest
            < actual_bound
            <= distribution(case.n, case.d, epsilon, bounds.BETA, np.log(hypotheses(case.n, case.d)))
        )
        assert 2 / (epsilon * case.n) < actual_bound


def test_sufficient_sizes_are_held_against_the_best_halfspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A best halfspace without mistakes, where labels are flipped at random, leaves no hypothesis of G near it."""

    class Perfect(excess.Halfspaces):
        def minimise(self, points: np.ndarray, labels: np.ndarray) -> object:
            return type("Found", (), {"value": 0.0})()

    case = (1, 0.1, 0.05, 1.0, 0.5, 0.2)
    honest, wrong = (Table(Run(Simulation(4), 0.1), Simulation(4)) for _ in range(2))
    excess._sufficient(honest, *case)
    monkeypatch.setattr(excess, "Halfspaces", Perfect)
    excess._sufficient(wrong, *case)
    assert (honest.rows[0].verdict, wrong.rows[0].verdict) == (Verdict.HOLDS, Verdict.VIOLATED)


@pytest.mark.parametrize("claim", [relaxations.PARTLY, relaxations.ONES])
def test_each_allowed_number_of_mistakes_is_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    """The claims are inequalities for the best halfspace and for every halfspace: the smaller side counts."""
    monkeypatch.setattr(relaxations, "allowed", lambda best, relaxation: (10**6, -1))
    monkeypatch.setattr(relaxations, "DIMENSIONS", (1, 2))
    rows = list(relaxations._enumerated(claim, Simulation(5), 0.01))
    sample = relaxations.tight(40, 0.3, Simulation(6).generator)
    rows += relaxations._swept(claim, [sample], {}, relaxations.EVERY, None)
    counted = [row for row in rows if row.quantity == relaxations.VIOLATIONS]
    assert all(count.measured.value == count.settings["data_sets"] for count in counted)


def test_both_modes_are_looked_at_alike() -> None:
    """Data sets, halfspaces and families are those of the data, whatever the mode."""
    facet, full = geometry.measured(2, "grid of radius 1", Simulation(1), 0.02)
    seen = [(mode_row.data_sets, mode_row.halfspaces, mode_row.families) for mode_row in (facet, full)]
    assert seen[0] == seen[1]
    assert min(seen[0]) > 0


def test_baselines_get_all_examples_each_at_its_own_epsilon() -> None:
    """Without flipped labels the minimiser on everything is nearly right; of private examples alone it would be 1."""
    distribution, epsilons = line_distribution(0.0), (0.1, 1.0)
    sample = distribution.mixed_sample(300, Simulation(2))
    all_epsilons: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        own = rates.FixedGrid.release
        patch.setattr(
            rates.FixedGrid, "release", lambda self, *given: all_epsilons.append(self.epsilon) or own(self, *given)
        )
        errors = dict(rates._baselines(distribution, 0.0, sample, epsilons, Simulation(3)))
    assert (all_epsilons, list(errors)) == ([0.1, 1.0], [(rates.ERM, 0.0), *((rates.ALL_PRIVATE, e) for e in epsilons)])
    assert errors[rates.ERM, 0.0] < 0.05
