"""Learners about which something is proven, with classes and parameters to try them on."""

from typing import Any

import papers_here

from semipriv.learners.base import AnyLearner
from semipriv.practice.planner.compare import built

LINE, BITS, PLANE = {"name": "thresholds"}, {"name": "discrete_thresholds", "bits": 40}, {"name": "halfspaces"}
BALL: dict[str, Any] = {"name": "linear_ball", "dimension": 3}
BASE = {"name": "all_concepts", "epsilon": 1.0}
CASES: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "sspp": [(LINE, {}), (PLANE | {"dimension": 3}, {"mechanism": "permute_and_flip"})],
    "sspp_with_grid": [(LINE, {}), (PLANE, {"mechanism": "permute_and_flip", "size": 4})],
    "learn_half": [(PLANE | {"dimension": 1}, {}), (PLANE | {"dimension": 3}, {"privacy": "private_ones"})],
    "rrspm": [(LINE, {}), ({"name": "intervals"}, {"weights": "discrete_laplace"}), (LINE, {"scale": "teaching"})],
    "all_concepts": [(BITS, {})],
    "generic_learner": [(BITS, {"sanitizer": {"name": "net"}})],
    "label_boost": [(BITS, {"learner": BASE})],
    "active_subsampling": [(BITS, {"learner": BASE}), (BITS, {"learner": BASE, "rule": "random"})],
    "query_release": [
        (LINE, {"delta": 1e-6, "method": {"name": "pmw", "accuracy": 0.5}}),
        (PLANE | {"dimension": 2}, {"delta": 1e-6, "scale": "01", "method": {"name": "pmw", "accuracy": 0.5}}),
    ],
    "regularised": [(BALL, {})],
    "perturbed_average": [(BALL, {"output": "hull"})],
}
"""Classes and parameters of each learner with a bound."""
EVERY = [(name, *case) for name, cases in CASES.items() for case in cases]


def learner_of(name: str, parameters: dict[str, Any], epsilon: float) -> AnyLearner:
    return built(papers_here.learner(name), epsilon, 1e-6, dict(parameters))
