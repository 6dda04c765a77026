"""A_SSPP on public points and a grid: its candidates, its privacy, its bound, and a population that moved."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from releases import THRESHOLDS, release_of

from semipriv.audit.exact import learner_privacy_loss
from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.samples import StatusModel
from semipriv.learners.base import AnyLearner, Setting
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.abm19.learners.sspp_with_grid import SSPPWithGrid
from semipriv.practice.planner.plan import plan_excess, plan_sizes


@pytest.mark.parametrize("h", [Thresholds(), Intervals(), Halfspaces(2)], ids=repr)
def test_candidates_label_both_kinds_of_points_as_the_class_does(h: HypothesisClass) -> None:
    """As many as there are labellings of both kinds together, and among them those of each kind alone."""
    public = np.random.default_rng(1).random((4, h.dimension)) / 3
    learner = SSPPWithGrid(1.0, low=0.0, high=1.0, size=3)
    grid = np.array(list(itertools.product([0.0, 0.5, 1.0], repeat=h.dimension)))
    both = np.concatenate([public, grid])

    def labellings(tested: AnyLearner, points: np.ndarray) -> set[bytes]:
        listed = tested.prepare(public, h).listed()
        return {row.tobytes() for row in np.asarray(h.predict(listed.parameters, points), np.int8)}

    computed_labellings = labellings(learner, both)
    assert len(computed_labellings) == learner.prepare(public, h).size
    assert labellings(learner, public) == labellings(SSPP(1.0), public)
    assert labellings(learner, grid) == labellings(FixedGrid(1.0, 0.0, 1.0, 3), grid)
    assert len(computed_labellings) <= h.growth(learner.covered(len(public), h))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_exact_loss_is_at_most_epsilon(epsilon: float) -> None:
    """Over all pairs of neighbours on a tiny domain; twice the rate would be noticed."""
    domain = np.array([[0.0], [1.0], [2.0], [3.0]])
    learner, public = SSPPWithGrid(epsilon, low=0.0, high=3.0, size=2), np.array([[1.0]])
    loss = learner_privacy_loss(learner, Thresholds(), public, domain, 2, exchangeable=True).loss
    assert 0.5 * epsilon < loss <= epsilon * (1 + 1e-12)


def test_the_bound_pays_for_the_larger_cover() -> None:
    """With ln K' instead of ln K, everything else as it is; the planner's two questions agree."""
    h, n_public, n, epsilon, beta = Thresholds(), 500, 20_000, 0.3, 0.05
    learner, plain = SSPPWithGrid(epsilon, size=200), SSPP(epsilon)
    setting = Setting(h, {"n_public": n_public, "n_private": n}, beta, 1.0, 0.3, StatusModel.ANY)
    actual_excess_bound = learner.excess_bound(setting) - plain.excess_bound(setting)
    small, large = math.log(n_public + 1), math.log(n_public + 200 + 1)
    uniform = 2 * (
        math.sqrt((large + math.log(8 / beta)) / (2 * n)) - math.sqrt((small + math.log(8 / beta)) / (2 * n))
    )
    assert actual_excess_bound == pytest.approx(2 * (large - small) / (epsilon * n) + uniform)
    sizes = learner.proven_sizes(h, 0.2, beta)
    assert sizes.n_public == plain.proven_sizes(h, 0.2, beta).n_public
    assert sizes.n_private > plain.proven_sizes(h, 0.2, beta).n_private
    assert learner.proven_excess(h, sizes.n_public, sizes.n_private, beta).theorem <= 0.2 + 1e-9


def expected_error(learner: AnyLearner, public: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The mean error of what is drawn, exactly."""
    prepared = learner.prepare(public, Thresholds())
    distribution = learner.output_distribution(prepared, x, y)
    return float(np.exp(distribution.log_probabilities) @ prepared.mistakes(x, y)) / len(x)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("who", ["same", "children", "few", "none"])
def test_no_population_of_public_points_hurts(who: str, epsilon: float) -> None:
    """Ages of adults, as shares of 100 years: level with the better of cover and grid, but for the price of the draw.

    In the mean of ten draws of public and private ages.  The cover of children is constant on adults, at the error of
    the majority, whatever epsilon is; the test fails for A_SSPP alone.
    """
    errors, prices = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        adults, children = 0.18 + 0.6 * rng.beta(2, 3, (2_000, 1)), 0.17 * rng.random((60, 1))
        public = {"same": adults[:60], "children": children, "few": adults[:5], "none": adults[:0]}[who]
        x = adults[60:]
        y = ((x[:, 0] > 0.37) ^ (rng.random(len(x)) < 0.2)).astype(int)
        learners = SSPP(epsilon), FixedGrid(epsilon, 0.0, 1.0, 20), SSPPWithGrid(epsilon, size=20)
        errors.append([expected_error(plugin, public, x, y) for plugin in learners])
        *sizes, union = (plugin.prepare(public, Thresholds()).size for plugin in learners)
        prices.append(2 * math.log(union / min(sizes)) / (epsilon * len(x)))
    cover, grid, both = np.mean(errors, axis=0)
    apart = np.array(errors)[:, 2] - np.array(errors)[:, int(grid < cover)]
    assert both <= min(cover, grid) + np.mean(prices) + 2 * apart.std() / len(apart) ** 0.5
    if who in ("children", "none"):
        assert cover > both + 0.1


def test_a_grid_needs_a_width() -> None:
    with pytest.raises(ValueError, match=r"high = 0.0: must be > low = 0.0"):
        SSPPWithGrid(1.0, low=0.0, high=0.0)


def test_a_plan_and_a_release_by_its_name(tmp_path: Path) -> None:
    """The planner asks for no fewer private examples than of A_SSPP; a request names it with its grid."""
    learners = SSPP(1.0), SSPPWithGrid(1.0, size=1_000)
    plain, ours = (plan_excess(Thresholds(), 10**4, 10**6, 0.05, learner=plugin).bound for plugin in learners)
    assert plain < ours < 1.01 * plain
    smaller, larger = (
        plan_sizes(Thresholds(), 0.2, 0.05, learner=plugin).proven.sizes["n_private"] for plugin in learners
    )
    assert smaller < larger
    learner = {"name": "sspp_with_grid", "epsilon": 0.5, "size": 30}
    outcome = release_of(tmp_path, {**THRESHOLDS, "learner": learner})
    certificate = json.loads((outcome.staged.request.folder / "certificate.json").read_text())
    (candidate,) = certificate["predicate"]["mechanism"]["candidates"]
    assert candidate["learner"]["size"] == 30
    assert certificate["predicate"]["guarantee"]["exact"]["epsilon"] == "1/2"
