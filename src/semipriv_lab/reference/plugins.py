"""Pages of the plug-ins: one for each room of the package, with the parameters of every plug-in and what they mean."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from semipriv.core import docstrings, overlay, registry, rooms
from semipriv.core.markdown import table
from semipriv.core.source import docstring, parsed
from semipriv.learners.base import AnyLearner, Learner
from semipriv.privacy.guarantee import Guarantee
from semipriv_lab.reference.declared import Declared, PlugIn, path_of
from semipriv_lab.reference.markdown import GLOSSARY, Page, anchor, page_of, plain, slug
from semipriv_lab.reference.sources import first_sentence


def pages(declared: Declared, root: str | None) -> Iterator[tuple[str, str]]:
    """Yield a page, by its name and text, for each folder of the package that has plug-ins."""
    for name in dict.fromkeys(plugin.page for plugin in declared.plugins):
        page, plugins = Page(name, root), [plugin for plugin in declared.plugins if plugin.page == name]
        rooms = dict.fromkeys(plugin.room for plugin in plugins)
        title = name.removesuffix(".md").capitalize()
        head = (
            f"{described(declared, name.removesuffix('.md'))} Made from the code: each entry is one file, and "
            f"configurations name it by the file's name. Words are explained in the {page.file('glossary', GLOSSARY)}."
        )
        yield name, page_of(title, head, *(_room(declared, page, room, len(rooms) > 1) for room in rooms))


def _room(declared: Declared, page: Page, room: str, several: bool) -> str:
    of_room = [plugin for plugin in declared.plugins if plugin.room == room]
    head = f"## {room}\n\n{described(declared, room) if '/' in room else ''}\n" if several else ""
    rows = [(page.to(plugin.name, page.name, plugin.anchor), f"`{plugin.type}`", *_short(plugin)) for plugin in of_room]
    titles = ("name", "type", "what it is", "guarantee")[: len(rows[0])]
    mark = "###" if several else "##"
    entries = "\n".join(f"{mark} {plugin.name}\n\n{_entry(declared, page, plugin)}" for plugin in of_room)
    return f"{head}\n{table(titles, rows)}\n{entries}"


def described(declared: Declared, room: str) -> str:
    """Return what a room says of itself."""
    folders = [
        Path(overlay.owner(room), rooms.folder(room)),
        *sorted(Path(plugin.file).parent for plugin in of_room(declared, room)),
    ]
    described = next(folder for folder in folders if (declared.package / folder / "__init__.py").is_file())
    return plain(first_sentence(_module_doc(declared, f"{described.as_posix()}/__init__.py")))


def of_room(declared: Declared, room: str) -> list[PlugIn]:
    """Return the plug-ins of a room, or of the rooms inside of it."""
    return [plugin for plugin in declared.plugins if f"{plugin.room}/".startswith(f"{room}/")]


def _module_doc(declared: Declared, file: str) -> str:
    return docstring(parsed(declared.package / file))


def _short(plugin: PlugIn) -> list[str]:
    """Return the cells of a plug-in in the table of its room: its first sentence; of a learner also its guarantee."""
    loaded = registry.load(plugin.room, plugin.name)
    paragraphs = [plain(first_sentence(inspect.getdoc(loaded) or ""))]
    return [*paragraphs, "; ".join(guarantees(loaded))] if issubclass(loaded, Learner) else paragraphs


def _entry(declared: Declared, page: Page, plugin: PlugIn) -> str:
    """Return what a page says of a plug-in."""
    loaded = registry.load(plugin.room, plugin.name)
    named = first_sentence(_module_doc(declared, plugin.file))
    lines = [
        f"{anchor(plugin.anchor)}**`{plugin.type}`**, {page.code(plugin.file)}. {plain(named)}\n",
        f"{plain((inspect.getdoc(loaded) or '').partition(chr(10) * 2)[0])}\n",
        table(("parameter", "default", "meaning"), _parameters(declared, page, loaded)),
        "".join(f"- {name}: {fact}\n" for name, fact in _facts(declared, page, plugin, loaded)),
    ]
    return "\n".join(line for line in lines if line)


def _parameters(declared: Declared, page: Page, plugin: type) -> Iterator[tuple[str, str, str]]:
    parameters = inspect.signature(plugin).parameters
    documented = docstrings.parameters_of(plugin)
    fields = attrs.fields_dict(plugin) if attrs.has(plugin) else {}
    rooms = {name: field.metadata["room"] for name, field in fields.items() if "room" in field.metadata}
    documented |= {name: field.metadata["meaning"] for name, field in fields.items() if "meaning" in field.metadata}
    for name, parameter in parameters.items():
        default = "required" if parameter.default is inspect.Parameter.empty else f"`{_default(parameter.default)}`"
        meaning = plain(documented.get(name, ""))
        if name in rooms:
            names = ", ".join(
                page.to(f"`{other.name}`", other.page, other.anchor)
                for other in declared.plugins
                if other.room == rooms[name]
            )
            meaning = f"{meaning} One of {names}.".strip()
        yield f"`{name}`", default, meaning


def _default(value: Any) -> str:
    return "none" if value is None else str(value)


def _facts(declared: Declared, page: Page, plugin: PlugIn, loaded: type) -> Iterator[tuple[str, str]]:
    if issubclass(loaded, Learner):
        yield from _of_learner(page, loaded)
    sources = dict.fromkeys(place.source for place in declared.places if place.file == plugin.file and place.first)
    if sources:
        yield (
            "source",
            ", ".join(page.to(f"{s.paper} {s}", f"papers/{s.paper.lower()}.md", slug(str(s))) for s in sources),
        )
    experiments = [name for name, files in declared.used.items() if plugin.file in files]
    if experiments:
        yield "experiments", ", ".join(page.to(name, "experiments.md", name) for name in experiments)


def guarantees(learner: type[AnyLearner]) -> list[str]:
    """Return the kinds of guarantees that a learner's examples have, in words."""
    return list(dict.fromkeys(_guarantee(example.guarantee) for example in learner.examples()))


