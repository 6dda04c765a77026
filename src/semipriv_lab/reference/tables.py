"""Pages of claims, experiments and figures."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from semipriv.core import registry
from semipriv.core.markdown import table
from semipriv.core.source import docstring, parsed
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.papers import titles
from semipriv_lab.figures.catalogue import Drawing
from semipriv_lab.ledger.claims import KINDS, Claim
from semipriv_lab.ledger.findings import recorded
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.ledger.studies import ROOM, Study
from semipriv_lab.reference.declared import EXPERIMENTS, Declared, path_of, room_at
from semipriv_lab.reference.markdown import GLOSSARY, Page, anchor, count, page_of, plain, slug
from semipriv_lab.reference.sources import first_sentence

LEDGER = "docs/ledger.md"
FINDINGS = "semipriv_lab/ledger/findings.py"


# ---------------------------------------------------------------------------------------------------- links
def to_claim(page: Page, claim: str, *, short: bool = False) -> str:
    """Return a link to a claim; short: without its paper."""
    return page.to(claim.partition("-")[2] if short else claim, "claims.md", slug(claim))


def to_study(page: Page, study: Study) -> str:
    """Return a link to a study."""
    return page.to(study.id, "claims.md", slug(study.id))


def to_figure(page: Page, figure: str) -> str:
    """Return a link to a figure."""
    return page.to(figure, "figures.md", slug(figure))


def to_paper(page: Page, paper: str | None) -> str:
    """Return a link to a paper; empty for none."""
    return "" if paper is None else page.to(paper, f"papers/{paper.lower()}.md")


def figure_of(declared: Declared, study: Study) -> str | None:
    """Return the stem of the file of a study's figure."""
    return next((name for name, drawing in declared.figures.items() if drawing.study is study), None)


def figures_of(declared: Declared, experiment: Experiment) -> list[str]:
    """Return the stems of the files of an experiment's figures."""
    return [name for name, drawing in declared.figures.items() if drawing.experiment is experiment]


# ---------------------------------------------------------------------------------------------------- claims
def claims(declared: Declared, root: str | None) -> str:
    """Return the page of the claims, paper by paper, and of the studies that measure them."""
    page = Page("claims.md", root)
    head = (
        f"{count(len(declared.claims), 'claim')} in {count(len(titles()), 'list')}, measured by "
        f"{count(len(declared.studies), 'study', 'studies')}. The verdicts are in the {page.file('ledger', LEDGER)}; "
        f"words are explained in the {page.file('glossary', GLOSSARY)}. `semipriv claim ID` measures one claim."
    )
    parts = [head, table(("kind", "what it is, and how it is judged"), KINDS.items())]
    for paper, title in titles().items():
        of_paper = [claim for claim in declared.claims.values() if claim.paper == paper]
        rows = [_claim(declared, page, claim) for claim in of_paper]
        listed = table(("claim", "kind", "statement", "for", "proof", "judged by", "study", "figure"), rows)
        parts += [f"## {paper}\n\n{to_paper(page, paper)}: *{title}*\n\n{listed}"]
    return page_of("Claims", *parts, *_studies(declared, page))


def _claim(declared: Declared, page: Page, claim: Claim) -> list[str]:
    study = declared.study_of.get(claim.id)
    cells = [f"{anchor(slug(claim.id))}{claim.id}", claim.kind]
    cells += [plain(claim.statement), plain(domain_of(claim).text), plain(claim.proof)]
    if study is None:
        return [*cells, "", "", ""]
    figure = figure_of(declared, study)
    judged = ", ".join(f"`{name}`" for name in _judges(declared, study))
    return [*cells, judged, to_study(page, study), "" if figure is None else to_figure(page, figure)]


def _studies(declared: Declared, page: Page) -> Iterator[str]:
    functions = judges(declared.package)
    yield "## How measurements are judged\n\n" + table(
        ("function", "what it makes"), [(f"`{name}`", plain(summary)) for name, summary in functions.items()]
    )
    rows = [
        (
            f"{anchor(slug(study.id))}{page.file(study.id, f'src/{path_of(study.module)}')}",
            plain(study.summary),
            ", ".join(to_claim(page, claim) for claim in study.claims),
            f"{study.seconds:g}",
        )
        for study in declared.studies.values()
    ]
    yield "## Studies\n\n" + table(("study", "what it measures", "claims", "seconds, about"), rows)


@cache
def judges(package: Path) -> dict[str, str]:
    """Return the functions that make measurements with a verdict, and the first sentence of each."""
    tree = parsed(package / FINDINGS)
    methods = {
        node.name: first_sentence(docstring(node))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and [argument.arg for argument in node.args.args[:1]] == ["quantity"]
    }
    del methods[recorded.__name__]
    return methods


