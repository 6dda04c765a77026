"""LabelBoost: its distribution on a toy against enumeration, its sizes, what it reads, and what it refuses."""

import math
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import exact_privacy_loss
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.entries import DrawnEntries, ListedEntries
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.papers.bns15.label_boost.accounting import (
    BaseLearner,
    Mechanism,
    Relabelled,
    Resampled,
    Subsampled,
    guarantee,
)
from semipriv.papers.bns15.label_boost.procedure import ExampleBlock, boosted
from semipriv.papers.bns15.label_boost.schedule import SHARP, Constants, Round, Schedule
from semipriv.papers.bns15.label_boost.thinning import thinned
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.papers.bns15.learners.label_boost import LabelBoost
from semipriv.privacy.guarantee import Neighbours
from semipriv_lab.papers.bns15.controls.enumeration import DOMAIN, toy

SCALED = Constants(17, 6, a0=1.0)
RANDOM = pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])


def learned(learner: LabelBoost, h: DiscreteThresholds, m: int, randomness: Randomness, cut: int):
    generator = np.random.default_rng(1)
    x = h.encode(generator.integers(0, 2**h.bits, m, dtype=np.int64))
    y = (x[:, -1] < cut).astype(int)
    draw = lambda n, g: h.encode(g.integers(0, 2**h.bits, n, dtype=np.int64))  # noqa: E731
    entries = DrawnEntries(learner.unlabelled_needed(m, h), draw, Simulation(2))
    return learner.release(learner.prepare(np.empty((0, h.dimension)), h), x, y, randomness, entries)


def test_it_learns_in_one_round() -> None:
    h = DiscreteThresholds(20)
    learner = LabelBoost(AllConcepts(1.0), 1000, 0.2, 0.2, SCALED, "exact")
    release = learned(learner, h, 5500, Simulation(1), 2**18)
    assert release.cost["rounds"] == 1
    assert release.cost["base_examples"] >= 1000
    assert release.cost["unlabelled_read"] == learner.unlabelled_needed(5500, h) > 0
    assert release.guarantee == learner.guarantee
    (cut,) = h.decode(release.output.parameters)
    assert abs(cut - 2**18) < 0.1 * 2**20


def test_enough_labels_need_no_unlabelled_entries() -> None:
    h = DiscreteThresholds(6)
    learner = LabelBoost(AllConcepts(1.0), 100, 0.2, 0.2)
    assert learner.unlabelled_needed(30_000, h) == 0
    x = h.encode(np.arange(30_000) % 64)
    release = learner.release(learner.prepare([], h), x, (x[:, 0] < 20).astype(int), Secure())
    assert release.cost["rounds"] == 0
    assert release.cost["base_examples"] == 100


def test_rectangles_by_covers() -> None:
    """A class without a short way."""
    h = DiscreteRectangles(1, 3)
    learner = LabelBoost(AllConcepts(1.0), 600, 0.8, 0.4, Constants(17, 6, a0=1.0, kappa=6.0), "sharp")
    m = 2000
    generator = np.random.default_rng(1)
    x = generator.integers(0, 8, (m, 1)).astype(float)
    y = ((x[:, 0] >= 2) & (x[:, 0] <= 4)).astype(int)
    entries = ListedEntries(generator.integers(0, 8, (learner.unlabelled_needed(m, h), 1)))
    release = learner.release(learner.prepare([], h), x, y, Simulation(4), entries)
    assert release.cost["rounds"] == 1
    assert release.output.predict(np.arange(8.0)).astype(int).tolist() == [0, 0, 1, 1, 1, 0, 0, 0]


@RANDOM
def test_what_is_missing_is_told_before_anything_is_drawn(randomness: Randomness) -> None:
    h = DiscreteThresholds(20)
    learner = LabelBoost(AllConcepts(1.0), 1000, 0.2, 0.2, SCALED, "exact")
    needed = learner.unlabelled_needed(5500, h)
    x, y = np.zeros((5500, 1)), np.zeros(5500, int)
    prepared = learner.prepare([], h)
    with pytest.raises(ValueError, match=rf"n_unlabelled = 0: must be >= {needed:,} for LabelBoost.*r=17, r0=6"):
        learner.release(prepared, x, y, randomness)
    one_entry_short = ListedEntries(np.zeros((needed - 1, 1)))
    with pytest.raises(ValueError, match=f"n_unlabelled = {needed - 1:,}: must be >= {needed:,}"):
        learner.release(prepared, x, y, randomness, one_entry_short)
    with pytest.raises(ValueError, match=r"n_labelled = 20: .* stuck"):
        learner.release(prepared, x[:20], y[:20], randomness)


