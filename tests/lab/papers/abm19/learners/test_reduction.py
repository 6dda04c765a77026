"""The public-data reduction: the learner, its constants, and its claims, each with controls that are caught."""

import itertools
import math
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binom, chisquare, ks_2samp

from semipriv.audit.exact import as_sample, exact_delta, exact_privacy_loss, examples, outcomes
from semipriv.audit.properties.test_same_coins import N, looked_at
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.samples import Sample
from semipriv.core.statistics import (
    GATE_LEVEL,
    Verdict,
    clopper_pearson,
    empirical_deviation,
    kolmogorov_smirnov,
)
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.drawing.style import apply_style
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.abm19.bounds import reduction as bounds
from semipriv.papers.abm19.learners import public_data_reduction as module
from semipriv.papers.abm19.learners.public_data_reduction import PublicDataReduction, private_sample
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee
from semipriv_lab.experiments.config import label
from semipriv_lab.figures.base import Results
from semipriv_lab.ledger.claim import Run, Table, findings
from semipriv_lab.ledger.studies import studies
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.papers.abm19.figures.reduction import draw
from semipriv_lab.papers.abm19.studies import _reduction_distribution as enumeration
from semipriv_lab.papers.abm19.studies import _reduction_runs as runs
from semipriv_lab.papers.abm19.studies import reduction as claims

EXACT = Run(Simulation(0), 1.0)


def reduction(n_private: int = 2000, n_public: int = 4, **changes: object) -> PublicDataReduction:
    return PublicDataReduction(**({"learner": SSPP(1.0), "marginal": Uniform()} | changes), n_private=n_private,
                               n_public=n_public)  # fmt: skip


def marked(n: int, start: float = 10.0) -> Sample:
    """Examples that no draw of D0 equals: one point each, beyond its support."""
    return Sample(start + np.arange(n), np.arange(n) % 2)


# ---------------------------------------------------------------------------------------------------- the learner
def test_no_record_is_used_twice_and_all_in_order() -> None:
    learner = reduction()
    own, often = marked(learner.own_size), 0
    for seed in range(40):
        private, _, exhausted = learner.samples(own, np.random.default_rng(seed))
        assert len(private) == learner.n_private
        inserted = private.points[:, 0] >= 10
        k = np.count_nonzero(inserted)
        assert private.points[inserted, 0].tolist() == own.points[:k, 0].tolist()
        assert private.labels[inserted].tolist() == own.labels[:k].tolist()
        assert not exhausted
        often += k
    assert abs(often - 40 * 5) < 5 * math.sqrt(40 * 5), "a share p = 1/400 of 2000 places"


@pytest.mark.parametrize("seed", [890, 993, 1202, 1245, 1967, 2407])
def test_neighbours_look_alike_where_coins_read_several_examples(seed: int) -> None:
    """As they seldom do; candidates are not constant."""
    learner = PublicDataReduction(SSPP(0.8), 165, 3, Uniform())
    assert learner.own_size == N
    filled, _, _ = learner.samples(Sample(np.full((N, 1), 2.0), np.ones(N)), Simulation(seed).generator)
    assert int(np.sum(filled.points == 2.0)) > 3
    assert looked_at(learner, Thresholds(), False, seed) == ([], 1)


@pytest.mark.parametrize("size", [1, 2])
def test_private_sample_against_the_pseudocode(size: int) -> None:
    """All coins of six places against the loop of algorithm 3 with the rule that fills from D0."""
    filling, own = Sample(np.arange(6.0), np.zeros(6)), marked(size)
    for coins in itertools.product((False, True), repeat=6):
        j, points, missing = 0, [], False
        for i, heads in enumerate(coins):
            if heads and j < size:
                points.append(float(own.points[j, 0]))
                j += 1
            else:
                missing |= heads
                points.append(float(i))
        sample, exhausted = private_sample(own, filling, np.array(coins))
        assert sample.points[:, 0].tolist() == points
        assert exhausted == missing
    assert filling.points[:, 0].tolist() == list(range(6)), "the draws themselves are left alone"


