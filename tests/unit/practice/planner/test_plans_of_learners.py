"""What learners need, and what sizes allow: each learner's answers to both questions fit each other."""

import math
import time
from typing import Any

import pytest
from proven import BITS, CASES, EVERY, LINE, PLANE, learner_of

from semipriv.core import registry
from semipriv.core.deviation import deviation
from semipriv.learners._needs import bound, needed, size_keys, with_sizes
from semipriv.learners._planned import EPSILONS
from semipriv.learners.base import Learner
from semipriv.practice.planner.of_learner import setting
from semipriv.practice.planner.plan import plan_excess, plan_sizes


def test_every_learner_that_tells_its_needs_is_tried() -> None:
    own = {
        name
        for name in registry.names("learners")
        if any(key in vars(kind) for kind in registry.load("learners", name).__mro__[:-1] if kind is not Learner
               for key in ("needed", "excess_bound"))
    }  # fmt: skip
    tried = {name for name in CASES if name in registry.names("learners")}
    assert own - {"rspm"} == tried, "rspm inherits a bound and takes it back"


@pytest.mark.parametrize(("name", "given", "parameters"), EVERY, ids=[f"{case[0]}{i}" for i, case in enumerate(EVERY)])
def test_both_questions_fit_each_other(name: str, given: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Sizes put back allow at most alpha; what they allow asks for no more of what is not public."""
    h = registry.build(("classes", "regressors"), given)
    cells = ((0.31, 0.05, True), (0.07, 1e-4, True), (0.02, 0.5, name == "label_boost"))
    for i, epsilon in enumerate((EPSILONS[0], 0.3, EPSILONS[1])):
        for alpha, beta, realizable in (cells[(i + len(parameters)) % 3],):
            learner, start = learner_of(name, parameters, epsilon), time.process_time()
            about = setting(h, learner, beta, realizable)
            try:
                plan = needed(learner, alpha, about)
            except ValueError as error:
                refused = name == "query_release" and epsilon == EPSILONS[1]
                assert refused or "integer weights are not exact" in str(error), error  # noqa: PT017
                continue
            assert plan is not None
            least = bound(learner, with_sizes(about, plan.sizes))
            assert least is not None
            assert least <= alpha
            held = {key: n for key, n in plan.sizes.items() if key == "n_public"}
            again = needed(learner, least, with_sizes(about, held))
            assert again is not None
            assert all(again.sizes[key] <= n for key, n in plan.sizes.items())
            assert list(plan.sizes) == list(size_keys(learner))
            assert time.process_time() - start < 5
            third = {key: max(n // 3, 1) if key != "n_public" else n for key, n in plan.sizes.items()}
            fewer = bound(learner, with_sizes(about, third))
            assert fewer is None or fewer > alpha, "a third is not enough"


def test_sizes_of_the_generic_learner_are_those_of_its_proof() -> None:
    """Four steps of alpha / 5, the last one twice, and four of beta / 5."""
    learner = learner_of("generic_learner", {"sanitizer": {"name": "net"}}, 0.5)
    h = registry.build("classes", BITS)
    plan = needed(learner, 0.1, setting(h, learner, 0.05, False))
    assert plan is not None
    k = plan.learner.released(h)
    m, n = plan.sizes.values()
    assert 2 * (k + 1) * math.exp(-2 * m * 0.02**2) <= 0.01
    assert (k + 1) * math.exp(-0.5 * m * 0.02 / 2) <= 0.01
    assert deviation(n, h.growth, 0.01) <= 0.02
    assert plan.learner.sanitizer.needed(h, k, 0.5, 0.02, 0.01) <= n
    assert (plan.learner.n_unlabelled, plan.learner.alpha, plan.learner.beta) == (n, 0.1, 0.05)


def test_the_face_in_python() -> None:
    h, learner = registry.build("classes", LINE), learner_of("rrspm", {}, 1.0)
    sizes = plan_sizes(h, 0.1, 0.05, learner=learner)
    assert sizes.proven is not None
    assert sizes.proven.sizes == {"n_public": 1191, "n_private": 14_069_022}
    back = plan_excess(h, **sizes.proven.sizes, beta=0.05, epsilon=1.0, learner=learner)
    assert back.bound is not None
    assert 0.0999 < back.bound <= 0.1
    assert back.theorem == sizes.theorem
    with_public = plan_sizes(h, 0.1, 0.05, learner=learner, n_public=5000)
    assert with_public.proven is not None
    assert with_public.proven.sizes["n_public"] == 5000
    mixed = learner_of("learn_half", {}, 1.0)
    plane = registry.build("classes", PLANE | {"dimension": 2})
    assert plan_excess(plane, learner=mixed, sizes={"n": 10_000}).bound is not None
    assert plan_sizes(plane, 0.1, 0.05, learner=mixed).to_dict()["proven"]["sizes"] == {"n": 4746}
