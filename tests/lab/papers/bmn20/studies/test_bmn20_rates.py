"""The studies of theorem 4.6: distributions against listing and enumeration, verdicts, figure, controls."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, StatusModel
from semipriv.core.statistics import Verdict, clopper_pearson
from semipriv.papers.bmn20.bounds.sizes import wrong_atoms
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv_lab.ledger.claim import Run, findings
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.papers.bmn20.studies import bounds as bmn20_bounds
from semipriv_lab.papers.bmn20.studies import rates as bmn20_rates
from semipriv_lab.papers.bmn20.studies._distributions import (
    LINE,
    Atoms,
    drawn,
    line_distribution,
    line_listing,
    plane_distribution,
    prepared,
)
from semipriv_lab.papers.bmn20.studies.bounds import FAILURES, GAP, HOSTILE, NARROW, SMALLER, UNCOVERED, Case, Uniform
from semipriv_lab.papers.bmn20.studies.rates import MEAN, PRICE, SLOPE, WRONG, Values

REALIZABLE, AGNOSTIC, COMPRESSION = "BMN20-T4.6-realizable", "BMN20-T4.6-agnostic", "BMN20-T4.6-compression"
REALIZABLE_RATE, AGNOSTIC_RATE = "BMN20-T4.6-realizable-rate", "BMN20-T4.6-agnostic-rate"


def realizable(cells: list[Values]) -> Finding:
    """The finding on the realizable rate for these errors, beside those of a slower negative control."""
    at_settings = {"distribution": "uniform", "epsilon": 0.0, "learner": bmn20_rates.CONTROL}
    slower = [
        Values(MEAN, at_settings | {"n": n}, n**-0.5 * np.linspace(0.99, 1.01, 30)) for n in bmn20_rates.LINE_SIZES
    ]
    cells = [*cells, *slower]
    return bmn20_rates.realizable_rate(Run(Simulation(0), 1.0, {bmn20_rates.mean_errors: {False: cells}}))


def agnostic(cells: list[Values], effort: float, seed: int) -> Finding:
    return bmn20_rates.agnostic_rate(Run(Simulation(seed), effort, {bmn20_rates.mean_errors: {True: cells}}))


def distribution_of(sample: MixedSample, epsilon: float, grid=None):
    """A_LearnHalf's listed distribution, its predictors, and the mistakes of each hypothesis on the whole sample."""
    h, learner = Halfspaces(sample.points.shape[1]), LearnHalf(epsilon, grid=grid)
    public, private = sample.public_examples, sample.private_examples
    prepared = learner.prepare(public.points, h, public.labels)
    distribution = learner.output_distribution(prepared, private.points, private.labels)
    wrong = prepared.functions.predict(distribution.parameters, sample.points) != sample.labels
    return distribution, prepared.functions, wrong.sum(axis=1)


# ---------------------------------------------------------------------------------------------------- distributions
@pytest.mark.parametrize("cells", [None, 8])
@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_listing_on_the_line_is_the_learner(rate, cells):
    """Mistakes, exact errors and mean error of the draw: from A_LearnHalf's own distribution, for each hypothesis of G.

    cells: all examples of each cell are moved to its middle, so that public and private ones meet.
    """
    for seed in range(5):
        sample = line_distribution(rate).mixed_sample(40, Simulation(seed))
        if cells:
            middles = (np.floor(sample.points * cells) + 0.5) / cells
            sample = MixedSample(middles, sample.labels, sample.private, StatusModel.LABEL_DETERMINED)
        listing = line_listing(sample, rate)
        distribution, predictors, mistakes = distribution_of(sample, 0.7, LINE)
        errors = line_distribution(rate).exact_errors(predictors, distribution.parameters) - rate
        own, other = (
            np.array(sorted(zip(*pair, strict=True))) for pair in ((mistakes, errors), vars(listing).values())
        )
        assert own == pytest.approx(other, abs=1e-12)
        assert listing.expected_excess(0.7) == pytest.approx(np.exp(distribution.log_probabilities) @ errors, rel=1e-9)


def test_plane_distribution():
    distribution = plane_distribution(0.25, 0.1)
    sample = distribution.mixed_sample(20_000, Simulation(0))
    assert np.array_equal(sample.private, sample.labels == 1)
    assert distribution.best_error(Halfspaces(2)).value == 0.1
    low, high = clopper_pearson(int(np.sum(sample.labels == 0)), 20_000)
    assert low < 0.25 * 0.9 + 0.75 * 0.1 < high


