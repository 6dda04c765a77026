"""Counterexamples to claim 4.5 and theorem 4.6 without ln(1/epsilon), against listing and real draws."""

import math

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.bounds.sizes import examples_realizable, excess_examples
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bmn20.studies import printed


@pytest.mark.parametrize("claim", [printed.claim_as_printed, printed.theorem_as_printed], ids=lambda claim: claim.id)
def test_each_constant_is_refuted(claim) -> None:
    finding = claim(Run(Simulation(0), 1.0))
    assert {row.verdict for row in finding.measurements} == {Verdict.REFUTED}
    assert {row.settings["C"] for row in finding.measurements} == {c for c, *_ in printed.CELLS}
    for row in finding.measurements:
        assert 0 < row.settings["epsilon"] <= row.settings["alpha"] < 0.5
        for repaired in (excess_examples, examples_realizable):
            given = (row.settings[name] for name in ("alpha", "beta", "epsilon"))
            assert repaired(*given, 1) > row.settings["n"], "or it would contradict the repaired size"


@pytest.mark.parametrize(("n", "alpha", "epsilon"), [(161, 0.2, 0.1), (60, 0.1, 0.5), (41, 0.3, 0.02)])
def test_closed_form_against_all_rays_one_by_one(n: int, alpha: float, epsilon: float) -> None:
    public, private = (points[:, 0] for points in printed.hard_data(n, alpha))
    assert len(public) + len(private) == n
    assert (public == 1).sum() == math.floor(alpha * n) + 1
    ends = np.unique(public)
    regions = [(a, math.inf) for a in ends] + [(-math.inf, a) for a in ends] + [(math.inf, -math.inf)]
    mistakes = np.array(
        [((public < a) | (public > b)).sum() + ((private >= a) & (private <= b)).sum() for a, b in regions]
    )
    weights = np.exp(-epsilon / 2 * mistakes)
    exact = weights[mistakes > alpha * n].sum() / weights.sum()
    assert printed.closed_failure(n, alpha, epsilon) == pytest.approx(exact, rel=1e-12)
    assert printed.listed_failure(n, alpha, epsilon, "facet") == pytest.approx(exact, rel=1e-12)


def test_the_lower_bound_is_one_and_not_far_below() -> None:
    """Real samples, and the learner's output distribution given each: the error of each hypothesis by hand."""
    constant, alpha, beta, epsilon = printed.CELLS[0]
    n, (bulk, rest) = printed.printed_size(constant, alpha, beta, epsilon), printed.masses(alpha)
    generator, learner, fails = np.random.default_rng(4), LearnHalf(epsilon, grid={"low": [-4.0], "high": [4.0]}), []
    for _ in range(200):
        u = generator.random(n)
        x = np.where(u < 0.5, 0.0, np.where(u < 0.5 + bulk, 1.0, generator.uniform(2, 3, n)))
        y = (u < 0.5).astype(np.int8)
        prepared = learner.prepare(x[y == 0][:, None], Halfspaces(1), y[y == 0])
        listed = learner.output_distribution(prepared, x[y == 1][:, None], y[y == 1])
        at_0, at_1, beyond = (
            prepared.functions.predict(listed.parameters, np.array([[point]]))[:, 0] for point in (0.0, 1.0, 3.5)
        )
        error = 0.5 * ~at_0 + bulk * at_1 + rest * (beyond & at_1)
        fails.append(float(np.exp(listed.log_probabilities)[error > alpha].sum()))
    bound = printed.least_failure(n, alpha, epsilon)
    spread = np.std(fails) / math.sqrt(len(fails))
    assert beta < bound < np.mean(fails) + 4 * spread
    assert bound > 0.7 * np.mean(fails)
    assert printed.greatest_failure(n, alpha, epsilon) >= np.mean(fails) - 4 * spread


def test_both_bounds_enclose_what_is_drawn_where_little_fails() -> None:
    """Drawn numbers of zeros at 1, of others and of ones; the output distribution given them by hand."""
    n, alpha, epsilon = 5000, 0.2, 0.02
    bulk, rest = printed.masses(alpha)
    s, r, k = np.random.default_rng(1).multinomial(n, [bulk, rest, 0.5], 400).T.astype(float)
    q = math.exp(-epsilon / 2)
    wrong = q**s * (1 - q**r) / (1 - q) + q**k * (1 - q ** (r + 1)) / (1 - q) + q ** (s + r)
    mean = float(np.mean(wrong / (1 + wrong)))
    assert printed.least_failure(n, alpha, epsilon) < mean < printed.greatest_failure(n, alpha, epsilon) < 60 * mean
