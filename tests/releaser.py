"""A process that has imported the release engine and forks for each command: a child releases, and may be killed.

A process in which compiled kernels ran with threads cannot fork; this one runs none itself.  Each line of standard
input is a task in JSON: ``path`` of the request, ``children`` (a number), and, where a child is to end by SIGKILL,
``module`` and ``name`` of a function, and whether the kill comes ``later`` than what the function does; ``call``: at
which of its calls (the first).  The answer is the list of the children's exit codes, negative for signals.
"""

import importlib
import itertools
import json
import os
import signal
import sys
from typing import Any

from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging, whole


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(module: str, name: str, later: bool, call: int = 1) -> None:
    """Let the end come at a call of a function, or after it."""
    package, _, inner = module.partition(":")
    place = importlib.import_module(package)
    place = getattr(place, inner) if inner else place
    function = getattr(place, name)

    calls = itertools.count(1)

    def called(*given: Any, **named: Any) -> Any:
        ends = next(calls) == call
        if ends and not later:
            die()
        result = function(*given, **named)
        if ends:
            die()
        return result

    setattr(place, name, called)


charging.rehearse = lambda *_: 0.0  # a kill is to come at the release itself, not at that on made-up rows before it


def child(task: dict[str, Any], start: int) -> None:
    code = 3
    try:
        os.read(start, 1)  # ends when all children are there
        if "name" in task:
            kill_at(task["module"], task["name"], task["later"], task.get("call", 1))
        whole.release(load(task["path"]))
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    for line in sys.stdin:
        task = json.loads(line)
        if "module" in task:  # once, and not in each child
            importlib.import_module(task["module"].partition(":")[0])
            getattr(sys.modules.get("ibis"), "duckdb", None)
        start, wait = os.pipe()
        children = []
        for _ in range(task["children"]):
            if not (pid := os.fork()):
                os.close(wait)
                child(task, start)
            children.append(pid)
        os.close(wait)
        os.close(start)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        print(json.dumps(codes), flush=True)