def _guarantee(guarantee: Guarantee | None) -> str:
    if guarantee is None:
        return "none, not private"
    if guarantee.epsilon == guarantee.delta == 0:
        return "reads no private data"
    return "epsilon-DP" if guarantee.delta == 0 else "(epsilon, delta)-DP"


def _of_learner(page: Page, learner: type[AnyLearner]) -> Iterator[tuple[str, str]]:
    """Yield what a learner says about itself, by its examples."""
    examples = learner.examples()
    private = [example for example in examples if example.guarantee is not None]
    yield "guarantee", "; ".join(guarantees(learner))
    protected = dict.fromkeys(example.protects for example in private if example.protects)
    if protected:
        neighbours = dict.fromkeys(example.guarantee.neighbours.value for example in private if example.guarantee)
        yield "protects", f"{'; '.join(protected)} (neighbours: {', '.join(f'`{name}`' for name in neighbours)})"
    yield "role", ", ".join(dict.fromkeys(example.role.value.replace("_", " ") for example in examples))
    yield "output", page.code(path_of(registry.module("outputs", examples[0].output_kind)))
    stages = dict.fromkeys(path_of(type(example.public_stage).__module__) for example in examples)
    yield "public stage", ", ".join(map(page.code, stages))
    if learner.reads_unlabelled:
        yield "private data", "labelled examples, and unlabelled entries beside them"
    simulated = any(example.guarantee is not None and not example.releasable for example in examples)
    if simulated:
        every = not any(example.releasable for example in private)
        yield "real data", "simulation only" if every else "with some parameters simulation only"
    if learner.excess_bound is not Learner.excess_bound:
        by = "" if learner.theorem == Learner.theorem else f", {plain(learner.theorem)}"
        yield "excess error", f"has a bound{by}"