@pytest.mark.parametrize(("d", "count"), [(1, 6), (2, 7), (3, 6)])
def test_listing_on_atoms_is_the_learner(d, count):
    """Every function of G with its mistakes and its excess error, and no other; also where points are collinear."""
    generator = np.random.default_rng(d)
    for trial in range(4):
        distribution = Atoms.drawn(count, d, 0.2, 1.0, generator)
        if trial == 3 and d > 1:
            points = np.outer(np.arange(count), np.arange(1, d + 1))
            distribution = Atoms(points, distribution.mass, distribution.eta)
        sample = distribution.sample(12, generator)
        learned, predictors, mistakes = distribution_of(sample, 1.0)
        excess = distribution.excess(predictors, learned.parameters)
        cover, _ = prepared(sample, None, d)
        listing = distribution.listing(cover.family, sample)
        own = {(int(m), round(float(e), 12) + 0.0) for m, e in zip(mistakes, excess, strict=True)}
        other = {(int(m), round(float(e), 12) + 0.0) for m, e in zip(listing.mistakes, listing.excess, strict=True)}
        assert own == other


def test_atoms():
    generator = np.random.default_rng(5)
    distribution = Atoms.drawn(9, 2, 0.1, 3.0, generator)
    assert distribution.mass.sum() == pytest.approx(1)
    assert distribution.mass.max() / distribution.mass.min() == pytest.approx(1000)
    assert distribution.best == pytest.approx(0.1)
    gain = distribution.mass * (2 * distribution.eta - 1)
    best = Halfspaces(2).minimise(distribution.points, np.ones(9, np.int8), gain).value
    assert best == pytest.approx(gain[gain < 0].sum())  # a halfspace that is 1 exactly where eta > 1/2
    values = distribution.excess(Halfspaces(2), np.array([[0, 0, 1.0], [0, 0, -1.0]]))
    assert distribution.constant == pytest.approx(values.min())
    sample = distribution.sample(30_000, generator)
    assert np.array_equal(sample.private, sample.labels == 1)
    for point, mass, eta in zip(distribution.points, distribution.mass, distribution.eta, strict=True):
        here = np.all(sample.points == point, axis=1)
        for hits, trials, p in ((here.sum(), 30_000, mass), (sample.labels[here].sum(), here.sum(), eta)):
            low, high = clopper_pearson(int(hits), int(trials))
            assert low <= p <= high


def test_draws_are_those_of_the_learner():
    sample = line_distribution(0.2).mixed_sample(50, Simulation(2))
    public, private = sample.public_examples, sample.private_examples
    cover, tally = prepared(sample, LINE, 1)
    for epsilon in (0.1, 1.0):
        learner, stream = LearnHalf(epsilon, grid=LINE), Simulation(3).spawn(repr(epsilon))
        again = Simulation(3).spawn(repr(epsilon))
        release = learner.release(
            learner.prepare(public.points, Halfspaces(1), public.labels), private.points, private.labels, stream
        )
        assert np.array_equal(drawn(tally, epsilon, again), release.output.parameters)
        assert release.cost["cover_size"] == cover.size


# ---------------------------------------------------------------------------------------------------- hard distribution
def test_wrong_atoms_by_enumeration():
    """All label counts at two atoms, weights of the five hypotheses from their mistakes."""
    for n, epsilon, gap in ((5, 1.0, 0.2), (8, 0.3, 0.1), (7, 2.0, 0.0)):
        total = 0.0
        for counts in product(range(n + 1), repeat=3):
            if sum(counts) > n:
                continue
            a, b, c = counts  # ones at 0, zeros at 0, ones at 1
            e = n - a - b - c
            ways = math.factorial(n) // math.prod(map(math.factorial, (a, b, c, e)))
            p = ways * (0.25 - gap / 2) ** (a + e) * (0.25 + gap / 2) ** (b + c)
            mistakes = {(0, 0): a + c, (0, 1): a + e, (1, 0): b + c, (1, 1): b + e}
            weights = {f: math.exp(-epsilon / 2 * m) * (2 if f == (0, 0) else 1) for f, m in mistakes.items()}
            wrong = sum(w * ((f[0] != 0) + (f[1] != 1)) for f, w in weights.items())
            total += p * wrong / sum(weights.values())
        assert wrong_atoms(n, epsilon, gap) == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize(
    ("epsilon", "exact"), [(0.3, (0.748, 0.539, 0.489)), (1.0, (0.556, 0.490, 0.482)), (3.0, (0.496, 0.483, 0.480))]
)
def test_wrong_atoms_as_simulated_elsewhere(epsilon, exact):
    computed_wrong_atoms = [wrong_atoms(n, epsilon, bmn20_rates.gap(n)) for n in (100, 1600, 25_600)]
    assert computed_wrong_atoms == pytest.approx(exact, abs=0.002)
    assert wrong_atoms(100, 0.0, 0.05) == pytest.approx(1)


