"""SubSampling around learners of labelled examples and of entries; binary search; the labels that they ask for."""

import math
from contextlib import suppress
from itertools import product

import numpy as np
import pytest

from semipriv.audit.exact import exact_privacy_loss, learner_privacy_loss, outcomes
from semipriv.audit.properties.every_entry import EveryEntry
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.learners.base import ListedDistribution
from semipriv.papers.bns15.bounds.active import active_size, search_tree
from semipriv.papers.bns15.learners.active_subsampling import ActiveSubsampling
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.papers.bns15.learners.binary_search import BinarySearch
from semipriv.privacy.amplification import partly_labelled_subset
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv_lab.papers.bns15.studies.active import exact_form, searching

H = DiscreteThresholds(2)
DOMAIN = np.arange(2.0)[:, None]
RANDOM = pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])


def around_entries(rule: str, own: float = 0.8, epsilon: float = 4.0) -> ActiveSubsampling:
    """One whose base learner reads one labelled and one unlabelled entry, of three or more."""
    return ActiveSubsampling(EveryEntry(own, 1), epsilon, 1, 2, rule)


# ---------------------------------------------------------------------------------------------------- privacy
@pytest.mark.parametrize("rule", ["smallest", "random"])
def test_exact_loss_around_a_learner_of_entries(rule: str) -> None:
    """Both parts change if a label moves from one entry to another: only the paper's rule needs 2 epsilon*."""
    learner = around_entries(rule)
    t = learner.private_needed
    privacy_loss = learner_privacy_loss(learner, H, [], DOMAIN, t)
    assert privacy_loss.within_claim
    claimed = learner.guarantee_of(t).epsilon
    assert claimed == pytest.approx(exact_form(0.8, 2, t, rule), rel=1e-12)
    assert 0.3 * claimed < privacy_loss.loss <= claimed


@pytest.mark.parametrize("rule", ["smallest", "random"])
def test_a_subset_that_is_the_whole_sample_does_not_amplify(rule: str) -> None:
    """The negative control of the test above: with t = n the loss exceeds what holds for three examples."""
    whole = around_entries(rule, 2.0, 60.0)
    prepared = whole.prepare([], H)

    def distribution(data):
        (x, y), (z, _) = data
        return outcomes(whole.learner.output_distribution(prepared, [x], [y], ListedEntries(np.array([z]))))

    records = [(tuple(point), label) for point, label in product(DOMAIN.tolist(), (0, 1))]
    loss = exact_privacy_loss(distribution, [records] * 2).loss
    assert loss > learner_privacy_loss(whole, H, [], DOMAIN, 3).loss * 1.2


def test_random_places_take_the_least_number_of_examples() -> None:
    """One example fewer would not be covered, at sizes from 3 to those where the paper asks for six times as many."""
    for own, epsilon in ((1.0, 0.8), (1.0, 0.1), (0.5, 0.01), (5.0, 0.3), (20.0, 1.0), (1e-9, 1e-10)):
        learner = ActiveSubsampling(EveryEntry(own, 6), epsilon, 4, 10, "random")
        t = learner.private_needed
        assert learner.guarantee_of(t).epsilon <= epsilon < learner.guarantee_of(t - 1).epsilon
        assert t < active_size(10, epsilon, own)
        with pytest.raises(ValueError, match=f"n_private = {t - 1:,}: must be >= {t:,}"):
            learner.check_private(t - 1)
    whole = ActiveSubsampling(EveryEntry(1.0, 6), 1.0, 4, 10, "random")
    assert whole.private_needed == 10, "where nothing need be amplified, nothing is left out"
    assert whole.guarantee_of(10).epsilon == 1.0


class Telling(EveryEntry):
    """Tells by randomised response what its labelled entry is and, apart, what its unlabelled entry is."""

    def output_distribution(self, prepared, points, labels, unlabelled=None):
        place, z = 2 * int(points[0, 0]) + int(labels[0]), int(unlabelled.points[0, 0])
        logs = [self.epsilon * ((number == place) + (other == z)) for number in range(4) for other in range(2)]
        return ListedDistribution(np.arange(8.0)[:, None], np.array(logs) - np.logaddexp.reduce(logs))


