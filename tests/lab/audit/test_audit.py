"""The exact audit: fixtures computed independently, and negative controls that it must catch."""

import itertools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from semipriv.audit.exact import (
    DataSet,
    DistributionOf,
    as_sample,
    audited_privacy_loss,
    exact_delta,
    exact_privacy_loss,
    examples,
    learner_privacy_loss,
    outcomes,
)
from semipriv.classes.thresholds import Thresholds
from semipriv.core import overlay, tables
from semipriv.core.roles import Role
from semipriv.learners.base import FiniteOutput, Learner, ListedDistribution
from semipriv.learners.stages.cover import CoverStage
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.privacy.slots import DataSets
from semipriv_lab.controls import base, controls_of, folders, gathered
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS

CONTROLS = gathered()
FIXTURES = {
    (1.0, 1): [0.5, 0.620115, 0.727336, 0.813666, 0.877476, 0.921659],
    (1.0, 2): [0.663643, 0.763383, 0.840896, 0.896629, 0.934454, 0.959112],
    (1.0, 3): [0.746154, 0.827989, 0.887607, 0.928453, 0.955253, 0.972336],
    (0.1, 1): [0.05, 0.051249, 0.052497, 0.053742, 0.054982, 0.056216],
}


def two_hypotheses_loss(n: int, epsilon: float) -> float:
    """Loss of a cover of two hypotheses in closed form; attained where all but one label contradict the hypothesis."""
    return epsilon - math.log1p(math.exp(epsilon * (2 - n) / 2)) + math.log1p(math.exp(-epsilon * n / 2))


def line(m: int) -> np.ndarray:
    return np.arange(1.0, m + 1)[:, None]


@pytest.mark.parametrize(("epsilon", "m"), FIXTURES)
def test_fixtures(epsilon: float, m: int) -> None:
    losses = [
        learner_privacy_loss(SSPP(epsilon), Thresholds(), line(m), line(m), n, exchangeable=True).loss
        for n in range(1, 7)
    ]
    np.testing.assert_allclose(losses, FIXTURES[epsilon, m], atol=6e-7)


def test_fixture_of_a_small_epsilon() -> None:
    losses = [
        learner_privacy_loss(SSPP(0.1), Thresholds(), line(3), line(3), n, exchangeable=True).loss for n in (1, 6)
    ]
    np.testing.assert_allclose(losses, [0.074996, 0.079386], atol=6e-7)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_two_hypotheses_in_closed_form(epsilon: float) -> None:
    """Tends to epsilon: the factor 2 in the exponent is needed."""
    for n in (1, 2, 5, 9):
        actual_loss = learner_privacy_loss(SSPP(epsilon), Thresholds(), line(1), line(1), n).loss
        assert actual_loss == pytest.approx(two_hypotheses_loss(n, epsilon), abs=1e-12)
    assert two_hypotheses_loss(1, epsilon) == pytest.approx(epsilon / 2)
    assert two_hypotheses_loss(2000, epsilon) == pytest.approx(epsilon, rel=1e-6)


def test_the_pair_attains_the_loss() -> None:
    worst = learner_privacy_loss(SSPP(1.0), Thresholds(), line(2), line(2), 4)
    prepared = SSPP(1.0).prepare(line(2), Thresholds())
    distributions = [
        SSPP(1.0).output_distribution(prepared, s.points, s.labels).log_probabilities
        for s in map(as_sample, (worst.data, worst.neighbour))
    ]
    assert np.abs(distributions[0] - distributions[1]).max() == pytest.approx(worst.loss, abs=1e-15)
    assert sorted(worst.data) != sorted(worst.neighbour)
    assert worst.rounding < 1e-13
    assert worst.loss < 1


