"""Claim ABM19-T3.1: how often the excess error of A_SSPP exceeds alpha at the sizes of theorem 3.1.

The learner runs at these sizes, and population errors are exact.  The sizes are so large that no failure is expected.
Controls run at a small part of one of the sizes.  There more than beta of the trials must fail: otherwise the
experiment would not see failures if there were any.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np

from semipriv.classes.base import REPRESENTATIVES, HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, frequency
from semipriv.distributions.errors import Pieces
from semipriv.distributions.labelings.base import LineLabeling
from semipriv.distributions.labelings.box import Box
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.labelings.outside_class import OutsideClass
from semipriv.distributions.labelings.two_point import TwoPoint
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.papers.abm19.bounds.sizes import (
    cover_points,
    cover_size_bound,
    excess_bound,
    excess_bound_realizable,
    private_size,
    private_size_realizable,
    public_size,
)
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.ledger.claim import Reason, Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, at_most, comparable, highest_over_bound, verdict_on
from semipriv_lab.papers.abm19.studies._counts import drawn_tally

FAILURES = "P[excess error > alpha]"
QUANTILE = "quantile of the excess error"
PUT_BACK = "bound on the excess error at the explicit sizes, over alpha"
NEAR_ENDS = (1e-6, 0.05, 0.5, 1 - 1e-6)
"""Values of alpha and beta at which the sizes are put back into the bound."""
EVERY_EPSILON, EVERY_DIMENSION = (1e-6, 1.0, 1e4), (1, 4, 10_000)
"""And those of epsilon and of the VC dimension."""
QUANTILES = (0.5, 0.95, 1.0)
MANY = 100_000
"""Private examples from which on they are counted by cells.  Fewer are drawn one by one: the learner's own way."""
MECHANISMS: dict[str, type[SelectionMechanism]] = {
    "exponential": ExponentialMechanism,
    "permute_and_flip": PermuteAndFlip,
}

_Draw = Callable[[np.random.Generator], Distribution]
_Run = tuple[float, str, str]
"""epsilon, mechanism, representative."""


@dataclass(frozen=True)
class OutsideInterval(LineLabeling):
    """y = 1[x < low or x >= high].  No interval is right everywhere; the best one errs on the smallest part."""

    low: float
    high: float

    def pieces(self) -> Pieces:
        """Return the label 1 below low and from high on, 0 between."""
        return Pieces(np.array([self.low, self.high]), np.array([1.0, 0.0, 1.0]))


@dataclass(frozen=True)
class Case:
    """A class with a distribution, and the sizes at which the learner runs.

    Each trial draws the distribution anew, with a random target; the class of two constants has one fixed distribution.
    sizes: 'agnostic' or 'realizable', for theorem 3.1 or its realizable form.  part, public_part: shares of the proven
    n_private and of the proven n_public that are used.  gate: whether failures are judged; in a control they must be
    many.  compared: share of the trials in which permute-and-flip draws, too.
    """

    name: str
    hypothesis_class: HypothesisClass
    distribution: str
    draw_distribution: _Draw
    alpha: float
    beta: float
    epsilons: tuple[float, ...]
    trials: int
    sizes: str = "agnostic"
    representatives: tuple[str, ...] = ("midpoint",)
    compared: float = 0.0
    part: float = 1.0
    public_part: float = 1.0
    gate: bool = True

    @property
    def control(self) -> bool:
        """Whether one of the sizes is less than proven."""
        return self.part < 1 or self.public_part < 1

    @property
    def n_public(self) -> int:
        """The proven public points times public_part."""
        return math.ceil(self.public_part * self._cover_points)

    @cached_property
    def _cover_points(self) -> int:
        """Points that give an alpha/2-cover (realizable form: an alpha/4-cover) with probability 1 - beta/2."""
        d = self.hypothesis_class.vc_dimension
        if self.sizes == "realizable":
            return cover_points(self.alpha / 4, self.beta / 2, d)
        return public_size(self.alpha, self.beta, d)

    @cached_property
    def n_private(self) -> dict[float, int]:
        """By epsilon, the private examples of theorem 3.1 for the largest cover of the proven n_public, times part."""
        size = private_size_realizable if self.sizes == "realizable" else private_size
        log_cover = math.log(self.hypothesis_class.growth(self._cover_points))
        return {e: math.ceil(self.part * size(self.alpha, self.beta, e, log_cover)) for e in self.epsilons}

    def counted(self, n_private: int) -> bool:
        """Return whether private examples are counted by cells, not drawn one by one: only where there are many."""
        return n_private >= MANY

    @property
    def gates(self) -> int:
        """Number of judged measurements."""
        return len(self.epsilons) * len(self.representatives) if self.gate else 0

    def runs(self, compared: bool) -> list[_Run]:
        """Return the runs of one trial; compared: permute-and-flip draws, too."""
        mechanisms = MECHANISMS if compared else ("exponential",)
        return [(e, mechanism, r) for r in self.representatives for e in self.epsilons for mechanism in mechanisms]


