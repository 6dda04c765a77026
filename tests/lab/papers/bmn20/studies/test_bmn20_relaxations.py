"""The two relaxations: mistakes against enumeration, the inequalities, their controls, sweeps and negative controls."""

import itertools

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, StatusModel
from semipriv.core.statistics import Verdict
from semipriv.geometry.grid import Grid
from semipriv.papers.bmn20.regions.cover import region_cover
from semipriv_lab.ledger.claim import findings
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import relaxations as study
from semipriv_lab.papers.bmn20.studies.relaxations import EVERY, ONES, PARTLY, ZEROS, Best


def data_sets(relaxation: str, d: int, count: int = 8):
    for position in study.POSITIONS:
        for seed in range(count):
            yield study.draw_data_set(relaxation, position, d, np.random.default_rng([seed, d]))


def halfplane_dichotomies(x: np.ndarray) -> set[tuple[bool, ...]]:
    """All of a few points of the plane: a line through two of them, or beside one, turned a little either way."""
    angles = [0.0]
    for a, b in itertools.combinations(np.unique(x, axis=0), 2):
        angles.append(float(np.arctan2(*(b - a)[::-1])) + np.pi / 2)
    turned = [angle + turn + half for angle in angles for turn in (-1e-7, 0, 1e-7) for half in (0, np.pi)]
    collected = set()
    for angle in turned:
        values = x @ np.array([np.cos(angle), np.sin(angle)])
        cuts = [values.min() - 1, *(v - 1e-10 for v in values), values.max() + 1] if len(x) else [0.0]
        collected |= {tuple(values >= cut) for cut in cuts}
    return collected


