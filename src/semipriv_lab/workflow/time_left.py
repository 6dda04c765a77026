"""How far a run is, by paper, and how long the rest will take, told while it runs.

Every job has a weight, about the seconds of one core that it takes: those of the last run, or, where that is not known,
those that its study or experiment declares.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from semipriv.core.progress import duration

SOON = 0.2
"""Share of the work before which the time left follows from the weights, not from the speed so far."""


@dataclass(frozen=True)
class Weight:
    """paper: id of a paper, or COMMON.  seconds: about how long a job takes on one core."""

    paper: str
    seconds: float


def at_once(workflow: Any) -> int:
    """Return how many jobs of one core work at once: the cores, or on a cluster, where these are not set, the jobs."""
    return int((workflow.cores if workflow.local_exec else workflow.nodes) or 1)


class TimeLeft(logging.Handler):
    """Tells, when a job ended, which share of the work of each paper is done, and how long the rest will take.

    weights: of the jobs of the run, by Snakemake's number of the job.  cores: jobs at work at once.  say: gets a line
    at most every ``interval`` seconds.
    """

    def __init__(
        self,
        weights: Mapping[int, Weight],
        cores: int,
        say: Callable[[str], None],
        interval: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._weights, self._cores, self._say = dict(weights), max(1, cores), say
        self._interval, self._clock = interval, clock
        self._start = self._last = clock()
        self._total, self._done = _by_paper(self._weights.values()), _by_paper(())
        self._say(self.line())

    def emit(self, record: logging.LogRecord) -> None:
        """Count a job that ended."""
        if getattr(record, "event", None) != LogEvent.JOB_FINISHED:
            return
        weight = self._weights.pop(getattr(record, "job_id", -1), None)
        if weight is not None:
            self._done[weight.paper] += weight.seconds
        if self._weights and self._clock() - self._last >= self._interval:
            self._last = self._clock()
            self._say(self.line())

    def line(self) -> str:
        """Return the share of each paper's work that is done, and the time left."""
        total, done = sum(self._total.values()), sum(self._done.values())
        rest, passed = total - done, self._clock() - self._start
        left = rest * passed / done if done > SOON * total else rest / self._cores
        shares = ", ".join(f"{paper} {100 * self._done[paper] / self._total[paper]:.0f} %" for paper in self._total)
        return f"{shares}; about {duration(left)} left"


def _by_paper(weights: Iterable[Weight]) -> defaultdict[str, float]:
    seconds: defaultdict[str, float] = defaultdict(float)
    for weight in weights:
        seconds[weight.paper] += weight.seconds
    return seconds
