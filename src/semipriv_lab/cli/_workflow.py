"""The workflow as subcommands see it: its checkout, its configuration, and a run that makes some files."""

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from semipriv.core.extras import extra
from semipriv.core.overlay import PACKAGE
from semipriv.settings.reading import read_settings


def checkout(start: Path, package: Path = PACKAGE) -> Path:
    """Return the checkout that holds ``start``, else the one from which ``package`` was installed as editable.

    Raise ValueError if there is neither.
    """
    for folder in (start, *start.parents, *package.parents):
        if (folder / "Snakefile").is_file() and (folder / "src" / "semipriv").is_dir():
            return folder
    raise ValueError(
        f"{start}: is in no checkout of semipriv, whose workflow (Snakefile, config/) is needed and no part of the "
        "installed package: go into a checkout first"
    )


def configured(files: Sequence[Path]) -> dict[str, Any]:
    """Read configuration files and merge their settings as Snakemake does: a later file replaces keys of earlier ones.

    Raise ConfigError with the name of the first wrong file.
    """
    settings: dict[str, Any] = {}
    for path in files:
        settings = _updated(settings, read_settings(path))
    return settings


def _updated(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return old settings updated by new ones: mappings are merged key by key, other values replaced."""
    merged = dict(old)
    for key, value in new.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _updated(merged[key], value) if both else value
    return merged


FAILED = 1
"""Exit code of a run that was interrupted before it said more."""


def run(
    root: Path,
    folder: Path,
    files: Sequence[Path],
    targets: Iterable[str],
    cores: str = "all",
    settings: Mapping[str, Any] | None = None,
) -> int:
    """Run Snakemake until the targets are up to date, with its output on stderr; return its exit code.

    root: the checkout.  folder: where data and results are.  files: configurations, of which later ones replace keys of
    earlier ones.  settings: keys that replace those of all files.  Raise ValueError if Snakemake is not installed.
    """
    with extra("workflow", "runs"):
        import snakemake  # noqa: F401, PLC0415  (to say so here if it is missing)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    command += ["--directory", str(folder), "--cores", cores, "--configfile", *map(str, files)]
    if settings:
        command += ["--config", *(f"{key}={value}" for key, value in settings.items())]
    sys.stdout.flush()
    with subprocess.Popen([*command, "--", *targets], stdout=2) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # Snakemake was interrupted, too, and puts its things in order
            return process.wait() or FAILED
