"""Jobs start fast: what they do not need is not imported."""

import subprocess
import sys


def test_rules_that_call_no_kernel_load_no_numba() -> None:
    rules = "gather, generate_data, evaluate, evaluate_held_out, private_select, split_table"
    code = f"import sys; from semipriv_lab.workflow import {rules}; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
