"""The study of claim 4.5: data sets, distributions against listing, verdict, and controls that it must catch."""

import math

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Sample
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bmn20.studies import excess as bmn20_excess
from semipriv_lab.papers.bmn20.studies.excess import (
    BETAS,
    BEYOND,
    EPSILONS,
    KINDS,
    MEAN,
    MOST,
    RATIOS,
    TAIL,
    Data,
    tight,
)


def finding_at(effort=0.05):
    return bmn20_excess.tails(Run(Simulation(3), effort))


# ---------------------------------------------------------------------------------------------------- data sets
def test_kinds_are_what_they_say():
    generator = np.random.default_rng(0)
    statuses = {kind: set() for kind in KINDS}
    degenerate = 0
    for kind, draw in KINDS.items():
        for d in MOST:
            for _ in range(20):
                data = draw(generator, d)
                assert len(data.public) <= MOST[d][1]
                assert len(data.public) + len(data.private) <= MOST[d][0]
                assert data.dimension == d
                statuses[kind] |= {("public", int(y)) for y in data.public.labels}
                statuses[kind] |= {("private", int(y)) for y in data.private.labels}
                if kind == "realizable" and len(data.public) + len(data.private) < 30:
                    points = np.concatenate([data.public.points, data.private.points])
                    labels = np.concatenate([data.public.labels, data.private.labels])
                    assert Halfspaces(d).minimise(points, labels).value == 0
                if kind == "degenerate" and d > 1 and len(data.public) > d:
                    degenerate += np.linalg.matrix_rank(data.public.points - data.public.points[0]) < d
    determined = {("public", 0), ("private", 1)}
    assert statuses["realizable"] == statuses["noisy"] == statuses["degenerate"] == determined
    assert statuses["relaxation (i)"] == determined | {("private", 0)}
    assert statuses["relaxation (ii)"] == determined | {("public", 1)}
    assert degenerate >= 10


def test_coarse_and_wide_grids_are_filled():
    """Private points of the degenerate kind take all values from -2 to 2, those of the others hundreds."""
    for kind, actual_kind in KINDS.items():
        drawn = [actual_kind(np.random.default_rng(i), 2).private.points for i in range(20)]
        values = np.unique(np.concatenate([points.reshape(-1) for points in drawn]))
        assert values.tolist() == [-2, -1, 0, 1, 2] if kind == "degenerate" else len(values) > 100


def test_shares_of_statuses_and_of_flipped_labels(monkeypatch):
    """Relaxation (i): 3 of 10 zeros are private; (ii): 3 of 10 ones are public; within five standard errors."""
    drawn = []
    monkeypatch.setattr(bmn20_excess, "_split", lambda points, labels, private: drawn.append((labels, private)))
    generator = np.random.default_rng(2)
    for kind, label, share in (("relaxation (i)", False, 0.3), ("relaxation (ii)", True, 0.7), ("noisy", True, 1.0)):
        drawn.clear()
        for _ in range(3000):
            KINDS[kind](generator, 3)
        labels, private = (np.concatenate(actual_share) for actual_share in zip(*drawn, strict=True))
        own = private[labels == label]
        assert abs(own.mean() - share) <= 5 * math.sqrt(share * (1 - share) / len(own))
        assert len(own) > 30_000
        assert np.all(private[labels != label] == (not label)), "the other label determines the status"


def test_distribution_is_that_of_the_learner():
    """Gaps, |G| and the distribution by the histogram against mistakes of every hypothesis that the learner lists."""
    generator = np.random.default_rng(1)
    for d, n in ((1, 12), (2, 9), (3, 8)):
        for _ in range(4):
            points, labels = generator.integers(-3, 4, (n, d)), generator.random(n) < 0.5
            private = labels ^ (generator.random(n) < 0.2)
            private[:4] = [False, False, True, True]
            data = Data(Sample(points[~private], labels[~private]), Sample(points[private], labels[private]))
            for epsilon in (0.3, 2.0):
                learner = LearnHalf(epsilon, privacy="any")
                prepared = learner.prepare(data.public.points, Halfspaces(d), data.public.labels)
                distribution = learner.output_distribution(prepared, data.private.points, data.private.labels)
                wrong = prepared.functions.predict(distribution.parameters, points) != labels
                gaps = wrong.sum(axis=1) - wrong.sum(axis=1).min()
                expected = [np.exp(distribution.log_probabilities)[gaps == gap].sum() for gap in data.gaps[0]]
                assert data.output_distribution(epsilon) == pytest.approx(expected, rel=1e-9)
                assert data.log_ratio("|G|") == pytest.approx(math.log(len(gaps)))
                assert data.log_ratio(RATIOS[0]) == pytest.approx(math.log(len(gaps) / (gaps == 0).sum()))


