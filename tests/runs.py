"""Tools for tests that run Snakemake as a user does, in a folder of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = Path(__file__).parent / "fixtures"
MICRO = FIXTURES / "micro.yaml"


def command(folder: Path, *arguments: str, config: Path = MICRO, root: Path = ROOT) -> list[str]:
    """Return the command that runs Snakemake on the workflow with ``folder`` as its working directory."""
    start = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"), "--directory", str(folder)]
    return [*start, "--configfile", str(root / "config" / "config.yaml"), str(config), *arguments]


def environment() -> dict[str, str]:
    """Return the environment without Snakemake's own variables."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}


def snakemake(
    folder: Path,
    *arguments: str,
    config: Path = MICRO,
    root: Path = ROOT,
    check: bool = True,
    inside: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake on the workflow with ``folder`` as its working directory.

    inside: words before the command: a program that runs it, with its arguments.  Raise AssertionError, with
    the output, if the run fails and ``check`` is true.
    """
    done = subprocess.run(
        [*inside, *command(folder, *arguments, config=config, root=root)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=1800,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done


def contents(folder: Path, *patterns: str) -> dict[str, bytes]:
    """Return the bytes of the files below a folder that match a pattern, by relative path."""
    found = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}