@pytest.mark.parametrize(("own", "t"), [(1.0, 3), (2.0, 4)])
def test_the_least_number_of_examples_is_exact(own: float, t: int) -> None:
    """Around a base learner that describes each entry all that it may, the loss is epsilon, and more with one fewer."""
    exact = {entries: math.log1p(2 / entries * math.expm1(own)) for entries in (t, t - 1)}
    losses = []
    for entries, epsilon in exact.items():
        learner = ActiveSubsampling(Telling(own, 1), epsilon * (1 + 1e-12), 1, 2, "random")
        assert learner.private_needed == entries
        losses.append(learner_privacy_loss(learner, H, [], DOMAIN, entries).loss)
    assert losses[0] == pytest.approx(exact[t], rel=1e-9)
    assert losses[1] > 1.05 * exact[t]


@pytest.mark.parametrize(("rule", "randomness"), [("smallest", Simulation(3)), ("random", Secure())])
def test_draws_follow_the_distribution_around_a_learner_of_entries(rule: str, randomness: Randomness) -> None:
    learner = around_entries(rule, 3.0, 250.0)
    prepared = learner.prepare([], H)
    x, y = np.array([[0.0], [3.0], [1.0], [2.0]]), [1, 0, 0, 1]
    distribution = outcomes(learner.output_distribution(prepared, x, y))
    runs = 1_000
    drawn_outcomes = [
        tuple(learner.release(prepared, x, y, randomness).output.parameters.tolist()) for _ in range(runs)
    ]
    for outcome, log in distribution.items():
        chance = math.exp(log)
        assert abs(drawn_outcomes.count(outcome) - runs * chance) < 5 * math.sqrt(runs * chance * (1 - chance)) + 1


def test_guarantee_is_that_of_the_claim_at_the_least_size() -> None:
    """At the size of the claim epsilon' is at most epsilon, for both rules, and grows smaller with more examples."""
    for own, epsilon, rule in product((0.1, 1.0, 3.0), (0.01, 0.5, 1.0, 3.0), ("smallest", "random")):
        learner = ActiveSubsampling(EveryEntry(own, 6), epsilon, 4, 10, rule)
        t = learner.private_needed
        assert learner.guarantee == Guarantee(epsilon, 0.0, Neighbours.REPLACE_PRIVATE_EXAMPLE)
        assert learner.guarantee_of(t).epsilon <= epsilon
        assert learner.guarantee_of(10 * t).epsilon < learner.guarantee_of(t).epsilon


def test_delta_of_a_subset() -> None:
    """(1 + e^epsilon*) delta where a label moves, delta where not; both times the rate; never below the formula."""
    own, q = Guarantee(1.0, 1e-6, Neighbours.REPLACE_ENTRY), 0.125
    moved, still = (partly_labelled_subset(own, q, moves=moves) for moves in (True, False))
    assert moved.delta == pytest.approx(q * (1 + math.e) * 1e-6, rel=1e-12)
    assert moved.delta >= q * (1 + math.e) * 1e-6 * (1 - 1e-15)
    assert still.delta == pytest.approx(q * 1e-6, rel=1e-12)
    assert moved.epsilon == pytest.approx(math.log1p(q * math.expm1(2)), rel=1e-12)
    assert still.epsilon == pytest.approx(math.log1p(q * math.expm1(1)), rel=1e-12)


class Leaking(EveryEntry):
    """Stands for a base learner with delta > 0."""

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, 1e-6, Neighbours.REPLACE_ENTRY)


@pytest.mark.parametrize("rule", ["smallest", "random"])
@pytest.mark.parametrize(("own", "epsilon"), [(0.5, 0.1), (1.0, 3.0), (1.0, 100.0)])
def test_what_is_told_of_a_learner_covers_every_size_that_it_takes(rule: str, own: float, epsilon: float) -> None:
    """Epsilon and delta are those of the smallest sample, which has the largest share of examples that are read."""
    learner = ActiveSubsampling(Leaking(own, 6), epsilon, 4, 10, rule)
    actual_guarantee, t = learner.guarantee, learner.private_needed
    for additional in (0, 1, t, 50 * t):
        total_guarantee = learner.guarantee_of(t + additional)
        assert total_guarantee.epsilon <= actual_guarantee.epsilon
        assert total_guarantee.delta <= actual_guarantee.delta
    moved = 1 + math.exp(own) if rule == "smallest" else 1
    assert actual_guarantee.delta == pytest.approx(10 / t * moved * 1e-6, rel=1e-12)
    assert (
        learner.release(learner.prepare([], H), np.zeros((t, 1)), [0] * t, Simulation(1)).guarantee == actual_guarantee
    )