def test_the_hard_distribution_is_hard():
    distribution = bmn20_rates.hard_distribution(400)
    assert bmn20_rates.gap(400) == 0.025
    assert distribution.best == 0.475
    assert distribution.excess(Halfspaces(1), np.array([[1, -0.5], [-1, 0.5], [0, 1]])) == pytest.approx(
        [0, 0.05, 0.025]
    )
    assert bmn20_rates._hard_trials(60, 7, Simulation(0)).shape == (7, 3)


def test_wrong_labels_are_those_of_the_learners_distribution():
    """On samples drawn from the hard distribution, and on samples without zeros at one atom or at both."""
    samples = [bmn20_rates.hard_distribution(60).sample(60, Simulation(trial).generator) for trial in range(8)]
    for zeros in ((3, 0), (0, 2), (0, 0)):
        points, labels = np.repeat([0.0, 1, 0, 1], [*zeros, 2, 4])[:, None], np.repeat([0, 1], [sum(zeros), 6])
        samples.append(MixedSample(points, labels, labels == 1))
    counts = [[np.sum((s.labels == y) & (s.points[:, 0] == x)) for y in (0, 1) for x in (0, 1)] for s in samples]
    values = bmn20_rates.wrong_labels(np.array(counts), (0.3, 1.0, 3.0))
    for sample, value in zip(samples, values, strict=True):
        for epsilon, wrong_labels_of_epsilon in zip((0.3, 1.0, 3.0), value, strict=True):
            distribution, predictors, _ = distribution_of(sample, epsilon)
            wrong = (predictors.predict(distribution.parameters, [[0.0], [1.0]]) != [0, 1]).sum(axis=1)
            assert wrong_labels_of_epsilon == pytest.approx(np.exp(distribution.log_probabilities) @ wrong, rel=1e-9)


# ---------------------------------------------------------------------------------------------------- exponents
def test_exponent_and_its_limits():
    """Exact for powers of n; 95 % limits hold about as often as they say where means are random."""
    exact = [Values(MEAN, {"n": n}, np.full(3, 5.0 / n)) for n in (10, 30, 200)]
    slope = bmn20_rates._exponent(exact, {}, -0.9)
    assert vars(slope.measured).values() == pytest.approx([-1, -1, -1])
    assert slope.verdict is Verdict.HOLDS
    assert bmn20_rates._exponent(exact, {}, -1.1).verdict is Verdict.VIOLATED
    generator, covered = np.random.default_rng(0), 0
    for _ in range(400):
        cells = [Values(MEAN, {"n": n}, generator.exponential(5 / n, 60)) for n in (50, 100, 200, 400)]
        limits = bmn20_rates._exponent(cells, {}).measured
        covered += limits.low <= -1 <= limits.high
    low, high = clopper_pearson(covered, 400, 1e-3)
    assert low < 0.95
    assert high > 0.9


SMALL = {
    "LINE_SIZES": (100, 1000, 10_000),
    "PLANE_SIZES": {0.25: (50, 100), 0.5: (50, 200)},
    "HARD_SIZES": (100, 400, 1600),
    "LINE_EPSILONS": (1.0,),
    "RECORD_TRIALS": 40,
}


def rates(monkeypatch, effort=0.06, **changes):
    for name, value in (SMALL | changes).items():
        monkeypatch.setattr(bmn20_rates, name, value)
    run = Run(Simulation(4), effort)
    return {
        claim_of_rates.id: claim_of_rates(run)
        for claim_of_rates in (bmn20_rates.realizable_rate, bmn20_rates.agnostic_rate)
    }


