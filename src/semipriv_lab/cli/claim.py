"""``semipriv claim``: measure one claim by its id, and print its row of the ledger."""

import argparse
import difflib
import json
import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from semipriv.core import checks, source, tables
from semipriv.core.registry import check_name
from semipriv.core.statistics import Verdict
from semipriv_lab.cli._workflow import checkout, configured, run
from semipriv_lab.ledger import archive, latex
from semipriv_lab.ledger.checked import outside_of
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.domains import parse
from semipriv_lab.ledger.sizes import measured_at, read, sizes
from semipriv_lab.ledger.stated import domain_of, stated
from semipriv_lab.ledger.studies import studies, study_of
from semipriv_lab.ledger.table import CLAIMS, LEFT_OUT, MEASUREMENTS, NOT_IMPLEMENTED, cell_of, row_of, shown_verdict

FAILED, REFUSED = 1, 2
"""Exit codes: the run failed; the claim has nothing to run."""

Row = Mapping[str, Any]
Found = TypeVar("Found")


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "claim",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="measure one claim by its id, and print its row of the ledger",
        description=(
            "Measures one claim of the papers and prints its row of the ledger.\n\n"
            "A study measures several claims together.  Snakemake runs the whole study of the claim, and nothing\n"
            "else.  A study that is up to date does not run again.  The command does not write the ledger itself,\n"
            "results/claims.parquet: `snakemake` does.\n\n"
            "--set measures the claim at sizes of your own; bounds, and how it was measured, follow.  The answer is\n"
            "no part of the ledger, whose sizes were fixed before anything was measured.\n\n"
            "--results reads the row out of an archive of `make archive` instead, and runs nothing."
        ),
        epilog=(
            "exit codes: 0 done; 1 the run failed; 2 refused, as an unknown id, or nothing to run\n\n"
            "examples:\n"
            "  semipriv claim ABM19-L3.3-rate\n"
            "  semipriv claim BMN20-T4.6-agnostic-rate --effort 0.1 --measurements\n"
            "  semipriv claim ABM19-E1 --tex\n"
            "  semipriv claim ABM19-L3.3 --sizes\n"
            "  semipriv claim ABM19-L3.3 --set BETA=0.1\n"
            "  semipriv claim ABM19-L3.3 --results archive.tar.gz\n"
            "  semipriv claim --list\n"
            "  semipriv claim --list 'public points'"
        ),
    )
    parser.add_argument("id", nargs="?", help="id of the claim, as in the ledger; with --list, words to look for")
    parser.add_argument("--list", action="store_true", help="list all claims, or those with all of the words")
    run = parser.add_argument_group("run")
    run.add_argument("--cores", default="all", metavar="N", help="cores, an integer or 'all' (default all)")
    run.add_argument(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="configuration after config/config.yaml, as Snakemake's; may be given several times",
    )
    run.add_argument(
        "--effort",
        help="factor on the Monte-Carlo trials, to try a study; writes into a folder of its own, results/effort_EFFORT",
    )
    run.add_argument("--sizes", action="store_true", help="list the sizes that --set may change, with their values")
    run.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value of a size of the study; several values are separated by commas",
    )
    run.add_argument("--directory", metavar="FOLDER", help="where data and results are (default: the checkout)")
    run.add_argument("--results", metavar="FILE", help="run nothing: read the row out of an archive of results")
    output = parser.add_argument_group("output")
    output.add_argument("--measurements", action="store_true", help="list all cells that were measured for the claim")
    form = output.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="machine-readable answer")
    form.add_argument("--tex", action="store_true", help="the row alone, as a line of a table for LaTeX")
    parser.set_defaults(run=_claim)


