"""Sizes that RRSPM calls proven are released: sums of integer weights are exact on so many distinct points."""

import numpy as np
import pytest

from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.fields import changed
from semipriv.learners._needs import bound, needed
from semipriv.learners.base import Setting
from semipriv.mechanisms.perturbed_minimum import distinct_sums, ruler
from semipriv.papers.bbd24.learners.rrspm import RRSPM, _largest_ties


def setting(h: object, **sizes: int) -> Setting:
    return Setting(h, sizes, 0.05, 1.0, 0.5, "labelled")  # type: ignore[arg-type]


@pytest.mark.parametrize("m", [1, 2, 3, 10, 60, 235])
def test_no_two_runs_of_the_ruler_have_one_sum(m: int) -> None:
    marks = np.cumsum([0, *ruler(m)])
    differences = (marks[None, :] - marks[:, None])[np.triu_indices(m + 1, 1)]
    assert len(set(differences.tolist())) == m * (m + 1) // 2
    assert marks[-1] <= 4 * (m + 1) ** 2


@pytest.mark.parametrize("h", [Thresholds(), Intervals(), DecisionStumps(2), Halfspaces(1)], ids=repr)
@pytest.mark.parametrize("m", [1, 4, 30])
def test_ties_add_up_to_no_more_than_is_said(h: object, m: int) -> None:
    points = np.random.default_rng(m).random((m, h.dimension))  # type: ignore[attr-defined]
    patterns = h.cover(points).listed().dichotomies()  # type: ignore[attr-defined]
    ties = np.array(distinct_sums(patterns))
    assert len(np.unique(patterns @ ties)) == len(patterns)
    assert sum(ties) <= _largest_ties(h, m)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", ["paper", "teaching"])
@pytest.mark.parametrize("h", [Thresholds(), Halfspaces(1)], ids=repr)
def test_what_is_proven_for_integers_is_released(h: Thresholds | Halfspaces, scale: str) -> None:
    learner = RRSPM(1.0, weights="discrete_laplace", scale=scale)
    needed_sizes = needed(learner, 0.5, setting(h))
    real = needed(changed(learner, weights="laplace"), 0.5, setting(h))
    assert needed_sizes is not None
    assert real is not None
    assert needed_sizes.learner == learner
    assert needed_sizes.sizes == real.sizes
    m, n = needed_sizes.sizes["n_public"], needed_sizes.sizes["n_private"]
    learner.check_release(learner.prepare(np.linspace(0, 1, m)[:, None], h), n)
    assert bound(learner, setting(h, n_public=m, n_private=n)) <= 0.5  # type: ignore[operator]


def test_what_release_refuses_is_not_called_proven() -> None:
    h = Intervals()
    learner = RRSPM(1e-9, weights="discrete_laplace")
    points = np.linspace(0, 1, 235)[:, None]
    with pytest.raises(ValueError, match="sums of integer weights are not exact"):
        learner.check_release(learner.prepare(points, h), 10**6)
    with pytest.raises(ValueError, match=r"needs \d+ public points: .*not exact.* or weights: laplace"):
        needed(learner, 0.5, setting(h))
    given = setting(h, n_public=235, n_private=10**30)
    assert bound(learner, given) == 1
    assert bound(changed(learner, epsilon=1.0), given) == 1, "there is a bound, but not for so many records"
    assert bound(changed(learner, epsilon=1.0), setting(h, n_public=235, n_private=10**9)) < 0.4
    real = changed(learner, weights="laplace").excess_bound(given)
    assert real is not None
    assert real < 0.4
