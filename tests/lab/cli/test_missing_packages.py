"""The laboratory where packages of ``semipriv[workflow]`` are missing: one line that says what to install."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HIDDEN = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
from semipriv.cli import main
sys.exit(main(sys.argv[2:]))
"""
"""A module that is None there cannot be imported."""


def without(packages: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where packages are missing."""
    command = [sys.executable, "-c", HIDDEN, packages, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("package", "words", "what"),
    [
        ("matplotlib", "figures --list", "figures"),
        ("seaborn", "figures --for neurips", "figures"),
        ("snakemake", "claim ABM19-L3.3-rate", "runs"),
        ("snakemake", "figures --make proven_sizes --for screen", "runs"),
    ],
)
def test_what_needs_a_missing_package_says_so(tmp_path: Path, package: str, words: str, what: str) -> None:
    place = [] if "--list" in words else ["--directory", str(tmp_path)]
    done = without(package, *words.split(), *place)
    assert (done.returncode, done.stdout) == (2, "")
    line = rf"semipriv: {what} need {package}, which is not installed: python -m pip install 'semipriv\[workflow\]'\n"
    assert re.fullmatch(line, done.stderr), done.stderr
    assert not list(tmp_path.iterdir()), "nothing was begun"


@pytest.mark.parametrize("words", ["claim --list", "claim ABM19-L3.3 --sizes", "studies", "--help", "completion bash"])
def test_what_draws_and_runs_nothing_needs_none_of_them(words: str) -> None:
    done = without("matplotlib,seaborn,snakemake,pygments", *words.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout
