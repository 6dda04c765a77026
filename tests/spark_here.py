"""Spark for tests: one session a process, in it or on a private cluster of two workers on loopback."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

LOCAL = "spark://local[2]"
WHY = "Spark has an environment of its own: make test-spark"
PATIENCE = 90
"""Seconds that a master or a worker has to start."""
SMALL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
}
"""Settings for small tables and little memory."""


def obstacle() -> str | None:
    """What is missing for Spark, and how to install it; None if nothing is."""
    if shutil.which("java") is None:
        return "java not found, which Spark needs; on Debian or Ubuntu: apt-get install default-jre-headless"
    return None


def prepare(**settings: str) -> None:
    """Set how a session of this process will start; fail in one line where Spark cannot run."""
    if reason := obstacle():
        pytest.fail(reason, pytrace=False)
    options = [f"--conf {name}={value}" for name, value in {**SMALL, **settings}.items()]
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory 2g {' '.join(options)} pyspark-shell"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable


def view(name: str, file: Path) -> str:
    """Make a view of a file of Parquet in the session of this process; return the session's address."""
    from semipriv.practice.databases.spark import ENGINE

    prepare()
    ENGINE.opened(LOCAL, 600).backend._session.read.parquet(str(file)).createOrReplaceTempView(name)
    return LOCAL


@attrs.frozen
class Cluster:
    """A master with its address, and its workers, which are groups of processes: a worker and its executors."""

    address: str
    workers: Sequence["subprocess.Popen[bytes]"]

    def kill(self, place: int) -> None:
        """Kill a worker with its executors."""
        os.killpg(self.workers[place].pid, signal.SIGKILL)
        self.workers[place].wait()


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Start a master and two workers of one core each, and stop them whatever happens.

    Workers have two addresses of this machine: Spark repeats no task on the host that it runs on.
    """
    import pyspark

    program = str(Path(pyspark.__file__).parent / "bin/spark-class")
    folder = Path(tempfile.mkdtemp(prefix="spark"))
    environment = {**os.environ, "SPARK_DAEMON_MEMORY": "256m"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str, name: str, host: str, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [program, f"org.apache.spark.deploy.{kind}", "--host", host, "--webui-port", "0", *arguments]
        own = {**environment, "SPARK_LOCAL_IP": host}
        with (folder / name).open("wb") as log:
            process = subprocess.Popen(command, env=own, stdout=log, stderr=log, start_new_session=True)
        started.append(process)
        return process

    def awaited(name: str, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in (folder / name).read_text():
            if time.monotonic() > end:
                raise RuntimeError(f"{name} did not start: {(folder / name).read_text()[-2000:]}")
            time.sleep(0.2)

    try:
        start("master.Master", "master", "127.0.0.1", "--port", str(port))
        awaited("master", "New state: ALIVE")
        address = f"spark://127.0.0.1:{port}"
        own = ["-c", "1", "-m", "1g", "-d", str(folder), address]
        workers = [start("worker.Worker", f"worker{i}", f"127.0.0.{i + 1}", *own) for i in range(2)]
        for i in range(2):
            awaited(f"worker{i}", "Successfully registered with master")
        yield Cluster(address, workers)
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(folder)
