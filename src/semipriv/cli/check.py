"""``semipriv check``: run the property tests of plug-in files, and of experiments and studies what they declare."""

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipriv.cli import LABORATORY
from semipriv.core import machine

if TYPE_CHECKING:
    from semipriv.audit.properties._cases import Plugin, Property

BROKEN = 1
"""Exit code if a property is broken."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "check",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="test a plug-in of your own by the property tests of its kind, or an experiment or a study",
        description=(
            "Runs property tests on plug-in files.  Each property prints one line.  The tests use the values\n"
            "that examples() of the file returns.  A room is a kind of plug-in, such as learners: that of the folder\n"
            "of the file, or of the base class of its type.\n"
            "In a checkout also: every cell of an experiment (.yaml) is built; a study is measured with few trials.\n"
            "Exit code 0: all properties hold; 1: one is broken; 2: a file is no plug-in."
        ),
        epilog="example:\n  semipriv check mine/learners/my_learner.py",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="plug-in file")
    parser.add_argument("--room", help="room of the files, such as learners or distributions/marginals")
    parser.add_argument(
        "--property",
        metavar="WORDS",
        action="append",
        default=[],
        help="only properties with these words in their name",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable answer, when all properties are checked")
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    measured = [file for file in options.files if _is_of_the_laboratory(Path(file))]
    if measured:
        return _measured(measured, options)
    machine.pin()  # before NumPy and Numba are imported: as many threads as in the workflow
    from semipriv.audit.properties.check import check, plugin_at, unchecked  # noqa: PLC0415

    with ExitStack() as stack:
        plugins: list[Plugin] = [stack.enter_context(plugin_at(file, options.room)) for file in options.files]
        properties = check(plugins, lambda line: None if options.json else print(line, flush=True), options.property)
    by_plugin = [(plugin, [checked for checked in properties if checked.plugin is plugin]) for plugin in plugins]
    if options.json:
        print(json.dumps([_values(plugin, held, unchecked(plugin)) for plugin, held in by_plugin], indent=2))
    else:
        print("\n".join(line for plugin, held in by_plugin for line in _lines(plugin, held, unchecked(plugin))))
    return BROKEN if any(checked.failed for checked in properties) else 0


def _is_of_the_laboratory(file: Path) -> bool:
    """Return whether a file is an experiment or a study."""
    return file.suffix == ".yaml" or file.absolute().parent.name == "studies"


def _measured(files: Sequence[str], options: argparse.Namespace) -> int:
    """Check experiments and studies by the laboratory."""
    if find_spec(LABORATORY) is None:
        raise ValueError(f"{files[0]}: experiments and studies are checked in a checkout of semipriv")
    if len(files) < len(options.files) or options.room or options.property:
        raise ValueError("experiments and studies are checked apart from plug-ins, without --room and --property")
    held = import_module(f"{LABORATORY}.cli._held").held
    findings = {file: held(file) for file in files}
    if options.json:
        print(
            json.dumps(
                [{"file": file, "holds": holds, "found": finding} for file, (holds, finding) in findings.items()]
            )
        )
    else:
        print(
            "\n".join(
                f"{file}: {'ok' if holds else 'BROKEN'}: {finding}" for file, (holds, finding) in findings.items()
            )
        )
    return 0 if all(holds for holds, _ in findings.values()) else BROKEN


def _values(plugin: "Plugin", held: "Sequence[Property]", unchecked: Sequence[str]) -> dict[str, Any]:
    """Return the result of a plug-in: each property with its cases, and the counterexamples of a broken property."""
    properties = [
        {
            "property": checked.name,
            "holds": not checked.failed,
            "cases": checked.cases,
            "seconds": round(checked.seconds, 3),
        }
        | ({"failed": checked.failed, "failures": checked.failures} if checked.failed else {})
        for checked in held
    ]
    return {
        "file": str(plugin.path),
        "type": plugin.kind.__name__,
        "room": plugin.room,
        "properties": properties,
        "not_checked": list(unchecked),
    }


def _lines(plugin: "Plugin", held: "Sequence[Property]", unchecked: Sequence[str]) -> Iterator[str]:
    """Yield the summary of a plug-in."""
    wrong = [checked.name for checked in held if checked.failed]
    yield from (f"{plugin.path}: not checked: {line}" for line in unchecked)
    cases, seconds = sum(checked.cases for checked in held), sum(checked.seconds for checked in held)
    yield f"{plugin.path}: {len(held) - len(wrong)} of {len(held)} properties hold ({cases} cases, {seconds:.0f} s)"
    yield from (f"{plugin.path}: BROKEN: {name}" for name in wrong)
