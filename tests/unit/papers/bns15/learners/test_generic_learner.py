"""GenericLearner: exact privacy in both parts, law against draws, sizes, errors."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import audited_privacy_loss, examples, outcomes
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.papers.bns15.bounds.sanitizers import net_size
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.slots import DataSets

TINY = DiscreteThresholds(1)
POINTS = [[0.0], [1.0]]
BOTH = [Net(), NetExact(POINTS)]


def law_of(learner: GenericLearner, n_labelled: int, h=TINY):
    prepared = learner.prepare(np.empty((0, 1)), h)

    def law(data):
        points, labels = zip(*data[:n_labelled], strict=True)
        entries = ListedEntries(np.array(data[n_labelled:], np.float64).reshape(-1, 1))
        return outcomes(learner.law(prepared, np.array(points), np.array(labels), entries))

    return law


@pytest.mark.parametrize("sanitizer", BOTH, ids=["net", "net_exact"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_exact_privacy_of_both_parts(sanitizer: Net | NetExact, epsilon: float) -> None:
    """Replacing a labelled entry and replacing an unlabelled one, of all data sets; with half of the epsilon it
    fails."""
    learner = GenericLearner(epsilon, sanitizer, size=2, n_unlabelled=2)
    data_sets = DataSets(examples(np.array(POINTS)), 2, [0.0, 1.0], 2)
    found = audited_privacy_loss(law_of(learner, 2), learner.guarantee, data_sets)
    assert found.within_claim
    assert found.loss > 0.55 * epsilon
    assert learner.guarantee == Guarantee(epsilon, 0.0, Neighbours.REPLACE_ENTRY)


@pytest.mark.parametrize("randomness", [Simulation(2), Secure()], ids=["simulation", "secure"])
@pytest.mark.parametrize("sanitizer", BOTH, ids=["net", "net_exact"])
def test_draws_follow_the_law(sanitizer: Net | NetExact, randomness: Randomness) -> None:
    learner = GenericLearner(1.5, sanitizer, size=2, n_unlabelled=3, representative="lower")
    entries = ListedEntries([[1.0], [1.0], [0.0], [0.0]])
    prepared = learner.prepare(np.empty((0, 1)), TINY)
    x, y = np.array([[0.0], [1.0], [1.0]]), np.array([1, 0, 1])
    law = outcomes(learner.law(prepared, x, y, entries))
    counts = dict.fromkeys(law, 0)
    for _ in range(600):
        counts[tuple(learner.release(prepared, x, y, randomness, unlabelled=entries).output.parameters.tolist())] += 1
    assert len(counts) == 3
    assert chisquare(list(counts.values()), 600 * np.exp(list(law.values()))).pvalue > 1e-6


def test_only_the_first_entries_are_read() -> None:
    learner = GenericLearner(1.0, Net(), size=2, n_unlabelled=2)
    data = ((0.0,), 1)
    one, other = (law_of(learner, 1)((data, 1.0, 1.0, last)) for last in (0.0, 1.0))
    assert dict(one) == dict(other)


def test_sizes_are_those_of_the_specification() -> None:
    """alpha / 5 for runs of integers: alpha / 10 for prefixes, of 10 / alpha points."""
    h, learner = DiscreteThresholds(60), GenericLearner(1.0, Net(), 0.2, 0.1)
    assert learner.released(h) == 50
    assert learner.unlabelled_needed(7, h) == net_size(0.02, 0.02, 1.0, 60, 50)
    assert learner.unlabelled_needed(7, h) == math.ceil(200 * (50 * 60 * math.log(2) + math.log(5 / 0.1)) + 200)
    assert learner.labelled_needed(h) == math.ceil(50 * math.log(5 * 51 / 0.1))
    assert GenericLearner(1.0, Net(), 0.2, 0.1).released(DiscreteRectangles(1, 8)) == 100


def test_intervals_are_learned_too() -> None:
    """From a handful of labels, where the entries show the two ends."""
    h, generator = DiscreteRectangles(1, 12), np.random.default_rng(4)
    x = generator.integers(0, 4096, (400, 1)).astype(float)
    y = ((x > 1000) & (x < 3000))[:, 0].astype(int)
    entries = ListedEntries(generator.integers(0, 4096, (3000, 1)).astype(float))
    learner = GenericLearner(1.0, Net(), size=12, n_unlabelled=3000)
    released = learner.release(learner.prepare(np.empty((0, 1)), h), x, y, Simulation(5), entries)
    assert np.mean(released.output.predict(x) != y) < 0.25
    assert released.cost["cover_size"] <= 12 * 13 / 2 + 1


def test_rectangles_in_the_plane_are_learned_too() -> None:
    """From a hundred released points, of coordinates of 40 bits."""
    h, generator = DiscreteRectangles(2, 40), np.random.default_rng(4)
    inside = (0.25 * 2**40, 0.75 * 2**40)
    x = generator.integers(0, 2**40, (600, 2)).astype(float)
    y = ((x > inside[0]) & (x < inside[1])).all(axis=1).astype(int)
    entries = ListedEntries(generator.integers(0, 2**40, (60_000, 2)).astype(float))
    learner = GenericLearner(1.0, Strips(), size=100, n_unlabelled=60_000)
    released = learner.release(learner.prepare(np.empty((0, 2)), h), x, y, Simulation(5), entries)
    assert np.mean(released.output.predict(x) != y) < 0.2
    assert learner.remark == "noisy strips (substitute for theorem A.3, pure)"