def test_labels_do_not_move_where_nobody_reads_the_unlabelled() -> None:
    """Then one entry of what the base learner reads differs, whatever the rule."""
    first, two, three = (
        ActiveSubsampling(base, 1.0, m, n)
        for base, m, n in ((AllConcepts(1.0), 2, 2), (AllConcepts(1.0), 2, 4), (EveryEntry(1.0, 2), 2, 4))
    )
    assert [round(learner.guarantee_of(100).epsilon, 4) for learner in (first, two, three)] == [
        round(math.log1p(rate * math.expm1(power)), 4) for rate, power in ((0.02, 1), (0.04, 1), (0.04, 2))
    ]


# ---------------------------------------------------------------------------------------------------- labels
@RANDOM
@pytest.mark.parametrize("rule", ["smallest", "random"])
def test_labels_that_nobody_asks_for_are_not_read(rule: str, randomness: Randomness) -> None:
    """The others may be anything: a release meets one now and then, as each draws other places."""
    learner = ActiveSubsampling(AllConcepts(1.0), 4.0, 2, 6, rule)
    t = learner.private_needed
    x, prepared = np.resize(DOMAIN, (t, 1)), learner.prepare([], H)
    known, labels_of_one = 3 if rule == "smallest" else t - 3, 0
    labels = [1] * known + [None] * (t - known)
    for _ in range(60):
        with suppress(ValueError):
            assert learner.release(prepared, x, labels, randomness).cost["labels_asked"] == 2
            labels_of_one += 1
    assert 0 < labels_of_one < 60


def test_the_base_learner_gets_labelled_points_shuffled() -> None:
    """Each order of the chosen examples occurs, labels are of the smallest places, and stay with their points."""
    seen = []

    class Seeing(EveryEntry):
        def release(self, prepared, points, labels, randomness, unlabelled=None):
            seen.append((points[:, 0].tolist(), labels.tolist(), unlabelled.points[:, 0].tolist()))
            return super().release(prepared, points, labels, randomness, unlabelled)

    h = DiscreteThresholds(4)
    learner = ActiveSubsampling(Seeing(1.0, 2), 8.0, 2, 4)
    t = learner.private_needed
    x = np.arange(float(t))[:, None]
    for seed in range(100):
        learner.release(learner.prepare([], h), x, (x[:, 0] % 2).astype(int), Simulation(seed))
    assert all(label == point % 2 for points, labels, _ in seen for point, label in zip(points, labels, strict=True))
    assert all(max(points) < min(rest) for points, _, rest in seen)
    assert 30 < sum(points[0] < points[1] for points, _, _ in seen) < 70
    assert 30 < sum(rest[0] < rest[1] for _, _, rest in seen) < 70


# ---------------------------------------------------------------------------------------------------- binary search
@pytest.mark.parametrize("h", [*map(Thresholds, ORIENTATIONS), DiscreteThresholds(6), DiscreteThresholds(60, "ge")])
def test_binary_search_finds_each_threshold(h) -> None:
    """It agrees with all labels, and asks as the study's search and its closed form do."""
    generator = np.random.default_rng(2)
    points = generator.integers(0, 64, (21, h.dimension)).astype(float)
    points[:, :-1] = 0  # integers of 60 bits have two words
    rising = h.orientation in ("ge", "gt")
    low, high = search_tree(21)
    for cut in range(65):
        labels = (points[:, -1] >= cut) if rising else (points[:, -1] < cut)
        release = BinarySearch().release(BinarySearch().prepare([], h), points, labels.astype(int), Simulation(1))
        assert np.array_equal(release.output.predict(points), labels)
        rank = int(np.sum(points[:, -1] < cut))
        asked = release.output.asked.tolist()
        assert sorted(asked) == sorted(np.argsort(points[:, -1], kind="stable")[(low <= rank) & (rank <= high)])
        assert len(set(asked)) == len(asked) == release.cost["labels_asked"] <= 5
        data = tuple((float(x), int(x < cut)) for x in points[:, -1])
        assert asked == searching(data, 21)  # type: ignore[arg-type]


def test_its_transcript_tells_of_a_neighbour() -> None:
    x, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 0, 0, 1, 1])
    learner, prepared = BinarySearch(), BinarySearch().prepare([], Thresholds())
    moved = x.copy()
    moved[0] = 4.5
    first, second = (learner.release(prepared, points, y, Simulation(1)).output for points in (x, moved))
    assert first.asked.tolist() != second.asked.tolist()


def test_binary_search_of_nothing() -> None:
    release = BinarySearch().release(BinarySearch().prepare([], Thresholds()), [], [], Simulation(1))
    assert release.output.asked.size == 0
