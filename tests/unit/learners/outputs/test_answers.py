"""Answers to all queries of a class, and synthetic data made of them (BCM20 algorithm 3 and remark 9)."""

import numpy as np
import pytest
import refused
from attrs import evolve
from numpy.random import default_rng

from semipriv.classes.base import Hypothesis
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.all_query_means import AllQueryMeans
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.stages.representative_domain import RepresentativeDomain
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.queries.workloads import Runs


def exact(h, public, x, scale="01") -> Answers:
    learner = AllQueryMeans(scale)
    prepared = learner.prepare(public, h)
    shares = prepared.workload.sums(prepared.counts(x)) / len(x)
    return Answers(prepared.cover, prepared.representatives, shares, None, scale)


def weighted(h, public, x) -> Answers:
    learner = AllQueryMeans("01")
    prepared = learner.prepare(public, h)
    counts = prepared.counts(x)
    actual_sums = prepared.workload.sums(counts) / len(x)
    return Answers(prepared.cover, prepared.representatives, actual_sums, counts / len(x), "01")


def test_vectors_by_hand() -> None:
    """Spec, section 7, thresholds 1[x <= t] with their least thresholds, and half-open intervals."""
    learner = QueryRelease(1.0, 1e-6, "gaussian", "01", "lower")
    prepared = learner.prepare([[3.0], [1], [2], [2]], Thresholds("le"))
    counts = prepared.counts([[0.5], [1], [1.5], [3], [9]])
    shares = prepared.workload.sums(counts) / 5
    assert shares.tolist() == [0, 0.4, 0.6, 0.8]
    for scale, answers in (("01", [0.6, 0, 0.8]), ("pm1", [0.2, -1, 0.6])):
        output = Answers(prepared.cover, prepared.representatives, shares, None, scale)
        assert output.answer([2.7, 0.3, 99]) == pytest.approx(answers)
        assert output.answer(Hypothesis(Thresholds("le"), np.array([2.7]))) == pytest.approx(answers[:1])
    prepared = learner.prepare([[3.0], [1], [2]], Intervals())
    shares = prepared.workload.sums(prepared.counts([[0.5], [1], [1.5], [3], [9]])) / 5
    output = Answers(prepared.cover, prepared.representatives, shares, None, "01")
    assert output.answer([[1.2, 2.5], [1.2, 1.8]]) == pytest.approx([0.2, 0.0])


@pytest.mark.parametrize("h", [*map(Thresholds, ORIENTATIONS), Intervals(), Rectangles(2)], ids=repr)
def test_project_keeps_the_labels_of_public_points(h) -> None:
    generator = default_rng(0)
    public, x = np.rint(6 * generator.random((7, h.dimension))), 6 * generator.random((40, h.dimension))
    output = exact(h, public, x)
    queries = h.cover(6 * generator.random((6, h.dimension))).listed().parameters
    place = output.project(queries)
    assert np.array_equal(h.predict(queries, public), h.predict(output.cover.parameters[place], public))
    of_its_own = h.predict(output.cover.parameters[place], x).mean(axis=1)
    assert output.answer(queries) == pytest.approx(of_its_own)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_quantiles_add_one_over_twice_the_size(orientation: str) -> None:
    generator = default_rng(1)
    x = generator.random((1_000, 1)) ** 2
    output = exact(Thresholds(orientation), generator.random((60, 1)), x)
    for size in (20, 50, 333):
        data = output.synthetic(size, Simulation(0))
        added = np.abs(data.answer(output.cover.parameters) - output.shares).max()
        assert 0 < added <= 1 / (2 * size) + 1e-12
    assert set(data.points[:, 0]) <= set(output.representatives[:, 0]), "representatives, never private points"
    fewer = output.synthetic(12, Simulation(0))
    assert np.abs(fewer.answer(output.cover.parameters) - output.shares).max() > 1 / 100