def _judges(declared: Declared, study: Study) -> list[str]:
    """Return the functions by which a study, or a helper in its folder, judges measurements."""
    helpers = {file for file in declared.run_by[study.id] if room_at(file) == ROOM}
    files = [declared.package / file for file in {path_of(study.module)} | helpers]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return [name for name in judges(declared.package) if re.search(rf"\b{name}\(", text)]


# ---------------------------------------------------------------------------------------------------- experiments
def experiments(declared: Declared, root: str | None) -> str:
    """Return the page of the experiments."""
    page = Page("experiments.md", root)
    head = (
        f"{count(len(declared.experiments), 'experiment')}: each is one file, whose keys are explained in "
        f"{page.file('config/README.md', 'config/README.md')}. A *simulation* draws from a known distribution; a "
        f"*table* is real, and split again and again. Words are explained in the {page.file('glossary', GLOSSARY)}."
    )
    rows = [
        (
            page.to(name, page.name, name),
            to_paper(page, experiment.paper),
            experiment.kind,
            _about(experiment),
        )
        for name, experiment in declared.experiments.items()
    ]
    listed = table(("experiment", "paper", "kind", "what it shows"), rows)
    return page_of(
        "Experiments",
        head,
        listed,
        *(_experiment(declared, page, experiment) for experiment in declared.experiments.values()),
    )


def _experiment(declared: Declared, page: Page, experiment: Experiment) -> str:
    settings = experiment.specification
    used = [plugin for plugin in declared.plugins if plugin.file in declared.used[experiment.name]]
    links = {
        room: ", ".join(page.to(plugin.name, plugin.page, plugin.anchor) for plugin in used if plugin.room == room)
        for room in dict.fromkeys(plugin.room for plugin in used)
    }
    sizes = {key: settings[key] for key in experiment.design.meanings() if key in settings}
    facts = {
        "file": page.file(f"`{EXPERIMENTS}/{experiment.name}.yaml`", f"{EXPERIMENTS}/{experiment.name}.yaml"),
        "paper": to_paper(page, experiment.paper),
        "design": plain(experiment.design.title),
        "table": f"`{settings['table']['name']}`" if settings.get("table") else "",
        "sizes": ", ".join(f"`{key}` = {value:,}" for key, value in sizes.items()),
        "swept": "; ".join(
            f"`{key}` over {', '.join(map(_value, values))}" for key, values in settings.get("sweep", {}).items()
        ),
        "cases": ", ".join(f"`{case}`" for case in settings.get("cases", {})),
        "trials of each cell": f"{experiment.trials:,}",
        **links,
        "figures": ", ".join(to_figure(page, figure) for figure in figures_of(declared, experiment)),
    }
    listed = "".join(f"- {key}: {text}\n" for key, text in facts.items() if text)
    text = plain(experiment.description)
    return f"## {experiment.name}\n\n{anchor(experiment.name)}{text}\n\n{listed}"


def _about(experiment: Experiment) -> str:
    """Return the first sentence of an experiment's description."""
    return plain(re.split(r"(?<=[.]) ", " ".join(experiment.description.split()))[0])


def _value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) else f"`{value}`"


# ---------------------------------------------------------------------------------------------------- figures
def figures(declared: Declared, root: str | None) -> str:
    """Return the page of the figures, and of the plots that draw them."""
    page = Page("figures.md", root)
    head = (
        f"{count(len(declared.figures), 'figure')}: files of these names, as .pdf and .png, in `results/figures/`. "
        f"Each is drawn by one file from tables of results: those of an experiment, or the measurements of a study. "
        f"Words are explained in the {page.file('glossary', GLOSSARY)}."
    )
    rows = [_figure(page, name, drawing) for name, drawing in declared.figures.items()]
    return page_of("Figures", head, table(("figure", "paper", "of", "drawn by", "what is drawn"), rows))


def _figure(page: Page, name: str, drawing: Drawing) -> tuple[str, ...]:
    shown = "" if drawing.study is None else to_study(page, drawing.study)
    if drawing.experiment is not None:
        shown = page.to(drawing.experiment.name, "experiments.md", drawing.experiment.name)
    plot = page.file(f"`{drawing.name}.py`", f"src/{path_of(drawing.module)}")
    text = plain(first_sentence(registry.documentation(drawing.room, drawing.name)))
    return f"{anchor(slug(name))}{name}", to_paper(page, drawing.paper), shown, plot, text
