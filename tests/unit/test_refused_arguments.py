"""Functions refuse arguments out of range, as they did: see ``tests/refusals.py``."""

import json

import pytest
import refusals

KNOWN = json.loads(refusals.FILE.read_text())
FUNCTIONS = dict(refusals.functions())


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_refused_stays_refused(name: str) -> None:
    function = FUNCTIONS[name]
    given = refusals.sane(function)
    assert given is not None
    for argument, refused in KNOWN[name].items():
        for told in refused:
            assert refusals.refuses(function, given | {argument: refusals.BAD[told]}), f"{argument} = {told}"


def test_most_functions_refuse_something() -> None:
    assert len(KNOWN) >= 0.5 * len(FUNCTIONS)
