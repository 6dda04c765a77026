"""Sizes and excess errors found by simulating A_SSPP on one population: an average over targets, not a proof."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from semipriv.classes.base import Cover
from semipriv.core import checks, registry
from semipriv.core.fields import between, checked, named, value
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.learners._selecting import Selecting
from semipriv.learners.stages.base import PublicStage
from semipriv.practice.planner.population import Population, Trial

DEFAULT = "sspp"
"""Name of the learner of a plan that names none: A_SSPP."""
CONFIDENCE = 0.95
"""Of the empirical answers, over the randomness of the simulation."""
ATTEMPTS = 10
PRIVATE_DRAWS = 4
"""Private samples on each cover in the search: they cost less than covers, and avoid failed confirmations."""
LARGEST_SAMPLE = 10_000_000
"""Rows of the largest sample that is simulated."""
MOST_ROWS = 200_000_000
"""Rows of all samples at one candidate: some ten seconds."""
LEAST_BETA, MOST_TRIALS = 1e-4, 1_000_000

Report = Callable[[str], None]


def _trials(name: str, given: Any) -> int | None:
    if given is None:
        return None
    checks.between(name, given, 1, MOST_TRIALS, closed="lh")
    return checks.size(name, given)


def _seed(name: str, given: Any) -> int:
    return Simulation(given).seed


@value
class Scenario:
    """What is simulated.

    mechanism: 'exponential' or 'permute_and_flip'.  noise: the probability, in [0, 1/2), that a label is flipped.
    trials: the number of trials of a confirmation, at least ``fewest_trials(beta)``; None for ``default_trials(beta)``.
    More trials confirm smaller sizes.  seed: a plan is not a release, so it is reproducible.
    """

    population: Population
    mechanism: str = named("mechanisms/selection", default="exponential")
    noise: float = between(0, 0.5, closed="l", default=0.1)
    trials: int | None = checked(_trials, default=None)
    seed: int = checked(_seed, default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return what is simulated in plain values."""
        return {
            "population": self.population.source,
            "atoms": len(self.population.atoms),
            **({} if self.population.persons is None else {"persons": self.population.persons.count}),
            "mechanism": self.mechanism,
            "noise": self.noise,
            "seed": self.seed,
            "confidence": CONFIDENCE,
        }

    def trials_for(self, beta: float) -> int:
        """Return the number of trials; raises ValueError if they are too few to confirm any answer."""
        if beta < LEAST_BETA:
            raise ValueError(
                f"beta = {beta}: a simulation shows no less than {LEAST_BETA}, ask for the proven part only"
            )
        trials = default_trials(beta) if self.trials is None else self.trials
        if trials < fewest_trials(beta):
            raise ValueError(
                f"trials = {trials}: must be >= {fewest_trials(beta)}, fewer confirm no failure rate of beta = {beta} "
                "even if none fails"
            )
        return trials


@dataclass(frozen=True)
class EmpiricalSizes:
    """Sizes confirmed by fresh trials: with confidence CONFIDENCE, P[excess > alpha] <= beta on the population.

    P is over the target, both samples and the learner's draw.  failures: the number of ``trials`` with an excess error
    above alpha.  attempts: the number of the attempt that confirmed; upper_limit: the one-sided Clopper-Pearson limit
    at its level.
    """

    n_public: int
    n_private: int
    failures: int
    trials: int
    upper_limit: float
    attempts: int


@dataclass(frozen=True)
class EmpiricalExcess:
    """Excess error at given sizes: the (1 - beta)-quantile over the trials, and its upper confidence limit."""

    quantile: float
    upper_limit: float
    trials: int

    @classmethod
    def of(cls, errors: Sequence[float], beta: float) -> Self:
        """Return what the excess errors of independent trials say; the limit has confidence CONFIDENCE."""
        ordered, trials = np.sort(errors), len(errors)
        limit = ordered[-1 - allowed_failures(beta, trials, 1 - CONFIDENCE)]
        return cls(float(np.quantile(ordered, 1 - beta, method="inverted_cdf")), float(limit), trials)


def default_learner(epsilon: float, mechanism: str = "exponential") -> Selecting[Cover]:
    """Return the learner of a plan that names none; raise ValueError if no paper has it."""
    if DEFAULT not in registry.names("learners"):
        raise ValueError(
            f"learner {DEFAULT!r}: is not installed, and a plan without a learner asks for it: name another"
        )
    return registry.build("learners", {"name": DEFAULT, "epsilon": epsilon, "mechanism": mechanism})


def fewest_trials(beta: float) -> int:
    """Return the fewest trials that confirm beta at the first attempt if none fails: least n, (1 - beta)^n <= 0.025.

    >>> fewest_trials(0.05)
    72
    """
    return _fewest(beta, _level(0))