def test_places_and_public_sample_do_not_depend_on_the_records() -> None:
    learner = reduction(400, 2)
    first, second = marked(learner.own_size), marked(learner.own_size, 500.0)
    for seed in range(20):
        a, public_a, exhausted_a = learner.samples(first, np.random.default_rng(seed))
        b, public_b, exhausted_b = learner.samples(second, np.random.default_rng(seed))
        assert public_a.points.tobytes() == public_b.points.tobytes()
        assert public_a.labels.tobytes() == public_b.labels.tobytes()
        assert np.array_equal(a.points >= 10, b.points >= 10)
        assert exhausted_a == exhausted_b
        kept = a.points[:, 0] < 10
        assert np.array_equal(a.points[kept], b.points[kept])
        assert np.array_equal(a.labels[kept], b.labels[kept])


def test_neighbours_differ_in_one_place_at_most() -> None:
    learner = reduction(400, 2)
    own = marked(learner.own_size)
    seen = 0
    for seed, place in itertools.product(range(10), range(learner.own_size)):
        points = own.points.copy()
        points[place] = -7.0
        a = learner.samples(own, np.random.default_rng(seed))[0]
        b = learner.samples(Sample(points, own.labels), np.random.default_rng(seed))[0]
        changed = np.count_nonzero((a.points != b.points).any(axis=1) | (a.labels != b.labels))
        assert changed <= 1
        seen += changed
    assert seen > 0


class Recorder(SSPP):
    """Keeps what it is given."""

    seen: list = []

    def prepare(self, public_points, hypothesis_class, public_labels=None):
        Recorder.seen.append(("prepare", np.array(public_points), public_labels))
        return super().prepare(public_points, hypothesis_class, public_labels)

    def release(self, prepared, points, labels, randomness):
        Recorder.seen.append(("release", np.array(points), np.array(labels)))
        return super().release(prepared, points, labels, randomness)


def test_release_passes_the_samples_to_the_inner_learner() -> None:
    """What A gets: always n_private and n_public examples, and a public sample that the private one does not change."""
    learner = reduction(60, 3, learner=Recorder(1.0))
    prepared = learner.prepare(np.empty((0, 1)), Thresholds())
    assert prepared.arrays() == {}
    Recorder.seen.clear()
    for start in (10.0, 500.0):
        for seed in range(30):
            own = marked(learner.own_size, start)
            release = learner.release(prepared, own.points, own.labels, Simulation(seed))
            assert release.guarantee == Guarantee(1.0)
            assert release.cost == {"cover_size": 4, "exhausted": release.cost["exhausted"]}
    publics = [(points, labels) for kind, points, labels in Recorder.seen if kind == "prepare"]
    privates = [points for kind, points, _ in Recorder.seen if kind == "release"]
    assert all(points.shape == (3, 1) and labels is None for points, labels in publics)
    assert all(points.shape == (60, 1) for points in privates)
    assert all(np.array_equal(a, b) for (a, _), (b, _) in zip(publics[:30], publics[30:], strict=True))
    assert len({points.tobytes() for points, _ in publics[:30]}) == 30


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()], ids=["simulation", "secure"])
def test_repeated_releases_are_independent(randomness) -> None:
    learner = reduction(60, 3, learner=SSPP(1.0, representative="upper"))
    own = marked(learner.own_size)
    prepared = learner.prepare(np.empty((0, 1)), Thresholds())
    releases = [learner.release(prepared, own.points, own.labels, randomness) for _ in range(30)]
    finite = [t for t in (float(r.output.parameters[0]) for r in releases) if math.isfinite(t)]
    assert len(set(finite)) == len(finite) > 5


def test_distribution_of_the_release_against_enumeration() -> None:
    """n_private 3, n_public 1, D0 on two points: the frequencies of releases against an independent sum."""
    epsilon, own = 1.0, (1.0, 1)
    learner = PublicDataReduction(SSPP(epsilon, representative="upper"), 3, 1, DiscreteGrid(size=2))
    p, domain = 1 / 100, [(x, y) for x in (0.0, 1.0) for y in (0, 1)]
    distribution: dict[float, float] = {}
    for public in (0.0, 1.0):
        thresholds = [public, math.inf]
        for coins in itertools.product((0, 1), repeat=3):
            chance = 0.5 * math.prod(p if c else 1 - p for c in coins) / 4**3
            used = coins.index(1) if 1 in coins else None
            for draws in itertools.product(domain, repeat=3):
                data = [own if i == used else z for i, z in enumerate(draws)]
                weights = [math.exp(-epsilon / 2 * sum((x >= t) != y for x, y in data)) for t in thresholds]
                for t, w in zip(thresholds, weights, strict=True):
                    distribution[t] = distribution.get(t, 0.0) + chance * w / sum(weights)
    assert sum(distribution.values()) == pytest.approx(1)
    prepared, randomness, draws = learner.prepare([], Thresholds()), Simulation(8), 3000
    counts = dict.fromkeys(distribution, 0)
    for _ in range(draws):
        counts[float(learner.release(prepared, [own[0]], [own[1]], randomness).output.parameters[0])] += 1
    keys = sorted(distribution)
    assert chisquare([counts[k] for k in keys], [draws * distribution[k] for k in keys]).pvalue > 1e-4