@pytest.mark.parametrize("mechanism", ["exponential", "permute_and_flip"])
def test_sspp_does_not_look_at_the_order(mechanism: str) -> None:
    """Of any of the sequences of four: claim ABM19-L3.2 enumerates multisets."""
    learner = SSPP(1.0, mechanism)
    prepared = learner.prepare(line(2), Thresholds())
    distribution_by_records: dict = {}
    for data in itertools.product(examples(line(2)), repeat=4):
        sample = as_sample(data)
        distribution = outcomes(learner.output_distribution(prepared, sample.points, sample.labels))
        assert distribution_by_records.setdefault(tuple(sorted(data)), distribution) == distribution
    in_order, multisets = (
        learner_privacy_loss(learner, Thresholds(), line(2), line(2), 4, exchangeable=e) for e in (False, True)
    )
    assert in_order.loss == multisets.loss


def test_no_public_point_costs_nothing() -> None:
    assert learner_privacy_loss(SSPP(1.0), Thresholds(), line(0), line(3), 3).loss == 0


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_are_caught_and_their_siblings_pass(name: str) -> None:
    """The broken mechanism loses more than the claim; the honest one does not, and comes near enough to test it."""
    control = CONTROLS[name]()
    honest, broken = (
        exact_privacy_loss(distribution, control.slots) for distribution in (control.honest, control.broken)
    )
    assert honest.loss <= control.epsilon + honest.rounding
    assert honest.loss >= 0.25 * control.epsilon
    assert broken.loss > 1.05 * control.epsilon
    for distribution in (control.honest, control.broken):
        for data in itertools.islice(itertools.product(*control.slots), 30):  # the audit sums up all, by itself
            assert math.fsum(map(math.exp, distribution(data).values())) == pytest.approx(1, abs=1e-12)


def test_controls_are_gathered_from_papers_of_plug_in_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CONTROLS", own := {})
    paper = tmp_path / "papers/new26"
    (paper / "controls").mkdir(parents=True)
    (paper / "__init__.py").write_text("")
    (paper / "controls/own.py").write_text(
        "from semipriv_lab.controls.base import registered\n\n\n@registered\ndef second():\n    ...\n\n\n"
        "@registered\ndef first():\n    ...\n"
    )
    with overlay.laid(tmp_path):
        assert paper / "controls" in folders()
        gathered()
        assert (
            list(own) == list(controls_of(sys.modules["semipriv_lab.papers.new26.controls.own"])) == ["second", "first"]
        )
    for name in [name for name in sys.modules if ".papers.new26" in name]:
        del sys.modules[name]


def test_losses_of_the_controls_in_closed_form() -> None:
    """Halved noise loses 2 epsilon; the retried oracle epsilon plus the change of its chance of success."""
    control = CONTROLS["noise_halved"]()
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(1.4, abs=1e-12)
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(0.7, abs=1e-12)
    control = CONTROLS["subsample_reused"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-12)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(
        math.log1p((math.e**2 - 1) / 3), abs=1e-12
    )
    control = CONTROLS["subsampling_places_told"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-12)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(1.0, abs=1e-12)
    control = CONTROLS["tree_with_a_level_forgotten"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-12)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(1.5, abs=1e-12)
    control = CONTROLS["groups_as_if_parallel"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-12)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(2 * control.epsilon, abs=1e-12)
    control = CONTROLS["squared_errors_not_cut"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-9)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(4 * control.epsilon, abs=1e-9)
    control = CONTROLS["rrspm_half_the_noise"]()
    assert exact_privacy_loss(control.honest, control.slots).loss == pytest.approx(control.epsilon, abs=1e-12)
    assert exact_privacy_loss(control.broken, control.slots).loss == pytest.approx(2 * control.epsilon, abs=1e-12)
    for name in (
        "cover_from_private_points",
        "representative_domain_from_private_points",
        "window_at_the_mode",
        "learn_half_family_from_all_points",
        "learn_half_pruned_by_all_points",
        "learn_half_arbitrary_by_private_points",
        "mwem_best_iterate",
        "mwem_empty_cells_dropped",
        "hypotheses_of_private_points",
        "rrspm_minimiser_returned",
        "rrspm_noise_redrawn",
        "perturbed_search_from_the_fit",
        "chosen_by_training_mistakes",
    ):
        control = CONTROLS[name]()
        assert exact_privacy_loss(control.broken, control.slots).loss == math.inf


