"""The names that an editor completes: of learners, of what they learn, and of their parameters.

The registry knows plug-ins by their files, which no editor reads.  A test holds both in step.  Names of plug-ins of
other folders are allowed as well: they are texts.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from semipriv.learners.base import AnyLearner
from semipriv.mechanisms.selection.base import SelectionName

ClassifyingName = Literal[
    "active_subsampling",
    "all_concepts",
    "as_if_public",
    "discard_private",
    "empirical_risk_minimiser",
    "every_threshold",
    "fixed_grid",
    "generic_learner",
    "label_boost",
    "learn_half",
    "log_grid",
    "logistic_regression",
    "pattern_vote",
    "pooled",
    "public_data_reduction",
    "public_labelled",
    "public_logistic_regression",
    "public_metric_discriminant",
    "public_metric_multiclass",
    "public_model_discriminant",
    "public_model_multiclass",
    "query_release_learner",
    "rrspm",
    "rspm",
    "sspp",
    "sspp_with_grid",
]
"""Learners of two or of several classes."""
RegressingName = Literal[
    "least_squares_ball",
    "perturbed_average",
    "public_gram_regression",
    "public_least_squares",
    "public_ridge_regression",
    "regularised",
    "sufficient_statistics",
]
"""Learners of real-valued functions."""
LabellingName = Literal[
    "decision_stumps",
    "discrete_rectangles",
    "discrete_thresholds",
    "finite_class",
    "halfspace_intersections",
    "halfspaces",
    "intervals",
    "linear_rules",
    "point_functions",
    "rectangles",
    "thresholds",
]
"""What is learned: functions to labels."""
RespondingName = Literal[
    "clipped_linear",
    "finite_functions",
    "linear",
    "linear_ball",
]
"""What is learned: functions to numbers."""

ClassifyingLearner = ClassifyingName | str | AnyLearner
RegressingLearner = RegressingName | str | AnyLearner
Specification = Mapping[str, Any]
"""A plug-in by its name and its parameters: {"name": ..., parameter: value}."""


class LearnerParameters(TypedDict, total=False):
    """The parameters of learners besides epsilon; which ones a learner has is in its own documentation."""

    C: float
    accounting: Literal["paper", "exact", "sharp"]
    alpha: float
    beta: float
    bits: int
    constants: Any
    delta: float | str
    draws: int
    eta: float
    floor: float
    gamma: float | None
    grid: Any
    high: float
    learner: Specification | AnyLearner
    linear: int
    loss: Literal["squared", "absolute"]
    low: float
    marginal: Specification
    mechanism: SelectionName
    method: Literal[
        "consistent_tree",
        "gaussian",
        "mwem",
        "noisy_cells",
        "pmw",
        "prior",
        "public_prior_tree",
        "tree",
        "two_level_tree",
    ]
    mode: Literal["facet", "full"]
    n: int
    n_as_public: int
    n_labelled: int
    n_private: int
    n_public: int
    n_unlabelled: int | None
    noise: Literal["gaussian", "laplace"]
    oracle: Literal["certified", "exact", "highs", "linear_svm", "logistic"]
    output: Literal["proper", "hull"]
    over: Literal["class", "cover"]
    parts: int
    patterns: Literal["all", "nonempty"]
    privacy: Literal["label_determined", "private_ones", "any"]
    representative: Literal["midpoint", "lower", "upper"]
    ridge: float
    rule: Literal["smallest", "random"]
    run_out: Literal["fill", "strict"]
    same_population: bool
    sanitizer: Specification
    scale: Literal["paper", "teaching", "union", "closed", "width"]
    size: int | None
    subset: Any
    subset_seed: int
    weights: Literal["laplace", "discrete_laplace", "gaussian"]