def test_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag says that a further example was needed, whatever the examples are; 'strict' then answers without any."""
    monkeypatch.setattr(module, "private_share", lambda n_public: 0.1)
    fill, strict = reduction(10, 1), reduction(10, 1, run_out="strict")
    own, other = marked(1), marked(1, 500.0)
    prepared = fill.prepare(np.empty((0, 1)), Thresholds())
    flags = []
    for seed in range(2000):
        release = strict.release(prepared, own.points, own.labels, Simulation(seed))
        flags.append(release.cost["exhausted"])
        if seed < 200:
            filled = fill.release(prepared, own.points, own.labels, Simulation(seed))
            again = strict.release(prepared, other.points, other.labels, Simulation(seed))
            assert filled.cost == {"cover_size": 2, "exhausted": flags[-1]}
            assert again.cost == release.cost
            if flags[-1]:
                assert release.cost["cover_size"] == 1
                assert release.output.parameters.tolist() == Thresholds().cover([]).listed().parameters[0].tolist()
                assert again.output.parameters.tolist() == release.output.parameters.tolist()
            else:
                assert release.output.parameters.tolist() == filled.output.parameters.tolist()
    expected = binom.sf(1, 10, 0.1)
    assert abs(np.mean(flags) - expected) < 4 * math.sqrt(expected * (1 - expected) / 2000)


def test_any_learner_and_class() -> None:
    cases = [
        (SSPP(0.5, mechanism="permute_and_flip"), Intervals(), Uniform()),
        (FixedGrid(0.7, size=5), Thresholds("le"), Uniform()),
        (PublicLabelled(), Thresholds(), Uniform()),
        (SSPP(0.5), Rectangles(2), Uniform(dimension=2)),
        (reduction(5, 1, learner=SSPP(0.3)), Thresholds(), Uniform()),
    ]
    for inner, hypothesis_class, marginal in cases:
        learner = PublicDataReduction(inner, 10, 1, marginal)
        prepared = learner.prepare(np.empty((0, hypothesis_class.dimension)), hypothesis_class)
        if isinstance(inner, PublicDataReduction):
            with pytest.raises(ValueError, match="10 private examples, must be 1"):
                learner.release(prepared, [0.5], [1], Simulation(0))
            continue
        release = learner.release(prepared, np.full((1, marginal.dimension), 0.5), [1], Simulation(0))
        assert release.guarantee == inner.guarantee
        assert release.output.predict(np.full((2, marginal.dimension), 0.25)).shape == (2,)


def test_configuration() -> None:
    specification = {
        "name": "public_data_reduction",
        "learner": {"name": "sspp", "epsilon": "1e-1", "mechanism": "permute_and_flip"},
        "n_private": "1e3",
        "n_public": 10,
        "marginal": {"name": "uniform"},
    }
    built = registry.build("learners", specification)
    assert built == PublicDataReduction(SSPP(0.1, "permute_and_flip"), 1000, 10, Uniform())
    assert hash(built) == hash(registry.build("learners", specification))
    assert built.guarantee == Guarantee(0.1)
    assert "epsilon=0.1" in label(built)
    assert registry.modules(built) == {
        "semipriv.papers.abm19.learners.public_data_reduction",
        "semipriv.papers.abm19.learners.sspp",
        "semipriv.mechanisms.selection.permute_and_flip",
        "semipriv.distributions.marginals.uniform",
    }


# ---------------------------------------------------------------------------------------------------- privacy
SPEC = {(1, 0.01): 0.018096, (2, 0.01): 0.018118, (1, 0.5): 0.538447, (2, 0.5): 0.573821}


@pytest.mark.parametrize(("own", "share"), SPEC)
def test_audit_fixtures(own: int, share: float) -> None:
    distribution_of = enumeration.audited(enumeration.Audit(own, share))
    loss = exact_privacy_loss(
        distribution_of(enumeration.sspp_distribution(1.0, "exponential", "whole domain")),
        [examples(enumeration.DOMAIN)] * own,
    )
    assert loss.loss == pytest.approx(SPEC[own, share], abs=1e-6)


def test_input_distribution_against_the_real_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The enumerated distribution of A's input against draws of the learner's own sampler, at a share of 1/3."""
    data, draws = (((1.0,), 0),), 8_000
    distribution = {
        (s.points.tobytes(), s.labels.tobytes()): w
        for s, w in enumeration.input_distribution(data, enumeration.Audit(1, 1 / 3))
    }
    assert len(distribution) == 4**3
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    monkeypatch.setattr(module, "private_share", lambda n_public: 1 / 3)
    learner, generator = PublicDataReduction(SSPP(1.0), 3, 1, DiscreteGrid(size=2)), np.random.default_rng(4)
    counts = dict.fromkeys(distribution, 0)
    for _ in range(draws):
        private, _, _ = learner.samples(as_sample(data), generator)
        counts[private.points.tobytes(), private.labels.tobytes()] += 1
    assert chisquare([counts[k] for k in distribution], [draws * w for w in distribution.values()]).pvalue > 1e-4
    assert max(distribution.values()) > 3 / 4**3, "own examples are frequent enough to be seen"