@pytest.fixture(scope="module")
def measured_findings():
    with pytest.MonkeyPatch.context() as patch:
        return rates(patch)


def test_small_studies_of_the_rates(measured_findings):
    """Few trials: never violated, every quantity there, limits near what they must be near."""
    assert set(measured_findings) == {REALIZABLE_RATE, AGNOSTIC_RATE}
    assert all(finding.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE) for finding in measured_findings.values())
    line, *_ = (row for row in measured_findings[REALIZABLE_RATE].measurements if row.quantity == SLOPE)
    assert -1.2 < line.measured.value < -0.85
    quantities = {row.quantity for finding in measured_findings.values() for row in finding.measurements}
    exponents = {SLOPE, bmn20_rates.EXACT_SLOPE, bmn20_rates.BOUND_SLOPE}
    exponents |= {f"control: {SLOPE}, {bmn20_rates.CONTROL}", f"control: {WRONG}"}
    assert {MEAN, PRICE, WRONG, bmn20_rates.EMPIRICAL} | exponents == quantities
    for row in measured_findings[AGNOSTIC_RATE].measurements:
        if row.quantity == WRONG and row.trials:
            assert row.verdict is not Verdict.VIOLATED
            assert row.trials == 180
            assert row.measured.high < 1  # what a draw blind to the data has
    assert "samples of each size are too few" in measured_findings[AGNOSTIC_RATE].reason


def test_price_and_errors_are_below_their_bounds(measured_findings):
    for finding in measured_findings.values():
        for row in finding.measurements:
            if row.quantity in (MEAN, PRICE) and row.bound is not None:
                assert row.measured.value < row.bound
    price = [
        row
        for row in measured_findings[REALIZABLE_RATE].measurements
        if row.quantity == PRICE and row.settings["n"] == 200
    ]
    assert [row.settings["epsilon"] for row in price] == list(bmn20_rates.PRICES)
    assert np.all(np.diff([row.measured.value for row in price]) < 0)


def test_empirical_errors_are_in_order(measured_findings):
    """G has a hypothesis at least as good as the best halfspace, the draw is no better than that."""
    cells = {}
    for finding in measured_findings.values():
        for row in finding.measurements:
            if row.quantity == bmn20_rates.EMPIRICAL:
                at_settings = tuple(row.settings[key] for key in ("n", "rate", "share"))
                cells.setdefault(at_settings, {})[row.settings["learner"], row.settings["epsilon"]] = row.measured.value
    assert len(cells) == 8
    for values in cells.values():
        assert values["best of G", 0.0] <= values[bmn20_rates.ERM, 0.0]
        assert values["best of G", 0.0] <= values[bmn20_rates.LEARN_HALF, 1.0]


EXPECTED = bmn20_rates.line_listing
NONE = {"PLANE_SIZES": {0.25: (50, 100), 0.5: (50, 100)}, "PLANE_TRIALS": {50: 40, 100: 40}, "RECORD_TRIALS": 1}


class Slow:
    """A mean error like the square root of the true one: the exponent halves."""

    def __init__(self, listing):
        self.mistakes, self.listing = listing.mistakes, listing

    def expected_excess(self, epsilon):
        return math.sqrt(self.listing.expected_excess(epsilon))


def test_a_slower_rate_is_caught(monkeypatch):
    monkeypatch.setattr(bmn20_rates, "line_listing", lambda sample, rate: Slow(EXPECTED(sample, rate)))
    finding = rates(monkeypatch, 0.1, HARD_TRIALS=20, **NONE)[REALIZABLE_RATE]
    assert finding.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("control", ["blind", "half the rate", "no gap"])
