"""Exact studies of BNS15 on tiny distributions: their values, and that each notices a fault."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from semipriv.classes.finite_class import FiniteClass
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.bounds import generalisation as sizes
from semipriv_lab.ledger.claim import Run, findings
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bns15.controls.enumeration import Toy, at_random, by_place
from semipriv_lab.papers.bns15.studies import _algorithms, _relabelled, dichotomies, exponential, relabelling, sampling

SEED = 5
RUN = Run(Simulation(SEED), 1.0)


def measured(finding: Finding, quantity: str, **at_settings: object) -> list[float]:
    return [
        row.measured.value
        for row in finding.measurements
        if row.quantity == quantity and all(row.settings.get(key) == value for key, value in at_settings.items())
    ]


# ---------------------------------------------------------------------------------------------------- appendix B
def test_a_fixed_target_by_simulation() -> None:
    """Gaps left and right of the target, on uniform points; exact at m = 1."""
    points = np.random.default_rng(1).random((40_000, 12)) - 0.5
    left = np.where(points < 0, -points, np.inf).min(axis=1) > 0.1
    right = np.where(points > 0, points, np.inf).min(axis=1) > 0.1
    assert np.mean(left | right) == pytest.approx(sizes.fixed_target_failure(12, 0.1), abs=0.012)
    assert sizes.fixed_target_failure(1, 0.1) == pytest.approx(1.0)


def test_union_bounds_are_above_what_happens() -> None:
    """Intervals of mass alpha with few points; errors of thresholds on few examples with fair labels."""
    generator = np.random.default_rng(2)
    m, alpha = 60, 0.2
    points = np.sort(generator.random((2_000, m)), axis=1)
    most_in_window = math.floor(alpha * m / 10)
    padded = np.pad(points, ((0, 0), (1, most_in_window + 1)), constant_values=((0, 0), (0, 1)))
    assert padded.shape[1] == m + most_in_window + 2
    empty = (padded[:, most_in_window + 1 :] - padded[:, : m + 1] >= alpha).any(axis=1)
    assert 0 < np.mean(empty) <= sizes.all_pairs_failure(m, alpha)
    labels = generator.integers(0, 2, points.shape)
    positives = np.cumsum(labels, axis=1)
    errors = (np.arange(1, m + 1) - positives + (positives[:, -1:] - positives)) / m  # 1[x < j], j behind each point
    assert np.mean(np.abs(errors - 0.5).max(axis=1) > 0.25) <= sizes.agnostic_failure(m, 0.25)


def test_a_distribution_on_two_points() -> None:
    """No distribution is worse than the limit."""
    for m in (1, 2, 3, 5):
        limit = sizes.two_points_failure(m, Fraction(1, 100))
        for p in (Fraction(k, 200) for k in range(3, 101)):
            wrong = ((1 - p) ** m + (p**m if 1 - p > Fraction(1, 100) else 0)) / 2
            assert wrong <= limit


# ---------------------------------------------------------------------------------------------------- dichotomies
def test_dichotomies() -> None:
    study_findings = findings(dichotomies, Simulation(SEED), 1.0)
    sauer = study_findings["BNS15-B.2"]
    assert measured(sauer, "dichotomies", **{"class": "THRESH_4"}) == [float(points + 1) for points in range(1, 13)]
    assert measured(sauer, "dichotomies", **{"class": "RECTANGLE_2^1"}) == [4.0, 7.0, 11.0]
    dimensions = {
        row.settings["class"]: row.measured.value
        for row in study_findings["BNS15-O3.2"].measurements
        if "VC" in row.quantity
    }
    assert dimensions == {"THRESH_4": 2, "RECTANGLE_2^1": 4, "POINT_4": 2}


def test_shattered_sets() -> None:
    cube = np.array(list(product((0, 1), repeat=3)))
    assert dichotomies.shattered(cube) == 3
    assert dichotomies.shattered(cube[:-1]) == 2
    assert dichotomies.shattered(np.tri(5, 4, -1, dtype=np.int64)) == 1


# ---------------------------------------------------------------------------------------------------- exponential
def test_shares_of_the_exponential_mechanism() -> None:
    """Those of the specification, at three examples."""
    finding = exponential.privacy(RUN)
    for epsilon, share in ((0.1, 0.82), (0.5, 0.87), (1.0, 0.91), (2.0, 0.96)):
        assert max(measured(finding, exponential.LOSS, concepts="THRESH_2", epsilon=epsilon)) == pytest.approx(
            share, abs=0.006
        )


def test_tail_against_all_weights() -> None:
    mistakes = np.array([3, 4, 9, 9, 11])
    weights = [math.exp(-m / 2) for m in mistakes]
    assert exponential.tail(mistakes, 5.5) == pytest.approx(sum(weights[2:]) / sum(weights))
    assert exponential.tail(mistakes, 8.0) == 0.0, "eight more mistakes are not more than eight"
    assert exponential.tail(mistakes, 6.0) == pytest.approx(weights[4] / sum(weights))


# ---------------------------------------------------------------------------------------------------- sampling
def test_distributions_of_samples() -> None:
    """A subset of two of three, and three draws of three, written out."""
    count = _algorithms.counting(1.0)
    subset = _algorithms.subsampled(count, 2)((0, 1, 1))
    assert subset == pytest.approx((2 * count((0, 1)) + count((1, 1))) / 3)
    drawn = _algorithms.resampled(count)((0, 1, 1))
    chances = {k: math.comb(3, k) * 2**k / 27 for k in range(4)}
    assert drawn == pytest.approx(sum(chance * count((1,) * k + (0,) * (3 - k)) for k, chance in chances.items()))
    twice = _algorithms.resampled(count, first=2.0)((0, 1, 1))
    assert twice[0] > drawn[0]


def test_losses_of_samples() -> None:
    """Those of the specification."""
    assert math.exp(sampling.order(RUN).deciding.measured.value) == pytest.approx(2.354, abs=5e-4)
    sharp = sampling.resampling_attained(RUN)
    assert measured(sharp, sampling.RESAMPLED)[:3] == pytest.approx([1.2402, 1.3585, 1.4295], abs=5e-5)
    assert measured(sharp, sampling.RESAMPLED)[5:] == pytest.approx([0.620, 0.761, 0.904], abs=5e-4)


# ---------------------------------------------------------------------------------------------------- relabelling
def test_ratios_of_weights() -> None:
    """Those of the specification."""
    known = {(3, 2, 0): 3.3079, (3, 1, 1): 2.6487, (4, 1, 2): 3.0183, (4, 2, 1): 3.6016, (4, 3, 0): 4.0468}
    factor = relabelling.printed_factor(RUN)
    for (points, s, t), value in known.items():
        at_settings = {"class": f"thresholds of {points} points", "labelled": s, "unlabelled": t}
        assert measured(factor, relabelling.RATIO, **at_settings) == pytest.approx([value], abs=5e-5)
    for s, t, value in ((3, 0, 2.0696), (2, 1, 1.8591)):
        at_settings = {"class": "all functions on 4 points", "labelled": s, "unlabelled": t}
        assert measured(factor, relabelling.RATIO, **at_settings) == pytest.approx([value], abs=5e-5)
    family = [3.508, 4.097, 5.842, 6.894, 7.0149]
    assert [relabelling.spread(copies) for copies in relabelling.COPIES] == pytest.approx(family, abs=5e-4)


def test_neighbours_are_all_pairs_in_which_one_entry_differs() -> None:
    """In whatever order entries stand, labelled or not: each pair once, in one of both directions."""
    points, examples = 3, list(product(range(3), (0, 1)))
    for s, t in ((1, 1), (2, 1), (1, 2), (3, 0)):
        labelled = list(combinations_with_replacement(examples, s))
        data = list(product(labelled, combinations_with_replacement(range(points), t)))
        members = {frozenset((record, other)) for record in data for other in relabelling._neighbours(points, *record)}

        def distance(first: tuple, other: tuple) -> int:
            return sum((Counter(a) - Counter(b)).total() for a, b in zip(first, other, strict=True))

        wanted = {frozenset(pair) for pair in combinations(data, 2) if distance(*pair) == 1}
        assert members == wanted


@pytest.mark.parametrize(("labelled", "unlabelled", "alpha"), [(20, 3, 0.1), (20, 0, 0.3), (31, 8, 0.2)])
def test_two_atoms_by_the_procedure(labelled: int, unlabelled: int, alpha: float) -> None:
    """The closed form is the distribution of the drawn labelings."""
    wrong = math.floor(alpha * labelled) + 1
    data = tuple(sorted([(1, 0)] * wrong + [(0, 1)] * (labelled - wrong)))
    drawn_labels = relabelling.drawn(relabelling.thresholds(12), data, tuple(range(2, 2 + unlabelled)), 1.0)
    columns = [drawn_labels.points.index(x) for x, _ in data]
    errors = np.mean(drawn_labels.labelings[:, columns] != [y for _, y in data], axis=1)
    expected = relabelling.two_atoms_failure(labelled, unlabelled, alpha)
    assert drawn_labels.chances[errors > alpha].sum() == pytest.approx(expected)


def test_the_literal_claim_by_the_procedure() -> None:
    """All functions on five of the points: the others play no part."""
    drawn_labels = relabelling.drawn(relabelling.all_functions(5), tuple((x, x % 2) for x in range(5)), (), 1.0)
    wrong = np.any(drawn_labels.labelings != [x % 2 for x in range(5)], axis=1)
    literal = relabelling.few_points(RUN)
    assert literal.deciding.measured.value == pytest.approx(drawn_labels.chances[wrong].sum())
    assert literal.deciding.measured.value == pytest.approx(0.9066, abs=5e-5)


def test_only_common_points_are_compared() -> None:
    """A point of one data set alone is averaged over."""
    table = FiniteClass([[0, 0], [1, 0], [1, 1]])
    drawn_labels = relabelling.drawn(table, ((0, 1),), (1,), 1.0)
    other = relabelling.drawn(table, ((0, 1),), (0,), 1.0)
    e = math.exp(-0.5)
    positives = (2 / (2 + e), 1 / (1 + e))
    assert relabelling.largest_ratio(drawn_labels, other) == pytest.approx(
        max(positives[0] / positives[1], (1 - positives[1]) / (1 - positives[0]))
    )


@pytest.mark.parametrize(
    ("keep", "loss"), [(at_random, _relabelled.told_of_half), (by_place, _relabelled.loss_of_family)]
)
def test_the_learner_that_attains_the_factor_by_enumeration(keep, loss) -> None:
    """Two copies in ten entries, all subsets of five, by the enumeration of algorithm 3."""
    tiny = 1e-9

    def learner(examples) -> dict[int, float]:
        wrong = sum(not _relabelled.fits(int(point), bool(label)) for (point,), label in examples)
        return {1: math.log(tiny) - wrong, 0: math.log1p(-tiny * math.exp(-wrong))}

    toy = Toy(_relabelled.thresholds(10), 10, ((0, 5, 0),), 5, learner, resample=False, keep=keep)
    answers = []
    for extra in _relabelled.EXTRA:
        data = (*_relabelled.family(2, extra), *[_relabelled.FILLER] * 5)
        answers.append(toy.output_distribution(tuple(((float(point),), label) for point, label in data))[1])
    assert answers[0] - answers[1] == pytest.approx(loss(2), rel=1e-9)
