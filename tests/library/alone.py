"""Whether the library stands alone where its tests run; ``make test-library`` asks first."""

from importlib.util import find_spec
from pathlib import Path

import pytest

import semipriv


def test_the_library_is_the_installed_wheel() -> None:
    assert "site-packages" in Path(semipriv.__file__).parts


@pytest.mark.parametrize("name", ["semipriv_lab", "snakemake"])
def test_there_is_no_laboratory(name: str) -> None:
    assert find_spec(name) is None


@pytest.mark.parametrize("name", ["Snakefile", "src", "scripts", "config", "workflow"])
def test_the_tests_stand_in_no_checkout(name: str) -> None:
    assert not any((folder / name).exists() for folder in Path(__file__).resolve().parents)