def test_wrong_controls_of_the_hard_distribution_are_caught(monkeypatch, control):
    """A draw that does not look at the data has the same exponent, but another number of wrong labels."""
    right = bmn20_rates.wrong_labels
    if control == "blind":
        monkeypatch.setattr(bmn20_rates, "wrong_labels", lambda *given: right(*given) * 0.1 + 0.95)
    elif control == "half the rate":
        monkeypatch.setattr(bmn20_rates, "wrong_atoms", lambda n, epsilon, gap: wrong_atoms(n, epsilon / 2, gap))
    else:
        monkeypatch.setattr(bmn20_rates, "wrong_atoms", lambda n, epsilon, gap: wrong_atoms(n, epsilon, 0.0))
    monkeypatch.setattr(bmn20_rates, "HARD_SIZES", (100, 400))
    cells = [
        Values(
            MEAN,
            {"distribution": distribution, "share": s, "epsilon": e, "n": n, "learner": bmn20_rates.LEARN_HALF},
            np.ones(3),
        )
        for distribution, s, e in (
            ("uniform", 0.5, 0.1),
            ("uniform", 0.5, 1.0),
            *(("normal", s, e) for s in (0.25, 0.5) for e in (0.3, 1.0, 3.0)),
        )
        for n in (10, 20)
    ]
    finding = agnostic(cells, 0.15, 1)
    rows = [row for row in finding.measurements if row.quantity == WRONG and row.verdict is not None]
    assert Verdict.VIOLATED in {row.verdict for row in rows}
    assert finding.verdict is Verdict.VIOLATED


# ---------------------------------------------------------------------------------------------------- each row decides
def test_allowed_exponents():
    """Of the logarithm over n, and of its root: a little above -1 and -1/2, as d^2 = 1 and M_n = 4 n + 1 say."""
    sizes = (100, 1_000, 100_000)
    log_terms = [math.log((4 * n + 1) * 2 / 0.05) / (n - 1) for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(log_terms), 1)[0]
    assert bmn20_rates.realizable_exponent(sizes) == pytest.approx(slope, abs=1e-9)
    assert -1 < slope < -0.9
    assert -0.5 < bmn20_rates.agnostic_exponent(sizes) < -0.45


def powers(exponents):
    """Mean errors that are powers of n, with little noise, for each distribution, share and epsilon."""
    generator = np.random.default_rng(1)
    return [
        Values(
            MEAN,
            {
                "distribution": distribution,
                "share": share,
                "epsilon": epsilon,
                "n": n,
                "learner": bmn20_rates.LEARN_HALF,
            },
            n**exponent * generator.normal(1, 0.01, 40),
        )
        for (distribution, share, epsilon), exponent in exponents.items()
        for n in bmn20_rates.LINE_SIZES
    ]


PLACES = {("uniform", 0.5, 0.1): -1.0, ("uniform", 0.5, 1.0): -1.0} | {
    ("normal", share, epsilon): -0.7 for share in (0.25, 0.5) for epsilon in (0.3, 1.0, 3.0)
}


def failing(finding):
    return [row for row in finding.measurements if row.verdict not in (None, Verdict.HOLDS)]


@pytest.mark.parametrize("epsilon", bmn20_rates.LINE_EPSILONS)
def test_each_exponent_on_the_line_decides(epsilon):
    assert realizable(powers(PLACES)).verdict is Verdict.HOLDS
    finding = realizable(powers(PLACES | {("uniform", 0.5, epsilon): -0.88}))
    (row,) = failing(finding)
    assert (row.quantity, row.settings["epsilon"]) == (SLOPE, epsilon)
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding == row


def test_gates_share_their_level(monkeypatch):
    """Limits of each judged row are those at the level over the number of rows that are judged and simulated."""
    cells = powers(PLACES)
    finding = realizable(cells)
    judged = [row for row in finding.measurements if row.verdict is not None]
    assert len(judged) == 3
    for row in judged[1:]:
        again = bmn20_rates._exponent(
            cells, {"distribution": "uniform", "epsilon": row.settings["epsilon"]}, None, 1e-4 / 3
        )
        assert row.measured == again.measured
    seen, right = [], bmn20_rates.mean_interval
    monkeypatch.setattr(
        bmn20_rates, "mean_interval", lambda values, level=0.05: seen.append(level) or right(values, level)
    )
    slopes, exponent = [], bmn20_rates._exponent
    monkeypatch.setattr(
        bmn20_rates,
        "_exponent",
        lambda cells, at_settings, allowed=None, level=0.05: (
            slopes.append((allowed, level)) or exponent(cells, at_settings, allowed, level)
        ),
    )
    finding = hard(monkeypatch, lambda n, e: EXACT(n, e, bmn20_rates.gap(n)))
    judged = [row for row in finding.measurements if row.verdict is not None]
    assert len(judged) == 18 + 1
    assert sum(row.trials > 0 for row in judged) == 18
    assert seen[:15] == [1e-4 / 18] * 15
    assert [level for allowed, level in slopes if allowed is not None] == [1e-4 / 18] * 3