def test_noisy_answers_are_made_monotone() -> None:
    generator = default_rng(2)
    learner = QueryRelease(1.0, 1e-6, "gaussian", "01")
    prepared = learner.prepare(generator.random((40, 1)), Thresholds("le"))
    output = learner.release(prepared, generator.random((200, 1)), np.zeros(200, int), Simulation(3)).output
    assert np.any(np.diff(output.shares) < 0)
    answers = output.synthetic(100, Simulation(0)).answer(output.cover.parameters)
    assert np.all(np.diff(answers) >= 0)
    truth = prepared.cover.parameters[:, 0].clip(0, 1)
    assert np.abs(answers - truth).max() <= np.abs(output.shares - truth).max() + 0.1


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()], ids=["simulation", "secure"])
@pytest.mark.parametrize("how", ["stratified", "sampled", "lp", None])
@pytest.mark.parametrize("h", [Intervals(), Rectangles(2)], ids=repr)
def test_synthetic_data_of_other_classes(h, how: str | None, randomness) -> None:
    """Hoeffding: with 900 draws and M queries, an error of sqrt(ln(2 M / 1e-9) / 1800) has probability 1e-9."""
    generator = default_rng(3)
    output = weighted(h, generator.random((5, h.dimension)), generator.random((200, h.dimension)))
    data = output.synthetic(900, randomness, how)
    most = (
        2 / 1800
        if how in ("stratified", None) and h.dimension == 1
        else np.sqrt(np.log(2 * len(output.shares) / 1e-9) / 1800)
    )
    exception = how == "stratified" and h.dimension > 1
    assert np.abs(data.answer(output.cover.parameters) - output.shares).max() <= most or exception
    assert len(data.points) == 900


def test_the_program_is_no_worse_than_the_answers() -> None:
    generator = default_rng(4)
    output = weighted(Intervals(), generator.random((6, 1)), generator.random((300, 1)))
    noise = generator.uniform(-0.05, 0.05, len(output.shares))
    noisy = Answers(output.cover, output.representatives, (output.shares + noise).clip(0, 1))
    weights = noisy._nearest()
    queries = RepresentativeDomain().restore({**output.arrays(), "public": np.zeros(1)}, Intervals()).workload
    assert isinstance(queries, Runs)
    assert np.abs(queries.sums(weights) - noisy.shares).max() <= 0.05 + 1e-9


def of_a_threshold() -> Answers:
    return weighted(Thresholds(), [[1.0], [2.0]], [[1.5]])


def of_intervals() -> Answers:
    return exact(Intervals(), [[1.0], [2.0], [3.0]], [[1.5], [3.0]])


REFUSED = [
    (lambda: of_a_threshold().answer([[1.0, 2.0]]), r"queries: must have shape \(q, 1\) for Thresholds"),
    (lambda: of_a_threshold().answer([[float("nan")]]), "queries: row 0 = .*: must be numbers"),
    (
        lambda: of_a_threshold().answer(Hypothesis(Thresholds("lt"), np.array([1.0]))),
        "queries: number 0 is of Thresholds.*'lt'",
    ),
    (
        lambda: of_a_threshold().answer([Hypothesis(Intervals(), np.array([1.0, 2.0]))]),
        "queries: number 0 is of Intervals",
    ),
    (lambda: evolve(of_a_threshold(), shares=[0.5]), "shares: must be 3 numbers, got 1"),
    (lambda: evolve(of_a_threshold(), shares=[0, 0.5, 2]), r"shares: must be numbers in \[0, 1\]"),
    (
        lambda: evolve(of_a_threshold(), weights=[0.5, 0.6]),
        "weights: must be numbers >= 0 that sum to 1, their sum is 1.1",
    ),
    (lambda: evolve(of_a_threshold(), scale="percent"), "unknown scale of answers 'percent'"),
    (lambda: of_intervals().synthetic(3, Simulation(0), "quantiles"), "how = 'quantiles': is for thresholds"),
    (
        lambda: of_intervals().synthetic(3, Simulation(0), "sampled"),
        "how = 'sampled': there are answers only, no weights",
    ),
    (lambda: of_intervals().synthetic(3, Simulation(0), "median"), "unknown how of synthetic data 'median'"),
    (lambda: of_intervals().synthetic(0, Simulation(0)), "size = 0: must be >= 1"),
]


@refused.each({"answers": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
