"""Packages that jobs need and that cannot be found, before any job starts."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import NamedTuple

from semipriv.core.fingerprint import packages, sources_of
from semipriv_lab.experiments.catalogue import BUNDLED

HOW = "`make` installs the packages of the lock, on a cluster `make slurm`; with --sdm conda jobs have their own"


class Job(NamedTuple):
    """A job's rule, the fingerprint of its code, None if it has none, and its wildcards."""

    rule: str
    code: str | None
    wildcards: Mapping[str, str]


def missing(jobs: Iterable[Job]) -> str:
    """Return a line that tells which packages, and files of packages, cannot be found, and who needs them; "" if none.

    Nothing is imported.
    """
    jobs = list(jobs)
    lines = dict.fromkeys([*_not_installed(jobs), *_without_table(jobs)])
    return "; ".join([*lines, HOW]) if lines else ""


def _not_installed(jobs: list[Job]) -> Iterator[str]:
    rules = {job.code: job.rule for job in jobs if job.code}
    needed = packages({source for code in rules for source in sources_of(code)})
    for name in sorted(name for name in needed if find_spec(name) is None):
        rule = next(rule for code, rule in rules.items() if name in packages(sources_of(code)))
        yield f"package {name!r} is not installed, and {rule} needs it: {needed[name].name} imports it"


def _without_table(jobs: list[Job]) -> Iterator[str]:
    for job in jobs:
        bundled = BUNDLED.get(job.wildcards.get("table", ""))
        if bundled is not None and bundled.packaged is not None:
            try:
                bundled.packaged.path()
            except (ModuleNotFoundError, FileNotFoundError) as error:
                yield f"{error}, and {job.rule} needs it"
