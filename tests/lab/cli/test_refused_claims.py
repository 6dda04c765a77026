"""What commands of the laboratory refuse."""

from pathlib import Path

import pytest

from semipriv.cli import REFUSED, main
from semipriv_lab.cli import claim


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["claim", "ABM19-L3.3rat"], "or ABM19-L3.3-rate? `semipriv claim --list` lists all"),
        (["claim", "abm19-l3.2"], "did you mean ABM19-L3.2 or"),
        (["claim", "ABM19-L3"], "did you mean ABM19-L3.3 or ABM19-L3.2 or ABM19-E3? `"),
        (["claim", "???"], "unknown claim '???': `semipriv claim --list` lists all"),
        (["claim"], "give the id of a claim, or --list"),
        (["claim", "--list", "no such words"], "no claim has the words 'no such words'"),
        (["claim", "ABM19-L3.2", "BMN20-DIM"], "'BMN20-DIM': is not an option"),
        (["claim", "ABM19-L3.2", "--core", "2"], "'--core': is not an option"),
        (["claim", "ABM19-L3.2", "--cores", "0"], "cores = '0': must be >= 1"),
        (["claim", "ABM19-L3.2", "--effort", "-1"], "effort = '-1': must be > 0"),
        (["claim", "ABM19-L3.2", "--configfile", "none.yaml"], "none.yaml"),
        (["claim", "ABM19-L3.2", "--configfile", "bad.yaml"], "bad.yaml: is not valid YAML"),
        (["studies", "abm19_privacy"], "'abm19_privacy': is not an option of `semipriv studies`\n"),
    ],
    ids=lambda value: " ".join(value)[-48:] if isinstance(value, list) else "",
)
def test_refused(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, nothing on stdout, nothing run and nothing written."""
    monkeypatch.setattr(claim._Run, "measure", lambda *_: pytest.fail("Snakemake was started"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.yaml").write_text("a: [")
    assert main(words) == REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("semipriv: ")
    assert len(err.splitlines()) == 1
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.yaml"]