MULTIPLIED = {"whole_exponent": 2, "learn_half_whole_exponent": 2, "sensitivity_forgotten": 3}
"""Negative controls whose exponent is so many times what it should be."""


@pytest.mark.parametrize("name", MULTIPLIED)
def test_exponents_of_controls_are_as_wrong_as_they_say(name: str) -> None:
    control, differences = CONTROLS[name](), 0.0
    for data in [*itertools.combinations_with_replacement(control.slots[0], len(control.slots))][::7]:
        honest, broken = control.honest(data), control.broken(data)
        first = next(iter(honest))
        ratios = np.array(
            [[distribution[key] - distribution[first] for key in honest] for distribution in (honest, broken)]
        )
        assert ratios[1] == pytest.approx(MULTIPLIED[name] * ratios[0], abs=1e-12)
        differences += np.abs(ratios).sum()
    assert differences


PREFIXES, SINGLES, COLUMNS = (
    np.array([[cell < end for cell in range(4)] for end in (1, 2, 3)]),
    np.eye(4, dtype=bool),
    np.array([[cell >> i & 1 for cell in range(8)] for i in range(3)], bool),
)
ALTERED = {
    "mwem_whole_exponent": (SINGLES, 2.0, 2, 1),
    "mwem_noise_halved": (PREFIXES, 0.25, 1, 2),
    "mwem_noise_of_a_tenth": (PREFIXES, 0.25, 1, 10),
    "mwem_noise_divided_by_dimensions": (COLUMNS, 0.25, 1, 3),
    "mwem_sensitivity_of_shares": (SINGLES, 0.25, 3, 1),
}
"""Queries, epsilon of a selection and of a measurement, and how many times that epsilon the control spends on each."""


@pytest.mark.parametrize("name", ALTERED)
def test_mechanisms_of_mwem_controls_are_as_wrong_as_they_say(name: str) -> None:
    """From the distribution of the first round: weights exp(epsilon_0 u / 2), and noise P[k] ~ e^(-epsilon_0 |k|)."""
    queries, epsilon, sharper, less_noise = ALTERED[name]
    control = CONTROLS[name]()
    n, selections, measurements = len(control.slots), 0, 0
    for data in itertools.combinations_with_replacement(control.slots[0], n):
        counts = queries[:, list(data)].sum(axis=1)
        scores = np.floor(np.abs(n * queries.mean(axis=1) - counts))
        for distribution, exponent, rate in ((control.honest, 1, 1), (control.broken, sharper, less_noise)):
            chances = np.zeros((len(queries), n + 1))
            for transcript, logarithm in distribution(data).items():
                chances[transcript[0]] += math.exp(logarithm)
            chosen = np.log(chances.sum(axis=1))
            assert chosen - chosen[0] == pytest.approx(exponent * epsilon / 2 * (scores - scores[0]), abs=1e-9)
            selections += np.ptp(scores) > 0
            q = math.exp(-rate * epsilon)
            for at_least_n, one_less in chances[counts == 0][:, [n, n - 1]]:
                assert at_least_n / one_less == pytest.approx(q / (1 - q))
                measurements += 1
    assert min(selections, measurements) > 2


def randomized_response(epsilon: float) -> DistributionOf:
    """Every bit is kept with probability e^epsilon / (1 + e^epsilon), independently."""

    def distribution(data: DataSet) -> LogProbabilities:
        answers = itertools.product((0, 1), repeat=len(data))
        norm = math.log1p(math.exp(epsilon))
        return {a: sum(epsilon * (x == y) - norm for x, y in zip(data, a, strict=True)) for a in answers}

    return distribution


@pytest.mark.parametrize("n", [1, 2, 3])
def test_loss_and_delta_of_randomized_response(n: int) -> None:
    """Loss epsilon; delta(e) = (e^epsilon - e^e) / (1 + e^epsilon), whatever the other bits are."""
    slots = [[0, 1]] * n
    worst = exact_privacy_loss(randomized_response(1.5), slots)
    assert worst.loss == pytest.approx(1.5, abs=1e-12)
    assert sum(x != y for x, y in zip(worst.data, worst.neighbour, strict=True)) == 1
    for epsilon in (0.0, 0.4, 1.5, 2.0):
        expected = max(0.0, (math.exp(1.5) - math.exp(epsilon)) / (1 + math.exp(1.5)))
        assert exact_delta(randomized_response(1.5), slots, epsilon) == pytest.approx(expected, abs=1e-12)