def test_all_cells_of_the_plane_are_told():
    reason = realizable(powers(PLACES)).reason
    assert reason.count("-0.70 [") == 6
    assert all(
        f"P[y = 0] = {s:g}, epsilon = {e:g})" in reason for distribution, s, e in PLACES if distribution == "normal"
    )
    assert "not judged" in reason


EXACT = cache(wrong_atoms)


def hard(monkeypatch, wrong, formula=EXACT, noise=0.01):
    """The agnostic claim, with mean numbers of wrong labels as given and little noise."""
    generator = np.random.default_rng(2)

    def trials(n, count, stream):
        means = [wrong(n, epsilon) for epsilon in bmn20_rates.HARD_EPSILONS]
        return np.array(means) * generator.normal(1, noise, (count, len(means)))

    monkeypatch.setattr(bmn20_rates, "_hard_trials", trials)
    monkeypatch.setattr(bmn20_rates, "wrong_atoms", formula)
    return agnostic(powers(PLACES), 0.1, 0)


@pytest.mark.parametrize("epsilon", bmn20_rates.HARD_EPSILONS)
@pytest.mark.parametrize("n", bmn20_rates.HARD_SIZES)
def test_each_number_of_wrong_labels_decides(monkeypatch, n, epsilon):
    """Half as many again for few examples, fewer for many: both make the exponent steeper, which is allowed."""
    factor = 1.5 if n <= 1600 else 0.7

    def wrong(size, e):
        return EXACT(size, e, bmn20_rates.gap(size)) * (factor if (size, e) == (n, epsilon) else 1)

    finding = hard(monkeypatch, wrong)
    (row,) = failing(finding)
    assert (row.quantity, row.settings["n"], row.settings["epsilon"]) == (WRONG, n, epsilon)
    assert finding.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("epsilon", bmn20_rates.HARD_EPSILONS)
def test_each_exponent_on_the_hard_distribution_decides(monkeypatch, epsilon):
    """Numbers of wrong labels that grow, as their formula does."""

    def wrong(n, e, gap=None):
        return EXACT(n, e, gap or bmn20_rates.gap(n)) * (n / 100) ** (0.2 if e == epsilon else 0)

    finding = hard(monkeypatch, wrong, wrong)
    (row,) = failing(finding)
    assert (row.quantity, row.settings["epsilon"]) == (SLOPE, epsilon)
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding == row


def test_wide_limits_leave_it_open(monkeypatch):
    """Limits that hold the exact number are not enough: they are at most a quarter of it apart."""
    finding = hard(monkeypatch, lambda n, e: EXACT(n, e, bmn20_rates.gap(n)), noise=0.7)
    rows = [row for row in finding.measurements if row.quantity == WRONG and row.trials]
    assert {row.verdict for row in rows} == {Verdict.INCONCLUSIVE}
    assert all(0.25 < (row.measured.high - row.measured.low) / row.bound < 0.5 for row in rows)
    assert finding.verdict is Verdict.INCONCLUSIVE


def test_what_the_agnostic_reason_tells(monkeypatch):
    finding = hard(monkeypatch, lambda n, e: EXACT(n, e, bmn20_rates.gap(n)))
    assert finding.verdict is Verdict.HOLDS
    assert "exact: -0.58, -0.52, -0.51; limits exclude -1/2 at epsilon = 0.3, 1" in finding.reason


# ---------------------------------------------------------------------------------------------------- bounds
FEW = (Case(1, 0, 500, (1.0,), 0.2), Case(2, 8, 400, (3.0,), 0.1))
SETS = (Uniform(1, 0, 200, 0.2), Uniform(2, 9, 200, 0.4))