def test_privacy_claim(measured_findings: dict) -> None:
    finding = measured_findings["ABM19-C4.5"]
    assert finding.verdict is Verdict.HOLDS
    assert all(row.trials == 0 for row in finding.measurements)
    assert any(row.measured.value > 0.85 * row.bound for row in finding.measurements)


def twice(own: Sample, filling: Sample, coins: np.ndarray) -> tuple[Sample, bool]:
    """Broken: starts again with the first example where the private sample is exhausted."""
    heads = np.flatnonzero(coins)
    points, labels = filling.points.copy(), filling.labels.copy()
    places = np.arange(len(heads)) % len(own)
    points[heads], labels[heads] = own.points[places], own.labels[places]
    return Sample(points, labels), False


def test_a_record_used_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "private_sample", twice)
    assert claims.privacy(EXACT).verdict is Verdict.VIOLATED


def test_each_record_of_an_exhausted_sample_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a share that exhausts it nearly always; the negative control that starts again is caught."""
    monkeypatch.setattr(module, "private_share", lambda n_public: 0.5)
    learner = reduction(400, 40)
    own = marked(learner.own_size)

    def used() -> list[float]:
        points = learner.samples(own, np.random.default_rng(0))[0].points
        return points[points >= 10].tolist()

    assert used() == [10.0]
    monkeypatch.setattr(module, "private_sample", twice)
    assert len(used()) > len(set(used()))


def test_a_public_sample_of_private_points_is_caught() -> None:
    """Its cover depends on the private sample: outcomes that are possible on one side only."""
    audit = enumeration.Audit(2, 0.5)

    def distribution(data):
        public = as_sample(data).points
        cover = Thresholds().cover(public)

        def inner(sample):
            return outcomes(SSPP(1.0).output_distribution(cover, sample.points, sample.labels))

        return enumeration.output_distribution(enumeration.input_distribution(data, audit), inner)

    assert exact_privacy_loss(distribution, [examples(enumeration.DOMAIN)] * 2).loss == math.inf


def test_a_wrong_subsampling_rate_is_caught() -> None:
    """The exact loss exceeds the value at a share that is too small."""
    distribution_of = enumeration.audited(enumeration.Audit(1, 0.5))
    loss = exact_privacy_loss(
        distribution_of(enumeration.sspp_distribution(1.0, "exponential", "whole domain")),
        [examples(enumeration.DOMAIN)],
    )
    assert loss.loss > bounds.subsampled_epsilon(1.0, 3, 0.1)


def test_delta_carries_over() -> None:
    distribution_of = enumeration.audited(enumeration.Audit(1, 0.5))
    least_delta = exact_delta(
        distribution_of(enumeration.disclosing_distribution(0.1)), [examples(enumeration.DOMAIN)], 0.0
    )
    assert least_delta == pytest.approx(0.1 * 0.5), "the first place holds the example with probability 1/2"


# ---------------------------------------------------------------------------------------------------- claims
@pytest.fixture(scope="module")
def measured_findings() -> dict:
    return findings(claims, Simulation(21), 0.04)


def test_all_claims_of_the_study(measured_findings: dict) -> None:
    assert set(measured_findings) == set(studies()["abm19_reduction"].claims)
    assert measured_findings["ABM19-C4.5"].verdict is Verdict.HOLDS
    assert measured_findings["ABM19-C4.6-printed"].verdict is Verdict.REFUTED
    assert measured_findings["ABM19-C4.6"].verdict is Verdict.HOLDS
    assert "1/21" in measured_findings["ABM19-C4.6"].constants
    for claim in ("ABM19-E2", "ABM19-E3", "ABM19-L4.4"):
        assert measured_findings[claim].verdict is Verdict.INCONCLUSIVE, "too few runs"
        assert Verdict.VIOLATED not in {row.verdict for row in measured_findings[claim].measurements}


def test_enough_runs_decide() -> None:
    assert claims.exhaustion(Run(Simulation(1), 0.8)).verdict is Verdict.HOLDS
    assert claims.substitution(Run(Simulation(1), 0.5)).verdict is Verdict.HOLDS


def test_the_literal_event_is_refuted(measured_findings: dict) -> None:
    """In rational arithmetic; the event that the proof needs is another claim, and says that it is a repair."""
    finding = measured_findings["ABM19-E2-literal"]
    assert finding.verdict is Verdict.REFUTED
    judged = [row for row in finding.measurements if row.verdict is not None]
    assert len(judged) == 9
    for row in finding.measurements:
        assert (row.measured.value > 0.01) == (row.settings["own_size"] <= 2)
        assert row.verdict in (None, Verdict.REFUTED if row.settings["own_size"] <= 2 else Verdict.HOLDS)
        assert row.trials == 0
    assert "1 - .99^9 = .0865" in finding.reason
    assert pytest.approx(1 - 0.99**9, abs=5e-5) == 0.0865
    assert finding.deciding.measured.value == pytest.approx(0.09508, abs=1e-5)
    assert measured_findings["ABM19-E2"].constants.startswith("repaired")
    assert {row.settings.get("reading") for row in measured_findings["ABM19-E2"].measurements} == {None}


def test_each_counterexample_alone_refutes_the_literal_event(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in [*claims.EXACT_SIZES, None]:
        monkeypatch.setattr(
            claims,
            "exhaustion_fraction",
            lambda n, m, reading, wrong=wrong: Fraction(101 if (m, n // (10 * m)) == wrong else 99, 10_000),
        )
        finding = claims.early_exit(EXACT)
        assert finding.verdict is (Verdict.HOLDS if wrong is None else Verdict.REFUTED)
        assert ("no counterexample" in finding.reason) == (wrong is None)


def test_each_size_alone_violates_exhaustion(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong probability among the exact ones, the limits, the union bounds; runs that contradict them."""
    right = {name: getattr(claims, name) for name in ("exhaustion_probability", "exhaustion_limit", "exhaustion_bound")}
    monkeypatch.setattr(claims, "PRIVATE_SAMPLES", {})
    assert claims.exhaustion(Run(Simulation(1), 1.0)).verdict is Verdict.HOLDS
    sizes = [(n, m) for n, m, _ in claims._exhaustion_sizes()]
    assert len(sizes) == 56
    wrong = [("exhaustion_probability", size) for size in sizes]
    wrong += [(name, (size,)) for name in ("exhaustion_limit", "exhaustion_bound") for size in (1, 2, 3, 10)]
    for name, at in wrong:
        with monkeypatch.context() as patch:
            patch.setattr(claims, name, lambda *a, name=name, at=at: 0.0101 if a[: len(at)] == at else right[name](*a))
            assert claims.exhaustion(Run(Simulation(1), 1.0)).verdict is Verdict.VIOLATED, (name, at)


