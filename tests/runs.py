"""Running Snakemake in a folder of its own, as a user would."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = Path(__file__).parent / "fixtures"
MICRO = FIXTURES / "micro.yaml"


def snakemake(
    folder: Path, *arguments: str, config: Path = MICRO, root: Path = ROOT, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake on the workflow with ``folder`` as its working directory."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"), "--directory", str(folder)]
    command += ["--configfile", str(root / "config" / "config.yaml"), str(config), *arguments]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done


def contents(folder: Path, *patterns: str) -> dict[str, bytes]:
    """Bytes of the files below a folder that match, by relative path."""
    found = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}
