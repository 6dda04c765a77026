"""One finished micro run, of which every rule test gets a copy."""

import shutil
from pathlib import Path

import pytest
from runs import snakemake


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a finished run of tests/fixtures/micro.yaml."""
    folder = tmp_path_factory.mktemp("micro")
    snakemake(folder, "--cores", "2", "--quiet", "all")
    return folder


@pytest.fixture
def workspace(finished: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    return folder