def _claim(options: argparse.Namespace) -> int:
    known = claims()
    if options.list:
        print(_listed(_searched(known.values(), options.id or ""), options.json))
        return 0
    if options.id is None:
        raise ValueError("give the id of a claim, or --list")
    if options.results is not None:
        return _archived(options)
    claim = _found(known, options.id)
    if claim.id not in study_of():
        row = {**stated(claim), "verdict": _verdict(claim), "reason": _why_not(claim)}
        print(latex.line(row) if options.tex else _answer(row, options.json))
        print(f"semipriv: {claim.id}: nothing to run, it {_why_not(claim)}", file=sys.stderr)
        return REFUSED
    if options.sizes or options.set:
        print(_at_other_sizes(claim, options))
        return 0
    run = _run(options)
    if run.measure(study_of()[claim.id], _cores(options.cores)):
        print(f"semipriv: {claim.id}: the run failed, see above", file=sys.stderr)
        return FAILED
    row = run.row(claim, cells=options.measurements)
    print(latex.line(row) if options.tex else _answer(row, options.json))
    return 0


def _archived(options: argparse.Namespace) -> int:
    """Print the row of a claim, and its cells if asked for, as an archive has them."""
    path = options.results
    for name in ("set", "sizes", "effort", "directory", "configfile"):
        if getattr(options, name):
            raise ValueError(f"--{name}: does not go with --results, which runs nothing")
    if not archive.is_archive(path):
        raise ValueError(f"--results {path}: must be an archive of `make archive`, which ends in {archive.SUFFIX}")
    with archive.opened(path) as folder:
        rows = {row["claim"]: row for row in tables.read_rows(folder / "claims.parquet", CLAIMS)}
        row = _found(rows, options.id)
        if options.measurements:
            row["cells"] = _cells(folder / "measurements.parquet", options.id)
    row |= {"verdict": shown_verdict(row), "archive": path, "sha256": archive.digest(path)}
    print(latex.line(row) if options.tex else _answer(row, options.json))
    return REFUSED if row["verdict"] in LEFT_OUT else 0


def _found(known: Mapping[str, Found], name: str) -> Found:
    if name not in known:
        nearest = difflib.get_close_matches(name.upper(), known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(nearest)}? " if nearest else ""
        raise ValueError(f"unknown claim {name!r}: {hint}`semipriv claim --list` lists all")
    return known[name]


def _cores(words: str) -> str:
    return words if words == "all" else str(checks.size("cores", words))


def _verdict(claim: Claim) -> str:
    """Return what stands instead of a verdict on a claim that nothing measures."""
    return claim.kind if claim.kind == "cited" else NOT_IMPLEMENTED


def _why_not(claim: Claim) -> str:
    """Return why a claim is not measured."""
    return "is taken from other work, neither proved nor measured here" if claim.kind == "cited" else "has no study yet"


def _at_other_sizes(claim: Claim, options: argparse.Namespace) -> str:
    """Return the sizes that may be set, or what is measured at others."""
    study = studies()[study_of()[claim.id]]
    known = sizes(study.module)
    if options.sizes:
        return _sizes(known, source.remarks(source.of_module(study.module)), options.json)
    values = dict(_given(asked, known) for asked in options.set)
    settings = configured([checkout(Path.cwd()) / "config" / "config.yaml", *map(Path, options.configfile)])
    effort = 1.0 if options.effort is None else checks.positive("effort", options.effort)
    finding = measured_at(study, claim.id, values, settings["seed"], effort)
    outside = outside_of(parse(finding.domain), finding.measurements)
    at = ", ".join(f"{name} = {value!r}" for name, value in values.items())
    row = {**row_of(claim, finding), "reason": "", "note": "", "experiment": f"{finding.experiment}; here with {at}"}
    if options.measurements or options.json:
        row["cells"] = [cell_of(claim.id, measurement) for measurement in finding.measurements]
    row["outside_of_domain"] = outside
    row |= {"set": {name: _plain(value) for name, value in values.items()}, "in_ledger": False}
    if options.json:
        return _answer(row, as_json=True)
    if options.tex:
        return f"{latex.line(row)}  % not of the ledger: {at}"
    lines = [_answer(row, False), f"NOT OF THE LEDGER: {at}"]
    if outside:
        lines.append(f"OUTSIDE OF THE CLAIM'S DOMAIN ({'; '.join(outside)}): the verdict is not about the claim")
    return "\n".join(lines)


