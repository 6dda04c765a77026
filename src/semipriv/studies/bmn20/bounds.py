"""Claims of BMN20 theorem 4.6 with explicit constants: error bounds, and the compression bound that they rest on.

Examples are private exactly where y = 1; population errors are exact, on the line and on finite laws.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semipriv.bounds.bmn20.sizes import agnostic_bound, realizable_bound, relative_bound, uniform_bound
from semipriv.classes.base import Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.learners.learn_half import LearnHalf
from semipriv.ledger.findings import Finding, Measurement, Settings
from semipriv.progress import track
from semipriv.randomness import Simulation
from semipriv.statistics import GATE_LEVEL, Interval, Verdict, frequency, joint_verdict, upper_bound_verdict
from semipriv.studies.bmn20._laws import LINE, Atoms, count, drawn, line_law, line_listing, prepared

CLAIMS = ("BMN20-T4.6-compression", "BMN20-T4.6-realizable", "BMN20-T4.6-agnostic")

REALIZABLE, AGNOSTIC = "BMN20-T4.6-realizable", "BMN20-T4.6-agnostic"
COMPRESSION = "BMN20-T4.6-compression"
BETA = 0.05
FAILURES = "P[excess error > bound]"
QUANTILE = "95 % quantile of the excess error"
UNCOVERED = "P[some hypothesis of G errs more than its bound]"
GAP = "95 % quantile of the largest generalisation gap in G"


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """The three claims, each with an error level of its own that its gates share."""
    return {
        REALIZABLE: _bounds(True, effort, randomness.spawn("realizable")),
        AGNOSTIC: _bounds(False, effort, randomness.spawn("agnostic")),
        COMPRESSION: _compression(effort, randomness.spawn("compression")),
    }


# ---------------------------------------------------------------------------------------------------- error bounds
@dataclass(frozen=True)
class Case:
    """A law, drawn anew in each trial where it is finite; atoms: how many points it has, 0 for the line.

    n: examples of a trial.  rates: flips in the realizable and the agnostic case.
    """

    d: int
    atoms: int
    n: int
    epsilons: tuple[float, ...]
    rate: float

    def trial(self, realizable: bool, randomness: Simulation) -> "Run":
        """One sample, and one hypothesis released for each epsilon."""
        rate, generator = self._rate(realizable), randomness.spawn("sample").generator
        if self.atoms:
            law = Atoms.drawn(self.atoms, self.d, rate, SPREAD, generator)
            sample, grid, constant = law.sample(self.n, generator), None, law.constant
        else:
            law, grid, constant = None, LINE, 0.5 * (1 - 2 * rate)
            sample = line_law(rate).mixed_sample(self.n, randomness.spawn("sample"))
        cover, tally = prepared(sample, grid, self.d)
        chosen = [drawn(tally, epsilon, randomness.spawn("draw", repr(epsilon))) for epsilon in self.epsilons]
        bound = realizable_bound if realizable else agnostic_bound
        bounds = [bound(self.n, self.d, epsilon, BETA, math.log(cover.size)) for epsilon in self.epsilons]
        return Run(cover.predictors, np.stack(chosen), law, np.array(bounds), constant)

    def excess(self, realizable: bool, runs: list["Run"]) -> np.ndarray:
        """Excess errors of what was released: (runs, epsilons); on the line of all runs together, which is faster."""
        if self.atoms:
            return np.stack([run.law.excess(run.predictors, run.chosen) for run in runs if run.law is not None])
        rate, chosen = self._rate(realizable), np.concatenate([run.chosen for run in runs])
        errors = line_law(rate).exact_errors(runs[0].predictors, chosen)
        assert errors is not None
        return errors.reshape(len(runs), -1) - rate

    def _rate(self, realizable: bool) -> float:
        return 0.0 if realizable else self.rate


@dataclass(frozen=True, eq=False)
class Run:
    """Released hypotheses (one for each epsilon) with their bounds, and the excess error of the better constant."""

    predictors: Predictors
    chosen: np.ndarray
    law: Atoms | None
    bounds: np.ndarray
    constant: float


SPREAD = 4.0
"""Masses of the atoms fall by so many powers of ten, so that errors are seldom 0."""
TRIALS = 300
"""Without a failure, enough for an upper limit below BETA at the level of one of up to 20 gates."""
CASES = (
    Case(1, 0, 2000, (0.1, 1.0), 0.2),
    Case(1, 0, 5000, (0.1, 1.0), 0.2),
    Case(2, 16, 2000, (0.3, 1.0, 3.0), 0.1),
    Case(2, 16, 8000, (0.3, 1.0, 3.0), 0.1),
    Case(3, 9, 10_000, (0.3, 1.0, 3.0), 0.1),
)


def _bounds(realizable: bool, effort: float, randomness: Simulation) -> Finding:
    """How often the error exceeds the explicit bound of theorem 4.6, over samples, laws and draws."""
    level = GATE_LEVEL / sum(len(case.epsilons) for case in CASES)
    rows, trials = [], count(TRIALS, effort)
    for case in track(CASES, "cases"):
        stream = randomness.spawn(case.d, case.n)
        runs = [case.trial(realizable, stream.spawn(trial)) for trial in track(range(trials), "trials")]
        per_epsilon = zip(
            case.epsilons, case.excess(realizable, runs).T, np.stack([r.bounds for r in runs]).T, strict=True
        )
        for epsilon, excess, bounds in per_epsilon:
            where: Settings = {
                "law": f"{case.atoms} random atoms" if case.atoms else "uniform",
                "d": case.d,
                "n": case.n,
                "epsilon": epsilon,
                "rate": 0.0 if realizable else case.rate,
                "beta": BETA,
                "largest_bound": float(bounds.max()),
                "mean_constant": float(np.mean([run.constant for run in runs])),
            }
            failures = frequency(int(np.sum(excess > bounds)), trials, level)
            rows.append(Measurement(FAILURES, where, failures, BETA, trials, upper_bound_verdict(failures, BETA)))
            quantile = Interval.exact(float(np.quantile(excess, 1 - BETA, method="inverted_cdf")))
            rows.append(Measurement(QUANTILE, where, quantile, float(bounds.mean()), trials))
    judged = [row for row in rows if row.verdict is not None]
    verdict = joint_verdict([row.verdict for row in judged if row.verdict is not None])
    deciding = max(judged, key=lambda row: row.measured.high)
    shares = [row.measured.value / row.bound for row in rows if row.quantity == QUANTILE and row.bound]
    below = max(float(row.settings["largest_bound"]) / float(row.settings["mean_constant"]) for row in judged)
    reason = (
        f"95 % quantiles are {min(shares):.2g} to {max(shares):.2g} of the bounds, "
        f"which are at most {below:.2g} of the excess error of the better constant"
    )
    if verdict is Verdict.INCONCLUSIVE:
        reason = f"{trials} trials, too few to tell a failure probability of {BETA} at level {level:.1e}"
    return Finding(
        "released hypotheses on the line and on random finite laws in the plane and in space, population errors exact",
        verdict,
        deciding,
        tuple(rows),
        constants="explicit, " + ("relative" if realizable else "additive") + " compression bound",
        reason=reason,
    )


# ---------------------------------------------------------------------------------------------------- compression
@dataclass(frozen=True)
class Uniform:
    """Sizes at which all of G is compared with its bounds; atoms: points of the random finite law, 0 for the line."""

    d: int
    atoms: int
    n: int
    rate: float


UNIFORM = (
    Uniform(1, 0, 300, 0.2),
    Uniform(1, 0, 3000, 0.2),
    Uniform(2, 16, 100, 0.2),
    Uniform(2, 16, 1000, 0.2),
    Uniform(3, 9, 300, 0.2),
    Uniform(3, 9, 3000, 0.2),
)
LARGE = Uniform(2, 60, 4000, 0.2)
"""Too many hypotheses to list: there only the released one is compared."""
BOUNDS: dict[str, Callable[[float, int, int, float], float]] = {
    "additive": uniform_bound,
    "relative": relative_bound,
}


def _errors(case: Uniform, randomness: Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Population errors and empirical errors of all functions in G, on one sample."""
    if not case.atoms:
        sample = line_law(case.rate).mixed_sample(case.n, randomness)
        listing = line_listing(sample, case.rate)
        return listing.excess + case.rate, listing.mistakes / case.n
    law = Atoms.drawn(case.atoms, case.d, case.rate, 0.0, randomness.generator)
    sample = law.sample(case.n, randomness.generator)
    public = sample.public_examples
    cover = LearnHalf(1.0).prepare(public.points, Halfspaces(case.d), public.labels)
    listing = law.listing(cover.family, sample)
    return listing.excess + law.best, listing.mistakes / case.n


