"""What error a release would have, simulated on its public rows within some seconds.  It proves nothing."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points
from semipriv.learners._needs import size_keys
from semipriv.learners.base import AnyLearner
from semipriv.practice.planner.empirical import CONFIDENCE, Scenario, allowed_failures, default_trials
from semipriv.practice.planner.population import Population
from semipriv.practice.planner.trials import check_simulated, excesses

SECONDS = 10.0
"""Time that a simulation takes by default, at most."""
FEWEST = 20
"""Public rows that make a population to simulate."""

Say = Callable[[str], None]


@attrs.frozen
class Simulated:
    """Excess errors of trials: the population is the public rows, targets are drawn from the class, a tenth of labels
    is replaced.

    trials: those that were made.  of: those that were meant.  limit: what the error exceeds with probability at most
    beta, with this confidence over the simulation; None if no trial was made in time.
    """

    limit: float | None
    confidence: float
    trials: int
    of: int

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        return attrs.asdict(self)


class _LateError(Exception):
    """The time is over."""


def simulated(
    learner: AnyLearner,
    hypothesis_class: HypothesisClass,
    points: Points,
    sizes: dict[str, int],
    beta: float,
    seconds: float = SECONDS,
    say: Say = lambda line: None,
) -> Simulated | None:
    """Return what trials show that end in time; None for a learner that is not simulated, and for few public rows.

    points: the public rows.  sizes: by name; those that the learner has count.  say: is told the progress.  A trial
    that is under way when the time is over does not count; in a thread other than the main one it is waited for.

    The limit is an order statistic of the errors: with 95 % confidence where the trials are enough for that, else the
    largest of T trials, which is below the (1 - beta)-quantile with probability (1 - beta)^T.
    """
    if len(points) < FEWEST:
        return None
    scenario = Scenario(Population(hypothesis_class, "public rows", points))
    of, errors = default_trials(beta), list[float]()
    known_sizes = {key: sizes[key] for key in size_keys(learner) if key in sizes}
    if set(known_sizes) != set(size_keys(learner)):
        return None
    stream = Simulation(scenario.seed).spawn("excess")
    start = last = time.monotonic()
    try:
        check_simulated(learner, hypothesis_class)
        say(f"simulating {of} trials on the public rows, at most {seconds:g} s")
        with _until(seconds):
            for excess in excesses(scenario.population, learner, known_sizes, scenario.noise, of, stream):
                errors.append(excess)
                now = time.monotonic()
                if now - start >= seconds:
                    break
                if now - last >= 2:
                    last = now
                    say(f"{len(errors)} of {of} trials, {now - start:.0f} s")
    except _LateError:
        pass
    except ValueError:  # it is not simulated
        return None
    return _summary(errors, of, beta)


def _summary(errors: list[float], of: int, beta: float) -> Simulated:
    """Return what the errors of some trials show."""
    if not errors:
        return Simulated(None, 0.0, 0, of)
    allowed = allowed_failures(beta, len(errors), 1 - CONFIDENCE)
    sure = CONFIDENCE if allowed >= 0 else 1 - (1 - beta) ** len(errors)
    return Simulated(float(np.sort(errors)[-1 - max(allowed, 0)]), sure, len(errors), of)


@contextmanager
def _until(seconds: float) -> Iterator[None]:
    """Raise _LateError in the block when the time is over: in the main thread, which alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: object) -> None:
        raise _LateError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