@pytest.mark.parametrize("size", claims.PRIVATE_SAMPLES)
def test_runs_of_one_size_alone_violate_exhaustion(monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    """Too many private examples are drawn at one pair of sizes, in runs only.

    Of 400 runs a tenth is caught but with probability 3e-6: the limits of 16 are beyond the bound.
    """
    right, samples = PublicDataReduction.samples, claims.PRIVATE_SAMPLES

    def often(learner: PublicDataReduction, own: Sample, generator: np.random.Generator) -> tuple:
        private, public, exhausted = right(learner, own, generator)
        return (
            private,
            public,
            exhausted or ((learner.n_public, learner.n_private) == size and generator.random() < 0.1),
        )

    monkeypatch.setattr(claims, "PRIVATE_SAMPLES", dict.fromkeys(samples, 400))
    if size == next(iter(samples)):
        assert claims.exhaustion(Run(Simulation(1), 1.0)).verdict is not Verdict.VIOLATED
    monkeypatch.setattr(PublicDataReduction, "samples", often)
    assert claims.exhaustion(Run(Simulation(1), 1.0)).verdict is Verdict.VIOLATED


def test_printed_constants_that_added_up_would_hold(measured_findings: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the three sums alone refutes the claim; exact probabilities are for the record, and counted in words."""
    finding = measured_findings["ABM19-C4.6-printed"]
    assert [row.verdict for row in finding.measurements] == [Verdict.REFUTED] * 3 + [None] * 27
    assert finding.deciding.measured.value == pytest.approx(1 / 18 + 0.02)
    counted = "1/18 + exhaustion <= 1/17: 6 of 9, 1/17 + shift <= 1/16: 0 of 9, 1/18 + exhaustion + shift <= 1/16: 0 of"
    assert counted in finding.reason
    for wrong in ("a", "b", "c", None):
        steps = {step: (Fraction(1, 15 if step == wrong else 17), Fraction(1, 16)) for step in "abc"}
        monkeypatch.setattr(claims, "printed_steps", lambda steps=steps: steps)
        assert claims.printed_constants(EXACT).verdict is (Verdict.HOLDS if wrong is None else Verdict.REFUTED)


@pytest.mark.parametrize("place", [module, runs])
def test_a_share_ten_times_too_large_is_caught(monkeypatch: pytest.MonkeyPatch, place) -> None:
    """In PrivSamp by its exhaustion; in the simulated mixture by the public sample."""
    monkeypatch.setattr(place, "private_share", lambda n_public: 1 / (10 * n_public))
    study = claims.exhaustion if place is module else claims.substitution
    assert study(Run(Simulation(3), 0.2)).verdict is Verdict.VIOLATED


def test_wrong_formulas_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(claims, "exhaustion_probability", lambda n, m, r="needed more": 0.02)
        assert claims.exhaustion(Run(Simulation(3), 0.02)).verdict is Verdict.VIOLATED
    with monkeypatch.context() as patch:
        patch.setattr(claims, "unsubstituted_probability", lambda n: 0.97)
        assert claims.substitution(Run(Simulation(3), 0.2)).verdict is Verdict.VIOLATED
    with monkeypatch.context() as patch:
        patch.setattr(claims, "subsampled_epsilon", lambda *a: bounds.subsampled_epsilon(*a) / 2)
        assert claims.privacy(EXACT).verdict is Verdict.VIOLATED


def test_the_identity_needs_fair_labels() -> None:
    assert claims.mixture_identity(6, np.random.default_rng(0)) < 1e-15
    d, d0, p, biased = np.array([0.5, 0.5]), np.array([0.3, 0.7]), 0.01, 0.6
    target, wrong = np.array([True, False]), np.array([False, False])
    error = [np.where(h, p * d * ~target + (1 - p) * d0 * (1 - biased), p * d * target + (1 - p) * d0 * biased).sum()
             for h in (target, wrong)]  # fmt: skip
    assert abs(error[1] - error[0] - p * 0.5) > 1e-3, "with biased labels the excess is not p err(h; D)"


def test_too_few_errors_have_no_accuracy_level() -> None:
    generator = np.random.default_rng(2)
    with pytest.raises(ValueError, match="too few"):
        claims.accuracy_level(generator.random(50), 0.05, 1e-6)


@pytest.mark.parametrize(("n", "failure", "level"), [(200, 0.05, 0.1), (2000, 1 / 21, 1e-4), (1500, 1 / 18, 0.01)])
def test_as_many_errors_exceed_the_accuracy_level_as_its_confidence_allows(n, failure, level) -> None:
    """Exactly: with one or two more, a true quantile would be missed more often than the level."""
    errors = np.random.default_rng(n).permutation(n) / n
    beyond = int(np.count_nonzero(errors > claims.accuracy_level(errors, failure, level)))
    assert binom.cdf(beyond, n, failure) <= level < binom.cdf(beyond + 2, n, failure)


def test_an_inaccurate_reduction_is_caught(measured_findings: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """A's accuracy against a B that is worse with probability 3 %; a second A with a thousandth of the data."""
    generator = np.random.default_rng(5)
    cell = claims.SETUPS[0]
    of_a, of_b = generator.random(30_000), np.where(generator.random(30_000) < 0.03, 1.0, generator.random(30_000))
    monkeypatch.setattr(claims, "pairs", lambda *_: {cell: (of_a, of_b)})
    assert claims.accuracy(EXACT).verdict is Verdict.VIOLATED
    monkeypatch.setattr(claims, "pairs", lambda *_: {cell: (of_a, np.minimum(1.0, of_a + 0.05))})
    transferred = claims.transfer(Run(Simulation(4), 0.05))
    assert transferred.measurements[0].verdict is Verdict.VIOLATED
    right = claims.private_size
    monkeypatch.setattr(claims, "private_size", lambda *a: right(*a) // 1000)
    table = Table(Run(Simulation(2), 0.1), Simulation(2))
    claims._second(table, (3, 5), 1e-6)
    verdicts = {row.quantity.startswith("control"): row.verdict for row in table.rows}
    assert verdicts == {False: Verdict.VIOLATED, True: Verdict.HOLDS}


def test_a_control_that_is_accurate_leaves_the_lemma_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "CONTROL", 5)
    table = Table(Run(Simulation(2), 0.5), Simulation(2))
    claims._second(table, (3, 5), 1e-6)
    assert [row.verdict for row in table.rows] == [Verdict.HOLDS] * 2 + [Verdict.INCONCLUSIVE] * 2


def test_limits_of_a_difference_are_those_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """P[err(A) <= .4] - P[err(B) <= .4] is least with the first at its lower limit and the second at its upper one."""
    for name in ("_second", "_real"):
        monkeypatch.setattr(claims, name, lambda *_: None)
    counts, runs_of_each = (900, 700), 1000
    of_a, of_b = (np.repeat([0.0, 1.0], [count, runs_of_each - count]) for count in counts)
    cell = next(setup for setup in claims.SETUPS if setup.marginals == "disjoint")
    monkeypatch.setattr(claims, "pairs", lambda *_: {cell: (of_a, of_b)})
    _, row = claims.transfer(EXACT).measurements
    (low, high), (least, most) = (clopper_pearson(count, runs_of_each, GATE_LEVEL / 24) for count in counts)
    assert row.measured.value == pytest.approx(0.2)
    assert row.measured.low == pytest.approx(low - most)
    assert row.measured.high == pytest.approx(high - least)


@pytest.mark.parametrize(
    ("cell", "share"),
    [
        (runs.Setup(1, 20_000, "equal", "upper"), None),
        (runs.Setup(3, 900, "equal", epsilon=0.2), 0.15),
        (runs.Setup(2, 4_000, "disjoint", "lower"), None),
    ],
    ids=str,
)
def test_counts_have_the_distribution_of_the_learner(cell: runs.Setup, share: float | None) -> None:
    """At the paper's share, and at one that exhausts the private sample always."""
    with pytest.MonkeyPatch.context() as patch:
        for place in (module, runs) if share else ():
            patch.setattr(place, "private_share", lambda n_public: share)
        real = runs.real_errors(cell, 1000, Simulation(6))
        counts = cell.errors(True, 20_000, np.random.default_rng(7))
        assert ks_2samp(real, counts).pvalue > 1e-4
        assert kolmogorov_smirnov(real, counts) == pytest.approx(ks_2samp(real, counts).statistic)


def test_choice_from_counts_follows_the_exponential_mechanism() -> None:
    """Against the package's mechanism on mistakes counted example by example; one threshold is not allowed."""
    generator, epsilon = np.random.default_rng(0), 0.7
    positives, zeros = np.array([3, 0, 4, 2, 1]), np.array([1, 4, 1, 0, 2])
    allowed = np.array([True, True, False, True])
    cells = np.repeat(np.arange(5), positives + zeros)
    labels = np.concatenate([np.repeat([1, 0], pair) for pair in zip(positives, zeros, strict=True)])
    mistakes = np.array([np.count_nonzero((cells > k) != labels) for k in range(4)])
    distribution = np.zeros(4)
    distribution[allowed] = np.exp(ExponentialMechanism(epsilon).log_probabilities(-mistakes[allowed]))
    draws = 20_000
    chosen = runs.choose(*(np.tile(a, (draws, 1)) for a in (positives, zeros, allowed)), epsilon, generator)
    counts = np.bincount(chosen, minlength=4)
    assert counts[2] == 0
    assert chisquare(counts[allowed], draws * distribution[allowed]).pvalue > 1e-4


@pytest.mark.parametrize("marginals", ["equal", "disjoint"])
def test_counts_have_the_distribution_of_a_on_the_mixture(marginals: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A_SSPP itself on samples of p D + (1 - p) D0, made example by example, at a share of .3."""
    cell = runs.Setup(10, 30, marginals, "upper", epsilon=4.0)
    share, generator, randomness, all_gaps = 0.3, np.random.default_rng(1), Simulation(3), []
    learner = SSPP(cell.epsilon, representative="upper")

    def mixture(n: int) -> tuple[np.ndarray, np.ndarray]:
        of_d = generator.random(n) < share
        points = generator.random(n) + np.where(of_d | (marginals == "equal"), 0.0, 1.0)
        return points, np.where(of_d, points >= 0.5, generator.random(n) < 0.5)

    for _ in range(1500):
        prepared = learner.prepare(mixture(cell.n_public)[0], Thresholds())
        chosen = learner.release(prepared, *mixture(cell.n_private), randomness).output.parameters[0]
        all_gaps.append(abs(np.clip(chosen, 0.0, 1.0) - 0.5))
    assert ks_2samp(all_gaps, cell.errors(False, 20_000, np.random.default_rng(7))).pvalue < 1e-10, "the share matters"
    monkeypatch.setattr(runs, "private_share", lambda n_public: share)
    assert ks_2samp(all_gaps, cell.errors(False, 20_000, np.random.default_rng(7))).pvalue > 1e-4


def test_the_second_learner_has_the_distribution_of_its_counts() -> None:
    """FixedGrid wrapped by the reduction, on atoms, against the counts; target between the atoms."""
    grid, target = runs.Grid(4, 3_000, epsilon=0.5), 3
    learner = PublicDataReduction(FixedGrid(0.5, size=4), grid.n_private, 1, DiscreteGrid(size=4))
    prepared, randomness, averages = learner.prepare([], Thresholds()), Simulation(2), []
    atoms = np.linspace(0, 1, 4)
    for _ in range(1500):
        place = randomness.generator.integers(0, 4, learner.own_size)
        release = learner.release(prepared, atoms[place], place >= target, randomness)
        averages.append(np.mean(release.output.predict(atoms) != (np.arange(4) >= target)))
    counts = grid.errors(target, 20_000, np.random.default_rng(1))
    values = np.arange(5) / 4
    observed = [np.isclose(averages, v).sum() for v in values]
    expected = np.array([np.isclose(counts, v).mean() for v in values]) * 1500
    kept = expected > 5
    assert (
        chisquare(
            np.array(observed)[kept], expected[kept] * np.array(observed)[kept].sum() / expected[kept].sum()
        ).pvalue
        > 1e-4
    )
    assert kept.sum() >= 3


def test_errors_at_the_sizes_of_the_paper() -> None:
    """n_public 20, n_private 1e9: mean error .019 of A and B, the 17/18-quantile about .048."""
    cell = runs.Setup(20, 10**9, "equal")
    for which in (False, True):
        errors = cell.errors(which, 4000, np.random.default_rng(9))
        assert errors.mean() == pytest.approx(0.019, abs=0.0012)
        assert np.quantile(errors, 17 / 18) == pytest.approx(0.049, abs=0.003)


def test_deviation_bounds_the_empirical_distribution_function() -> None:
    generator = np.random.default_rng(0)
    samples = np.sort(generator.random((3000, 200)), axis=1)
    ranks = np.arange(200)
    distance = np.maximum(np.abs(samples - ranks / 200), np.abs(samples - (ranks + 1) / 200)).max(axis=1)
    assert 0.03 < np.mean(distance > empirical_deviation(200, 0.05)) <= 0.062


# ---------------------------------------------------------------------------------------------------- the figure
def test_figure(measured_findings: dict, tmp_path: Path) -> None:
    """Each probability stands beside its constant, and says whether it is a theorem."""
    write_findings(measured_findings, tmp_path / "rows.parquet", tmp_path / "measurements.parquet")
    apply_style()
    figure = draw(Results({"measurements": tmp_path / "measurements.parquet"}))
    titles = [axes.get_title() for axes in figure.axes]
    assert [title.partition(":")[0] for title in titles] == ["theorem", "theorem", "illustration"]
    for axes, constant in zip(figure.axes, (0.01, 0.01, 1 / 16), strict=True):
        assert any(line.get_ydata()[0] == line.get_ydata()[-1] == constant for line in axes.get_lines())
    plotted = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    assert len(plotted - {"exactly 0"}) == 10
    plt.close(figure)
