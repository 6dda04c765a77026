"""Bad configurations stop Snakemake itself before any job, with a clear message and nothing written."""

import re
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from runs import MICRO, snakemake
from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config

from semipriv.settings.reading import ConfigError, check_files
from semipriv_lab.experiments.loading import load_run

SAID_BY_SNAKEMAKE = [
    ("overrides: {excess_vs_shift: {learners: [{name: sspp, epsilon: 0}]}}", "epsilon = 0: must be > 0"),
    ("claims: [ABM19-L32]", "unknown claim or paper 'ABM19-L32': did you mean 'ABM19-L3.2'"),
    ("results: occupied/results", "cannot be written"),
    ("effort: '2'", "effort = '2': is text, must be a number"),
    (
        "overrides:\n  breast_cancer:\n    n_private: 40\n    n_private: 50",
        "bad.yaml: key 'n_private' is given twice, in lines 3 and 4",
    ),
]
"""One of each place that refuses a configuration: experiments, claims, folders, keys, files."""
REFUSED = [
    ("seedling: 3", "unknown key 'seedling': did you mean 'seed'"),
    ("overrides: {breast_cancer: {class: {name: halfspace}}}", "unknown class 'halfspace': did you mean 'halfspaces'"),
    ("overrides: {breast_cancer: {n_private: 560}}", "must leave rows of the table's 569 to hold out"),
    ("overrides: {mixture_vs_n: {n_public: 30}}", "n_public = 30: the sizes of a mixed sample's parts are random"),
    (
        "overrides: {mixture_vs_n: {distribution.privacy.name: label}}",
        "unknown distribution of privacy statuses 'label': did you mean",
    ),
    (
        "overrides: {mixture_relaxation: {cases: {a: {learners: [{name: learn_half, epsilon: 1}]}}}}",
        "learner 'learn_half', privacy = 'label_determined'",
    ),
    ("overrides: {breast_cancer_mixture: {table.ranges: [[0, 40]]}}", "table.ranges: must be 2 pairs"),
    ("overrides: {breast_cancer_mixture: {n: 569}}", "n = 569: must leave rows of the table's 569 to hold out"),
    ("overrides: {breast_cancer: {table.features: [mean radius, mean colour]}}", "unknown feature 'mean colour'"),
    ("beta: .nan", "beta = nan: must be finite"),
    ("seed: 3\neffort: 1\nseed: 4", "bad.yaml: key 'seed' is given twice, in lines 1 and 3"),
]


def write_bad(folder: Path, text: str) -> Path:
    mixtures = "experiments: [mixture_relaxation]\n" if "relaxation" in text else ""
    path = folder / "bad.yaml"
    path.write_text(mixtures + text + "\n")
    return path


@pytest.mark.parametrize(("text", "message"), SAID_BY_SNAKEMAKE, ids=[message[:30] for _, message in SAID_BY_SNAKEMAKE])
def test_bad_configuration(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "occupied").write_text("a file where a folder should be")
    bad = write_bad(tmp_path, text)
    before = {path.name for path in tmp_path.iterdir()}
    done = snakemake(tmp_path, str(bad), "--cores", "1", check=False)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} - {".snakemake"} == before


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message[:30] for _, message in REFUSED])
def test_refused_configuration(tmp_path: Path, text: str, message: str) -> None:
    """By the two functions that the workflow calls, with the settings as Snakemake merges them."""
    with pytest.raises(ConfigError, match=re.escape(message)):
        read(ROOT / "config/config.yaml", MICRO, write_bad(tmp_path, text))


def read(*files: Path) -> None:
    check_files(files)
    settings: dict[str, Any] = {}
    for path in files:
        update_config(settings, load_configfile(path))
    load_run(settings, ROOT / "config/experiments")


FILES = [
    (None, "cannot be read (No such file or directory)"),
    (b"", "must be a mapping of keys to values, is empty"),
    (b"# nothing\n", "must be a mapping of keys to values, is empty"),
    (b"- a\n", "must be a mapping of keys to values"),
    (b"a: [\n", "is not valid YAML ("),
    (b"\xff\xfea", "is not valid YAML ("),
]


@pytest.mark.parametrize(("content", "message"), FILES)
def test_a_file_that_is_none_gets_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    """Snakemake reads --configfile before anything of the workflow but its profile."""
    path = tmp_path / "bad.yaml"
    if content is not None:
        path.write_bytes(content)
    done = snakemake(tmp_path, str(path), "--cores", "1", check=False)
    assert done.returncode != 0
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"semipriv: {path}: {message}")
    assert "Traceback" not in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"bad.yaml"}