# ---------------------------------------------------------------------------------------------------- distributions
def _threshold(rate: float) -> _Draw:
    return lambda generator: Distribution(Uniform(), ClassificationNoise(generator.random(), rate))


def _ends(generator: np.random.Generator, dimension: int) -> tuple[list[float], list[float]]:
    low, high = np.sort(generator.random((2, dimension)), axis=0).tolist()
    return low, high


def _box(dimension: int, rate: float) -> _Draw:
    return lambda generator: Distribution(Uniform(dimension=dimension), Box(*_ends(generator, dimension), rate))


def _word_box(bits: int, rate: float) -> _Draw:
    def distribution(generator: np.random.Generator) -> Distribution:
        low, high = np.sort(generator.integers(2**bits, size=(2, 2)), axis=0).tolist()
        return Distribution(DiscreteGrid(2**bits, 0, 2**bits - 1, dimension=2), Box(low, high, rate))

    return distribution


def _step(labeling: type[OutsideClass] | type[OutsideInterval]) -> _Draw:
    def distribution(generator: np.random.Generator) -> Distribution:
        (low,), (high,) = _ends(generator, 1)
        return Distribution(Uniform(), labeling(low, high))

    return distribution


def _two_constants(alpha: float) -> _Draw:
    """Return the distribution of one point at which the wrong constant has an excess error just above alpha."""
    return lambda _: Distribution(DiscreteGrid(1), TwoPoint(alpha / 2 * (1 + 1e-4)))


REALIZABLE, NOISE, OUTSIDE, CONSTANTS = "realizable", "20 % noise", "target outside the class", "two constants"
THRESHOLDS: dict[str, _Draw] = {REALIZABLE: _threshold(0), NOISE: _threshold(0.2), OUTSIDE: _step(OutsideClass)}
INTERVALS: dict[str, _Draw] = {REALIZABLE: _box(1, 0), NOISE: _box(1, 0.2), OUTSIDE: _step(OutsideInterval)}
EPSILONS = (0.1, 1.0)
WANTED_CONTROL = 1 / 100
"""Share of n_private at which failures were expected before anything was measured.  They do not exceed beta there."""
CONTROL = 1 / 400
"""Share of a size at which failures must exceed beta; set after those at WANTED_CONTROL were seen."""
FEWER_PUBLIC = 1 / 150
"""Share of n_public for the record: 26 points for thresholds.

At 26 and 10 points no midpoint lies within alpha of a random target with probability .018 and .254.  With 20 % noise
the excess error is 0.6 of the distance, and at 10 points only 6 % of the trials were seen to fail: so realizable labels
are judged, those with noise are for the record.
"""
TRIALS = 280
"""If no trial fails, the upper limit at the level of one gate is below beta = 0.05."""
WORDS_CONTROL = 70
"""Trials of the control of rectangles: where 3/8 fail, 99 % of such samples have a lower limit above beta = 0.05."""


