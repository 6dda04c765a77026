"""Bad configurations stop Snakemake itself before any job, with a clear message and nothing written."""

from pathlib import Path

import pytest
from runs import snakemake

pytestmark = pytest.mark.xdist_group("rules")

BAD = [
    ("seedling: 3", "unknown key 'seedling': did you mean 'seed'"),
    ("overrides: {excess_vs_shift: {learners: [{name: sspp, epsilon: 0}]}}", "epsilon = 0: must be > 0"),
    ("overrides: {breast_cancer: {class: {name: halfspace}}}", "unknown class 'halfspace': did you mean 'halfspaces'"),
    ("claims: [ABM19-L32]", "unknown claim or paper 'ABM19-L32': did you mean 'ABM19-L3.2'"),
    ("results: occupied/results", "cannot be written"),
    ("overrides: {breast_cancer: {n_private: 560}}", "must leave rows of the table's 569 to hold out"),
    ("overrides: {mixture_vs_n: {n_public: 30}}", "n_public = 30: the sizes of a mixed sample's parts are random"),
    ("overrides: {mixture_vs_n: {distribution.privacy.name: label}}", "unknown law of privacy 'label': did you mean"),
    (
        "overrides: {mixture_relaxation: {cases: {a: {learners: [{name: learn_half, epsilon: 1}]}}}}",
        "learner 'learn_half', privacy = 'label_determined'",
    ),
    ("overrides: {breast_cancer_mixture: {table.ranges: [[0, 40]]}}", "table.ranges: must be 2 pairs"),
    ("overrides: {breast_cancer_mixture: {n: 569}}", "n = 569: must leave rows of the table's 569 to hold out"),
    ("overrides: {breast_cancer: {table.features: [mean radius, mean colour]}}", "unknown feature 'mean colour'"),
    ("beta: .nan", "beta = nan: must be finite"),
    ("effort: '2'", "effort = '2': is text, must be a number"),
    ("seed: 3\neffort: 1\nseed: 4", "bad.yaml: key 'seed' stands there twice, in lines 1 and 3"),
    (
        "overrides:\n  breast_cancer:\n    n_private: 40\n    n_private: 50",
        "bad.yaml: key 'n_private' stands there twice, in lines 3 and 4",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_configuration(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "occupied").write_text("a file where a folder should be")
    mixtures = "experiments: [mixture_relaxation]\n" if "relaxation" in text else ""
    (tmp_path / "bad.yaml").write_text(mixtures + text + "\n")
    before = {path.name for path in tmp_path.iterdir()}
    done = snakemake(tmp_path, str(tmp_path / "bad.yaml"), "--cores", "1", check=False)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} - {".snakemake"} == before


@pytest.mark.parametrize(
    ("text", "said"), [("", "keys at top level"), ("- a", "keys at top level"), ("a: [", "is not valid")]
)
def test_files_that_snakemake_itself_refuses(tmp_path: Path, text: str, said: str) -> None:
    """It reads --configfile before anything of this workflow, and says so in one line."""
    (tmp_path / "bad.yaml").write_text(text)
    done = snakemake(tmp_path, str(tmp_path / "bad.yaml"), "--cores", "1", check=False)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} - {".snakemake"} == {"bad.yaml"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    done = snakemake(tmp_path, str(tmp_path / "missing.yaml"), "--cores", "1", check=False)
    assert done.returncode != 0
    assert "No such file or directory" in done.stderr
    assert "missing.yaml" in done.stderr
