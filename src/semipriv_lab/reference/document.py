"""``python -m semipriv_lab.reference.document TARGET [CONFIGFILE ...]``: write a finished run as a document, a PDF.

It has the verdicts by paper, every claim with its measurement, every figure with its caption, and the findings with
their proofs.  Equal results give equal bytes.  ``make report.pdf`` runs it.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typst

from semipriv import __version__
from semipriv.core import docstrings, registry, tables
from semipriv.core.files import atomic
from semipriv_lab.cli._workflow import checkout, configured
from semipriv_lab.cli.archive import belonging
from semipriv_lab.experiments.loading import Run, load_run
from semipriv_lab.experiments.papers import titles
from semipriv_lab.figures.catalogue import Drawing, drawings
from semipriv_lab.ledger.studies import studies_for
from semipriv_lab.ledger.table import CLAIMS, assumed, columns, counts, false_alarms, shown_verdict
from semipriv_lab.reference.typeset import blocks, inline, raw, table, text

REFUSED = 2
"""Exit code if something of the run is missing."""
STYLE = Path(__file__).with_name("document.typ")
_WIDTHS = ("2.3fr", "5fr", "1.5fr", "2.1fr", "1.3fr", "1.2fr")
_HEAD = ("claim", "statement, and where it is judged", "verdict", "measured [limits]", "bound", "trials")


def write(root: Path, files: Sequence[Path], target: Path, folder: Path | None = None) -> None:
    """Write the document of a run, from the checkout at a root and its configurations.

    folder: where data and results are (None: the checkout).  Raise ValueError, naming the first file of the run that is
    missing.
    """
    run = load_run(configured(files), root / "config" / "experiments", files=files, check=False)
    results = (folder or root) / run.results
    for name in belonging(run):
        if not (results / name).is_file():
            raise ValueError(f"{results / name}: does not exist; `make` writes it, and the document has the whole run")
    rows = tables.read_rows(results / "claims.parquet", CLAIMS)
    findings = (root / "docs/findings.md").read_text(encoding="utf-8")
    compiled = compiler(source(run, rows, findings), results).compile(format="pdf")
    assert isinstance(compiled, bytes)
    with atomic(target) as path:
        path.write_bytes(compiled)


def compiler(words: str, results: Path) -> typst.Compiler:
    """Return what makes pages of Typst, once: figures are below the folder of results, fonts those of Typst alone."""
    return typst.Compiler(words.encode(), root=str(results), ignore_system_fonts=True)


def source(run: Run, rows: Sequence[Mapping[str, Any]], findings: str) -> str:
    """Return the document in Typst."""
    return "\n\n".join([STYLE.read_text(encoding="utf-8"), *_document(run, rows, findings)]) + "\n"


def _document(run: Run, rows: Sequence[Mapping[str, Any]], findings: str) -> Iterator[str]:
    yield f"#front[semipriv {__version__}][{len(rows)}]"
    yield "= Verdicts"
    yield from _verdicts(rows)
    drawn = drawings(run, studies_for(run.claims))
    for paper in dict.fromkeys(row["paper"] for row in rows):
        yield f"= {text(paper)}: {text(titles()[paper])}"
        yield _claims([row for row in rows if row["paper"] == paper])
        yield from (_figure(stem, figure) for stem, figure in drawn.items() if figure.paper == paper)
    others = [(stem, figure) for stem, figure in drawn.items() if figure.paper not in titles()]
    if others:
        yield "= Other experiments"
        yield from (_figure(stem, figure) for stem, figure in others)
    yield from blocks(findings)


def _verdicts(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    counted = counts(rows)
    shown = [verdict for verdict in columns() if any(count[verdict] for count in counted.values())]
    lines = [[text(paper), *(str(count[verdict]) for verdict in shown)] for paper, count in counted.items()]
    yield table([["paper", *map(text, shown)], *lines])
    simulated, chance = false_alarms(rows)
    yield text(
        f"The verdicts of {simulated} claims rest on simulations. The chance that any of them is wrong by accident is "
        f"at most about {100 * chance:.2g} %, assuming: {assumed(rows)}."
    )


def _claims(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"#small[{table([list(_HEAD), *map(_claim, rows)], _WIDTHS)}]"


def _claim(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of a claim, which is marked to be found."""
    mark = f'#metadata("{row["claim"]}") <claim>'
    domain = f" #domain[{text(row['domain'])}]" if row["domain"] else ""
    trials = "" if row["trials"] is None else "exact" if row["trials"] == 0 else f"{row['trials']:,}"
    bound = "" if row["bound"] is None else number(row["bound"])
    first = f"{mark} {raw(row['claim'])}"
    return [first, text(row["statement"]) + domain, shown_verdict(row), _measured(row), bound, trials]


def _measured(row: Mapping[str, Any]) -> str:
    """Return the deciding measurement, with its limits unless it is exact."""
    if row["measured"] is None:
        return ""
    if row["low"] == row["high"]:
        return number(row["measured"])
    return f"{number(row['measured'])} \\[{number(row['low'])}, {number(row['high'])}\\]"


def number(value: float) -> str:
    """Return a number in four digits in Typst.

    >>> print(number(0.25), number(-2), number(3.2e-7), number(float("inf")))
    $0.25$ $-2$ $3.2 dot 10^(-7)$ $infinity$
    """
    digits, _, power = f"{value:.4g}".partition("e")
    if "inf" in digits or "nan" in digits:
        return {"inf": "$infinity$", "-inf": "$-infinity$"}.get(digits, digits)
    return f"${digits} dot 10^({int(power)})$" if power else f"${digits}$"


def _figure(stem: str, drawing: Drawing) -> str:
    """Return a figure with what it shows: its headline, what is drawn, and its claims or its experiment."""
    documentation = docstrings.read(registry.documentation(drawing.room, drawing.name))
    paragraphs = [inline(paragraph.replace("``", "`")) for paragraph in documentation.paragraphs]
    if drawing.study is not None:
        paragraphs.append(f"Claims: {', '.join(map(raw, drawing.study.claims))}.")
    elif drawing.experiment is not None:
        paragraphs.insert(0, text(drawing.experiment.description))
    return f'#drawing("{stem}", [{" ".join(paragraphs)}])'


def main(words: Sequence[str]) -> int:
    """Write the document and return the exit code."""
    try:
        root = checkout(Path.cwd())
        write(root, [root / "config" / "config.yaml", *map(Path, words[1:])], Path(words[0]))
    except (ValueError, OSError) as error:
        print(f"semipriv: {error}", file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