def cases() -> list[Case]:
    """Return all cases, the judged ones first."""
    usual = partial(Case, alpha=0.05, beta=0.05, epsilons=EPSILONS, trials=TRIALS)
    line, intervals = partial(usual, "thresholds", Thresholds()), partial(usual, "intervals", Intervals())
    words = partial(usual, "RECTANGLE_8^2", DiscreteRectangles(2, 8), NOISE, _word_box(8, 0.2))
    constants = partial(line, CONSTANTS, _two_constants(0.05))
    judged = [
        *(line(distribution, draw, compared=1.0) for distribution, draw in THRESHOLDS.items()),
        *(
            intervals(distribution, draw, compared=0.03 * (distribution == NOISE))
            for distribution, draw in INTERVALS.items()
        ),
        line(REALIZABLE, THRESHOLDS[REALIZABLE], sizes="realizable"),
        intervals(REALIZABLE, INTERVALS[REALIZABLE], sizes="realizable"),
        words(compared=0.01),
        *(
            line(
                distribution,
                draw,
                alpha=a,
                beta=0.1,
                epsilons=(e,),
                trials=TRIALS // 2,
                representatives=REPRESENTATIVES,
            )
            for a, e in ((0.2, 1.0), (0.1, 1.0), (0.2, 0.1), (0.2, 0.02))
            for distribution, draw in THRESHOLDS.items()
        ),
        constants(),
    ]
    fewer_private = [
        small(epsilons=(epsilon,), part=part, gate=part == CONTROL)
        for small, epsilon in (
            (partial(line, NOISE, THRESHOLDS[NOISE]), 0.1),
            (constants, 1.0),
            (partial(intervals, NOISE, INTERVALS[NOISE]), 0.1),
        )
        for part in (WANTED_CONTROL, CONTROL)
    ]
    fewer_private.append(words(epsilons=(0.1,), trials=WORDS_CONTROL, part=CONTROL))
    fewer_public = [
        line(
            distribution,
            THRESHOLDS[distribution],
            epsilons=(0.1,),
            public_part=part,
            gate=(distribution, part) == (REALIZABLE, CONTROL),
        )
        for part in (FEWER_PUBLIC, CONTROL)
        for distribution in (REALIZABLE, NOISE)
    ]
    plane = usual("planar rectangles", Rectangles(2), NOISE, _box(2, 0.2), alpha=0.2, trials=1, gate=False)
    return [*judged, *fewer_private, *fewer_public, plane]


# ---------------------------------------------------------------------------------------------------- measurement
def _excess(case: Case, trials: int, randomness: Simulation) -> dict[_Run, list[float]]:
    """Return the excess errors of each run, one for each trial."""
    result: dict[_Run, list[float]] = {}
    for trial in track(range(trials), "trials"):
        stream = randomness.spawn(
            "proven sizes", case.name, case.distribution, case.sizes, repr((case.alpha, case.beta, case.part)), trial
        )
        for run, excess in _trial(case, case.runs(trial < case.compared * trials), stream):
            result.setdefault(run, []).append(excess)
    return result


def _trial(case: Case, runs: list[_Run], randomness: Simulation) -> Iterator[tuple[_Run, float]]:
    """Run A_SSPP once for each run: one public sample for all, one private sample for runs of equal n_private.

    ``SSPP.release`` is spelt out here as a selection from a tally, so that runs share the tally.  Of many private
    examples only the numbers in the cells of each cover are drawn, which is the same in distribution.
    """
    h, distribution = case.hypothesis_class, case.draw_distribution(randomness.spawn("target").generator)
    public = distribution.public_sample(case.n_public, randomness.spawn("public"))
    best = distribution.best_error(h).value
    covers = {rule: SSPP(1.0, representative=rule).prepare(public.points, h) for rule in case.representatives}
    for n in sorted(set(case.n_private.values())):
        stream = randomness.spawn("private", n)
        private = None if case.counted(n) else distribution.private_sample(n, stream)
        for representative, cover in covers.items():
            if private is None:
                tally = drawn_tally(cover, distribution, n, stream.generator)
            else:
                tally = cover.tally(private.points, private.labels)
            for run in runs:
                epsilon, mechanism, own = run
                if own == representative and case.n_private[epsilon] == n:
                    chosen = MECHANISMS[mechanism](epsilon).select(tally, randomness.spawn("draw", repr(run)))
                    error = distribution.exact_errors(h, chosen.parameters[None])
                    assert error is not None
                    yield run, float(error[0]) - best


