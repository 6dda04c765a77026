"""The worked example of docs/release.md: each of its commands, in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest
from runs import ROOT

from semipriv.cli import main
from semipriv.practice.preview import simulate

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("semipriv.cli.release.simulate", lambda found, _, say: simulate(found, 300.0, say))
    blocks = BLOCK.findall((ROOT / "docs/release.md").read_text())
    said: list[tuple[str, str]] = []
    for language, text in blocks:
        if language == "python":
            exec(compile(text, "docs/release.md", "exec"), {})
        elif language == "yaml":
            name = re.match(r"# (\S+)\n", text)
            assert name
            Path(name[1]).write_text(text)
        else:
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                words = shlex.split(command)
                assert words[0] == "semipriv"
                assert main(words[1:]) == 0, command
                found = capsys.readouterr().out
                assert shown in ("", found), command
                said.append((command, found))
    assert [language for language, _ in blocks].count("yaml") == 3
    releases = [found for command, found in said if command == "semipriv release config/release.yaml"]
    assert len(releases) == 2
    assert "drawn (entry 1" in releases[0]
    assert "was drawn before" in releases[1]
    files = {path.name for path in Path("results/releases/malignant").iterdir()}
    assert files == {"model.json", "certificate.json", "figure.pdf", "figure.png"}
