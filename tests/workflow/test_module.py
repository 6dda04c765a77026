"""The workflow from elsewhere: as a module of another workflow, and from where the workflow catalog looks for it."""

import subprocess
import sys
from pathlib import Path

from places import ROOT
from runs import MICRO, environment

DEFAULTS = f'configfile: "{ROOT}/config/config.yaml"\nconfigfile: "{MICRO}"\n'
MODULE = f'module semipriv:\n    snakefile: "{ROOT}/Snakefile"\n    config: config\n'
TARGET = "rule all:\n    input: rules.semipriv_all.input\n    default_target: True\n"


def planned(folder: Path, snakefile: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--snakefile", str(snakefile)]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )
    return done.stdout + done.stderr


def write(folder: Path, *parts: str) -> Path:
    path = folder / "Snakefile"
    path.write_text("\n".join(parts))
    return path


def test_as_a_module(tmp_path: Path) -> None:
    snakefile = write(tmp_path, DEFAULTS, MODULE, "use rule * from semipriv as semipriv_*\n", TARGET)
    printed = planned(tmp_path, snakefile)
    for rule in ("construct_cover", "private_select", "ledger", "summary"):
        assert f"semipriv_{rule} " in printed, printed


def test_as_a_module_without_a_configuration(tmp_path: Path) -> None:
    printed = planned(tmp_path, write(tmp_path, MODULE, "use rule * from semipriv\n"))
    assert "no configuration: a module is given one by `config: config`, after" in printed, printed


def test_from_the_folder_of_the_workflow(tmp_path: Path) -> None:
    printed = planned(tmp_path, ROOT / "workflow/Snakefile", "--configfile", f"{ROOT}/config/config.yaml", str(MICRO))
    assert "private_select " in printed, printed
