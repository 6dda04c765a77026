"""``semipriv completion``: print a script with which a shell completes subcommands, options and their values.

It is written here, since shtab has no fish, and the package would need one more dependency for the other two shells.
"""

import argparse
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from semipriv.core.registry import module, names

SHELLS = ("bash", "zsh", "fish")


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "completion",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="print a script with which a shell completes subcommands, options and their values",
        description="Prints a completion script for a shell.  Options for files complete to files.",
        epilog=(
            "bash: source <(semipriv completion bash), in ~/.bashrc\n"
            "zsh:  source <(semipriv completion zsh), in ~/.zshrc\n"
            "fish: semipriv completion fish > ~/.config/fish/completions/semipriv.fish"
        ),
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    print("\n".join(_fish(_parsers()) if options.shell == "fish" else _bash(_parsers(), options.shell)))
    return 0


def _parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the whole parser of each subcommand, and of its own subcommands if it has some."""
    commands = argparse.ArgumentParser().add_subparsers()
    for name in names("cli"):
        import_module(module("cli", name)).add(commands)
    return dict(_named(commands.choices.items()))


def _named(parsers: Iterable[tuple[str, argparse.ArgumentParser]]) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for name, parser in parsers:
        yield name, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from _named((f"{name} {inner}", subparser) for inner, subparser in action.choices.items())


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """Return the words that may come next: options, subcommands, and the values of positional choices."""
    words = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices is not None:
            words += map(str, action.choices)
    return words


def _values(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return the values of each option that has a list of them."""
    return {
        option: [str(choice) for choice in action.choices]
        for action in parser._actions
        if action.choices is not None
        for option in action.option_strings
    }


def _bash(parsers: dict[str, argparse.ArgumentParser], shell: str) -> Iterator[str]:
    """Yield the lines of a script; zsh reads that of bash."""
    if shell == "zsh":
        yield "autoload -U +X bashcompinit && bashcompinit"
    yield "_semipriv() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words="" asked="" word'
    yield '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield f'    case " {" | ".join(parsers)} " in *" ${{asked:+$asked }}$word "*)'
    yield '      asked="${asked:+$asked }$word";; esac'
    yield "  done"
    yield '  case "$asked" in'
    top = [name for name in parsers if " " not in name]
    yield f"    '') words='--help --plugins --version {' '.join(top)}';;"
    for name, parser in parsers.items():
        yield f"    '{name}') words='{' '.join(_words(parser))}'"
        if values := _values(parser):
            yield '      case "$before" in'
            yield from (f"        {option}) words='{' '.join(known)}';;" for option, known in values.items())
            yield "      esac;;"
        else:
            yield "      ;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _semipriv semipriv"


def _fish(parsers: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the lines of a script for fish."""
    top = [name for name in parsers if " " not in name]
    yield f"complete -c semipriv -n __fish_use_subcommand -a '{' '.join(top)}'"
    for name, parser in parsers.items():
        seen = " && ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        values = _values(parser)
        for word in _words(parser):
            known = f" -xa '{' '.join(values[word])}'" if word in values else ""
            what = f"-l {word.removeprefix('--')}" if word.startswith("--") else f"-a {word}"
            yield f"complete -c semipriv -n '{seen}' {what}{known}"