def test_neighbours_are_in_the_slots() -> None:
    """A release of the label of the first record is private where labels are public, and not otherwise."""

    def distribution(data: DataSet) -> LogProbabilities:
        return {data[0][1]: 0.0}

    everything = examples(line(2))
    assert exact_privacy_loss(distribution, [everything] * 2).loss == math.inf
    for label in (0, 1):
        fixed = [record for record in everything if record[1] == label]
        assert exact_privacy_loss(distribution, [fixed, everything]).loss == 0


def test_order_matters_unless_it_does_not() -> None:
    """What reads the first record alone is not exchangeable: the enumeration of multisets would miss its loss."""

    def first(data: DataSet) -> LogProbabilities:
        return {0: math.log(0.9 if data[0] else 0.1), 1: math.log(0.1 if data[0] else 0.9)}

    def total(data: DataSet) -> LogProbabilities:
        p = (1 + sum(data)) / 8
        return {0: math.log(p), 1: math.log(1 - p)}

    slots = [[0, 1, 2]] * 3
    assert exact_privacy_loss(first, slots).loss == pytest.approx(math.log(9))
    whole, multisets = (exact_privacy_loss(total, slots, exchangeable=e).loss for e in (False, True))
    assert whole == multisets == pytest.approx(math.log(3))


@dataclass(frozen=True)
class PublishesAnExample(Learner, FiniteOutput):
    """Publishes the feature of its first example with a label of 1, if its claim is about features only."""

    claim: Neighbours

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(1.0, 0.0, self.claim)

    @property
    def public_stage(self) -> CoverStage:
        return CoverStage()

    @property
    def role(self) -> Role:
        return Role.OTHER_MODEL

    @property
    def short_title(self) -> str:
        return "publishes an example"

    @classmethod
    def examples(cls):
        return ()

    def release(self, prepared, points, labels, randomness) -> Release:
        raise NotImplementedError

    def output_distribution(self, prepared, points, labels) -> ListedDistribution:
        """Depends on the number of ones, by a factor 3 for each."""
        return ListedDistribution(
            np.array([[0.0], [1.0]]), np.log([1 - 3.0 ** -labels.sum() / 2, 3.0 ** -labels.sum() / 2])
        )


def test_learners_are_audited_for_the_neighbours_that_they_claim() -> None:
    losses = {"replace_private_example": math.log(3), "replace_private_features": 0.0, "replace_entry": math.log(3)}
    for claim, loss in losses.items():
        learner = PublishesAnExample(Neighbours(claim))
        for exchangeable in (False, True):
            privacy_loss = learner_privacy_loss(learner, Thresholds(), line(1), line(2), 2, exchangeable=exchangeable)
            assert privacy_loss.loss == pytest.approx(loss, abs=1e-12)
            assert privacy_loss.within_claim == (loss <= 1.0)
            assert privacy_loss.delta is None


def test_an_outcome_reached_twice_adds_up() -> None:
    distribution = outcomes(ListedDistribution(np.array([[1.0], [2.0], [1.0]]), np.log([0.25, 0.5, 0.25])))
    assert {key: math.exp(value) for key, value in distribution.items()} == pytest.approx({(1.0,): 0.5, (2.0,): 0.5})


# ---------------------------------------------------------------------------------------------------- false passes
def half(a: float, b: float) -> LogProbabilities:
    return {"a": math.log(a), "b": math.log(b)}