def default_trials(beta: float) -> int:
    """Return max(5.5 / beta, ``fewest_trials``): the first attempt allows about one failure.

    >>> default_trials(0.05)
    110
    """
    return max(math.ceil(5.5 / beta), fewest_trials(beta))


def upper_limit(failures: int, trials: int, level: float) -> float:
    """Return the one-sided upper Clopper-Pearson limit: below the failure rate with probability at most level."""
    return float(clopper_pearson(failures, trials, 2 * level)[1])


def allowed_failures(beta: float, trials: int, level: float) -> int:
    """Return the largest number of failures with an upper limit of at most beta; -1 if there is none.

    >>> allowed_failures(0.05, 150, 0.025), allowed_failures(0.05, 10, 0.025)
    (2, -1)
    """
    return int(np.count_nonzero(clopper_pearson(np.arange(trials + 1), trials, 2 * level)[1] <= beta)) - 1


def grid(step: int) -> int:
    """Return the size of a step of the grid that is searched: 2^(step / 2), rounded.

    >>> [grid(step) for step in range(1, 12)]
    [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45]
    """
    return round(2 ** (step / 2))


def empirical_sizes(
    scenario: Scenario, alpha: float, beta: float, epsilon: float, report: Report = lambda line: None
) -> EmpiricalSizes:
    """Return the least sizes on the grid that a search accepts and fresh trials confirm.

    The search follows the split of theorem 3.1.  First comes the least n_public at which the best hypothesis of the
    cover has excess error at most alpha/2.  Then, on the same covers, comes the least n_private at which A_SSPP has
    excess error at most alpha on each of PRIVATE_DRAWS private samples.  A size is accepted if the 95 % upper
    Clopper-Pearson limit of the failure rate is at most beta.

    Accepted sizes are the lucky ones among those tried, so their trials confirm nothing.  The confirmation runs fresh
    trials at the sizes found.  If too many fail, n_private takes a step of the grid (a factor of sqrt(2)), n_public
    does so at every other failure, and new trials are drawn.  Attempt i (0, 1, ...) spends the error probability
    0.05 / 2^(i + 1), with more trials once fewer could not confirm.  Together this is at most 0.05: with confidence
    95 % the failure rate at the sizes returned is at most beta.  It is the rate on this population, averaged over
    targets; nothing is proven about others.

    Raises ValueError if covers or samples are too large to simulate, or trials are too few.
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    trials = scenario.trials_for(beta)
    learner, randomness = default_learner(epsilon, scenario.mechanism), Simulation(scenario.seed)
    public, private = _search(scenario, learner, alpha, beta, max(_fewest(beta, 1 - CONFIDENCE), trials // 2), report)
    for attempt in range(ATTEMPTS):
        n_public, n_private = grid(public + attempt // 2), grid(private + attempt)
        number = max(trials, _fewest(beta, _level(attempt)))
        _check_sizes(scenario, n_public, n_private, number)
        allowed = allowed_failures(beta, number, _level(attempt))
        stream = randomness.spawn("confirmation", attempt)
        excesses = _run(scenario, learner, n_public, n_private, number, stream)
        failures = _failures((excess > alpha for excess in excesses), allowed)
        report(f"confirming n_public = {n_public}, n_private = {n_private}: {_outcome(failures, allowed, number)}")
        if failures <= allowed:
            limit = upper_limit(failures, number, _level(attempt))
            return EmpiricalSizes(n_public, n_private, failures, number, limit, attempt + 1)
    raise ValueError(f"no sizes were confirmed in {ATTEMPTS} attempts: take more trials")


def empirical_excess(
    scenario: Scenario,
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    report: Report = lambda line: None,
) -> EmpiricalExcess:
    """Return the upper limit of the (1 - beta)-quantile of the excess error at given sizes, confidence CONFIDENCE.

    The limit is an order statistic: the (k + 1)-th largest excess error of the trials, k = ``allowed_failures``.  A
    trial is at or above the quantile with probability at least beta.  The limit is below the quantile only if at most k
    trials are: with probability at most P[Bin(trials, beta) <= k] <= 0.05.  Raises ValueError as
    ``empirical_sizes`` does.
    """
    checks.between("beta", beta, 0, 1)
    n_public, n_private = checks.size("n_public", n_public), checks.size("n_private", n_private)
    trials = scenario.trials_for(beta)
    _check_sizes(scenario, n_public, n_private, trials)
    learner, stream = default_learner(epsilon, scenario.mechanism), Simulation(scenario.seed).spawn("excess")
    errors = []
    for excess in _run(scenario, learner, n_public, n_private, trials, stream):
        errors.append(excess)
        if len(errors) % max(1, trials // 5) == 0:
            report(f"n_public = {n_public}, n_private = {n_private}: {len(errors)} of {trials} trials")
    return EmpiricalExcess.of(errors, beta)


def _level(attempt: int) -> float:
    """Return the error probability that a confirmation may spend."""
    return (1 - CONFIDENCE) / 2 ** (attempt + 1)


def _fewest(beta: float, level: float) -> int:
    """Return the fewest trials that show a rate of at most beta if none fails: least n with (1 - beta)^n <= level."""
    return math.ceil(math.log(level) / math.log1p(-beta))


def check_rows(name: str, n: int, trials: int) -> None:
    """Raise ValueError for samples that are too large, or too many, to simulate."""
    if n > LARGEST_SAMPLE or n * trials > MOST_ROWS:
        most = min(LARGEST_SAMPLE, MOST_ROWS // trials)
        raise ValueError(
            f"{name} = {n}: the simulation draws at most {most} in each of {trials} samples, ask for the proven part "
            "only, or for a larger alpha or epsilon"
        )


def _check_sizes(scenario: Scenario, n_public: int, n_private: int, trials: int) -> None:
    check_rows("n_public", n_public, trials)
    check_rows("n_private", n_private, trials)
    scenario.population.check_cover(n_public)


def _run(
    scenario: Scenario, learner: Selecting[Cover], n_public: int, n_private: int, trials: int, randomness: Simulation
) -> Iterable[float]:
    """Yield the excess errors of independent trials, each with its target, samples and draw."""
    for i in range(trials):
        stream = randomness.spawn(n_public, n_private, i)
        trial = Trial.draw(scenario.population, n_public, learner.public_stage, stream)
        yield trial.excess(n_private, learner, scenario.noise, stream)


def _failures(failed: Iterable[bool], allowed: int) -> int:
    """Return the number of failures; stop counting at allowed + 1, which settles the decision."""
    count = 0
    for failure in failed:
        count += failure
        if count > allowed:
            break
    return count


def _outcome(failures: int, allowed: int, trials: int) -> str:
    if failures > allowed:
        return f"more than {allowed} of {trials} trials fail"
    return f"{failures} of {trials} trials fail, {allowed} allowed"


def _search(
    scenario: Scenario, learner: Selecting[Cover], alpha: float, beta: float, trials: int, report: Report
) -> tuple[int, int]:
    """Return the steps of the grid of the least n_public and n_private that are accepted."""
    randomness = Simulation(scenario.seed).spawn("search")
    allowed = allowed_failures(beta, trials, 1 - CONFIDENCE)
    public, drawn = search_public(scenario, alpha, beta, trials, report, learner.public_stage)

    def learns(step: int) -> bool:
        n = grid(step)
        _check_sizes(scenario, 1, n, PRIVATE_DRAWS * trials)
        failed = (
            any(
                trial.excess(n, learner, scenario.noise, randomness.spawn("private", n, i, draw)) > alpha
                for draw in range(PRIVATE_DRAWS)
            )
            for i, trial in enumerate(drawn)
        )
        failures = _failures(failed, allowed)
        report(f"n_public = {grid(public)}, n_private = {n}: {_outcome(failures, allowed, trials)}")
        return failures <= allowed

    return public, _least(learns)


def search_public(
    scenario: Scenario, alpha: float, beta: float, trials: int, report: Report, stage: PublicStage[Cover]
) -> tuple[int, list[Trial]]:
    """Return the step of the grid of the least n_public that is accepted, with the covers that were drawn there.

    It is accepted if the best hypothesis of the cover rarely has an excess error above alpha / 2.
    """
    randomness = Simulation(scenario.seed).spawn("search")
    allowed = allowed_failures(beta, trials, 1 - CONFIDENCE)
    drawn: dict[int, list[Trial]] = {}

    def covers(step: int) -> bool:
        n = grid(step)
        _check_sizes(scenario, n, 1, trials)
        drawn[step] = []

        def failed() -> Iterable[bool]:
            for i in range(trials):
                trial = Trial.draw(scenario.population, n, stage, randomness.spawn("public", n, i))
                drawn[step].append(trial)
                yield trial.least_excess(scenario.noise) > alpha / 2

        failures = _failures(failed(), allowed)
        report(f"cover of n_public = {n}: {_outcome(failures, allowed, trials)}")
        if failures > allowed:
            del drawn[step]
        return failures <= allowed

    public = _least(covers)
    return public, drawn[public]


def _least(accepts: Callable[[int], bool]) -> int:
    """Return the least accepted step of the grid, as far as doubling and one step back tell."""
    step = 1
    while not accepts(step):
        step += 2
    return step - 1 if step > 1 and accepts(step - 1) else step
