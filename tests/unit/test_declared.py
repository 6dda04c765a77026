"""Numbers of modules, options of the command line, columns of tables and examples are what they were decided to be.

See ``tests/constants.py`` and ``tests/declared.py``, which write the files of what is known.
"""

import ast
import json

import constants
import declared
import pytest


@pytest.mark.parametrize("room", ["options", "tables", "examples"])
def test_nothing_that_others_rely_on_changes_without_a_word(room: str) -> None:
    known, found = json.loads(declared.FILE.read_text())[room], declared.declared()[room]
    assert found.keys() == known.keys(), "declared.json is out of step, see tests/declared.py"
    for name, told in found.items():
        assert told == known[name], f"{name}: not what it was declared to be, see tests/declared.py"


def test_no_limit_and_no_default_changes_without_a_word() -> None:
    """As parsed, since versions of Python write the same expression in several ways."""
    known, found = json.loads(constants.ELSEWHERE.read_text()), constants.elsewhere()
    assert found.keys() == known.keys(), "constants.json is out of step, run tests/constants.py"
    for module, values in found.items():
        told = [{name: ast.dump(ast.parse(one)) for name, one in own.items()} for own in (values, known[module])]
        assert told[0] == told[1], f"{module}: not what it was set to, see tests/constants.py"