def _sizes(known: Mapping[str, Any], remarks: Mapping[str, str], as_json: bool) -> str:
    """Return the sizes that may be set, with what their study says of them."""
    if as_json:
        described = {name: {"value": _plain(value), "about": remarks.get(name, "")} for name, value in known.items()}
        return json.dumps(described, indent=2)
    margin, lines = " " * 4, list[str]()
    for name, value in known.items():
        lines.append(f"{name} = {value!r}")
        about = remarks.get(name, "")
        lines += textwrap.wrap(about, WIDTH - INDENT, initial_indent=margin, subsequent_indent=margin)
    return "\n".join(lines) or "none: all sizes follow from others"


def _plain(value: Any) -> Any:
    """Return a size as JSON has it: keys of a dictionary as text."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else value


def _given(asked: str, known: Mapping[str, Any]) -> tuple[str, Any]:
    """Return name and value of what --set asks; raise ValueError for a name that the study lacks."""
    name, equals, text = asked.partition("=")
    if not equals:
        raise ValueError(f"--set {asked}: must be NAME=VALUE")
    name = check_name("size of the study", name.strip().upper(), known)
    return name, read(name, text, known[name])


def _run(options: argparse.Namespace) -> "_Run":
    root = checkout(Path.cwd())
    files = [root / "config" / "config.yaml", *(Path(name).resolve() for name in options.configfile)]
    results = str(configured(files).get("results", "results"))
    settings: dict[str, Any] = {}
    if options.effort is not None:
        effort = checks.positive("effort", options.effort)
        results = f"{results}/effort_{effort:g}"
        settings = {"effort": effort, "results": results}
    folder = root if options.directory is None else Path(options.directory).resolve()
    return _Run(root, folder, files, settings, results)


@dataclass(frozen=True)
class _Run:
    """A run of the workflow: its checkout, its folder, its configuration and its folder of results."""

    root: Path
    folder: Path
    configurations: Sequence[Path]
    settings: Mapping[str, Any]
    results: str

    def measure(self, study: str, cores: str) -> int:
        """Run Snakemake until the study is up to date, with its output on stderr; return its exit code."""
        targets = [f"{self.results}/claims/{study}.{part}.parquet" for part in ("rows", "measurements")]
        return run(self.root, self.folder, self.configurations, targets, cores, self.settings)

    def row(self, claim: Claim, *, cells: bool) -> dict[str, Any]:
        """Return the row of the ledger on a claim, its measurements, and the paths of both tables.

        cells: whether to include each measured cell.
        """
        study = study_of()[claim.id]
        rows, measurements = (
            self.folder / self.results / "claims" / f"{study}.{part}.parquet" for part in ("rows", "measurements")
        )
        rows_of = {row["claim"]: row for row in tables.read_rows(rows, CLAIMS)}
        others = {other: rows_of[other]["verdict"] for other in studies()[study].claims if other != claim.id}
        figure = studies()[study].figure
        row: dict[str, Any] = {**rows_of[claim.id], **stated(claim), "study": study, "measured_with": others}
        row |= {"rows": _shown(rows), "measurements": _shown(measurements)}
        row["figures"] = [
            _shown(self.folder / self.results / "figures" / f"{name}.pdf") for name in [figure] if name is not None
        ]
        if cells:
            row["cells"] = _cells(measurements, claim.id)
        return row


def _cells(measurements: Path, claim: str) -> list[dict[str, Any]]:
    """Return the cells that were measured for a claim, with their settings by name."""
    every = tables.read_rows(measurements, MEASUREMENTS)
    return [{**cell, "settings": json.loads(cell["settings"])} for cell in every if cell["claim"] == claim]


def _shown(path: Path) -> str:
    """Return a path relative to the current folder if it is below it, else as it is."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


# ---------------------------------------------------------------------------------------------------- the answer
WIDTH, INDENT = 110, 16


def _answer(row: dict[str, Any], as_json: bool) -> str:
    return json.dumps(_finite(row), indent=2, allow_nan=False) if as_json else "\n".join(_lines(row))


