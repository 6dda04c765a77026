"""All pages of the reference, and their index."""

from pathlib import Path

from semipriv.core.files import atomic
from semipriv.core.markdown import table
from semipriv_lab.experiments.papers import titles
from semipriv_lab.reference import papers, plugins, tables
from semipriv_lab.reference.declared import Declared
from semipriv_lab.reference.markdown import GLOSSARY, Page, count, page_of


def texts(declared: Declared, root: str | None = None) -> dict[str, str]:
    """Return the text of each page by its name, a path such as ``papers/abm19.md``.

    root: the address of the repository's files, to which links lead; None: relative links, from ``docs/reference``.
    """
    pages_by_name = {
        "claims.md": tables.claims(declared, root),
        "experiments.md": tables.experiments(declared, root),
        "figures.md": tables.figures(declared, root),
        **dict(papers.pages(declared, root)),
        **dict(plugins.pages(declared, root)),
    }
    return {"index.md": _index(declared, root), **pages_by_name}


def _index(declared: Declared, root: str | None) -> str:
    page = Page("index.md", root)
    head = (
        "These pages are made from the code: from docstrings, from what studies and experiments declare, and from the "
        "list of claims. `python -m semipriv_lab.reference FOLDER` writes them; nothing in them is listed by hand. "
        f"Words are explained in the {page.file('glossary', GLOSSARY)}."
    )
    of_papers = [
        (
            page.to(paper, f"papers/{paper.lower()}.md"),
            title,
            f"{len(papers.algorithms(declared, paper))}",
            f"{sum(claim.paper == paper for claim in declared.claims.values())}",
            f"{sum(experiment.paper == paper for experiment in declared.experiments.values())}",
        )
        for paper, title in titles().items()
    ]
    lists = [
        (
            page.to("claims", "claims.md"),
            count(len(declared.claims), "claim"),
            "what is measured, and how it is judged",
        ),
        (
            page.to("experiments", "experiments.md"),
            count(len(declared.experiments), "experiment"),
            "which learners are compared, on which data",
        ),
        (page.to("figures", "figures.md"), count(len(declared.figures), "figure"), "which file draws what"),
        *(
            (
                page.to(name.removesuffix(".md"), name),
                count(sum(plugin.page == name for plugin in declared.plugins), "file"),
                plugins.described(declared, name.removesuffix(".md")),
            )
            for name in dict.fromkeys(plugin.page for plugin in declared.plugins)
        ),
    ]
    return page_of(
        "Reference",
        head,
        "## Papers\n\n" + table(("paper", "title", "numbered algorithms", "claims", "experiments"), of_papers),
        "## Lists\n\n" + table(("page", "how many", "what it tells"), lists),
    )


def write(folder: Path, declared: Declared, root: str | None = None) -> list[Path]:
    """Write the pages below a folder, and return their paths."""
    files = []
    for name, text in texts(declared, root).items():
        with atomic(folder / name) as target:
            target.write_text(text, encoding="utf-8")
        files.append(folder / name)
    return files