def _released(case: Uniform, randomness: Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Population error and empirical error of one released hypothesis."""
    law = Atoms.drawn(case.atoms, case.d, case.rate, 0.0, randomness.generator)
    sample = law.sample(case.n, randomness.generator)
    cover, tally = prepared(sample, None, case.d)
    chosen = drawn(tally, 1.0, randomness.spawn("draw"))[None]
    wrong = cover.predictors.predict(chosen, sample.points) != sample.labels
    return law.excess(cover.predictors, chosen) + law.best, wrong.mean(axis=1)


def _compression(effort: float, randomness: Simulation) -> Finding:
    """BMN20-T4.6-compression: no hypothesis of G errs more than the bound at its empirical error, but for beta."""
    trials, rows = count(TRIALS, effort), []
    cases = [(case, _errors, "all of G") for case in UNIFORM] + [(LARGE, _released, "released")]
    level = GATE_LEVEL / (len(cases) * len(BOUNDS))
    for case, errors, which in track(cases, "cases"):
        stream = randomness.spawn(case.d, case.n)
        runs = [errors(case, stream.spawn(trial)) for trial in track(range(trials), "trials")]
        gaps = [float(np.max(error - empirical)) for error, empirical in runs]
        where: Settings = {
            "law": f"{case.atoms} random atoms" if case.atoms else "uniform",
            "d": case.d,
            "n": case.n,
            "rate": case.rate,
            "beta": BETA,
            "hypotheses": which,
            "functions": int(np.median([len(error) for error, _ in runs])),
        }
        quantile = Interval.exact(float(np.quantile(gaps, 1 - BETA, method="inverted_cdf")))
        rows.append(Measurement(GAP, where, quantile, uniform_bound(0.0, case.n, case.d, BETA), trials))
        for name, bound in BOUNDS.items():
            failed = 0
            for error, empirical in runs:
                values, at = np.unique(empirical, return_inverse=True)
                bounds = np.array([bound(float(value), case.n, case.d, BETA) for value in values])
                failed += bool(np.any(error > bounds[at]))
            frequencies = frequency(failed, trials, level)
            verdict = upper_bound_verdict(frequencies, BETA)
            rows.append(Measurement(UNCOVERED, where | {"bound": name}, frequencies, BETA, trials, verdict))
    judged = [row for row in rows if row.verdict is not None]
    verdict = joint_verdict([row.verdict for row in judged if row.verdict is not None])
    shares = [row.measured.value / (row.bound or 1.0) for row in rows if row.quantity == GAP]
    reason = f"95 % quantiles of the largest gap are {min(shares):.2g} to {max(shares):.2g} of the additive bound's"
    if verdict is Verdict.INCONCLUSIVE:
        reason = f"{trials} trials, too few to tell a failure probability of {BETA} at level {level:.1e}"
    return Finding(
        "largest err(g) - err^(g) over all of G by listing, on the line and on random finite laws, population exact; "
        "beyond what can be listed for the released hypothesis",
        verdict,
        max(judged, key=lambda row: row.measured.high),
        tuple(rows),
        constants="explicit: d^2 examples and M_n descriptions",
        reason=reason,
    )
