"""The workflow as subcommands see it: its checkout and its configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from semipriv.core.overlay import PACKAGE
from semipriv.experiments.reading import read_settings


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
