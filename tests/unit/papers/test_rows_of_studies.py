"""Rows of studies are of the samples, sizes and bounds that they name."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, loglog_slope
from semipriv.papers.abm19.studies import _reduction_runs as runs
from semipriv.papers.abm19.studies import bad_event, public_need, reduction
from semipriv.papers.bmn20.bounds.sizes import hypotheses
from semipriv.papers.bmn20.studies import bounds, excess, geometry, rates, relaxations
from semipriv.papers.bmn20.studies._laws import line_law
from semipriv.report.ledger.claim import Run, Table
from semipriv.report.ledger.findings import Finding, gates


@pytest.mark.parametrize("bad", [0, 3, 9])
def test_one_trial_alone_contradicts_a_comparison_of_all(bad: int) -> None:
    radii, diameters = np.full(10, 0.3), np.full(10, 0.3)
    assert bad_event._ratio({}, radii, diameters).verdict is Verdict.HOLDS
    radii[bad] += 1e-9
    assert bad_event._ratio({}, radii, diameters).verdict is Verdict.VIOLATED


def of_claim(monkeypatch: pytest.MonkeyPatch, claim: str, marginals: str, a: float, b: float) -> Finding:
    """Measure a claim on runs of A and of B that have one error each."""
    for name in ("_second", "_real"):
        monkeypatch.setattr(reduction, name, lambda *_: None)
    pairs = {s: (np.full(s.runs, a), np.full(s.runs, b)) for s in reduction.SETUPS if s.marginals == marginals}
    monkeypatch.setattr(reduction, "pairs", lambda *_: pairs)
    return (reduction.accuracy if claim == "C4.6" else reduction.transfer)(Run(Simulation(0), 1.0))


@pytest.mark.parametrize("marginals", ["equal", "disjoint"])
def test_laws_of_a_and_b_that_differ_are_a_violation(monkeypatch: pytest.MonkeyPatch, marginals: str) -> None:
    """Above .4, too, where the events of disjoint marginals do not differ: the distance itself is a gate then."""
    found = of_claim(monkeypatch, "L4.4", marginals, 0.42, 0.48)
    assert found.verdict is Verdict.VIOLATED
    distances = [one for one in found.measurements if one.quantity.startswith("Kolmogorov")]
    assert {one.verdict for one in distances} == {Verdict.VIOLATED}
    assert of_claim(monkeypatch, "L4.4", marginals, 0.42, 0.42).verdict is Verdict.HOLDS


def test_it_is_b_whose_errors_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    quantity = "P[err(B) > 100 n_public alpha]"
    for a, b, share in ((0.1, 0.2, 1.0), (0.2, 0.1, 0.0)):
        found = of_claim(monkeypatch, "C4.6", "equal", a, b)
        assert {one.measured.value for one in gates(found.measurements) if one.quantity == quantity} == {share}


def test_b_has_no_public_example_of_d() -> None:
    """Where D0 lies beyond D each threshold of B's cover is a constant on D; A on the mixture has others."""
    setup = runs.Setup(20, 10**6, "disjoint")
    assert set(setup.errors(True, 3_000, Simulation(1).generator)) == {0.5}
    assert setup.errors(False, 3_000, Simulation(1).generator).min() < 0.5


def test_a_need_has_limits_on_both_sides_of_it() -> None:
    grid = np.unique(np.geomspace(8, 300, 20).round().astype(int))
    found = public_need.least_sizes(public_need.kuiper_statistics, grid, (0.4, 0.2), 400, GATE_LEVEL, Simulation(0))
    for need in found.values():
        assert need.low < need.value < need.high


def test_an_exponent_is_that_of_the_rows_which_it_names() -> None:
    found = public_need.cover(Run(Simulation(3), 0.05))
    needs = {
        (one.settings["d"], one.settings["alpha"]): one.measured
        for one in found.measurements
        if one.quantity == public_need.NEED
    }
    dimensions = (1, *public_need.DIMENSIONS)
    (slope,) = (one for one in found.measurements if one.quantity == public_need.IN_D)
    at = [needs[d, slope.settings["alpha"]].value for d in dimensions]
    assert slope.measured.value == pytest.approx(loglog_slope(dimensions, at).value)
    for one in found.measurements:
        if one.quantity in (public_need.RAW, public_need.NORMALISED):
            own = {alpha: need.value for (d, alpha), need in needs.items() if d == one.settings["d"]}
            logs = {a: one.settings["d"] * np.log(1 / a) + np.log(1 / public_need.BETA) for a in own}
            sizes = [n / (logs[a] if one.quantity == public_need.NORMALISED else 1) for a, n in own.items()]
            assert one.measured.value == pytest.approx(loglog_slope(list(own), sizes).value)


@pytest.mark.parametrize("realizable", [True, False])
@pytest.mark.parametrize("case", [bounds.Case(1, 0, 200, (0.1, 1.0), 0.2), bounds.Case(2, 8, 100, (0.3, 3.0), 0.1)])
def test_an_error_is_held_against_the_bound_of_its_own_case(realizable: bool, case: bounds.Case) -> None:
    """At its own n, d, epsilon and ln|G|: the relative bound for realizable laws, the additive one for others."""
    drawn = case.trial(realizable, Simulation(2))
    law = bounds.realizable_bound if realizable else bounds.agnostic_bound
    sizes = {law(case.n, case.d, e, bounds.BETA, 0.0): e for e in case.epsilons}
    for (lowest, epsilon), found in zip(sizes.items(), drawn.bounds, strict=True):
        assert lowest < found <= law(case.n, case.d, epsilon, bounds.BETA, np.log(hypotheses(case.n, case.d)))
        assert 2 / (epsilon * case.n) < found


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
    counted = [one for one in rows if one.quantity == relaxations.VIOLATIONS]
    assert all(one.measured.value == one.settings["data_sets"] for one in counted)


def test_both_modes_are_looked_at_alike() -> None:
    """Data sets, halfspaces and families are those of the data, whatever the mode."""
    facet, full = geometry.measured(2, "grid of radius 1", Simulation(1), 0.02)
    seen = [(one.data_sets, one.halfspaces, one.families) for one in (facet, full)]
    assert seen[0] == seen[1]
    assert min(seen[0]) > 0


def test_baselines_get_all_examples_each_at_its_own_epsilon() -> None:
    """Without flipped labels the minimiser on everything is nearly right; of private examples alone it would be 1."""
    law, epsilons = line_law(0.0), (0.1, 1.0)
    sample = law.mixed_sample(300, Simulation(2))
    found: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        own = rates.FixedGrid.release
        patch.setattr(rates.FixedGrid, "release", lambda self, *given: found.append(self.epsilon) or own(self, *given))
        errors = dict(rates._baselines(law, 0.0, sample, epsilons, Simulation(3)))
    assert (found, list(errors)) == ([0.1, 1.0], [(rates.ERM, 0.0), *((rates.ALL_PRIVATE, e) for e in epsilons)])
    assert errors[rates.ERM, 0.0] < 0.05