def test_made_data_set_has_one_best_and_the_others_at_the_gap():
    for m, gap in ((5, 7), (8, 1), (30, 12)):
        data = tight(m, gap)
        zeros, positives = data.public.points[:, 0], data.private.points[:, 0]
        regions = [zeros < -1, *(zeros >= a for a in set(zeros)), *(zeros <= a for a in set(zeros))]
        inside = [positives < -1, *(positives >= a for a in set(zeros)), *(positives <= a for a in set(zeros))]
        mistakes = [int((~r).sum() + i.sum()) for r, i in zip(regions, inside, strict=True)]
        values, counts = np.unique(mistakes, return_counts=True)
        assert data.gaps[0].tolist() == (values - values[0]).tolist()
        assert data.gaps[1].tolist() == counts.tolist()
        assert counts[0] == 1
        assert counts.sum() == 2 * m + 1
        assert values[1] - values[0] == gap
        assert values[-1] - values[0] <= gap + 2


def test_made_data_sets_nearly_attain_the_bounds():
    for epsilon, tail in ((0.1, 0.9), (1.0, 0.6)):
        shares = [
            bmn20_excess._shares(data, epsilon, data.log_ratio("|G|")) for data in bmn20_excess._tight_data(epsilon)
        ]
        assert tail < max(share[0] for share in shares) <= 1
        assert 0.55 < max(share[1] for share in shares) <= 1


def test_shares_by_hand():
    """m = 5, gap 7, epsilon 1: gaps 0, 7 and more; tail and mean summed by hand."""
    data = tight(5, 7)
    gaps, counts = data.gaps
    weights = [c * math.exp(-g / 2) for g, c in zip(gaps.tolist(), counts.tolist(), strict=True)]
    distribution = [w / sum(weights) for w in weights]
    mean = sum(p * g for p, g in zip(distribution, gaps.tolist(), strict=True)) / (2 * (math.log(11) + 1))
    tails = [
        sum(p for p, g in zip(distribution, gaps.tolist(), strict=True) if g >= 2 * math.log(11 / beta)) / beta
        for beta in BETAS
    ]
    assert bmn20_excess._shares(data, 1.0, math.log(11)) == pytest.approx((max(tails), mean))


# ---------------------------------------------------------------------------------------------------- verdicts
def test_the_claim_holds():
    finding = finding_at()
    assert finding.verdict is Verdict.HOLDS
    cells = [(row.quantity, row.settings["kind"], row.settings["d"]) for row in finding.measurements]
    assert {(q, k, d) for q in (TAIL, MEAN) for k in KINDS for d in MOST} <= set(cells)
    sizes = [row for row in finding.measurements if row.quantity == BEYOND]
    assert len(sizes) == len(bmn20_excess.SUFFICIENT) + len(bmn20_excess.CELLS)
    hostile = [row for row in sizes if row.settings["kind"] == bmn20_excess.HOSTILE]
    assert all(0 < row.measured.value < row.bound for row in hostile)
    epsilons = {row.settings["epsilon"] for row in finding.measurements if row.quantity == TAIL}
    assert epsilons == {*EPSILONS, bmn20_excess.LARGE_EPSILON}
    assert all(row.trials == 0 and row.verdict is Verdict.HOLDS for row in finding.measurements)
    assert finding.deciding.measured.value / finding.deciding.bound > 0.9
    assert "tail over beta at most 0.94 on data sets made for it" in finding.reason


DISTRIBUTION = Data.output_distribution


@pytest.mark.parametrize(
    ("target", "name", "control"),
    [
        (bmn20_excess, "excess_tail", lambda log_ratio, epsilon, beta: (log_ratio - math.log(beta)) / epsilon),
        (bmn20_excess, "excess_tail", lambda log_ratio, epsilon, beta: 2 / epsilon * (log_ratio - math.log(2 * beta))),
        (bmn20_excess, "excess_mean", lambda log_ratio, epsilon: (log_ratio + 1) / epsilon),
        (bmn20_excess, "excess_examples", lambda alpha, beta, epsilon, d: 30),
        (Data, "output_distribution", lambda self, epsilon: DISTRIBUTION(self, epsilon / 2)),
        (Data, "log_ratio", lambda self, ratio: 0.0),
    ],
    ids=["half the tail", "twice beta", "half the mean", "few examples", "half the rate", "one hypothesis"],
)
def test_a_broken_control_is_caught(monkeypatch, target, name, control):
    monkeypatch.setattr(bmn20_excess, "TIGHT", 200)
    monkeypatch.setattr(bmn20_excess, "MOST", {1: (40, 20)})
    monkeypatch.setattr(target, name, control)
    is_small_case = name == "excess_examples"
    monkeypatch.setattr(bmn20_excess, "SUFFICIENT", bmn20_excess.SUFFICIENT[:4] if is_small_case else ())
    finding = finding_at()
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding.measured.value > finding.deciding.bound


def test_without_a_control_the_same_small_study_holds(monkeypatch):
    monkeypatch.setattr(bmn20_excess, "TIGHT", 200)
    monkeypatch.setattr(bmn20_excess, "MOST", {1: (40, 20)})
    monkeypatch.setattr(bmn20_excess, "SUFFICIENT", bmn20_excess.SUFFICIENT[:4])
    assert finding_at().verdict is Verdict.HOLDS
