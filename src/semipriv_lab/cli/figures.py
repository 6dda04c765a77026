"""``semipriv figures``: draw the figures of a finished run again, in the size and letters of a venue."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipriv.core import registry
from semipriv.core.extras import extra
from semipriv.settings.reading import given_in, located
from semipriv_lab.cli._workflow import checkout, configured
from semipriv_lab.cli._workflow import run as run_workflow
from semipriv_lab.experiments.loading import Run, load_run
from semipriv_lab.figures.catalogue import Drawing, drawings
from semipriv_lab.ledger.studies import studies_for

if TYPE_CHECKING:
    from semipriv.drawing.style import Style

FORMATS = ("pdf", "png")
INCOMPLETE = 1
"""Exit code if some figures were drawn, but not all."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "figures",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="draw the figures of a finished run in the size and letters of a venue",
        description=(
            "Draws figures of a run again, from its tables.  A figure is as wide as the venue's text.  It is as wide\n"
            "as one column if the venue has two and the figure can be read in one.  Include it without scaling.\n"
            "With --make, Snakemake first makes the tables that the named figures need, and nothing else."
        ),
        epilog=(
            "exit codes: 0 done; 1 some figures could not be drawn, as a table is missing; 2 refused\n\n"
            "examples:\n"
            "  semipriv figures --for neurips\n"
            "  semipriv figures --for icml excess_vs_public__excess proven_sizes\n"
            "  semipriv figures --make proven_sizes --for screen\n"
            "  semipriv figures --list"
        ),
    )
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="figures to draw (default: all of the run)")
    parser.add_argument("--for", dest="venue", metavar="VENUE", help="venue; --list shows all venues")
    parser.add_argument("--list", action="store_true", help="list the venues and the figures of the run")
    parser.add_argument("--json", action="store_true", help="with --list: machine-readable answer")
    parser.add_argument("--make", action="store_true", help="make the tables that the named figures need, first")
    parser.add_argument("--format", choices=FORMATS, help="one format only (default: PDF and PNG)")
    parser.add_argument("--into", metavar="FOLDER", help="where the figures go (default: figures/VENUE of the results)")
    run = parser.add_argument_group("run")
    run.add_argument(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="configuration after config/config.yaml, as Snakemake's; may be given several times",
    )
    run.add_argument("--directory", metavar="FOLDER", help="where data and results are (default: the checkout)")
    parser.set_defaults(run=_figures)


def _figures(options: argparse.Namespace) -> int:
    root = checkout(Path.cwd())
    folder = root if options.directory is None else Path(options.directory)
    files = [root / "config" / "config.yaml", *map(Path, options.configfile)]
    run = load_run(configured(files), root / "config" / "experiments", files=files, check=False)
    with located(given_in(files, "claims")):
        known = drawings(run, studies_for(run.claims))
    if options.list:
        print(_listed(known, options.json))
        return 0
    if options.json:
        raise ValueError("--json: goes with --list")
    styles = _styles()
    if options.venue is None:
        raise ValueError(f"give --for VENUE ({', '.join(styles)}), or --list")
    registry.check_name("venue", options.venue, list(styles))
    for name in options.figures:
        registry.check_name("figure", name, list(known))
    chosen = {name: _placed(known[name], folder) for name in options.figures or known}
    if options.make and (code := _make(options, root, folder, files, [known[name] for name in chosen])):
        return code
    lacking = {name: why for name, inputs in chosen.items() if (why := _lacking(name, inputs, run, options))}
    if len(lacking) == len(chosen):
        raise ValueError(next(iter(lacking.values()), "the run has no figures"))
    into = folder / run.results / "figures" / options.venue if options.into is None else Path(options.into)
    for name, inputs in chosen.items():
        if name in lacking:
            continue
        formats = FORMATS if options.format is None else (options.format,)
        print(_draw(known[name], inputs, [into / f"{name}.{end}" for end in formats], options.venue), flush=True)
    for name, why in lacking.items():
        print(f"semipriv: {name} was not drawn: {why}", file=sys.stderr)
    return INCOMPLETE if lacking else 0


def _styles() -> "Mapping[str, Style]":
    """Return the venues; raise ValueError if there are no packages to draw with."""
    with extra("workflow", "figures"):
        from semipriv.drawing.style import STYLES  # noqa: PLC0415  (slow imports, for drawing only)
    return STYLES


def _make(
    options: argparse.Namespace, root: Path, folder: Path, files: Sequence[Path], chosen: Sequence[Drawing]
) -> int:
    """Make the tables of figures; return the exit code of Snakemake."""
    if not options.figures:
        raise ValueError("give --make the names of figures; `make` makes all of them")
    tables = [table for drawing in chosen for table in drawing.inputs.values()]
    targets = [path for table in tables for path in ([table] if isinstance(table, str) else table)]
    return run_workflow(root, folder.resolve(), [path.resolve() for path in files], dict.fromkeys(targets))


Inputs = dict[str, str | list[str]]


def _placed(drawing: Drawing, folder: Path) -> Inputs:
    """Return the paths of the tables of a figure in the folder of a run."""
    return {
        name: str(folder / path) if isinstance(path, str) else [str(folder / part) for part in path]
        for name, path in drawing.inputs.items()
    }


def _lacking(name: str, inputs: Inputs, run: Run, options: argparse.Namespace) -> str:
    """Return which table of a figure is missing, and how to make it; an empty text if all are there."""
    for paths in inputs.values():
        for path in [paths] if isinstance(paths, str) else paths:
            if not Path(path).is_file():
                words = ["semipriv figures --make", name, f"--for {options.venue}"]
                words += [] if options.directory is None else ["--directory", options.directory]
                words += [f"--configfile {file}" for file in options.configfile]
                return f"{path}: does not exist, figure {name!r} needs it; make it: {' '.join(words)}"
    return ""


def _draw(drawing: Drawing, inputs: Inputs, paths: Sequence[Path], venue: str) -> str:
    """Draw a figure, and return lines with its files, its size and what cannot be read on it."""
    from semipriv_lab.figures.base import draw_figure  # noqa: PLC0415

    sheet = draw_figure(drawing.specification, inputs, *paths, style=_styles()[venue])
    lines = [f"{', '.join(map(str, paths))}: {sheet.width:.2f} x {sheet.height:.2f} in"]
    if sheet.narrower:
        lines.append(f"  as wide as the text: in one column {sheet.narrower[0]}")
    lines += [f"  {fault}" for fault in sheet.faults]
    return "\n".join(lines)


def _listed(known: Mapping[str, Drawing], as_json: bool) -> str:
    """Return the list of venues, with their widths, and of figures."""
    if as_json:
        venues = {name: {"inches": style.widths, "source": style.source} for name, style in _styles().items()}
        figures = {name: {"paper": drawing.paper, "reads": drawing.inputs} for name, drawing in known.items()}
        return json.dumps({"venues": venues, "figures": figures}, indent=2)
    lines = ["venues"]
    for name, style in _styles().items():
        widths = " or ".join(f"{width:.2f}" for width in style.widths)
        lines.append(f"  {name:<10}{widths + ' in':<16}{style.source}")
    return "\n".join([*lines, "", "figures", *(f"  {name}" for name in known)])
