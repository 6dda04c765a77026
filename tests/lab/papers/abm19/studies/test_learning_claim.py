"""The study of A_SSPP at the sizes of theorem 3.1: its sizes, runs, verdicts and controls that it must catch."""

from dataclasses import replace
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, ks_2samp

from semipriv.classes.base import REPRESENTATIVES
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, clopper_pearson
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.drawing.style import apply_style
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.figures.base import Results
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.papers.abm19.figures.proven_sizes import draw
from semipriv_lab.papers.abm19.studies import _counts as abm19_counts
from semipriv_lab.papers.abm19.studies import learning as abm19_learning
from semipriv_lab.papers.abm19.studies._counts import cells, counted_tally, drawn_tally
from semipriv_lab.papers.abm19.studies.learning import (
    FAILURES,
    INTERVALS,
    NOISE,
    OUTSIDE,
    QUANTILE,
    THRESHOLDS,
    Case,
    OutsideInterval,
    cases,
)

ALL = cases()


def picked(**wanted) -> list[Case]:
    return [case for case in ALL if all(getattr(case, key) == value for key, value in wanted.items())]


def finding_of_cases(monkeypatch: pytest.MonkeyPatch, some: list[Case], effort: float = 1.0) -> Finding:
    """The finding on some of the cases."""
    monkeypatch.setattr(abm19_learning, "cases", lambda: some)
    monkeypatch.setattr(abm19_learning, "_put_back", lambda: [])
    return abm19_learning.theorem(Run(Simulation(5), effort))


