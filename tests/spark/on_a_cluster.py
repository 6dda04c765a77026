"""Spark on a private cluster of two workers: the integers of files, whatever becomes of an executor or of a task.

`make test-spark` runs it.  Its name keeps it out of the ordinary test run.  Tests are in the order in which workers are
lost.
"""

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here

from semipriv.audit.properties.entropy import Seeded
from semipriv.practice.asking.request import load
from semipriv.practice.databases.spark import Spark
from semipriv.practice.engine.whole import release
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.guarantee import Neighbours

FILES, ROWS = 8, 250_000
PATIENCE = 600
"""Seconds that an attempt waits for another one at most: a busy machine takes long to start one."""
X = {"range": [0, 100], "unknown": 30}
WARD = {"categories": ["A", "B", "C"], "unknown": "other"}
FEATURES = {"x": X, **{f"x{i}": X for i in range(19)}, "n": {"integers": [0, 60], "unknown": 0}}
STATISTICS = [
    {"statistic": "count", "by": ["ward"]},
    {"statistic": "mean", "column": "x", "by": ["ward"]},
    {"statistic": "quantiles", "column": "x", "at": [0.5], "by": ["ward"]},
]
PERSON = {"one_row_a_person": None, "person": {"columns": ["pid"]}}
ASKED: dict[str, dict[str, Any]] = {
    "thresholds": {"features": {"x": X}, "class": {"name": "thresholds"}, "learner": {"name": "sspp", "epsilon": 1}},
    "stumps": {
        "features": {name: declaration for name, declaration in FEATURES.items() if name != "n"},
        "class": {"name": "decision_stumps"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "marginals": {
        "features": {"ward": WARD, "n": FEATURES["n"], "band": {"bins": [0, 10, 50, 100], "unknown": "none"}},
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
    "statistics": {
        "features": {"ward": WARD, "x": X, "n": FEATURES["n"]},
        "label": None,
        "class": None,
        "learner": {"name": "statistics", "epsilon": 1, "statistics": STATISTICS},
    },
}
ASKED["gradients"] = {
    "features": {"x": X, "band": X, "n": FEATURES["n"], "ward": {**WARD, "one_hot": True}},
    "class": {"name": "halfspaces"},
    "learner": {"name": "public_metric_discriminant", "epsilon": 1},
}
ASKED["thresholds of persons"] = {**ASKED["thresholds"], **PERSON}
ASKED["statistics of persons"] = {**ASKED["statistics"], **PERSON}


def rows(seed: int, n: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    numbers = {f"x{i}": 100 * rng.random(n) for i in range(19)}
    return pa.table(
        {
            "x": rng.choice([*(100 * rng.random(300)), 30.0, 0.0, -0.0, np.nan, np.inf], n),
            **numbers,
            "n": pa.array(rng.integers(-3, 64, n).astype(np.int32), mask=rng.random(n) < 0.1),
            "band": 100 * rng.random(n),
            "ward": pa.array(rng.choice(["A", " B", "C ", "a", None], n)),
            "pid": rng.integers(0, n // 7, n),
            "ill": rng.choice(["yes", "no"], n),
        }
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[spark_here.Cluster]:
    """Its session repeats slow tasks eagerly, so that attempts of some end twice."""
    eager = {"": "true", ".interval": "50ms", ".multiplier": "1.01", ".quantile": "0.1", ".minTaskRuntime": "10ms"}
    spark_here.prepare(
        **{f"spark.speculation{name}": value for name, value in eager.items()},
        **{"spark.sql.files.maxPartitionBytes": "4m", "spark.sql.files.openCostInBytes": "4m"},
    )
    with spark_here.cluster() as started:
        yield started
        Spark.opened(started.address, 60).backend._session.stop()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of many rows: a query takes some seconds."""
    folder = tmp_path_factory.mktemp("many")
    for i in range(FILES):
        columns = ["x", "ill", "ward", "pid", "n", "band"]
        pq.write_table(rows(i, ROWS).select(columns), folder / f"{i}.parquet")
    return folder


def request(folder: Path, asked: dict[str, Any], private: dict[str, Any]) -> Path:
    """A request with a ledger of its own, and public rows enough for many cuts."""
    (folder / "ledgers").mkdir(parents=True)
    public = rows(99, 400).to_pandas()
    public["ward"] = public["ward"].str.strip().replace("a", "A").fillna("A")
    finite = public["x"].where(np.isfinite(public["x"]), 50.0)
    pd.DataFrame(public.assign(x=finite, n=public["n"].fillna(0).clip(0, 60))).to_csv(
        folder / "public.csv", index=False
    )
    neighbours = {"neighbours": Neighbours.REPLACE_PERSON} if "person" in asked else {}
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(epsilon=2, **neighbours), "a clinic")
    return releases.request(folder, **asked, private=private)


def released(folder: Path, asked: dict[str, Any], private: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What is released of the integers by the same coins, and the kinds of the ledger's entries; rows stay."""
    path = request(folder, asked, private)
    outcome = release(load(path))
    database = outcome.released.extras.get("database", {"streamed": False})
    assert not database["streamed"]
    return outcome.released.output.arrays(), [
        entry.kind for entry in Ledger.open(folder / "ledgers/clinic.jsonl").entries
    ]


@pytest.fixture(autouse=True)
def coins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semipriv.practice.engine.stages.Secure", lambda: Seeded(5))


def equal(first: dict[str, Any], other: dict[str, Any]) -> None:
    assert first.keys() == other.keys()
    for name, numbers in first.items():
        np.testing.assert_array_equal(numbers, other[name], name)


@pytest.mark.parametrize("what", ASKED)
def test_a_cluster_releases_what_files_release(tmp_path: Path, cluster: spark_here.Cluster, what: str) -> None:
    """By the same coins; no row leaves the cluster."""
    pq.write_table(rows(7, 5000), tmp_path / "t.parquet")
    expected, _ = released(tmp_path / "file", ASKED[what], {"path": str(tmp_path / "t.parquet")})
    query = f"select * from parquet.`{tmp_path / 't.parquet'}`"
    arrays, kinds = released(tmp_path / "spark", ASKED[what], {"database": cluster.address, "query": query})
    equal(arrays, expected)
    assert kinds.count("reserved") == kinds.count("released") == 1


DRIVER = """
import sys, threading, time
from pathlib import Path
from semipriv.practice.asking.request import load
from semipriv.practice.databases.spark import Spark
from semipriv.practice.engine.whole import release

moment, path, ledger = sys.argv[1:]
read = Spark.read

def told(self, asked):
    counts = "place0" in self.sql(asked) and '"kind": "reserved"' in Path(ledger).read_text()
    if counts and moment == "while it counts":
        tracker = self.backend._session.sparkContext.statusTracker()
        def watch():
            while not tracker.getActiveStageIds():
                time.sleep(0.01)
            print("now", flush=True)
        threading.Thread(target=watch, daemon=True).start()
    answer = read(self, asked)
    if counts and moment == "after it has counted":
        print("now", flush=True)
        time.sleep(600)
    return answer

Spark.read = told
release(load(path))
assert release(load(path)).replayed
"""
"""A release that says when it is to be killed."""


@pytest.mark.parametrize("moment", ["while it counts", "after it has counted"])
def test_a_driver_that_is_lost_is_charged_once_and_draws_once(tmp_path: Path, many: Path, moment: str) -> None:
    """The process of the release is killed with its JVM; asked again, the request is charged once and drawn once."""
    private = {"database": spark_here.LOCAL, "query": f"select * from parquet.`{many}`"}
    path = request(tmp_path, ASKED["thresholds"], private)
    spark_here.prepare()
    ledger = tmp_path / "ledgers/clinic.jsonl"
    program, quiet = [sys.executable, "-W", "ignore", "-c", DRIVER], {"text": True, "stdout": subprocess.PIPE}
    with subprocess.Popen([*program, moment, path, ledger], start_new_session=True, **quiet) as driver:
        assert driver.stdout is not None
        line = driver.stdout.readline()
        os.killpg(driver.pid, signal.SIGKILL)
    assert (line, driver.returncode) == ("now\n", -signal.SIGKILL)

    def kinds() -> list[str]:
        return [entry.kind for entry in Ledger.open(ledger).entries]

    assert kinds() == ["opened", "reserved"]
    subprocess.run([*program, "never", path, ledger], check=True)  # and once more in the same process
    assert kinds().count("reserved") == kinds().count("released") == 1


def attempts(session: Any) -> list[tuple[str, bool]]:
    """State, and whether it was speculative, of each attempt of each task."""
    context = session.sparkContext
    store, tracker, active = context._jsc.sc().statusStore(), context.statusTracker(), []
    for job in tracker.getJobIdsForGroup(None):
        for stage in tracker.getJobInfo(job).stageIds:
            if tracker.getStageInfo(stage) is None:  # it was skipped
                continue
            tasks = store.taskList(stage, tracker.getStageInfo(stage).currentAttemptId, 1000)
            active += [(tasks.apply(i).status(), tasks.apply(i).speculative()) for i in range(tasks.size())]
    return active


def disturbed(monkeypatch: pytest.MonkeyPatch, disturb: Any) -> None:
    """Call ``disturb`` once, when some tasks of the query that counts are done and others run."""
    honest, done = Spark.read, threading.Event()

    def read(self: Spark, asked: Any) -> pa.Table:
        if done.is_set() or "place0" not in (text := self.sql(asked)) or re.search(r"WHERE\s+FALSE", text):
            return honest(self, asked)
        tracker = self.backend._session.sparkContext.statusTracker()

        def wait() -> None:
            while not done.is_set():
                stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
                if any(stage and stage.numCompletedTasks and stage.numActiveTasks for stage in stages):
                    disturb()
                    done.set()
                time.sleep(0.02)

        watch = threading.Thread(target=wait)
        watch.start()
        try:
            return honest(self, asked)
        finally:
            assert done.is_set(), "the query was over before it was disturbed"
            watch.join()

    monkeypatch.setattr(Spark, "read", read)


@pytest.mark.parametrize("fault", ["its process dies", "its executor is lost", "it is repeated beside itself"])
def test_a_gradient_is_summed_up_once_whatever_becomes_of_an_attempt(
    tmp_path: Path, cluster: spark_here.Cluster, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The first attempt ends when its sum is made, or waits until another one has made it: the release is the file's.

    Slow tasks are repeated, so that Spark may begin another attempt before the first ends: this waits for the first
    one's sum.  Whether the first one then failed, or was killed, depends on what Spark hears first.  An executor is the
    parent of the daemon that is the parent of the process of a task.
    """
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts"
    parts.mkdir()
    pq.write_table(rows(7, 5000), whole)
    for place in range(3):
        pq.write_table(rows(7, 5000)[2000 * place : 2000 * place + 2000], parts / f"{place}.parquet")
    expected, _ = released(tmp_path / "file", ASKED["gradients"], {"path": str(whole)})
    honest, sums = Spark.summed, itertools.count()
    first, second = (str(tmp_path / name) for name in ("first", "second"))

    def summed(self: Spark, asked: Any, work: Any) -> Any:
        def disturbed_work(table: pa.Table) -> Any:
            import os
            import signal
            import time
            from pathlib import Path

            from pyspark import TaskContext

            result, task = work(table), TaskContext.get()
            if not table.num_rows or task.partitionId() != 0:
                return result
            own, other = (second, first) if task.attemptNumber() else (first, second)
            Path(own).touch()
            if own == first and fault == "its process dies":
                os._exit(1)
            if own == first and fault == "its executor is lost":
                executor = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
                os.kill(int(executor), signal.SIGKILL)
                time.sleep(60)
            end = time.monotonic() + PATIENCE
            while not Path(other).exists() and time.monotonic() < end:
                time.sleep(0.01)
            return result

        return honest(self, asked, disturbed_work if next(sums) == 1 else work)

    monkeypatch.setattr(Spark, "summed", summed)
    private = {"database": cluster.address, "query": f"select * from parquet.`{parts}`"}
    arrays, kinds = released(tmp_path / "spark", ASKED["gradients"], private)
    equal(arrays, expected)
    assert kinds.count("reserved") == kinds.count("released") == 1
    assert Path(first).exists(), "a first attempt made its sum"
    assert Path(second).exists(), "there was a second attempt"
    attempted = attempts(Spark.opened(cluster.address, 60).backend._session)
    assert any(speculative if "beside" in fault else state != "SUCCESS" for state, speculative in attempted)


@pytest.mark.parametrize("fault", ["a task is repeated", "an executor is lost"])
def test_a_task_counts_once_however_often_it_is_tried(
    tmp_path: Path, cluster: spark_here.Cluster, many: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Attempts beside others, or after others that failed, are there; the release is that of the file: one charge."""
    asked = ASKED["thresholds"]
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.concat_tables([pq.read_table(file) for file in sorted(many.glob("*"))]), whole)
    expected, _ = released(tmp_path / "file", asked, {"path": str(whole)})
    if fault == "an executor is lost":
        disturbed(monkeypatch, lambda: cluster.kill(0))
    private = {"database": cluster.address, "query": f"select * from parquet.`{many}`"}
    arrays, kinds = released(tmp_path / "spark", asked, private)
    equal(arrays, expected)
    assert kinds.count("reserved") == kinds.count("released") == 1
    attempted = attempts(Spark.opened(cluster.address, 60).backend._session)
    assert any(state == "FAILED" if fault == "an executor is lost" else speculative for state, speculative in attempted)


def test_a_cluster_without_a_worker_is_not_waited_for(tmp_path: Path, cluster: spark_here.Cluster, many: Path) -> None:
    """Nothing is charged."""
    cluster.kill(1)
    private = {"database": cluster.address, "query": f"select * from parquet.`{many}`", "seconds": 15}
    path = request(tmp_path / "spark", ASKED["thresholds"], private)
    with pytest.raises(ValueError, match="no answer within 15 seconds"):
        release(load(path))
    assert [entry.kind for entry in Ledger.open(tmp_path / "spark/ledgers/clinic.jsonl").entries] == ["opened"]
