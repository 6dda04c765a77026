"""The document of a run: every claim and figure occurs, formulas are mathematics, and what is missing is refused."""

import json
import os
from pathlib import Path

import pytest
from lab_fixtures import MICRO
from places import ROOT

from semipriv.core import tables
from semipriv_lab.cli._workflow import configured
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.figures.catalogue import drawings
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.studies import studies_for
from semipriv_lab.ledger.table import CLAIMS
from semipriv_lab.reference import document
from semipriv_lab.reference.typeset import blocks, text

FILES = [ROOT / "config" / "config.yaml", MICRO]


def test_every_claim_and_figure_occurs(finished: Path, tmp_path: Path) -> None:
    run = load_run(configured(FILES), ROOT / "config" / "experiments", files=FILES, check=False)
    rows = tables.read_rows(finished / "results/claims.parquet", CLAIMS)
    findings = (ROOT / "docs/findings.md").read_text()
    source = document.source(run, rows, findings)
    for label, known in [("claim", claims()), ("drawing", drawings(run, studies_for(run.claims)))]:
        values = document.compiler(source, finished / "results").query(f"<{label}>", field="value")
        assert sorted(json.loads(values)) == sorted(known), label
    first, second = tmp_path / "a.pdf", tmp_path / "b.pdf"
    for target in (first, second):
        document.write(ROOT, FILES, target, finished)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(b"%PDF-")


def test_a_run_that_is_not_whole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    settings = tmp_path / "elsewhere.yaml"
    settings.write_text(f"results: {os.path.relpath(tmp_path, ROOT)}\n")
    assert document.main([str(tmp_path / "a.pdf"), str(settings)]) == document.REFUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("summary.txt: does not exist; `make` writes it, and the document has the whole run")
    assert not (tmp_path / "a.pdf").exists()


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("at most 2 exp(-n alpha^2/32) <= beta/4.", "at most $2 exp(- n alpha^(2) slash 32) <= beta slash 4$."),
        ("n_pub and e^(epsilon/2)", '$n_"pub"$ and $e^(epsilon slash 2)$'),
        ("an alpha-cover of a class", r"an $alpha$\-cover of a class"),
        ("well-known, Hoeffding's and 2/3", r"well\-known, Hoeffding\'s and 2\/3"),
        ("the chance P[some gap > alpha] is 1e-30", "the chance $P[#[some gap $> alpha$]]$ is $10^(-30)$"),
        ("sqrt 2, sqrt(m) and g'_j", "$sqrt(2)$, $sqrt(m)$ and $g_(j)'$"),
        ("||v||_2 = 1", '$class("opening", bar.v.double) v class("closing", bar.v.double)_(2) = 1$'),
        ("(a) if 3 < 4", r"(a) if $3 < 4$"),
        ("err^(g) of <r, v_h>", '$hat("err")(g)$ of $⟨r, v_(h)⟩$'),
        ("(s_2 + ... + s_F) - 1", "$(s_(2) + dots + s_(F)) - 1$"),
        ("ABM19-T3.1 #1 @ [y", r"ABM19\-T3.1 \#1 \@ \[$y$"),
    ],
)  # fmt: skip
def test_formulas_are_mathematics_and_words_are_not(plain: str, expected: str) -> None:
    assert text(plain) == expected


def test_markdown_is_kept() -> None:
    page = "# A *b* `c_d`\n\n| x | y\\|z |\n|---|---|\n| **1** | [two](e.md) |\n\n- one\n  more\n- two<!--=n-->"
    assert list(blocks(page)) == [
        '= A #emph[$b$] #code("c_d")',
        "#table(columns: (auto, auto,), table.header([$x$], [$y$|$z$]), [#strong[1]], [#emph[two]])",
        "#list([one more], [two])",
    ]
