"""What a test needs of papers.  A paper can be taken away, and the tests of the others still run."""

import sys

import pytest

from semipriv.core import registry


class _Absent:
    """Skips the test, or the whole module of tests, that imports a paper which is not here."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        paper = name.removeprefix("semipriv.papers.").removeprefix("semipriv_lab.papers.")
        if paper != name and "." not in paper:
            pytest.skip(f"needs the paper {paper.upper()}, which is not here", allow_module_level=True)


def skip_absent_papers() -> None:
    """Skip what imports an absent paper: asked last, for modules that nobody else has."""
    sys.meta_path.append(_Absent())


def learner(name: str) -> str:
    """Return the name of a learner; skip the test if no paper here has it."""
    if name not in registry.names("learners"):
        pytest.skip(f"needs the learner {name}, which no paper here has")
    return name
