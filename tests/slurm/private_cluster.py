"""A private Slurm of one node: munged, slurmctld and slurmd of the machine's packages, in a folder of their own.

It has its own key, socket, ports, state and logs, and needs neither systemd nor accounting; a Slurm or munge of the
system, running or not, is not touched.  As a program it runs a command in such a cluster:
``python tests/slurm/private_cluster.py squeue``.
"""

import contextlib
import ctypes
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue", "scontrol")
PARTITION = "main"
PATIENCE = 30
"""Seconds that a daemon has to start or to stop."""

CONFIGURATION = """\
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
PlugStackConfig={folder}/plugstack.conf
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=5
MinJobAge=86400
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName={partition} Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def obstacle() -> str | None:
    """What is missing for a private cluster, and how to install it; None if nothing is."""
    missing = [name for name in PROGRAMS if find(name) is None]
    install = "apt-get install --no-install-recommends slurm-wlm slurm-client munge"
    return f"{', '.join(missing)} not found; on Debian or Ubuntu: {install}" if missing else None


def find(program: str) -> str | None:
    """Path of a program; daemons lie where the PATH of an ordinary user does not reach."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/local/sbin")


@contextlib.contextmanager
def private_cluster() -> Iterator[dict[str, str]]:
    """Start a cluster, give the environment in which sbatch finds it, and stop it whatever happens.

    Raises RuntimeError where a daemon does not start, with the end of its log, and where a process outlives the end.
    """
    if reason := obstacle():
        raise RuntimeError(reason)
    folder = Path(tempfile.mkdtemp(prefix="private_slurm_"))
    daemons: list[subprocess.Popen[bytes]] = []
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "SBATCH", "SRUN"))}
    environment |= {"SLURM_CONF": str(folder / "slurm.conf"), "PRIVATE_SLURM": str(folder)}
    environment["PATH"] = f"{folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"
    try:
        configure(folder)
        munge = folder / "munge"
        files = {"key": "key-file", "socket": "socket", "pid": "pid-file", "log": "log-file", "seed": "seed-file"}
        daemons.append(start("munged", environment, "-F", *(f"--{o}={munge / name}" for name, o in files.items())))
        await_until("munged", (munge / "socket").exists, daemons, munge / "log")
        daemons.append(start("slurmctld", environment, "-D", "-c"))
        daemons.append(start("slurmd", environment, "-D", "-c"))
        await_until("slurmd", lambda: idle(environment), daemons, folder / "slurmd.log", folder / "slurmctld.log")
        yield environment
    finally:
        stop(daemons, environment, folder)


def configure(folder: Path) -> None:
    """Write slurm.conf, the key of munge and the folders of state.

    srun gets a wrapper: inside jobs the executor plugin removes SLURM_CONF from its environment.
    """
    folder.chmod(0o755)
    for name in ("bin", "munge", "spool", "state"):
        (folder / name).mkdir(mode=0o755)
    srun = folder / "bin" / "srun"
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {find("srun")} "$@"\n')
    srun.chmod(0o755)
    key = folder / "munge" / "key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    (folder / "plugstack.conf").touch()
    hardware = subprocess.run([find("slurmd") or "slurmd", "-C"], capture_output=True, text=True, check=True).stdout
    controller_port, node_port = free_ports(2)
    text = CONFIGURATION.format(
        host=socket.gethostname().partition(".")[0],
        user=pwd.getpwuid(os.geteuid()).pw_name,
        folder=folder,
        controller_port=controller_port,
        node_port=node_port,
        cpus=len(os.sched_getaffinity(0)),
        memory=re.search(r"RealMemory=(\d+)", hardware)[1],
        partition=PARTITION,
    )
    (folder / "slurm.conf").write_text(text)


def free_ports(count: int) -> list[int]:
    """Ports of this machine on which nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for free in sockets:
            free.bind(("127.0.0.1", 0))
        return [free.getsockname()[1] for free in sockets]


def start(program: str, environment: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    """Start a daemon in the foreground, out of reach of the terminal's Ctrl-C, so that it dies with this process."""
    library = ctypes.CDLL(None)

    def die_with_parent() -> None:
        library.prctl(1, signal.SIGTERM)

    return subprocess.Popen(
        [find(program) or program, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509  (no threads here)
    )


def idle(environment: dict[str, str]) -> bool:
    """Whether the node waits for jobs."""
    seen = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return seen.stdout.strip() == "idle"


def await_until(name: str, ready: Callable[[], bool], daemons: list[subprocess.Popen[bytes]], *logs: Path) -> None:
    """Wait until a daemon is ready; raises RuntimeError with the end of its log if it is late, or one has died."""
    deadline = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > deadline or any(daemon.poll() is not None for daemon in daemons):
            ends = [f"{log}:\n{log.read_text(errors='replace')[-2000:]}" for log in logs if log.exists()]
            raise RuntimeError("\n".join([f"{name} did not start within {PATIENCE} s", *ends]))
        time.sleep(0.1)


def stop(daemons: list[subprocess.Popen[bytes]], environment: dict[str, str], folder: Path) -> None:
    """Cancel all jobs, stop the daemons, last started first, and remove their folder.

    Raises RuntimeError if a process of the cluster is left after that, having killed it.
    """
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = ["scancel", f"--partition={PARTITION}", "--full"]
        subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE, check=False)
        wait_for(lambda: not queue(environment))
    for daemon in reversed(daemons):
        daemon.terminate()
        try:
            daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
    wait_for(lambda: not survivors(folder))
    left = survivors(folder)
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    if left:
        raise RuntimeError(f"processes {sorted(left)} outlived the private Slurm and were killed")


def wait_for(done: Callable[[], bool]) -> None:
    """Wait until something is done, no longer than the patience."""
    deadline = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < deadline:
        time.sleep(0.2)


def queue(
    environment: dict[str, str], states: str = "RUNNING,PENDING,COMPLETING", what: str = "%k"
) -> list[tuple[int, str]]:
    """Id of the jobs in the given states, and what squeue describes them: the comment, which names Snakemake's rule."""
    command = ["squeue", "--noheader", f"--states={states}", f"--format=%i {what}"]
    seen = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    rows = (line.split(maxsplit=1) for line in seen.stdout.splitlines())
    return [(int(row[0]), row[1] if len(row) > 1 else "") for row in rows]


def survivors(folder: Path) -> set[int]:
    """Processes with the cluster's folder in their environment: its daemons, its jobs and all that these started."""
    mark = f"PRIVATE_SLURM={folder}".encode()
    processes = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                processes.add(int(path.parent.name))
    return processes


def main(command: list[str]) -> int:
    """Run a command in a private cluster and return its exit code."""
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    if reason := obstacle():
        print(reason, file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with private_cluster() as environment:
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