def test_a_log_probability_that_is_not_a_number_is_refused() -> None:
    """Comparisons with nan are false, so that it hid a loss of 20.1 behind one of .105, and a delta behind 0."""
    distributions = [half(0.5, 0.5), half(0.45, 0.55)]
    slots = [[0, 1]] * 2

    def exact(data: DataSet) -> LogProbabilities:
        return [*distributions, half(1 - 1e-9, 1e-9)][sum(data)]

    def broken(data: DataSet) -> LogProbabilities:
        return [*distributions, {"a": math.nan, "b": math.log(1e-9)}][sum(data)]

    assert exact_privacy_loss(exact, slots).loss == pytest.approx(20.1, abs=0.05)
    assert exact_delta(exact, slots, 0.0) > 0.5
    for audited in (exact_privacy_loss, lambda distribution, slots: exact_delta(distribution, slots, 0.0)):
        with pytest.raises(ValueError, match=r"distribution of \(1, 1\): outcome 'a' has log-probability nan"):
            audited(broken, slots)


def test_weights_without_their_normaliser_are_refused() -> None:
    """Weights exp(-mistakes) lose epsilon = 1 exactly, whatever the distribution that is drawn from loses."""
    prepared = SSPP(1.0).prepare(line(3), Thresholds()).listed()

    def weights(data: DataSet) -> LogProbabilities:
        sample = as_sample(data)
        return dict(enumerate((-prepared.mistakes(sample.points, sample.labels)).tolist()))

    def distribution(data: DataSet) -> LogProbabilities:
        computed_weights = weights(data)
        return {
            outcome: value - np.logaddexp.reduce(list(computed_weights.values()))
            for outcome, value in computed_weights.items()
        }

    slots = [examples(line(3))] * 2
    assert exact_privacy_loss(distribution, slots).loss == pytest.approx(1.756, abs=5e-4)
    with pytest.raises(ValueError, match=r"probabilities of 4 possible outcomes add up to .*: must be 1 within"):
        exact_privacy_loss(weights, slots)


@dataclass(frozen=True)
class LooksAtTheOrder(PublishesAnExample):
    """As A_SSPP if points increase; else the first example decides, except with a probability of e^-22."""

    claim: Neighbours = Neighbours.REPLACE_PRIVATE_EXAMPLE

    def output_distribution(self, prepared, points, labels) -> ListedDistribution:
        if np.all(np.diff(points[:, 0]) >= 0):
            return SSPP(1.0).output_distribution(prepared, points, labels)
        rest = len(prepared.listed().parameters) - 1
        mass = [-math.expm1(-22), *[math.exp(-22) / rest] * rest]
        return ListedDistribution(prepared.listed().parameters, np.log(mass if labels[0] else mass[::-1]))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_learner_that_looks_at_the_order_loses_what_it_loses(n: int) -> None:
    """Multisets show it in one order only, in which it loses less than epsilon."""
    privacy_loss = learner_privacy_loss(LooksAtTheOrder(), Thresholds(), line(2), line(2), n)
    assert 22 <= privacy_loss.loss < 24
    assert not privacy_loss.within_claim
    with pytest.raises(ValueError, match="differ in the order of records only"):
        learner_privacy_loss(LooksAtTheOrder(), Thresholds(), line(2), line(2), n, exchangeable=True)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("place", [0, 1, -1])
def test_one_place_that_decides_is_seen(n: int, place: int) -> None:
    def distribution(data: DataSet) -> LogProbabilities:
        return half(*((0.9, 0.1) if data[place] else (0.1, 0.9)))

    assert exact_privacy_loss(distribution, [[0, 1]] * n).loss == pytest.approx(math.log(9))
    with pytest.raises(ValueError, match="distribution: is not exchangeable"):
        exact_privacy_loss(distribution, [[0, 1]] * n, exchangeable=True)


def test_the_order_of_labels_counts_where_labels_are_public() -> None:
    """The first feature is published if labels fall: the sorted labels (0, 1) do not."""

    def distribution(data: DataSet) -> LogProbabilities:
        return {data[0][0] if data[0][1] > data[1][1] else "nothing": 0.0}

    claim = Guarantee(1.0, 0.0, Neighbours.REPLACE_PRIVATE_FEATURES)
    assert audited_privacy_loss(distribution, claim, DataSets(examples(line(2)), 2)).loss == math.inf


