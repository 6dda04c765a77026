"""The least private size with which a learner reaches an excess error on a population: an upper and a lower limit."""

from collections.abc import Mapping
from dataclasses import dataclass

from semipriv.core import checks
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.learners._needs import size_keys
from semipriv.learners.base import AnyLearner
from semipriv.practice.planner.empirical import ATTEMPTS, Report, Scenario, allowed_failures, check_rows, grid
from semipriv.practice.planner.trials import excesses

DOWN = 6
"""Most sizes below the upper limit that are tried for the lower one, a factor of 2 each."""


@dataclass(frozen=True)
class PrivateSize:
    """What was found of a learner's least size.

    size: the name of the size.  others: the sizes that were held.  upper: fresh trials show a failure rate of at most
    beta there; None: no size up to ``most`` does.  lower: fresh trials show a failure rate above beta there; None: no
    size that was tried does.  Both hold with probability at least 1 - level, over the simulation.  trials: of each
    confirmation.
    """

    size: str
    others: dict[str, int]
    upper: int | None
    lower: int | None
    trials: int
    most: int
    level: float


def private_size(
    scenario: Scenario,
    learner: AnyLearner,
    alpha: float,
    beta: float,
    held: Mapping[str, int],
    most: int,
    level: float,
    report: Report,
) -> PrivateSize:
    """Return limits of the least last size with P[excess > alpha] <= beta, on a grid of steps of sqrt(2) up to most.

    A search goes up the grid by factors of 2 and one step back.  What it accepts was lucky, so that fresh trials
    decide, whose number is fixed in advance.  Attempt i = 0, 1, ... at the size i steps up spends level / 2^(i + 2):
    upper.  Then sizes below it are tried in turn, attempt i of which spends as much: lower.  Both together err with
    probability at most level.  trials: as many as a first attempt allows about one failure of, or the scenario's.
    """
    checks.between("beta", beta, 0, 1)
    key, trials = size_keys(learner)[-1], _trials(scenario, beta, level)
    root = Simulation(scenario.seed).spawn("learner", repr(learner))
    name = learner.short_title

    def failures(n: int, number: int, *stream: str | int) -> int:
        check_rows(key, n, number)
        sizes = {**held, key: n}
        errors = excesses(scenario.population, learner, sizes, scenario.noise, number, root.spawn(*stream))
        return sum(error > alpha for error in errors)

    def accepts(step: int) -> bool:
        number = max(20, trials // 2)
        count = failures(grid(step), number, "search", step)
        report(f"{name}: {key} = {grid(step)}: {count} of {number} trials fail")
        return count <= beta * number

    step = 1
    while grid(step) <= most and not accepts(step):
        step += 2
    if step > 1 and accepts(step - 1):
        step -= 1
    upper = lower = None
    for attempt in range(ATTEMPTS):
        n, allowed = grid(step), allowed_failures(beta, trials, _spent(level, attempt))
        if n > most or allowed < 0:
            break
        count = failures(n, trials, "upper", attempt)
        report(f"{name}: confirming {key} = {n}: {count} of {trials} trials fail, {allowed} allowed")
        if count <= allowed:
            upper = n
            break
        step += 1
    for attempt in range(DOWN):
        n = grid(step - 2 * attempt - (upper is not None)) if step - 2 * attempt > 1 else 0
        if n < 1 or n > most:
            continue
        count = failures(n, trials, "lower", attempt)
        report(f"{name}: {key} = {n}: {count} of {trials} trials fail")
        if clopper_pearson(count, trials, 2 * _spent(level, attempt))[0] > beta:
            lower = n
            break
    return PrivateSize(key, dict(held), upper, lower, trials, most, level)


def _spent(level: float, attempt: int) -> float:
    """Return the error probability of an attempt: half of the level for each limit, over all attempts."""
    return level / 2 ** (attempt + 2)


def _trials(scenario: Scenario, beta: float, level: float) -> int:
    """Return the scenario's trials, or four times the fewest that confirm; raise ValueError if they are fewer."""
    fewest = next(n for n in range(1, 10**7) if (1 - beta) ** n <= _spent(level, 0))
    if scenario.trials is None:
        return 4 * fewest
    if scenario.trials < fewest:
        raise ValueError(f"trials = {scenario.trials}: must be >= {fewest} for beta = {beta} at level {level:.3g}")
    return scenario.trials