def test_sizes_that_are_put_back_give_alpha_and_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the corners of the domain, agnostic and realizable; a size that is much smaller is seen in each."""
    rows = list(abm19_learning._put_back())
    assert {row.verdict for row in rows} == {Verdict.HOLDS}
    assert all(row.measured.value > 0.74 for row in rows), "sizes are not far too large"
    for name, part in (("private_size", 0.45), ("private_size_realizable", 0.99), ("public_size", 0.45)):
        right = getattr(abm19_learning, name)
        with monkeypatch.context() as patch:
            patch.setattr(abm19_learning, name, lambda *a, right=right, part=part: max(1, int(part * right(*a))))
            assert Verdict.VIOLATED in {row.verdict for row in abm19_learning._put_back()}, name


# ---------------------------------------------------------------------------------------------------- sizes
def test_sizes_are_those_of_the_theorem():
    """Sizes worked out by hand from the constants: independent numbers, for each class."""
    sizes = {
        (c.name, c.alpha, c.beta, e, c.sizes): (c.n_public, c.n_private[e])
        for c in ALL
        for e in c.epsilons
        if not c.control
    }
    assert sizes["thresholds", 0.2, 0.1, 1.0, "agnostic"] == (820, 8875)
    assert sizes["thresholds", 0.1, 0.1, 1.0, "agnostic"] == (1762, 37942)
    assert sizes["thresholds", 0.2, 0.1, 0.02, "agnostic"] == (820, 20799)
    assert sizes["RECTANGLE_8^2", 0.05, 0.05, 0.1, "agnostic"][0] == 13243
    for (name, alpha, beta, epsilon, kind), (n_public, n_private) in sizes.items():
        d = {"thresholds": 1, "intervals": 2}.get(name, 4)
        radius = alpha / 4 if kind == "realizable" else alpha / 2
        log_bad = [np.log(2) + 2 * d * np.log(2 * np.e * m / d) - radius * m / 4 for m in (n_public, n_public - 1)]
        assert log_bad[0] <= np.log(beta / 2) < log_bad[1]
        cover = {
            "thresholds": n_public + 1,
            "intervals": n_public * (n_public + 1) / 2 + 1,
            "RECTANGLE_8^2": (256 * 257 / 2) ** 2 + 1,
            "planar rectangles": sum(
                np.prod(np.arange(n_public - i + 1, n_public + 1) / np.arange(1, i + 1)) for i in range(5)
            ),
        }[name]
        least = max(8 / (epsilon * alpha) * np.log(4 * cover / beta), 32 / alpha**2 * np.log(8 * cover / beta))
        if kind == "realizable":
            least = max(32 / alpha, 8 / (epsilon * alpha)) * np.log(6 * cover / beta)
        assert n_private - 1 < least <= n_private


def test_level_is_shared_and_trials_suffice():
    """The gates together have GATE_LEVEL, and with the trials of the ledger none of them need be inconclusive."""
    level = GATE_LEVEL / sum(case.gates for case in ALL)
    for case in ALL:
        high = float(clopper_pearson(0, case.trials, level)[1])
        if not case.control:
            assert (high <= case.beta) == (case.name != "planar rectangles")
    rectangles = next(case for case in ALL if case.control and case.name == "RECTANGLE_8^2")
    low = clopper_pearson(np.arange(rectangles.trials + 1), rectangles.trials, level)[0]
    assert binom(rectangles.trials, 3 / 8).sf(int(np.argmax(low > rectangles.beta)) - 1) > 0.99
    for beta, some in ((0.05, 1e-4), (0.1, 1e-6), (0.5, 0.3)):
        needed = abm19_learning.trials_needed(beta, some)
        high = clopper_pearson([0, 0], [needed, needed - 1], some)[1]
        assert high[0] <= beta < high[1]


# ---------------------------------------------------------------------------------------------------- runs
def test_runs_are_those_of_the_learner():
    """Sharing a tally changes nothing: the same errors as releases of A_SSPP on the same samples."""
    case = replace(
        picked(name="intervals", distribution=NOISE, part=1)[0], alpha=0.4, representatives=("lower", "upper")
    )
    stream = Simulation(7).spawn("x")
    runs = case.runs(True)
    assert len(runs) == 8
    shared = dict(abm19_learning._trial(case, runs, stream))
    assert sorted(shared) == sorted(runs)
    distribution = case.draw_distribution(stream.spawn("target").generator)
    public = distribution.public_sample(case.n_public, stream.spawn("public"))
    for run in runs:
        epsilon, mechanism, representative = run
        private = distribution.private_sample(case.n_private[epsilon], stream.spawn("private", case.n_private[epsilon]))
        learner = SSPP(epsilon, mechanism, representative)
        prepared = learner.prepare(public.points, Intervals())
        release = learner.release(prepared, private.points, private.labels, stream.spawn("draw", repr(run)))
        error = distribution.exact_errors(Intervals(), release.output.parameters[None])[0]
        assert shared[run] == pytest.approx(error - 0.2, abs=1e-15)
    assert len(set(shared.values())) > 2


COUNTED = [
    (Thresholds(), THRESHOLDS[NOISE], "lower"),
    (Thresholds(), THRESHOLDS[OUTSIDE], "midpoint"),
    (Intervals(), INTERVALS[NOISE], "midpoint"),
    (Intervals(), INTERVALS[OUTSIDE], "upper"),
    (DiscreteRectangles(2, 3), abm19_learning._word_box(3, 0.2), "midpoint"),
]


@pytest.mark.parametrize(("h", "draw", "representative"), COUNTED)
def test_counts_by_cells_are_a_sample(h, draw, representative):
    """Examples counted by cells have the mistakes of the examples; labels in a cell have one distribution."""
    stream = Simulation(4).spawn(repr(h), representative)
    distribution = draw(stream.generator)
    cover = h.cover(distribution.public_sample(9, stream.spawn("public")).points, representative)
    points, mass = cells(cover, distribution)
    assert mass.sum() == pytest.approx(1)
    sample = distribution.private_sample(4000, stream.spawn("private"))
    listed = cover.listed()
    if h.dimension == 1:
        edges = np.unique(np.concatenate([listed.parameters.ravel(), abm19_counts._steps(distribution)]))
        place = np.searchsorted(edges[np.isfinite(edges)], sample.points[:, 0], "right")
        assert len(points) == np.isfinite(edges).sum() + 1
    else:
        place = (sample.points @ [8, 1]).astype(int)
    assert (listed.functions.predict(listed.parameters, points)[:, place] == sample_predictions(listed, sample)).all()
    np.testing.assert_array_equal(
        distribution.labeling.probability(points)[place], distribution.labeling.probability(sample.points)
    )
    positives = np.bincount(place, sample.labels, len(points)).astype(int)
    zeros = np.bincount(place, 1 - sample.labels, len(points)).astype(int)
    counted, tally = counted_tally(cover, points, positives, zeros), cover.tally(sample.points, sample.labels)
    for item, expected in zip(counted.histogram(), tally.histogram(), strict=True):
        np.testing.assert_array_equal(item, expected)
    seed = Simulation(8)
    assert [counted.draw(Fraction(1, 50), seed.spawn(i)).parameters.tolist() for i in range(20)] == [
        tally.draw(Fraction(1, 50), seed.spawn(i)).parameters.tolist() for i in range(20)
    ]


def sample_predictions(listed, sample) -> np.ndarray:
    return listed.functions.predict(listed.parameters, sample.points)


@pytest.mark.parametrize(("h", "draw", "representative"), COUNTED)
def test_counts_have_the_distribution_of_a_sample(h, draw, representative):
    """Fewest mistakes on drawn counts and on drawn samples: the same distribution."""
    stream = Simulation(6).spawn(repr(h), representative)
    distribution = draw(stream.generator)
    cover = h.cover(distribution.public_sample(6, stream.spawn("public")).points, representative)
    counts, samples = [], []
    for i in range(300):
        counts.append(drawn_tally(cover, distribution, 200, stream.spawn("counts", i).generator).histogram())
        sample = distribution.private_sample(200, stream.spawn("sample", i))
        samples.append(cover.tally(sample.points, sample.labels).histogram())
    for statistic in (lambda m, c: m[0], lambda m, c: m @ c / c.sum()):
        pair = [[statistic(*tally) for tally in part] for part in (counts, samples)]
        assert ks_2samp(*pair).pvalue > 1e-4


@pytest.mark.parametrize("representative", REPRESENTATIVES)
@pytest.mark.parametrize("h", [Thresholds(), Intervals(), DiscreteRectangles(2, 3)], ids=str)
def test_counts_at_the_ends_of_hypotheses_are_those_of_a_sample(h, representative):
    """Examples at public points, at the ends of hypotheses, and at the floats beside them."""
    generator = np.random.default_rng(3)
    cover = h.cover(generator.integers(0, 8, (4, h.dimension)), representative)
    ends = cover.listed().parameters.ravel()
    places = np.unique(np.concatenate([np.arange(8.0), ends[np.isfinite(ends)]]))
    if h.dimension == 1:
        points = np.unique(np.concatenate([np.nextafter(places, -9), places, np.nextafter(places, 9)]))[:, None]
    else:
        points = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0), indexing="ij"), axis=-1).reshape(-1, 2)
    positives, zeros = generator.integers(0, 5, (2, len(points)))
    sample = np.repeat(np.concatenate([points, points]), [*positives, *zeros], axis=0)
    tally = cover.tally(sample, np.repeat([1, 0], [positives.sum(), zeros.sum()]))
    for item, expected in zip(
        counted_tally(cover, points, positives, zeros).histogram(), tally.histogram(), strict=True
    ):
        np.testing.assert_array_equal(item, expected)


def test_counts_need_a_known_cover():
    distribution = THRESHOLDS[NOISE](np.random.default_rng(0))
    with pytest.raises(TypeError, match="cover: must be one of"):
        counted_tally(Rectangles(1).cover([[0.5]]), np.zeros((1, 1)), np.ones(1, int), np.ones(1, int))
    with pytest.raises(TypeError, match="cover: must be one of"):
        drawn_tally(Rectangles(2).cover([[0.5, 0.5]]), distribution, 10, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("h", "representative", "points", "position", "target"),
    [
        (Thresholds(), "upper", [0.2, 0.5], 0.5, 0.3),
        (Intervals(), "lower", [0.2, 0.5], 0.2, 0.3),
        (Thresholds(), "midpoint", [0.2, 0.5], 0.7, 0.7),
    ],
    ids=["end of a threshold", "end of an interval", "step of the labels"],
)
def test_an_atom_where_two_cells_meet_is_refused(h, representative, points, position, target):
    """Its mass would be counted in the wrong cell; elsewhere atoms are counted like all other mass."""
    cover = h.cover(np.array(points)[:, None], representative)
    distribution = Distribution(HeavyAtom(0.4, position), ClassificationNoise(target, 0.2))
    with pytest.raises(ValueError, match=f"distribution: has an atom at {position}, must have none at the end"):
        drawn_tally(cover, distribution, 10, np.random.default_rng(0))
    distribution = Distribution(HeavyAtom(0.4, 0.9), ClassificationNoise(target, 0.2))
    cell, mass = cells(cover, distribution)
    assert mass.sum() == pytest.approx(1)
    assert mass[-1] == pytest.approx(0.4 + 0.6 * (1 - (cell[-1, 0] - 1)))


def test_every_distribution_is_drawn_and_its_best_error_is_known():
    """Targets differ between trials; realizable distributions have best error 0, noisy ones 0.2, others more than 0."""
    for case in ALL:
        distributions = [case.draw_distribution(np.random.default_rng(seed)) for seed in range(3)]
        best = [distribution.best_error(case.hypothesis_class).value for distribution in distributions]
        if case.distribution == "two constants":
            assert best == pytest.approx([0.5 - 0.025 * (1 + 1e-4)] * 3)
            continue
        assert len({repr(distribution) for distribution in distributions}) == 3
        expected = {"realizable": [0] * 3, NOISE: [0.2] * 3}
        assert (
            all(b > 0 for b in best)
            if case.distribution == OUTSIDE
            else best == pytest.approx(expected[case.distribution], abs=1e-15)
        )


def test_the_complement_of_an_interval():
    distribution = OutsideInterval(0.3, 0.45)
    x = np.array([-1, 0.2999, 0.3, 0.4, np.nextafter(0.45, 0), 0.45, 2])[:, None]
    assert distribution.probability(x).tolist() == [1, 1, 0, 0, 0, 1, 1]
    assert Distribution(Uniform(), distribution).best_error(Intervals()).value == pytest.approx(0.15)  # all ones
    assert Distribution(Uniform(), OutsideInterval(0.1, 0.6)).best_error(Intervals()).value == pytest.approx(0.1)


@pytest.mark.parametrize(
    "small",
    [
        {"hypothesis_class": DiscreteRectangles(2, 4), "draw_distribution": abm19_learning._word_box(4, 0.2)},
        {"hypothesis_class": Rectangles(2), "draw_distribution": abm19_learning._box(2, 0.2)},
    ],
    ids=["words", "plane"],
)
def test_rectangles(monkeypatch, small):
    """The way of the larger cases at sizes that take no time: no negative excess, none above alpha."""
    monkeypatch.setattr(abm19_learning, "public_size", lambda alpha, beta, d: 100)
    case = replace(picked(name="RECTANGLE_8^2", gate=True)[0], alpha=0.9, trials=4, compared=0.5, **small)
    finding = finding_of_cases(monkeypatch, [case])
    values = [row.measured.value for row in finding.measurements if row.quantity == QUANTILE]
    assert len(values) == 12
    assert min(values) >= -1e-14
    assert max(values) <= 0.9
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert [row.trials for row in finding.measurements if row.quantity == FAILURES] == [4, 2, 4, 2]


# ---------------------------------------------------------------------------------------------------- verdicts
def test_the_claim_holds_for_thresholds_and_intervals(monkeypatch):
    some = [
        *picked(alpha=0.2, beta=0.1, distribution=NOISE),
        *picked(sizes="realizable"),
        *picked(alpha=0.1, distribution=OUTSIDE),
    ]
    finding = finding_of_cases(monkeypatch, some)
    assert finding.verdict is Verdict.HOLDS
    judged = [row for row in finding.measurements if row.verdict is not None]
    assert len(judged) == sum(case.gates for case in some) == 9 + 4 + 3
    assert all(row.trials in (140, 280) and row.measured.value == 0 for row in judged)
    assert finding.deciding.measured.high / finding.deciding.bound == max(r.measured.high / r.bound for r in judged)
    assert "; largest n_public 14990, n_private 37942; largest excess error over alpha 0." in finding.reason


def test_few_trials_are_inconclusive(monkeypatch):
    finding = finding_of_cases(monkeypatch, picked(alpha=0.2), 0.1)
    assert finding.verdict is Verdict.INCONCLUSIVE
    needed = "a verdict on beta = 0.1 takes 126 without a failure at level 3.7e-06"
    assert finding.reason == f"14 trials, 0 of them failed: {needed}"


def test_a_class_too_large_for_a_verdict_is_for_the_record(monkeypatch):
    monkeypatch.setattr(abm19_learning, "public_size", lambda alpha, beta, d: 60 * d)
    plane = replace(picked(name="planar rectangles")[0])
    finding = finding_of_cases(monkeypatch, [*picked(alpha=0.2)[:1], plane])
    assert finding.verdict is Verdict.HOLDS
    needed = "a verdict on beta = 0.05 takes 215 without a failure at level 3.3e-05"
    assert finding.reason.endswith(f"; for the record planar rectangles, 1 trial: {needed}")
    rows = [row for row in finding.measurements if row.settings["class"] == "planar rectangles"]
    assert {row.verdict for row in rows} == {None}
    assert {row.trials for row in rows} == {1}


CONTROLS = [case for case in ALL if case.control]
Excess = dict[Case, dict[abm19_learning._Run, list[float]]]


@pytest.fixture(scope="module")
def beside_controls() -> Excess:
    """Excess errors of all controls and of a case at the proven sizes, by case: each is run once."""
    stream = Simulation(5)
    return {case: abm19_learning._excess(case, case.trials, stream) for case in [*picked(alpha=0.2)[:1], *CONTROLS]}


def found_again(monkeypatch: pytest.MonkeyPatch, excess: Excess) -> Finding:
    """The finding on excess errors that are known."""
    first = lambda case, n, stream: {run: values[:n] for run, values in excess[case].items()}  # noqa: E731
    monkeypatch.setattr(abm19_learning, "_excess", first)
    return finding_of_cases(monkeypatch, list(excess))


def test_controls_fail_where_they_must(monkeypatch, beside_controls):
    """More than beta of the trials fail, at n_private / 400 and at 10 public points; the reason says what."""
    finding = found_again(monkeypatch, beside_controls)
    assert finding.verdict is Verdict.HOLDS
    assert finding.deciding.settings["part"] == finding.deciding.settings["public_part"] == 1
    rows = [r for r in finding.measurements if r.quantity == FAILURES and abm19_learning._is_control(r)]
    judged = [r for r in rows if r.verdict is not None]
    assert [r.settings["distribution"] for r in judged] == [NOISE, "two constants", NOISE, NOISE, "realizable"]
    assert all(r.measured.low > r.bound for r in judged)
    assert all(r.measured.value < r.bound for r in rows if r.settings["part"] == 1 / 100)
    for part in (
        "at n_private / 100, where more than beta was expected, fail 0.0",
        "at n_private / 400, a control set",
    ):
        assert part in finding.reason
    for part in ("with 26 public points, realizable, fail 0.0", "with 10 public points, realizable, fail 0.2"):
        assert part in finding.reason
    assert (
        "100 times fewer private examples would pass on these distributions, 400 times fewer would not"
        in finding.reason
    )
    assert "averages over random targets" in finding.reason


@pytest.mark.parametrize(
    "wrong", [c for c in CONTROLS if c.gate], ids=lambda c: f"{c.name} {c.distribution} {c.public_part}"
)
def test_a_control_that_does_not_fail_leaves_no_verdict(monkeypatch, beside_controls, wrong):
    """One of the controls alone gets the proven sizes: its trials do not fail, and the claim is not said to hold."""
    failing_none = {run: [0.0] * len(values) for run, values in beside_controls[wrong].items()}
    finding = found_again(monkeypatch, beside_controls | {wrong: failing_none})
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert abm19_learning._is_control(finding.deciding)
    assert finding.deciding.settings["distribution"] == wrong.distribution
    assert finding.reason.startswith("not met in ")


def test_failures_at_few_public_points_have_their_exact_frequency():
    """E sum of (gap of midpoints - 2 alpha)_+ over the distribution of spacings: an oracle for the public control."""
    for points, public_part in ((10, 1 / 400), (26, 1 / 150)):
        case = next(c for c in CONTROLS if c.distribution == "realizable" and c.public_part == public_part)
        assert case.n_public == points
        values = np.concatenate(list(abm19_learning._excess(case, 600, Simulation(3)).values()))
        # gaps between midpoints are half of a sum of two spacings; those at the ends a spacing and half of the next
        g = np.random.default_rng(5).exponential(size=(100_000, points + 1))
        g /= g.sum(axis=1, keepdims=True)
        middle, ends = (g[:, 1:-2] + g[:, 2:-1]) / 2, g[:, [0, -1]] + g[:, [1, -2]] / 2
        expected = sum(np.maximum(gap - 0.1, 0).sum(axis=1).mean() for gap in (middle, ends))
        assert {10: 0.254, 26: 0.018}[points] == pytest.approx(expected, rel=0.03)
        low, high = clopper_pearson(int(np.sum(values > 0.05)), 600)
        assert low <= expected <= high


def test_each_case_alone_violates_the_claim(monkeypatch):
    """Failures in one judged case only, at the proven sizes: the claim is violated, whichever it is."""
    some = [case for case in ALL if case.gate and not case.control]
    assert len(some) == 10 + 12
    zeros = {case: {run: [0.0] * case.trials for run in case.runs(False)} for case in some}
    for wrong in some:
        for at in wrong.runs(False):
            failing = zeros | {wrong: zeros[wrong] | {at: [0.99] * wrong.trials}}
            monkeypatch.setattr(abm19_learning, "_excess", lambda case, n, stream, failing=failing: failing[case])
            finding = finding_of_cases(monkeypatch, some)
            assert finding.verdict is Verdict.VIOLATED
            assert finding.deciding.settings["distribution"] == wrong.distribution
    monkeypatch.setattr(abm19_learning, "_excess", lambda case, n, stream: zeros[case])
    assert finding_of_cases(monkeypatch, some).verdict is Verdict.HOLDS


@pytest.mark.parametrize("part", [1 / 100, 1 / 400])
def test_failures_between_two_constants_have_their_exact_frequency(part):
    """P[fail] = sum_B Bin(B; n, 1/2 + g) / (1 + exp(epsilon (2 B - n) / 2)): an oracle for the whole way."""
    case = next(c for c in CONTROLS if c.distribution == "two constants" and c.part == part)
    values = np.concatenate(list(abm19_learning._excess(case, 600, Simulation(3)).values()))
    assert np.all(np.isclose(values, 0) | np.isclose(values, 0.05 * (1 + 1e-4)))
    n, positives = case.n_private[1.0], np.arange(case.n_private[1.0] + 1)
    exact = binom(n, 0.5 + 0.025 * (1 + 1e-4)).pmf(positives) @ expit((n - 2 * positives) / 2)
    low, high = clopper_pearson(int(np.sum(values > 0.05)), 600)
    assert low <= exact <= high


# ---------------------------------------------------------------------------------------------------- negative controls
def divided(formula, by):
    return lambda *arguments: max(1, formula(*arguments) // by)


class Deaf(ExponentialMechanism):
    """Hears nothing of the mistakes."""

    def __init__(self, epsilon):
        super().__init__(epsilon / 1000)


@pytest.mark.parametrize(
    ("name", "control", "sizes"),
    [
        ("private_size", divided(abm19_learning.private_size, 800), "agnostic"),
        ("public_size", lambda alpha, beta, d: 3, "agnostic"),
        ("private_size_realizable", divided(abm19_learning.private_size_realizable, 800), "realizable"),
        ("cover_points", lambda alpha, beta, d: 3, "realizable"),
        ("MECHANISMS", {"exponential": Deaf}, "agnostic"),
    ],
)
def test_a_broken_control_is_caught(monkeypatch, name, control, sizes):
    """Too few private or public points, and a mechanism that hardly looks, violate the claim even in few trials."""
    monkeypatch.setattr(abm19_learning, name, control)
    some = picked(name="thresholds", alpha=0.05, gate=True, part=1, public_part=1)
    some = [case for case in some if case.sizes == sizes and case.distribution != "two constants"]
    some = [replace(case) for case in some]  # their sizes are not known yet
    finding = finding_of_cases(monkeypatch, some, 0.2)
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding.measured.low > finding.deciding.bound


# ---------------------------------------------------------------------------------------------------- figure
def test_figure_has_a_row_for_each_case(monkeypatch, tmp_path):
    some = [
        *picked(alpha=0.2),
        *picked(distribution="two constants", epsilons=(1.0,)),
        picked(sizes="realizable", name="thresholds")[0],
    ]
    finding = finding_of_cases(monkeypatch, some, 0.02)
    write_findings({"ABM19-T3.1": finding}, tmp_path / "rows.parquet", tmp_path / "m.parquet")
    apply_style()
    figure = draw(Results({"measurements": tmp_path / "m.parquet"}))
    texts = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert [len(rows) for rows in texts] == [4, 2]
    assert any("8,258" in text and "22,091 at" in text and "8,837 at" in text for text in texts[0])
    assert all("% fail" in text for text in texts[1])
    plt.close(figure)