# ---------------------------------------------------------------------------------------------------- delta
def discloses(delta: float) -> DistributionOf:
    """Publishes all records with probability delta, else nothing: (0, delta)-private."""
    return lambda data: {data: math.log(delta), "nothing": math.log1p(-delta)}


def test_delta_is_checked_at_the_claimed_epsilon() -> None:
    data_sets = DataSets(examples(line(2)), 2)
    for epsilon in (0.0, 1.0):
        privacy_loss = audited_privacy_loss(discloses(0.01), Guarantee(epsilon, 0.01), data_sets)
        assert privacy_loss.loss == math.inf
        assert privacy_loss.delta == pytest.approx(0.01, abs=1e-15)
        assert privacy_loss.within_claim
    assert not audited_privacy_loss(discloses(0.02), Guarantee(1.0, 0.01), data_sets).within_claim
    pure = audited_privacy_loss(discloses(0.01), Guarantee(1.0), data_sets)
    assert (pure.delta, pure.within_claim) == (None, False)


def test_an_approximate_claim_of_a_learner() -> None:
    """A_SSPP with a budget of 1.2 under a claim of epsilon = 0.5: the delta that is needed is the exact one."""

    @dataclass(frozen=True)
    class Claims(PublishesAnExample):
        claimed: float = 0.1

        @property
        def guarantee(self) -> Guarantee:
            return Guarantee(0.5, self.claimed, self.claim)

        def output_distribution(self, prepared, points, labels) -> ListedDistribution:
            return SSPP(1.2).output_distribution(prepared, points, labels)

    def loss_at(delta: float):
        claim = Claims(Neighbours.REPLACE_PRIVATE_EXAMPLE, delta)
        return learner_privacy_loss(claim, Thresholds(), line(2), line(2), 2)

    needed = loss_at(0.1).delta
    prepared = SSPP(1.2).prepare(line(2), Thresholds())

    def distribution(data: DataSet) -> LogProbabilities:
        sample = as_sample(data)
        return outcomes(SSPP(1.2).output_distribution(prepared, sample.points, sample.labels))

    assert needed == exact_delta(distribution, [examples(line(2))] * 2, 0.5)
    assert 0.05 < needed < 0.2
    assert [loss_at(delta).within_claim for delta in (needed, needed - 1e-6, needed + 1e-6)] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("records", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_delta_is_the_largest_in_both_directions_and_over_all_pairs(records: list[int]) -> None:
    """The divergence of 1 from 2 is 1/2 at any epsilon, that of 2 from 1 is 0 from ln 2 on; all others are smaller."""
    distributions = [half(0.75, 0.25), half(0.5, 0.5), {"a": 0.0}]

    def distribution(data: DataSet) -> LogProbabilities:
        return distributions[data[0]]

    for epsilon in (math.log(2), 2.0):
        assert exact_delta(distribution, [records], epsilon) == pytest.approx(0.5, abs=1e-12)
        first = [record for record in records if record != 1]
        assert exact_delta(distribution, [first], epsilon) == pytest.approx(0.25, abs=1e-12)
        assert exact_delta(distribution, [[0, 1]], epsilon) == exact_delta(distribution, [[1, 0]], epsilon) == 0


def test_delta_at_an_epsilon_beyond_the_floats() -> None:
    slots = [[0, 1]] * 2
    assert exact_delta(randomized_response(1.5), slots, 1000.0) == 0
    assert exact_delta(discloses(0.25), slots, 1000.0) == 0.25
    assert exact_delta(lambda data: half(1 - 1e-300, 1e-300) if data[0] else half(0.5, 0.5), slots, 700.0) == 0


# ---------------------------------------------------------------------------------------------------- entries
POINTS = ("x", "y")
ENTRIES = DataSets([(point, label) for point in POINTS for label in (0, 1)], 2, POINTS, 2)
ENTRY = Guarantee(0.6, 0.0, Neighbours.REPLACE_ENTRY)


def noisy(count: int, n: int, epsilon: float) -> dict[int, float]:
    """Count in 0..n with probability proportional to exp(-epsilon |noise| / 2), which replacing one moves by 1."""
    logs = [-epsilon * abs(value - count) / 2 for value in range(n + 1)]
    return dict(enumerate((np.array(logs) - np.logaddexp.reduce(logs)).tolist()))


def entries_distribution(epsilon: float, unlabelled: float, *, tells_its_kind: bool = False) -> DistributionOf:
    """Randomised response on labels of labelled entries and a noisy count of unlabelled ones, independently."""

    def distribution(data: DataSet) -> LogProbabilities:
        labels, points = tuple(label for _, label in data[:2]), data[2:]
        answers = randomized_response(epsilon)(labels)
        counts = noisy(points.count("x"), 2, unlabelled)
        kinds = ("x" in points,) if tells_its_kind else ()
        return {(a, c, *kinds): p + q for a, p in answers.items() for c, q in counts.items()}

    return distribution


@pytest.mark.parametrize("exchangeable", [False, True])
def test_entries_labelled_and_unlabelled(exchangeable: bool) -> None:
    """Honest: the larger budget; broken in the unlabelled slots alone: only their enumeration can see it."""

    def loss_at(distribution: DistributionOf):
        if exchangeable:  # how many answers are 1, instead of the answers in their order
            return audited_privacy_loss(lambda data: counted(distribution(data)), ENTRY, ENTRIES, exchangeable=True)
        return audited_privacy_loss(distribution, ENTRY, ENTRIES)

    def counted(distribution: LogProbabilities) -> LogProbabilities:
        total: dict = {}
        for (answers, *rest), value in distribution.items():
            key = (sum(answers), *rest)
            total[key] = np.logaddexp(total.get(key, -np.inf), value)
        return total

    honest = loss_at(entries_distribution(0.6, 0.6))
    assert honest.within_claim
    assert 0.3 < honest.loss <= 0.6 + honest.rounding
    if not exchangeable:
        assert honest.loss == pytest.approx(0.6)
    labels = loss_at(entries_distribution(1.5, 0.6))
    assert not labels.within_claim
    assert labels.data[2:] == labels.neighbour[2:]
    counts = loss_at(entries_distribution(0.1, 1.5))
    assert not counts.within_claim
    assert counts.data[:2] == counts.neighbour[:2]
    assert loss_at(entries_distribution(0.6, 0.6, tells_its_kind=True)).loss == math.inf


def test_random_neighbours_of_larger_samples() -> None:
    """Label flips, feature changes, both, and an adversarial start, for 500 random neighbours."""
    generator = np.random.default_rng(0)
    for trial in range(500):
        n, epsilon = int(generator.integers(1, 60)), float(generator.choice([0.05, 0.5, 2.0]))
        learner = SSPP(epsilon)
        prepared = learner.prepare(generator.random((int(generator.integers(0, 12)), 1)), Thresholds())
        x, y = generator.random((n, 1)), generator.integers(0, 2, n)
        if trial % 2:
            y = (x[:, 0] < 0.5).astype(int)
        z, w = x.copy(), y.copy()
        i = int(generator.integers(n))
        if trial % 3 != 1:
            z[i] = generator.random()
        if trial % 3 != 2:
            w[i] = 1 - w[i]
        first, second = (learner.output_distribution(prepared, a, b).log_probabilities for a, b in ((x, y), (z, w)))
        assert np.abs(first - second).max() <= epsilon + 1e-9


def test_claim(run_of: Callable[[str], Path]) -> None:
    """What the smoke run measures: the study is exact, whatever the effort."""
    folder = run_of("abm19_privacy") / "results/smoke/claims"
    (row,) = tables.read_rows(folder / "abm19_privacy.rows.parquet", CLAIMS)
    assert (row["claim"], row["verdict"]) == ("ABM19-L3.2", "holds")
    assert 0.97 < row["measured"] <= 1
    assert len(tables.read_rows(folder / "abm19_privacy.measurements.parquet", MEASUREMENTS)) > 100


def test_the_documentation_lists_every_control() -> None:
    text = (Path(__file__).parents[3] / "docs/privacy.md").read_text()
    assert [name for name in CONTROLS if f"`{name}`" not in text] == []
    assert f"so {len(CONTROLS)} negative controls" in text