def test_constants_by_name_by_mapping_and_as_they_are() -> None:
    base = {"name": "all_concepts", "epsilon": 1.0}
    named = LabelBoost(base, 10, 0.2, 0.2, "sharp", "sharp")
    assert named == LabelBoost(base, 10, 0.2, 0.2, SHARP, "sharp")
    assert named == LabelBoost(base, 10, 0.2, 0.2, {"r": 11, "r0": 6}, "sharp")


@pytest.mark.parametrize(
    ("constants", "accounting", "epsilon"),
    [("paper", "paper", 0.8234), ("paper", "sharp", 0.07), ("exact", "exact", 0.96), ("sharp_least", "sharp", 0.9263)],
)
def test_guarantee_is_kept_by_every_round(constants: str, accounting: str, epsilon: float) -> None:
    """No run of any sizes has a larger one; delta shrinks at the end and does not grow in a round."""
    learner = LabelBoost(AllConcepts(1.0), 7190, 0.2, 0.2, constants, accounting)
    assert learner.guarantee.epsilon == pytest.approx(epsilon, abs=1e-4)
    assert learner.guarantee.neighbours is Neighbours.REPLACE_ENTRY
    for m in (62_500, 441_000, 600_000, 7 * 10**6):
        with suppress(ValueError):
            assert learner.guarantee_by(learner.sizes(m, DiscreteThresholds(256))).epsilon <= learner.guarantee.epsilon


def test_the_stream_of_unlabelled_entries_is_of_the_class() -> None:
    h = DiscreteThresholds(2)
    learner = LabelBoost(AllConcepts(1.0), 1000, 0.2, 0.2, SCALED, "exact")
    entries = ListedEntries(np.full((learner.unlabelled_needed(5500, h), 1), 4.0))
    with pytest.raises(ValueError, match="unlabelled entries: row 0, feature 0 = 4"):
        learner.release(learner.prepare([], h), np.zeros((5500, 1)), np.zeros(5500, int), Simulation(1), entries)


TOY = Constants(2, 2, eps0=1.0, a0=0.05, b0=0.05)


def carried_out(data: tuple, randomness: Randomness) -> object:
    """One run of the code at the sizes of the toy: 2 + 2 entries, 1 + 1 kept, relabelled, 1 kept, 1 drawn."""
    labelled, unlabelled = data[:2], data[2:]
    plan = Schedule(TOY, (Round(2, 2, 1, 1, 0.1, 0.1),), 2, 1, 2)
    reader = ListedEntries(np.array(unlabelled)).reader()
    x, y = np.array([point for point, _ in labelled]), np.array([label for _, label in labelled], np.int8)
    start = ExampleBlock(Thresholds("lt"), x, y)
    last = boosted(
        start, plan, lambda round_: thinned(reader, round_.read, round_.kept_unlabelled, randomness), randomness
    )
    return tuple(zip(map(tuple, last.points.tolist()), last.labels.tolist(), strict=True))


DATA = (((0.0,), 0), ((2.0,), 1), (1.0,), (0.0,))


@RANDOM
def test_the_code_draws_from_the_listed_distribution(randomness: Randomness) -> None:
    """What the base learner gets: the enumeration with a base that shows its examples, against runs."""
    distribution = toy(Thresholds("lt"), base=lambda examples: {examples: 0.0}).output_distribution(DATA)
    runs = 3000
    counts: Counter[object] = Counter()
    for _ in range(runs):
        counts[carried_out(DATA, randomness)] += 1
    assert set(counts) <= set(distribution)
    expected = np.array([runs * math.exp(value) for value in distribution.values()])
    assert chisquare([counts[outcome] for outcome in distribution], expected).pvalue > 1e-6


def test_the_toy_loses_little() -> None:
    """Its exact loss, far below what the accountant says: the negative controls have other toys."""
    example = [(point, label) for point in DOMAIN for label in (0, 1)]
    privacy_loss = exact_privacy_loss(toy(Thresholds("lt")).output_distribution, [example] * 2 + [list(DOMAIN)] * 2)
    assert privacy_loss.loss == pytest.approx(0.10144741622, abs=1e-9)
    assert privacy_loss.loss <= guarantee(tree(2, 2), "sharp").epsilon


def tree(r: int, r0: int) -> Mechanism:
    return Relabelled(Subsampled(Resampled(BaseLearner(1.0), 1, 1), [(1, r0)]), [(1, r), (1, r)])