def _measure(table: Table, case: Case, excess: dict[_Run, list[float]], level: float) -> None:
    """Measure the frequency of failures of each run, and quantiles of its excess error."""
    for (epsilon, mechanism, representative), values in excess.items():
        settings: Settings = {
            "class": case.name,
            "distribution": case.distribution,
            "sizes": case.sizes,
            "part": case.part,
            "public_part": case.public_part,
            "alpha": case.alpha,
            "beta": case.beta,
            "epsilon": epsilon,
            "n_public": case.n_public,
            "n_private": case.n_private[epsilon],
            "mechanism": mechanism,
            "representative": representative,
        }
        failures = frequency(sum(value > case.alpha for value in values), len(values), level)
        judged = case.gate and mechanism == "exponential"
        if case.control and judged:
            table.exceeding(FAILURES, settings, failures, case.beta, len(values), rounding=0.0)
        else:
            table.at_most(FAILURES, settings, failures, case.beta, len(values), judged=judged)
        for quantile in QUANTILES:
            value = float(np.quantile(values, quantile, method="inverted_cdf"))
            table.recorded(QUANTILE, settings | {"quantile": quantile}, value, None, len(values))


def _shown(gates: Sequence[Measurement]) -> Measurement:
    """Return the deciding gate: among the proven sizes, or, where these hold and a control does not, that control."""
    proven = [row for row in gates if row.quantity == FAILURES and not _is_control(row)]
    failed = [row for row in gates if _is_control(row) and row.verdict is not Verdict.HOLDS]
    return failed[0] if failed and verdict_on(proven) is Verdict.HOLDS else highest_over_bound(proven)


@claim(
    "ABM19-T3.1",
    f"A_SSPP at the sizes of theorem 3.1, distributions as listed; exact errors; from {MANY:,} private examples on "
    "these are counted by the cells of the cover, the same in distribution; shown: largest confidence limit over beta "
    "at these sizes",
    shown=_shown,
    constants="repaired: explicit, by the proof, of order d ln(16/alpha); the paper prints d ln(1/alpha)",
)
def theorem(table: Table) -> Reason:
    """Compare P[excess > alpha] with beta in every judged case, over samples, targets and draws.

    In the judged controls P[excess > alpha] > beta; a control that is not met leaves the claim inconclusive.
    """
    table.add(_put_back())
    every = cases()
    level = GATE_LEVEL / sum(case.gates for case in every)
    for case in track(every, "cases"):
        trials = max(int(case.trials * table.effort), int(case.gate))
        _measure(table, case, _excess(case, trials, table.randomness), level)
    return lambda verdict: _reason(table, verdict, level)


def _put_back() -> Iterator[Measurement]:
    """Yield the bound of the theorem's proof at its sizes, over alpha: at most 1, to the corners of the domain."""
    for alpha, beta, epsilon, d in product(NEAR_ENDS, NEAR_ENDS, EVERY_EPSILON, EVERY_DIMENSION):
        for sizes, m, private, bound in (
            ("agnostic", public_size(alpha, beta, d), private_size, excess_bound),
            ("realizable", cover_points(alpha / 4, beta / 2, d), private_size_realizable, excess_bound_realizable),
        ):
            log_cover = cover_size_bound(m, d)
            n = private(alpha, beta, epsilon, log_cover)
            settings: Settings = {"sizes": sizes, "alpha": alpha, "beta": beta, "epsilon": epsilon, "d": d}
            share = bound(m, n, epsilon, beta, d, log_cover) / alpha
            yield at_most(PUT_BACK, settings | {"n_public": m, "n_private": n}, share, 1.0, rounding=1e-9)


