"""What a run says about itself while it works: shares by paper, and the time left."""

import logging
from types import SimpleNamespace

from snakemake_interface_logger_plugins.common import LogEvent

from semipriv_lab.workflow.time_left import TimeLeft, Weight, at_once

WEIGHTS = {1: Weight("ABM19", 60.0), 2: Weight("ABM19", 20.0), 3: Weight("BMN20", 20.0), 4: Weight("BMN20", 100.0)}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def ended(time_left: TimeLeft, job: int, event: LogEvent = LogEvent.JOB_FINISHED) -> None:
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, None, (), None)
    record.event, record.job_id = event, job
    time_left.handle(record)


def test_it_tells_shares_by_paper_and_the_time_left() -> None:
    lines, clock = [], Clock()
    time_left = TimeLeft(WEIGHTS, 2, lines.append, 15.0, clock)
    assert lines == ["ABM19 0 %, BMN20 0 %; about 1 min 40 s left"], "200 s of one core on two cores"
    clock.now = 10.0
    ended(time_left, 3)
    assert len(lines) == 1, "too soon"
    clock.now = 20.0
    ended(time_left, 1, LogEvent.JOB_INFO)
    assert len(lines) == 1, "it began only"
    ended(time_left, 1)
    assert lines[1:] == ["ABM19 75 %, BMN20 17 %; about 30 s left"], "80 of 200 in 20 s"
    ended(time_left, 1)
    clock.now = 40.0
    ended(time_left, 2)
    assert lines[2:] == ["ABM19 100 %, BMN20 17 %; about 40 s left"], "a job counts once"
    clock.now = 60.0
    ended(time_left, 4)
    assert len(lines) == 3, "the end speaks for itself"


class OnACluster:
    """A workflow whose jobs a cluster runs: asked for its cores, which nobody set, Snakemake raises."""

    local_exec, nodes = False, 100

    @property
    def cores(self) -> int:
        raise AssertionError("--cores is not set on a cluster")


def test_jobs_at_once_are_cores_or_jobs_of_the_cluster() -> None:
    assert at_once(OnACluster()) == 100
    assert at_once(SimpleNamespace(local_exec=True, cores=8, nodes=None)) == 8
    assert at_once(SimpleNamespace(local_exec=True, cores=None, nodes=None)) == 1
