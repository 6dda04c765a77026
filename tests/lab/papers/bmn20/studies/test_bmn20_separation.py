"""The all-private need beside that of A_LearnHalf: errors against enumeration, searches, limits, and controls."""

import itertools
import math

import numpy as np
import pytest

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import separation as study
from semipriv_lab.papers.bmn20.studies.separation import ALL_PRIVATE, MIXTURE, Examples, draw, target


def mean_of_distribution(mistakes: np.ndarray, epsilon: float) -> float:
    weights = np.exp(-epsilon * (mistakes - mistakes.min()) / 2)
    return float(weights @ mistakes / weights.sum())


@pytest.mark.parametrize("seed", range(4))
def test_error_of_the_baseline_is_that_of_all_thresholds_one_by_one(seed: int) -> None:
    examples = draw(3, 9, 6, np.random.default_rng(seed))
    actual_error_all_private = study.error_all_private(examples, 6, 1.5)
    for x, y, error in zip(target(6) + examples.offsets, examples.labels, actual_error_all_private, strict=True):
        mistakes = np.array([np.sum((x >= j) != y) for j in range(2**6 + 1)])
        assert error == pytest.approx(mean_of_distribution(mistakes, 1.5) / 9, rel=1e-12)


@pytest.mark.parametrize("bits", [8, 56])
def test_error_of_the_baseline_is_that_of_the_exponential_mechanism(bits: int) -> None:
    """Over the class itself, whose tally is exact in integers; labels at random, equal points among them."""
    generator, h = np.random.default_rng(bits), DiscreteThresholds(bits, "ge")
    examples = Examples(generator.integers(-5, 5, (4, 12)), generator.integers(0, 2, (4, 12)))
    for offsets, y, error in zip(
        examples.offsets, examples.labels, study.error_all_private(examples, bits, 0.7), strict=True
    ):
        tally = h.tally(h.encode([target(bits) + offset for offset in offsets.tolist()]), y)
        assert error == pytest.approx(tally.expected_mistakes(0.35) / 12, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_error_of_the_mixture_is_that_of_all_regions_one_by_one(seed: int) -> None:
    """G of the line: the empty region, and a ray to each side for each distinct public point (H = 2 m, J = 1)."""
    examples = draw(1, 12, 20, np.random.default_rng(seed))
    x, y = examples.offsets[0], examples.labels[0]
    zeros = np.unique(x[y == 0])
    if len(zeros) < 2:
        pytest.skip("all public points are equal")
    regions = [np.zeros(12, bool), *(x >= u for u in zeros), *(x <= u for u in zeros)]
    mistakes = np.array([np.sum(~region != y) for region in regions])
    actual_error_mixture = study.error_mixture(examples, 20, 0.7)
    assert actual_error_mixture == pytest.approx(mean_of_distribution(mistakes, 0.7) / 12, rel=1e-12)


def test_distances_stand_for_points() -> None:
    """A_LearnHalf's mistakes at the points themselves, where the grid tells them apart; also of few and equal points.

    Labels at random: some samples have no zero, or only one place of zeros.
    """
    generator, learner = np.random.default_rng(1), LearnHalf(1.0, grid={"low": [0.0], "high": [2.0**20]})
    mixed = [Examples(generator.integers(-3, 3, (40, n)), generator.integers(0, 2, (40, n))) for n in (2, 3, 7)]
    for examples in (draw(2, 40, 18, generator), *mixed):
        errors = study.error_mixture(examples, 18, 1.0)
        for offsets, y, error in zip(examples.offsets, examples.labels, errors, strict=True):
            x, positives = (target(18) + offsets)[:, None].astype(float), y == 1
            cover = learner.prepare(x[~positives], Halfspaces(1), y[~positives])
            direct = cover.tally(x[positives], y[positives]).expected_mistakes(0.5) / len(y)
            assert error == pytest.approx(direct, rel=1e-12)


def test_constancy_of_the_mixture_is_by_construction(measured: Finding) -> None:
    """The same examples about the target, the same errors for every b; the reason says so, and the slope's limits."""
    short, long = (draw(5, 64, bits, np.random.default_rng(3)) for bits in (8, 56))
    assert np.array_equal(short.offsets, long.offsets)
    assert np.array_equal(study.error_mixture(short, 8, 1.0), study.error_mixture(long, 56, 1.0))
    assert "this need does not grow is by construction" in measured.reason
    (slope,) = (row for row in measured.measurements if row.quantity == study.SLOPE and row.bound is not None)
    assert f"[{slope.measured.low:.2f}, {slope.measured.high:.2f}] beside 2.77 at epsilon = 1" in measured.reason


def test_distribution_of_the_examples() -> None:
    examples = draw(10, 400, 8, np.random.default_rng(0))
    assert set(np.unique(examples.offsets)) == set(range(-64, 64))
    assert np.array_equal(examples.labels, examples.offsets >= 0)
    assert examples.labels.mean() == pytest.approx(0.5, abs=0.05)
    assert [target(b) for b in (2, 8, 56)] == [2**3 // 3, 2**9 // 3, 2**57 // 3]


def test_needs_and_their_limits() -> None:
    """A known curve: mean error 4 / n, known to 20 %."""
    need = study._need(lambda n: Interval(4 / n, 3.2 / n, 4.8 / n))
    assert need == Interval(40, 32, 48)
    assert study._need(lambda n: Interval.exact(1.0)) == Interval.exact(study.LARGEST)


@pytest.mark.parametrize("seed", range(3))
def test_limits_of_the_ratio_hold_if_those_of_the_needs_do(seed: int) -> None:
    """The ratio is least and largest where some needs are at one end of their limits and the others at the other."""
    generator = np.random.default_rng(seed)
    ends = np.sort(generator.integers(5, 60, (len(study.BITS), 3)), axis=1)
    needs = [Interval(value, low, high) for low, value, high in ends.astype(float)]
    (ratio,) = [r for r in study._growth(MIXTURE, 1.0, needs, 100) if r.quantity == study.RATIO]
    corners = np.array(list(itertools.product(*ends[:, [0, 2]])))
    possible = corners.max(axis=1) / corners.min(axis=1)
    assert ratio.measured.value == max(n.value for n in needs) / min(n.value for n in needs)
    assert ratio.measured.low <= possible.min()
    assert ratio.measured.high == pytest.approx(possible.max())


@pytest.fixture(scope="module")
def small() -> pytest.MonkeyPatch:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "EPSILONS", (1.0,))
        patch.setattr(study, "BITS", (8, 24, 40, 56))
        patch.setattr(study, "SHOWN_SIZES", (8, 64))
        yield patch


def finding_at(effort: float) -> Finding:
    return study.needs_by_bits(Run(Simulation(2), effort))


def verdicts(finding: Finding) -> dict[str, Verdict]:
    return {row.quantity: row.verdict for row in finding.measurements if row.verdict is not None}


@pytest.fixture(scope="module")
def measured(small: pytest.MonkeyPatch) -> Finding:
    return finding_at(0.6)


def test_the_need_grows_with_the_domain_without_public_data_alone(measured: Finding) -> None:
    assert measured.verdict is Verdict.HOLDS
    assert set(verdicts(measured).values()) == {Verdict.HOLDS}
    assert measured.deciding.bound == pytest.approx(4 * math.log(2))
    needs = {
        (r.settings["learner"], r.settings["bits"]): r.measured
        for r in measured.measurements
        if r.quantity == study.NEED
    }
    for bits, size in ((8, 25), (24, 70), (40, 117), (56, 162)):  # a run with 400 samples and another seed
        assert needs[ALL_PRIVATE, bits].low <= size + 1
        assert needs[ALL_PRIVATE, bits].high >= size - 1
        assert needs[MIXTURE, bits].low <= 15 <= needs[MIXTURE, bits].high


def test_few_samples_leave_it_open(small: pytest.MonkeyPatch) -> None:
    finding = finding_at(0.04)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert Verdict.VIOLATED not in verdicts(finding).values()
    assert Verdict.INCONCLUSIVE in verdicts(finding).values()


@pytest.mark.parametrize(
    ("learner", "control", "caught"),
    [
        (ALL_PRIVATE, lambda e, b, epsilon: 1.5 / e.offsets.shape[1] + 0 * e.offsets[:, 0], study.SLOPE),
        (ALL_PRIVATE, lambda e, b, epsilon: 1e-6 * b**4 / e.offsets.shape[1] + 0 * e.offsets[:, 0], study.LINEARITY),
    ],
    ids=["constant", "quadratic"],
)
def test_broken_controls_are_caught(small, monkeypatch, learner, control, caught) -> None:
    """A baseline that does not grow, or grows quadratically."""
    monkeypatch.setitem(study.LEARNERS, learner, control)
    assert verdicts(finding_at(0.1))[caught] is Verdict.VIOLATED


def test_a_mixture_that_grows_is_no_control(small, monkeypatch) -> None:
    """One that needs as much as all private: its slope is at the limit, and nothing is concluded."""
    monkeypatch.setitem(study.LEARNERS, MIXTURE, study.error_all_private)
    finding = finding_at(0.6)
    assert verdicts(finding)[study.APART] is Verdict.INCONCLUSIVE
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_examples_are_labelled_by_the_target() -> None:
    assert study.error_all_private(Examples(np.array([[-1, 0]]), np.array([[0, 1]])), 8, 50.0) == pytest.approx(
        [0], abs=1e-6
    )