def _is_control(row: Measurement) -> bool:
    return row.settings.get("part", 1) != 1 or row.settings.get("public_part", 1) != 1


def _reason(table: Table, verdict: Verdict, level: float) -> str:
    """Say how large excess errors are at these sizes, what the controls are worth, and what is for the record only.

    If there is no verdict, say why.
    """
    every = table(FAILURES)
    failures = [row for row in every if not _is_control(row)]
    if verdict is Verdict.INCONCLUSIVE:
        undecided = [row for row in failures if row.verdict is Verdict.INCONCLUSIVE]
        if not undecided:
            return f"not met in {next(r for r in every if r.verdict is verdict).trials} trials: {_controls(every)}"
        row = min(undecided, key=lambda row: row.trials)
        return f"{row.trials} trials, {row.measured.value:.2g} of them failed: {_needed(row, level)}"
    largest = {size: max(int(row.settings[size]) for row in failures) for size in ("n_public", "n_private")}
    worst = max(
        (row for row in table(QUANTILE) if not _is_control(row)),
        key=lambda row: comparable(row.measured.value / float(row.settings["alpha"])),
    )
    parts = [
        "the proof covers every distribution; frequencies are averages over random targets, except for two constants, "
        "which are run on one fixed, hard distribution",
        "largest " + ", ".join(f"{name} {size}" for name, size in largest.items()),
        f"largest excess error over alpha {worst.measured.value / float(worst.settings['alpha']):.2g}",
        _controls(every),
    ]
    unjudged = [row for row in failures if row.verdict is None and row.settings["mechanism"] == "exponential"]
    parts += [f"for the record {row.settings['class']}, {row.trials} trial: {_needed(row, level)}" for row in unjudged]
    return "; ".join(dict.fromkeys(text for text in parts if text))


def _controls(failures: list[Measurement]) -> str:
    """Say at which parts of the sizes how many trials fail, and what the control that was wanted first shows."""
    texts = []
    gates = {part: [row for row in failures if row.settings["part"] == part] for part in (WANTED_CONTROL, CONTROL)}
    for part, rows in gates.items():
        also = ", a control set after that was seen" if part == CONTROL else ", where more than beta was expected"
        if rows:
            failed = ", ".join(f"{row.measured.value:.3f}" for row in rows)
            texts.append(f"at n_private / {1 / part:.0f}{also}, fail {failed}")
    for row in failures:
        if row.settings["public_part"] != 1:
            given = f"with {row.settings['n_public']} public points, {row.settings['distribution']}"
            text = f"{given}, fail {row.measured.value:.3f}"
            judged = row.verdict is not None
            texts.append(text + judged * " (a control, on this distribution since 20 % noise gave no verdict)")
    passes = all(row.measured.value <= (row.bound or 0) for row in gates[WANTED_CONTROL])
    caught = all(row.verdict is Verdict.HOLDS for row in gates[CONTROL])
    if all(gates.values()) and passes and caught:
        texts.append("so 100 times fewer private examples would pass on these distributions, 400 times fewer would not")
    return "; ".join(texts)


def _needed(row: Measurement, level: float) -> str:
    """Say how many trials a verdict takes."""
    beta = float(row.settings["beta"])
    return f"a verdict on beta = {beta:g} takes {trials_needed(beta, level)} without a failure at level {level:.1e}"


def trials_needed(beta: float, level: float) -> int:
    """Return the least n such that n trials without a failure have an upper Clopper-Pearson limit of at most beta.

    It is the least n with (1 - beta)^n <= level / 2.

    >>> trials_needed(0.05, 1e-4)
    194
    """
    return math.ceil(math.log(level / 2) / math.log1p(-beta))
