"""``semipriv archive``: pack the results of a run into one archive with digests."""

import argparse
import json
import platform
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from semipriv import __version__
from semipriv.settings.reading import given_in, located
from semipriv_lab.cli._workflow import checkout, configured
from semipriv_lab.experiments.loading import Run, load_run
from semipriv_lab.figures.catalogue import drawings
from semipriv_lab.ledger import archive
from semipriv_lab.ledger.studies import studies_for

NAME = f"archive{archive.SUFFIX}"
VERSIONS = "versions.json"
_TABLES = ("summary", "slopes", "trials")
_MEGABYTE = 1e6


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "archive",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="pack the results of a run into one archive with digests",
        description=(
            "Packs the results of a finished run: summary, ledger, measurements, the tables of experiments, figures,\n"
            "and the versions of packages.  Data, parts of results and runtimes stay out; the answer says how large\n"
            "they are.  `semipriv claim ID --results FILE` and `semipriv diff FILE FILE` read the archive, and refuse\n"
            "one of which a byte was altered.  Equal results of equal packages give equal bytes."
        ),
        epilog=(
            "exit codes: 0 done; 2 refused, as a file of the run is missing\n\n"
            "examples:\n"
            "  semipriv archive\n"
            "  semipriv archive --into results.tar.gz\n"
            "  semipriv claim ABM19-E1 --results results/archive.tar.gz"
        ),
    )
    parser.add_argument("--into", metavar="FILE", help=f"where the archive goes (default: {NAME} of the results)")
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="configuration after config/config.yaml, as Snakemake's; may be given several times",
    )
    parser.add_argument("--directory", metavar="FOLDER", help="where data and results are (default: the checkout)")
    parser.set_defaults(run=_archive)


def _archive(options: argparse.Namespace) -> int:
    root = checkout(Path.cwd())
    folder = root if options.directory is None else Path(options.directory)
    files = [root / "config" / "config.yaml", *map(Path, options.configfile)]
    run = load_run(configured(files), root / "config" / "experiments", files=files, check=False)
    results = folder / run.results
    target = results / NAME if options.into is None else Path(options.into)
    if not archive.is_archive(target):
        raise ValueError(f"--into {target}: must end in {archive.SUFFIX}")
    with located(given_in(files, "claims")):
        names = belonging(run)
    for name in names:
        if not (results / name).is_file():
            raise ValueError(f"{results / name}: does not exist; `make` writes it, and an archive has the whole run")
    contents = {name: (results / name).read_bytes() for name in names}
    digest = archive.write(contents | {VERSIONS: _versions(root)}, target)
    print(f"{target}: {len(contents) + 1} files, {target.stat().st_size / _MEGABYTE:.1f} MB\n  sha256 {digest}")
    kept = {results / name for name in names} | {target}
    for place in (results, folder / "data"):
        print(f"  left out of {place}: {_size(place, kept) / _MEGABYTE:.1f} MB")
    return 0


def belonging(run: Run) -> list[str]:
    """Return the files of an archive, below the folder of results.

    These are the tables that a summary names, and figures.  Runtimes are of the machine, and what the tables are
    gathered from is made again from data and seed.
    """
    tables = [f"{experiment}/{name}.parquet" for experiment in run.experiments for name in _TABLES]
    figures = [f"figures/{stem}.{end}" for stem in drawings(run, studies_for(run.claims)) for end in ("pdf", "png")]
    ledger = ["claims.parquet", "claims.html", "claims.tex", "measurements.parquet"]
    return ["summary.txt", *ledger, *tables, *figures]


def _versions(root: Path) -> bytes:
    """Return the versions of semipriv, of Python and of all packages beside it, as JSON."""
    packages = {package.name: package.version for package in metadata.distributions() if package.name != "semipriv"}
    versions = {
        "semipriv": __version__,
        "commit": _commit(root),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": dict(sorted(packages.items(), key=lambda pair: pair[0].lower())),
    }
    return (json.dumps(versions, indent=2) + "\n").encode()


def _commit(root: Path) -> str | None:
    """Return the commit of a checkout, with "-modified" if a file differs from it; None without Git."""
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=-modified"]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return finished.stdout.strip() or None


def _size(folder: Path, without: set[Path]) -> int:
    """Return the bytes of all files below a folder but those given."""
    return sum(path.stat().st_size for path in _files(folder) if path not in without)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
