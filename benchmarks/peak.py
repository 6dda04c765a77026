"""Peak memory of one benchmark in a process of its own: ``python peak.py name factor`` prints bytes.

All that the process ever held counts: interpreter, libraries, inputs, compiled code.  Linux resets VmHWM when a program
starts; ru_maxrss, which it does not reset, would hold the peak of the process that started this one.
"""

import resource
import sys
from pathlib import Path

from kernels import BENCHMARKS


def peak_bytes() -> int:
    """Return the peak resident set of this process; by ru_maxrss (kilobytes) if /proc has no VmHWM."""
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else []:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    name, factor = sys.argv[1:]
    benchmark = next(b for b in BENCHMARKS if b.name == name)
    benchmark.make(float(factor)).work()
    print(peak_bytes())


if __name__ == "__main__":
    main()
