"""Jobs start fast: what they do not need is not imported."""

import subprocess
import sys

from semipriv.core.fingerprint import closure


def test_rules_that_call_no_kernel_load_no_numba() -> None:
    rules = "gather, generate_data, evaluate, evaluate_held_out, private_select, split_table"
    code = f"import sys; from semipriv_lab.workflow import {rules}; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_packages_around_a_module_count_as_imported() -> None:
    """They run before it: that of the laboratory declares its rooms, so a change of it makes their jobs stale."""
    assert {"semipriv_lab", "semipriv_lab.measures", "semipriv"} <= closure(["semipriv_lab.measures.population_error"])
    assert "semipriv_lab" not in closure(["semipriv.practice.engine.jobs"])
