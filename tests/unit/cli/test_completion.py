"""Completion, as a real shell does it."""

import re
import shutil
import subprocess

import pytest

from semipriv.cli import main
from semipriv.core.registry import names
from semipriv.privacy.guarantee import Neighbours

ASK = '_semipriv; printf "%s\\n" "${COMPREPLY[@]}"'


def completed(script: str, *words: str) -> set[str]:
    line = f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; {ASK}"
    done = subprocess.run(["bash", "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on PATH")
def test_bash_completes_subcommands_options_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert set(names("cli")) < completed(script, "semipriv", "")
    assert completed(script, "semipriv", "pl") == {"plan"}
    assert "--epsilon" in completed(script, "semipriv", "plan", "--e")
    neighbours = {neighbour.value for neighbour in Neighbours}
    assert completed(script, "semipriv", "budget", "open", "l.jsonl", "--neighbours", "") == neighbours
    assert {"open", "show"} <= completed(script, "semipriv", "budget", "")
    assert "--delta" in completed(script, "semipriv", "budget", "open", "l.jsonl", "--")
    assert completed(script, "semipriv", "completion", "b") == {"bash"}


def test_other_shells_and_a_shell_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert "bashcompinit" in capsys.readouterr().out
    assert main(["completion", "fish"]) == 0
    assert re.search("-l neighbours -xa '.*replace_entry.*'", capsys.readouterr().out)
    assert main(["completion", "dos"]) == 2
    assert "'dos'" in capsys.readouterr().err