def _finite(value: Any) -> Any:
    """Return a value with None for each number that is not finite: JSON has no infinity, and null means no limit."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(row: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a row to read; unknown values are left out."""
    yield f"{row['claim']}: {row['verdict']}"
    for title, text in _entries(row):
        if text:
            wrapped = textwrap.wrap(text, WIDTH - INDENT, break_long_words=False, break_on_hyphens=False)
            for i, part in enumerate(wrapped):
                yield f"  {'' if i else title:<{INDENT - 2}}{part}"
    for cell in row.get("cells", ()):
        at = ", ".join(f"{key} = {value}" for key, value in cell["settings"].items())
        bound = "" if cell["bound"] is None else f", bound {cell['bound']:.4g}"
        verdict = "" if cell["verdict"] is None else f": {cell['verdict']}"
        yield f"    {cell['quantity']} ({at}; {_trials(cell)}): {_measured(cell)}{bound}{verdict}"


def _entries(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "statement", row["statement"]
    yield "for", row["domain"]
    yield ("refuted by" if row["verdict"] == Verdict.REFUTED.value else "proof"), row["proof"]
    yield "paper, kind", f"{row['paper']}, {row['kind']}"
    if row.get("measured") is not None:
        yield "measured", _measured(row)
        yield "bound", "" if row["bound"] is None else f"{row['bound']:.4g}"
        yield "trials", _trials(row)
        yield "constants", row["constants"]
        yield "how", row["experiment"]
    yield "reason", row["reason"]
    yield "note", row.get("note") or ""
    if "study" in row:
        yield "study", row["study"]
        others = ", ".join(f"{claim} ({verdict})" for claim, verdict in row["measured_with"].items())
        yield "along with it", others
        yield "measurements", row["measurements"]
    if "archive" in row:
        yield "archive", f"{row['archive']}, sha256 {row['sha256']}"
    for figure in row.get("figures", ()):
        path = Path(figure)
        yield "figure", f"{path}{_state(path, Path(row['measurements']))}"


def _state(figure: Path, measurements: Path) -> str:
    if not figure.exists():
        return " (not drawn yet)"
    return " (older than the measurements)" if figure.stat().st_mtime < measurements.stat().st_mtime else ""


def _measured(row: Row) -> str:
    """Return a measured value as text, with its limits unless it is exact."""
    if row["low"] == row["high"]:
        return f"{row['measured']:.4g}"
    return f"{row['measured']:.4g} [{row['low']:.4g}, {row['high']:.4g}]"


def _trials(row: Row) -> str:
    return f"{row['trials']:,} trials" if row["trials"] else "exact"


def _searched(known: Iterable[Claim], words: str) -> list[Claim]:
    """Return the claims in whose id, kind, statement, domain or study all words stand; raise ValueError without any."""
    matching = []
    for claim in known:
        text = f"{claim.id} {claim.kind} {_with_domain(claim)} {study_of().get(claim.id, '')}".lower()
        matching += [claim] if all(word in text for word in words.lower().split()) else []
    if not matching:
        raise ValueError(f"no claim has the words {words!r} in its id, kind, statement, domain or study")
    return matching


def _listed(known: Sequence[Claim], as_json: bool) -> str:
    """Return a list of claims with their studies and statements, as text or as JSON."""
    if as_json:
        return json.dumps([{**stated(claim), "study": study_of().get(claim.id)} for claim in known], indent=2)
    rows = [(claim.id, claim.kind, study_of().get(claim.id, f"- ({_why_not(claim)})")) for claim in known]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"{id:<{widths[0]}}  {kind:<{widths[1]}}  {study}" for id, kind, study in rows]
    margin = " " * 4
    words = [
        textwrap.fill(_with_domain(claim), WIDTH, initial_indent=margin, subsequent_indent=margin) for claim in known
    ]
    return "\n".join(f"{line}\n{statement}" for line, statement in zip(lines, words, strict=True))


def _with_domain(claim: Claim) -> str:
    domain = domain_of(claim).text
    return f"{claim.statement} (for {domain})" if domain else claim.statement