CLAIMS = {
    REALIZABLE: lambda effort: bmn20_bounds.realizable_bounds(Run(Simulation(6), effort)),
    AGNOSTIC: lambda effort: bmn20_bounds.agnostic_bounds(Run(Simulation(6), effort)),
    COMPRESSION: lambda effort: bmn20_bounds.compression(Run(Simulation(6), effort)),
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(bmn20_bounds, "CASES", FEW)
    monkeypatch.setattr(bmn20_bounds, "UNIFORM", SETS)
    monkeypatch.setattr(bmn20_bounds, "LARGE", Uniform(2, 12, 300, 0.2))


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_bounds_hold(claim):
    finding = CLAIMS[claim](0.95)
    assert finding.verdict is Verdict.HOLDS
    judged = [row for row in finding.measurements if row.verdict is not None and row.quantity != HOSTILE]
    hostile = [row for row in finding.measurements if row.quantity == HOSTILE]
    assert len(hostile) == (0 if claim == COMPRESSION else len(bmn20_bounds.CELLS))
    quantity, control = (UNCOVERED, NARROW) if claim == COMPRESSION else (FAILURES, SMALLER)
    assert {row.quantity for row in judged} == {quantity, control}
    assert [row.quantity for row in judged].count(quantity) == (6 if claim == COMPRESSION else 2)
    assert [row.quantity for row in judged].count(control) == 2
    assert all(row.measured.low > 0.05 for row in judged if row.quantity == control)
    assert finding.deciding.quantity == quantity
    assert finding.deciding.measured.high <= 0.05
    gaps = [row for row in finding.measurements if row.quantity == GAP]
    assert all(0 < row.measured.value < row.bound for row in gaps)
    assert "on finite distributions an average: each trial draws its own" in finding.reason


@pytest.mark.parametrize(("claim", "divisor"), [(AGNOSTIC, "PART"), (COMPRESSION, "FIFTH")])
def test_a_control_that_does_not_fail_leaves_it_open(monkeypatch, claim, divisor):
    monkeypatch.setattr(bmn20_bounds, divisor, 1)
    finding = CLAIMS[claim](0.95)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert {row.verdict for row in finding.measurements if row.quantity in (SMALLER, NARROW)} == {Verdict.INCONCLUSIVE}


def test_few_trials_are_inconclusive():
    study_findings = findings(bmn20_bounds, Simulation(6), 0.05)
    assert set(study_findings) == set(CLAIMS)
    for finding in study_findings.values():
        assert finding.verdict is Verdict.INCONCLUSIVE
        assert "15 trials, too few to tell" in finding.reason


def test_released_hypotheses_have_their_exact_errors():
    """Together or one by one; the constant's excess error is what a constant has."""
    for case, realizable in product(FEW, (True, False)):
        runs = [case.trial(realizable, Simulation(trial)) for trial in range(5)]
        together = case.excess(realizable, runs)
        assert together.shape == (5, 1)
        assert together == pytest.approx(np.concatenate([case.excess(realizable, [run]) for run in runs]))
        assert np.all(together >= -1e-12)
        assert all((run.distribution is None) == (case.atoms == 0) for run in runs)


def divided(formula, by):
    return lambda *arguments: formula(*arguments) / by


def hoeffding(empirical, n, d, beta):
    """The bound for one hypothesis fixed in advance."""
    return empirical + math.sqrt(-math.log(beta) / (2 * n))


@pytest.mark.parametrize(
    ("name", "control", "claim"),
    [
        ("realizable_bound", divided(bmn20_bounds.realizable_bound, 25), REALIZABLE),
        ("agnostic_bound", divided(bmn20_bounds.agnostic_bound, 80), AGNOSTIC),
        ("BOUNDS", {"additive": hoeffding}, COMPRESSION),
        ("BOUNDS", {"relative": lambda q, n, d, beta: q + 5 / n}, COMPRESSION),
    ],
)
def test_a_broken_bound_is_caught(monkeypatch, name, control, claim):
    monkeypatch.setattr(bmn20_bounds, name, control)
    finding = CLAIMS[claim](0.3)
    assert finding.verdict is Verdict.VIOLATED
    assert finding.deciding.measured.low > finding.deciding.bound


def test_a_mechanism_that_hardly_looks_is_caught(monkeypatch):
    monkeypatch.setattr(bmn20_bounds, "drawn", lambda tally, epsilon, stream: drawn(tally, epsilon / 1000, stream))
    for claim in (REALIZABLE, AGNOSTIC):
        assert CLAIMS[claim](0.2).verdict is Verdict.VIOLATED
    assert CLAIMS[COMPRESSION](0.1).verdict is not Verdict.VIOLATED  # it is about all of G, whatever is drawn
