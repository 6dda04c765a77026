"""A_SSPP: its mechanisms, and what it refuses."""

import numpy as np
import pytest

from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.thresholds import Thresholds
from semipriv.core.samples import StatusModel
from semipriv.learners.base import Setting
from semipriv.papers.abm19.learners.sspp import SSPP


def test_permute_and_flip_makes_no_more_mistakes() -> None:
    generator = np.random.default_rng(4)
    x = generator.random((40, 1))
    y = (x[:, 0] > 0.4).astype(int)
    expected = {}
    public = generator.random((20, 1))
    for mechanism in ("exponential", "permute_and_flip"):
        learner = SSPP(0.5, mechanism=mechanism)
        prepared = learner.prepare(public, Thresholds())
        expected[mechanism] = np.exp(learner.output_distribution(prepared, x, y).log_probabilities) @ prepared.mistakes(
            x, y
        )
    assert expected["permute_and_flip"] < expected["exponential"]


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "much", None, True])
def test_bad_epsilon(epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon = "):
        SSPP(epsilon)


def test_bad_names_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"unknown mechanism 'exponentail': did you mean 'exponential'\?"):
        SSPP(1.0, mechanism="exponentail")
    with pytest.raises(ValueError, match="unknown representative 'middle'"):
        SSPP(1.0, representative="middle")


@pytest.mark.parametrize("best_error", [0.0, 0.5])
def test_a_class_of_one_function_has_a_bound(best_error: float) -> None:
    """Its VC dimension is 0, for which bound (1) is not stated: that of dimension 1 with a cover of one function."""
    only = FiniteClass([[0, 1, 0]])
    assert only.vc_dimension == 0
    setting = Setting(only, {"n_public": 10_000, "n_private": 10_000}, 0.1, 1.0, best_error, StatusModel.ANY)
    bound = SSPP(1.0).excess_bound(setting)
    assert bound is not None
    assert 0 < bound < 0.2
    sizes = SSPP(1.0).proven_sizes(only, 0.1, 0.1, realizable=best_error == 0)
    alpha = SSPP(1.0).proven_excess(only, sizes.n_public, sizes.n_private, 0.1, realizable=best_error == 0).theorem
    assert alpha is not None
    assert alpha <= 0.1