@pytest.mark.parametrize("smaller", [study.FEW, -1])
def test_best_halfspace_is_that_of_all_dichotomies(smaller: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all cuts of few points, and by risk minimisation."""
    monkeypatch.setattr(study, "FEW", smaller)
    for sample in data_sets(PARTLY, 2, 6):
        best = study.best_halfspace(sample)
        zeros = sample.private & (sample.labels == 0)
        every = [
            (int(np.sum(np.array(inside) != (sample.labels == 1))), int(np.sum(zeros & ~np.array(inside))))
            for inside in halfplane_dichotomies(sample.points)
        ]
        least = min(mistakes for mistakes, _ in every)
        assert best.mistakes == least
        assert (least, best.right_zeros) in every
        assert best.least_sum == min(mistakes + right for mistakes, right in every)


def regions_by_hand(points: np.ndarray, chosen: np.ndarray, most: int) -> list[np.ndarray]:
    """All intersections of at most ``most`` closed half-planes through two of the distinct chosen points."""
    halfplanes = []
    for a, b in itertools.combinations(np.unique(chosen, axis=0), 2):
        side = (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])
        halfplanes += [side >= 0, side <= 0]
    regions = [np.zeros(len(points), bool)]
    for j in range(1, most + 1):
        regions += [np.all(chosen, axis=0) for chosen in itertools.combinations(halfplanes, j)]
    return regions


def test_least_mistakes_are_those_of_all_regions() -> None:
    seen = 0
    for sample, construction in itertools.product(data_sets(ONES, 2, 12), (EVERY, ZEROS)):
        spanning = sample.points[~sample.private & ((construction == EVERY) | (sample.labels == 0))]
        if len(spanning) < 3 or np.linalg.matrix_rank(spanning[1:] - spanning[0]) < 2:
            continue
        cover = study.regions(sample, "facet", construction)
        for most, computed_least in (
            (2, study.least_mistakes(cover, sample)),
            (1, study.least_of_single(cover, sample)),
        ):
            regions = regions_by_hand(sample.points, spanning, most)
            assert computed_least == min(np.sum(~region != sample.labels) for region in regions)
        seen += 1
    assert seen > 30


@pytest.mark.parametrize("d", study.DIMENSIONS)
@pytest.mark.parametrize("relaxation", [PARTLY, ONES])
def test_data_sets_are_what_their_names_say(relaxation: str, d: int) -> None:
    samples = {
        p: [study.draw_data_set(relaxation, p, d, np.random.default_rng(s)) for s in range(60)] for p in study.POSITIONS
    }
    for position, drawn in samples.items():
        for sample in drawn:
            public = sample.points[~sample.private]
            if position == "one public point":
                assert len(np.unique(public, axis=0)) <= 1
            if "plane" in position:
                flat = sample.points if position == "all on a plane" else public
                assert len(flat) <= 1 or np.linalg.matrix_rank(flat[1:] - flat[0]) < d
            assert not len(sample) or np.abs(sample.points).max() <= {"grid of radius 1": 1, "general": 50}.get(
                position, 4
            )
        labels = {(bool(p), int(y)) for s in drawn for p, y in zip(s.private, s.labels, strict=True)}
        assert labels == {(False, 0), (False, 1), (True, 1)} | ({(True, 0)} if relaxation == PARTLY else set())
        assert {len(s.points[~s.private]) for s in drawn} == set(range(7))
    assert drawn[0].model is (StatusModel.PRIVATE_ONES if relaxation == ONES else StatusModel.ANY)


def test_the_worst_case_is_tight() -> None:
    for seed, rho in enumerate((0.0, 0.3, 1.0)):
        sample = study.tight(60, rho, np.random.default_rng(seed))
        zeros = int(np.sum(sample.private & (sample.labels == 0)))
        assert study.best_halfspace(sample).mistakes == 0
        assert study.least_mistakes(study.regions(sample), sample) == zeros
        assert study.allowed(study.best_halfspace(sample), PARTLY) == (zeros, zeros)


def test_without_public_zeros_nothing_is_learnt() -> None:
    """rho = 1: all examples are private, G holds the empty region alone."""
    for sweep in study.SWEEPS:
        sample = study.noisy_halfspace(50, study._distribution(sweep, 1.0), np.random.default_rng(0))
        assert sample.private.all()
        assert study.regions(sample).size == 1
        assert study.least_mistakes(study.regions(sample), sample) == np.sum(sample.labels == 0)


def test_sweeps_have_their_share_of_private_zeros() -> None:
    for sweep, rho in itertools.product(study.SWEEPS, (0.0, 0.2, 0.8)):
        sample = study.noisy_halfspace(6_000, study._distribution(sweep, rho), np.random.default_rng(2))
        zeros = sample.labels == 0
        assert sample.private[~zeros].all()
        assert sample.private[zeros].mean() == pytest.approx(rho, abs=0.04)
        heights = sample.points[zeros, 1], sample.private[zeros]
        if sweep == "top of x_2" and rho:
            assert heights[0][heights[1]].min() > heights[0][~heights[1]].max()


# ---------------------------------------------------------------------------------------------------- findings
@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SAMPLE", 60)
        yield patch


def findings_at(effort: float) -> dict[str, Finding]:
    return findings(study, Simulation(5), effort)


@pytest.fixture(scope="module")
def measured(small) -> dict[str, Finding]:
    return findings_at(0.15)


def test_no_violation_and_the_controls_see_some(measured: dict[str, Finding]) -> None:
    for claim, finding in measured.items():
        counts = [row for row in finding.measurements if row.quantity == study.VIOLATIONS]
        assert all(row.measured.value == 0 for row in counts)
        assert finding.deciding.settings["data_sets"] == sum(row.settings["data_sets"] for row in counts)
        assert {row.settings["d"] for row in counts} == {1, 2, 3}
        (control,) = (row for row in finding.measurements if row.quantity in (study.ABOVE, study.SINGLE))
        assert control.measured.value > 0
        assert control.verdict is Verdict.HOLDS
        assert finding.verdict is (Verdict.HOLDS if claim == ONES else Verdict.INCONCLUSIVE), "3 samples of each sweep"
    assert "too little for a verdict on: mean of best of G" in measured[PARTLY].reason
    assert "mean excess on the normal distribution, rho <= 0.4, allowed 0.02: at most " in measured[PARTLY].reason
    assert "rho > 0.4, not judged: at most 0.4" in measured[PARTLY].reason, "without public zeros"
    assert "normal distribution" not in measured[ONES].reason


def caught(monkeypatch: pytest.MonkeyPatch, claim: str) -> Finding:
    monkeypatch.setattr(study, "_partly_correlated", lambda randomness, effort: [])
    monkeypatch.setattr(study, "_private_ones", lambda randomness, effort: [])
    return findings_at(0.04)[claim]


def test_the_guarantee_of_label_determined_data_fails_under_relaxation_i(monkeypatch) -> None:
    monkeypatch.setattr(study, "allowed", lambda best, claim: (best.mistakes,))
    finding = caught(monkeypatch, PARTLY)
    assert finding.verdict is Verdict.VIOLATED
    assert "counterexample: points [[" in finding.reason


@pytest.mark.parametrize("claim", [PARTLY, ONES])
def test_single_halfspaces_fail(monkeypatch, claim) -> None:
    """J = 1 in the plane."""
    monkeypatch.setattr(study, "DIMENSIONS", (2,))
    monkeypatch.setattr(study, "DATA_SETS", 400)
    monkeypatch.setattr(study, "least_mistakes", study.least_of_single)
    assert caught(monkeypatch, claim).verdict is Verdict.VIOLATED


@pytest.mark.parametrize("claim", [PARTLY, ONES])
def test_regions_from_some_of_the_public_zeros_fail(monkeypatch, claim) -> None:
    """The last public zero spans nothing, though mistakes are counted on it."""

    def mutant(sample: MixedSample, mode: str = "facet", construction: str = EVERY):
        public = sample.public_examples
        rows = np.flatnonzero(public.labels == 0)[:-1]
        dimension = sample.points.shape[1]
        return region_cover(Grid.unit(dimension), public, rows, mode)

    monkeypatch.setattr(study, "regions", mutant)
    assert caught(monkeypatch, claim).verdict is Verdict.VIOLATED


def test_data_sets_that_cannot_tell_leave_it_open(monkeypatch) -> None:
    """No control failed: no verdict."""
    monkeypatch.setattr(study, "best_halfspace", lambda sample: Best(99, 0, 99))
    for claim in (PARTLY, ONES):
        assert caught(monkeypatch, claim).verdict is Verdict.INCONCLUSIVE


def test_an_excess_that_is_not_small_is_caught(small, monkeypatch) -> None:
    """Private zeros all over the plane at every rho, and a worst case with half as many of them."""
    monkeypatch.setattr(study, "DATA_SETS", 20)
    distribution, worst = study._distribution, study.tight
    with monkeypatch.context() as patch:
        patch.setattr(study, "_distribution", lambda sweep, rho: distribution(sweep, 1.0))
        rows = list(study._partly_correlated(Simulation(1), 1.0))
    gated = [row for row in rows if row.quantity == study.EXCESS and row.bound is not None]
    assert {row.verdict for row in gated} == {Verdict.VIOLATED}
    assert len(gated) + 1 == study._GATES
    monkeypatch.setattr(study, "tight", lambda n, rho, generator: worst(n, rho / 2, generator))
    slope = next(row for row in study._tight(Simulation(1), 80) if row.quantity == study.SLOPE)
    assert slope.verdict is Verdict.VIOLATED
