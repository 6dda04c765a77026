"""The ledger for LaTeX: every claim once, nothing that LaTeX would take for a command, and it compiles."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semipriv.core import tables
from semipriv.core.statistics import Interval, Verdict
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.findings import Finding, Measurement
from semipriv_lab.ledger.latex import escaped, number, write_latex
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.ledger.studies import study_of
from semipriv_lab.ledger.table import CLAIMS, write_findings
from semipriv_lab.ledger.writing import write_ledger

SIMULATED = Measurement("error", {"n": 3}, Interval(0.5, 0.4, 0.6), 0.1, 1000, Verdict.VIOLATED)
TINY = Measurement("loss", {}, Interval.exact(3.25e-7), 1.0, 0, Verdict.HOLDS)
FINDINGS = {
    "ABM19-T3.1": Finding("a simulation", Verdict.VIOLATED, SIMULATED, (SIMULATED,)),
    "BMN20-L4.1": Finding("an audit", Verdict.HOLDS, TINY, (TINY,)),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    write_findings(FINDINGS, tmp_path / "rows.parquet", tmp_path / "m.parquet")
    files = [tmp_path / name for name in ("rows.parquet", "m.parquet", "claims.parquet", "all.parquet")]
    write_ledger(files[:1], files[1:2], [claim for claim in study_of() if claim != "BBD24-ORACLE"], *files[2:])
    return tmp_path / "claims.parquet"


def written(ledger: Path, name: str = "claims.tex") -> str:
    write_latex(ledger, ledger.with_name(name))
    return ledger.with_name(name).read_text()


def test_every_claim_stands_there_once_with_its_statement(ledger: Path) -> None:
    rows = [line.split(" & ") for line in written(ledger).splitlines() if line.endswith(r"\addlinespace[2pt]")]
    assert [row[0] for row in rows] == list(claims())
    assert [row[1] for row in rows] == [
        escaped(f"{claim.statement} (for {domain_of(claim).text})" if claim.domain else claim.statement)
        for claim in claims().values()
    ]
    assert {len(row) for row in rows} == {6}
    values = {row[0]: row[2:] for row in rows}
    end = r" \\ \addlinespace[2pt]"
    assert values["ABM19-T3.1"] == ["violated", "$0.5$ [$0.4$, $0.6$]", "$0.1$", "1,000" + end]
    assert values["BMN20-L4.1"] == ["holds", r"$3.25\cdot10^{-7}$", "$1$", "exact" + end]
    assert values["ABM19-T4.3"] == ["cited", "", "", end]
    assert values["BBD24-ORACLE"][0] == "not implemented"
    assert values["ABM19-E2"][0] == "not part of this run"


def test_counts(ledger: Path) -> None:
    text = written(ledger)
    head = next(line for line in text.splitlines() if line.startswith("paper"))
    line = next(line for line in text.splitlines() if line.startswith("BMN20 & "))
    count = dict(zip(head.removesuffix(r" \\").split(" & "), line.removesuffix(r" \\").split(" & "), strict=True))
    assert (count["holds"], count["violated"], count["illustration"]) == ("1", "0", "0")
    measurable = sum(claim.startswith("BMN20") for claim in study_of())
    assert (count["inconclusive"], int(count["not part of this run"])) == ("0", measurable - 1)
    assert "Those of 1 rest on simulations" in text


def test_reproducible(ledger: Path) -> None:
    assert written(ledger) == written(ledger, "again.tex")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a <= b, c >= d < e > f", r"a $\leq$ b, c $\geq$ d $<$ e $>$ f"),
        ("alpha << epsilon", r"$\alpha$ $\ll$ $\varepsilon$"),
        ("1/alpha^2 and d^(k+1), e^epsilon", r"1/$\alpha$$^{2}$ and d$^{k+1}$, e$^{\varepsilon}$"),
        ("n_pub > ln(n_private)", r"$n_{\mathrm{pub}}$ $>$ ln($n_{\mathrm{private}}$)"),
        ("A_SSPP, permute_and_flip, x_2", r"$A_{\mathrm{SSPP}}$, permute\_and\_flip, $x_{2}$"),
        ("1/sqrt(n), sqrt(2/pi)", r"1/$\sqrt{n}$, $\sqrt{2/\pi}$"),
        ("slope -2, 1-beta, P[y] ~ 1/2 -+ 3", r"slope $-$2, 1-$\beta$, P[y] $\sim$ 1/2 $\mp$ 3"),
        ("||f||_m of {0,1}", r"$|$$|$f$|$$|$\_m of \{0,1\}"),
        ('50 % & # $5 ~ \\ ` " ε', r"50 \% \& \# \$5 $\sim$ \textbackslash{} \textasciigrave{} '' U+03B5"),
        ("alphabet of smoothness", "alphabet of smoothness"),
    ],
)
def test_escaped(text: str, latex: str) -> None:
    assert escaped(text) == latex


NASTY = st.text(alphabet="ab_^(){}[]$%&#~\\<>=-+|'\"`12 \n")


@example("a --- b")
@given(st.text() | NASTY | st.sampled_from([claim.statement for claim in claims().values()]))
def test_nothing_is_left_that_latex_would_take_for_a_command(text: str) -> None:
    latex = escaped(text)
    assert "\n" not in latex
    assert not re.search(r"[^\x20-\x7e]", latex)
    plain = re.sub(r"\\[{}$&#%_]", "", latex)
    assert plain.count("$") % 2 == 0
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    signs = "leq|geq|ll|gg|pm|mp|sim|sqrt|mathrm"
    letters = "alpha|beta|gamma|delta|varepsilon|eta|lambda|mu|nu|pi|sigma|Delta|Omega"
    outside, inside = plain.split("$")[::2], plain.split("$")[1::2]
    for part in outside:
        assert not re.search(r"[&#%_^~\\]", re.sub(r"\\text\w+\{\}", "", part))
        assert "--" not in part
    for part in inside:
        assert not re.search(r"[&#%~\\]", re.sub(rf"\\({signs}|{letters})(?![a-z])", "", part))


def test_numbers() -> None:
    assert [number(value) for value in (0.0, -0.123456, 1e-4, 1e-5, 12345678.0)] == [
        "$0$",
        "$-0.1235$",
        "$0.0001$",
        "$10^{-5}$",
        r"$1.235\cdot10^{7}$",
    ]
    assert number(float("-inf")) == r"$-\infty$"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_it_compiles(ledger: Path) -> None:
    nasty = "{0,1}^b ~ a_b & 50 % #1 $x \\y ||f||_m e^(-x/2) sqrt(alpha/2) --- ?` <<a>> \"q\" 'r' n^_"
    rows = tables.read_rows(ledger, CLAIMS)
    tables.write(ledger, CLAIMS, [rows[0] | {"statement": nasty}, *rows[1:]])
    written(ledger)
    paper = r"\documentclass{article}\usepackage{booktabs,longtable,array}\begin{document}\input{claims}\end{document}"
    (ledger.parent / "paper.tex").write_text(paper)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    for _ in range(2):  # longtable needs a second run for its widths
        done = subprocess.run(command, cwd=ledger.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Output written on paper.pdf" in done.stdout
    for words in ("Missing character", "Overfull \\hbox (9", "undefined"):
        assert words not in done.stdout
