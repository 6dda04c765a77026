"""What is drawn for privacy: with twice the epsilon a draw of at most twice the strength, and more.

``recorded`` writes down the draws of mechanisms: which noise at which scale, which selection at which epsilon.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import cache, wraps
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.samples import StatusModel
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import Learner, status_model
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.mechanisms.noise.base import ContinuousNoise, DiscreteNoise
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.mechanisms.stable_vote import StableVote
from semipriv.papers.bcm20.releases.stump_releases import GaussianMeans, LaplaceMeans, MixedMeans
from semipriv.papers.bns15.queries.sanitizers import _rec_concave, net_exact
from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution
from semipriv.practice.asking.quality import HeldOut
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.schema import Schema
from semipriv.queries.workloads import Runs

Draws = Counter[tuple[str, float]]
"""How often something was drawn, by its kind and strength: 1 / scale of noise, rate of a selection."""
Run = Callable[[float], Callable[[Randomness], object]]
"""From a factor of epsilon to a release."""

CLASSES = (Thresholds(), Halfspaces(2), Halfspaces(1), DiscreteThresholds(3), DiscreteRectangles(2, 2))
METHODS: dict[str, dict[str, Any]] = {"pmw": {"accuracy": 0.2}, "mwem": {"rounds": 3}}
SANITIZERS: dict[str, dict[str, Any]] = {"net_exact": {"domain": [[float(x)] for x in range(8)]}}
N = 6


@contextmanager
def recorded() -> Iterator[Draws]:
    """Write down what mechanisms draw; a draw within another one is part of it."""
    counts: Draws = Counter()
    inside = [False]

    def written(
        patch: pytest.MonkeyPatch, owner: Any, name: str, reported: Callable[..., tuple[str, float, int]]
    ) -> None:
        original = vars(owner)[name]

        @wraps(original)
        def call(*arguments: Any, **named: Any) -> Any:
            if inside[0]:
                return original(*arguments, **named)
            kind, strength, times = reported(*arguments, **named)
            counts[kind, strength] += times
            inside[0] = True
            try:
                return original(*arguments, **named)
            finally:
                inside[0] = False

        patch.setattr(owner, name, call)

    with pytest.MonkeyPatch.context() as patch:
        for noise in (DiscreteNoise, ContinuousNoise):
            written(patch, noise, "sample", _noise)
        for owner in (SelectionMechanism, ExponentialMechanism):
            written(patch, owner, "select", _selection)
        written(patch, SelectionMechanism, "choose_pools", _selection)
        written(patch, LayerDistribution, "draw", lambda distribution, *_: ("layers", float(distribution.rate), 1))
        for module in (_rec_concave, net_exact):
            written(patch, module, "choose_pool", lambda _gaps, _counts, rate, _: ("pools", float(rate), 1))
        yield counts


def _noise(noise: Any, randomness: Randomness, size: int | None = None) -> tuple[str, float, int]:
    scale = getattr(noise, "sigma", None) or noise.scale
    return type(noise).__name__, 1 / float(scale), 1 if size is None else size


def _selection(mechanism: SelectionMechanism, *_: Any) -> tuple[str, float, int]:
    return type(mechanism).__name__, float(mechanism.rate), 1


# ------------------------------------------------------------------------------------------------------- releases
def _method(name: str, delta: float = 1e-6, **extra: str) -> Run:
    method = registry.build("queries/methods", {"name": name, **METHODS.get(name, {}), **extra})
    counts = np.array([7, 0, 3, 1, 0, 0, 9, 2])
    queries = Runs(len(counts), np.zeros(len(counts), np.int64), np.arange(len(counts)))
    return lambda factor: lambda randomness: method.fit(queries, counts, Guarantee(0.5 * factor, delta), randomness)


def _sanitizer(name: str) -> Run:
    sanitizer = registry.build("queries/sanitizers", {"name": name, **SANITIZERS.get(name, {})})
    bits = 7 if name == "quasi_concave" else 3  # of few bits that one draws without noise
    functions: Any = DiscreteThresholds(bits) if name != "strips" else DiscreteRectangles(2, 2)
    points = functions.example_points[np.repeat([2, 3], 300)]
    return lambda factor: lambda randomness: sanitizer.sanitize(points, functions, 2, 0.5 * factor, randomness)


def _table(factor: float) -> Callable[[Randomness], object]:
    rows = pd.DataFrame({"one": [0, 1, 1], "other": [1, 0, 1], "third": [0, 0, 1]})
    learner = PublicRowsRelease(1.0 * factor, 1e-6, rounds=2)
    prepared = learner.prepare(rows, Schema({"one": 2, "other": 2, "third": 2}))
    return lambda randomness: learner.release(prepared, rows, randomness)


def _means(kind: Any, **extra: float) -> Run:
    private, public = (np.resize([1.0, -1.0, 1.0], (n, 3)) for n in (20, 5))
    return lambda factor: lambda randomness: kind(epsilon=0.5 * factor, **extra).answers(private, public, randomness)


def _held_out(factor: float) -> Callable[[Randomness], object]:
    use = HeldOut(4, Fraction(1, 4) * int(factor), Fraction(1, 8) * int(factor))
    return lambda randomness: use.draw([3, 1, 7], randomness)


def _vote(factor: float) -> Callable[[Randomness], object]:
    return lambda randomness: StableVote(0.5 * factor, 1e-3).winner([1] * 90 + [2], randomness)


def _sparse(factor: float) -> Callable[[Randomness], object]:
    vector = SparseVector(0.5 * factor, threshold=0, cutoff=2, sensitivity=3, threshold_share=0.25)
    return lambda randomness: [*vector.verdicts([-(10**6), 10**6, 10**6, 0], randomness)]


def _learner(learner: Learner[Any]) -> Run:
    """Return runs of a learner with its epsilon times a factor; of one that has none, with its own."""

    def run(factor: float) -> Callable[[Randomness], object]:
        computed_times = _times(learner, factor)
        return (
            _of_responses(computed_times) if computed_times.output_kind == "regressor" else _of_labels(computed_times)
        )

    return run


def _times(learner: Any, factor: float) -> Any:
    names = {field.name for field in attrs.fields(type(learner))}
    if "epsilon" in names:
        return attrs.evolve(learner, epsilon=learner.epsilon * factor)
    if "learner" in names:
        with suppress(ValueError):  # of one that takes a learner of epsilon 1
            return attrs.evolve(learner, learner=_times(learner.learner, factor))
    return learner


def _of_labels(learner: Any) -> Callable[[Randomness], object]:
    functions = next(kind for kind in (*CLASSES, LinearRules(2, 3)) if _suits(learner, kind))
    n, entries = _size(learner, functions), {}
    generator = np.random.default_rng(5)
    public, x = (_inside(functions, np.rint(3 * generator.random((k, functions.dimension)))) for k in (3, n))
    y = np.resize([0, 1, 0, 1, 1, 0], n) if status_model(learner) is StatusModel.ANY else np.ones(n, int)
    if isinstance(learner, PartlyLabelledLearner):
        needed = learner.unlabelled_needed(n, functions)
        entries = {"unlabelled": ListedEntries(np.resize(x, (needed, functions.dimension)))}
    labels = np.zeros(3, int) if learner.public_stage.needs_labels else None
    prepared = learner.prepare(public, functions, labels)
    return lambda randomness: learner.release(prepared, x, y, randomness, **entries)


def _of_responses(learner: Any) -> Callable[[Randomness], object]:
    every = [
        example for name in registry.names("regressors") for example in registry.load("regressors", name).examples()
    ]
    functions = next(example_value for example_value in every if _suits(learner, example_value))
    generator = np.random.default_rng(5)
    public, x = (functions.clipped(generator.normal(size=(k, functions.dimension))) for k in (3, 30))
    prepared = learner.prepare(public, functions, np.zeros(3) if learner.public_stage.needs_labels else None)
    return lambda randomness: learner.release(prepared, x, np.resize([0.5, -0.25, 0.0], 30), randomness)


def _inside(functions: Any, points: np.ndarray) -> np.ndarray:
    known = getattr(functions, "example_points", None)
    return points if known is None else np.clip(points, 0, known.max())


def _size(learner: Any, functions: Any) -> int:
    if not isinstance(learner, PartlyLabelledLearner):
        return max(N, getattr(learner, "private_needed", 0))
    for n in range(max(N, getattr(learner, "private_needed", 0)), 2_000):
        with suppress(ValueError):
            learner.unlabelled_needed(n, functions)
            return n
    raise AssertionError(f"{learner!r}: runs with no such sample")


def _suits(first: Any, functions: Any) -> bool:
    try:
        first.check(functions)
    except ValueError:
        return False
    return True


def runs() -> dict[str, Run]:
    """Return by name what releases something with privacy: learners by their examples, and what draws besides."""
    learners = {
        f"learners/{name} {i}": _learner(learner)
        for name in registry.names("learners")
        for i, learner in enumerate(registry.load("learners", name).examples() or ())
        if learner.guarantee is not None
    }
    methods = registry.names("queries/methods")
    return (
        learners
        | {f"queries/methods/{name}": _method(name) for name in methods}
        | {f"queries/methods/{name}, pure": _method(name, 0.0) for name in methods if name != "gaussian"}
        | {"queries/methods/pmw, book": _method("pmw", scales="book")}
        | {f"queries/sanitizers/{name}": _sanitizer(name) for name in registry.names("queries/sanitizers")}
        | {"queries/table_release": _table, "practice/held_out": _held_out}
        | {"mechanisms/stable_vote": _vote, "mechanisms/sparse_vector": _sparse}
        | {f"queries/{kind.__name__}": _means(kind, delta=1e-6) for kind in (GaussianMeans, MixedMeans)}
        | {"queries/LaplaceMeans": _means(LaplaceMeans)}
    )


def draws(run: Run, factor: float) -> Draws:
    """Return the draws of a release."""
    release = run(factor)
    with recorded() as computed_recorded:
        release(Simulation(1))
    return computed_recorded


RUNS = runs()
WITHOUT = (
    "discard_private",
    "public_labelled",
    "public_least_squares",
    "public_logistic_regression",
    "public_query_means",
    "uniform_cells",
    "methods/prior",
)
"""Parts of the names of those that read nothing private."""
SHARING = ("discriminant", "multiclass", "public_gram", "public_ridge")
"""Of which public numbers and epsilon decide how many sums share it."""
FIXED = ("active_subsampling", "label_boost")
"""Whose mechanisms have an epsilon of their own, whatever the guarantee is."""


@cache
def drawn(name: str, factor: int) -> Draws:
    return draws(RUNS[name], factor)


@pytest.mark.parametrize("name", RUNS)
def test_more_epsilon_is_less_noise(name: str) -> None:
    """Twice as strong where privacy is pure; between sqrt(2) and 2 times for Gaussian noise: sigma^2 ~ 1 / rho."""
    drawn_labels, two = drawn(name, 1), drawn(name, 2)
    if "public_ridge" in name:  # a number of rows has an epsilon that stops to grow, and sums have the rest
        drawn_labels, two = (
            [("all", sum(strength for _, strength in drawn_noise))] for drawn_noise in (drawn_labels, two)
        )
    assert bool(drawn_labels) == (not any(part in name for part in WITHOUT) or "reduction" in name)
    assert {kind for kind, _ in drawn_labels} == {kind for kind, _ in two}
    ways = (sum,) if "public_gram" in name else (min, max)  # of several sums that share it: all together
    for kind in {kind for kind, _ in drawn_labels}:
        for most in ways:
            here, there = (
                most(strength for own, strength in drawn_noise if own == kind) for drawn_noise in (drawn_labels, two)
            )
            if any(part in name for part in FIXED):
                assert there == here
            elif any(part in name for part in SHARING):
                assert there > here
            elif any("Gaussian" in own for own, _ in drawn_labels) or name == "queries/methods/pmw":  # fitted to a rho
                assert math.sqrt(2) <= there / here <= 2 * (1 + 1e-9)
            else:
                assert there / here == pytest.approx(2, rel=1e-9)
