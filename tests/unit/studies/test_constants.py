"""What studies measure with is what was set: see ``tests/constants.py``."""

import json

from constants import FILE, constants


def test_no_number_of_a_study_changes_without_a_word() -> None:
    known, found = json.loads(FILE.read_text()), constants()
    assert found.keys() == known.keys(), "constants.json is out of step, run tests/constants.py"
    for module, values in found.items():
        assert values == known[module], f"{module}: not what it was set to, see tests/constants.py"
