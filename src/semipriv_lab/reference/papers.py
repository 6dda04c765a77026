"""A page for each paper: from its algorithms, theorems and lemmas to the files, experiments, figures and claims."""

import re
from collections.abc import Iterable, Iterator

from semipriv.core.markdown import table
from semipriv_lab.experiments.papers import titles
from semipriv_lab.ledger.claims import Claim
from semipriv_lab.reference.declared import Declared, room_at
from semipriv_lab.reference.markdown import GLOSSARY, Page, anchor, count, page_of, plain, slug
from semipriv_lab.reference.sources import Place, Source
from semipriv_lab.reference.tables import figure_of, figures_of, to_claim, to_figure, to_study

LETTERS = {
    "L": ("lemma",),
    "T": ("theorem", "dichotomy"),
    "CL": ("claim",),
    "C": ("claim", "corollary"),
    "D": ("definition",),
    "O": ("observation",),
    "R": ("remark",),
    "F": ("fact",),
    "P": ("proposition",),
    "": ("theorem", "proposition", "lemma", "definition"),
}
"""The kinds that the letters before a number in the id of a claim may stand for: BNS15-CL4.2 is claim 4.2."""
_ID = re.compile(rf"[A-Z0-9]+-({'|'.join(sorted(LETTERS, key=len, reverse=True))})((?:[A-Z]\.)?\d[\d.]*)(?:-|$)")
BESIDE = ("studies", "figures", "audit", "bounds", "controls", "ledger", "measures")
"""Rooms that belong to an algorithm without being part of it."""


def pages(declared: Declared, root: str | None) -> Iterator[tuple[str, str]]:
    """Yield the page of each paper, by its name and text."""
    for paper, title in titles().items():
        page = Page(f"papers/{paper.lower()}.md", root)
        of_paper = [claim for claim in declared.claims.values() if claim.paper == paper]
        studies = [study for study in declared.studies.values() if study.paper == paper.lower()]
        experiments = [name for name, experiment in declared.experiments.items() if experiment.paper == paper]
        head = (
            f"*{title}*. {count(len(of_paper), 'claim')}, {count(len(studies), 'study', 'studies')}, "
            f"{count(len(experiments), 'experiment')} of its own. Numbers are those of the paper. Made from the code: "
            f"a file stands beside a number if its documentation names it. Words are explained in the "
            f"{page.file('glossary', GLOSSARY)}."
        )
        parts = (
            *_algorithms(declared, page, paper),
            _statements(declared, page, paper),
            _others(declared, page, of_paper),
        )
        yield page.name, page_of(paper, head, *parts, _experiments(declared, page, experiments))


# ---------------------------------------------------------------------------------------------------- algorithms
def algorithms(declared: Declared, paper: str) -> list[Source]:
    """Return the numbered algorithms of a paper that the code names."""
    sources = {place.source for place in declared.places if place.source.paper == paper}
    return sorted((source for source in sources if source.kind == "algorithm"), key=lambda source: source.order)


def carried_out(declared: Declared, source: Source) -> list[Place]:
    """Return the modules and types that say they are an algorithm or a part of it, one for each file.

    Modules come before types, then what a configuration can name, then what is about the least other algorithms.
    """
    plugins = {plugin.file for plugin in declared.plugins}
    implementing = [place for place in declared.places if place.source == source and place.implements]
    parts = [place for place in implementing if _room(place) not in BESIDE and not place.file.endswith("/base.py")]
    others = {place: sum(_same(place, other) for other in declared.places) for place in parts}
    ordered = sorted(
        parts,
        key=lambda place: (
            bool(place.name),
            place.file not in plugins,
            others[place],
            f"/papers/{source.paper.lower()}/" not in place.file,
            place.file,
        ),
    )
    first_of: dict[str, Place] = {}
    for place in ordered:
        first_of.setdefault(place.file, place)
    return list(first_of.values())


def _same(place: Place, other: Place) -> bool:
    """Return whether two places are the same docstring, which names two algorithms."""
    return (place.file, place.name) == (other.file, other.name) and other.source.kind == "algorithm"


def _room(place: Place) -> str:
    return room_at(place.file).partition("/")[0]


def _algorithms(declared: Declared, page: Page, paper: str) -> Iterator[str]:
    """Yield a table of the algorithms of a paper, and all that belongs to each."""
    rows, parts = [], []
    for source in algorithms(declared, paper):
        main = carried_out(declared, source)
        files = {place.file for place in main}
        places = [place for place in declared.places if place.source == source]
        rest = [
            place
            for place in places
            if place.file not in files and _room(place) not in ("studies", "figures", "ledger")
        ]
        studies = [study for study in declared.studies.values() if source in declared.algorithms[study.id]]
        learners = {file for file in files if room_at(file) == "learners"} or files
        used = [name for name, learners_used in declared.used.items() if learners & learners_used]
        drawn = [
            name
            for name_ in used
            if declared.experiments[name_].paper == paper
            for name in figures_of(declared, declared.experiments[name_])
        ]
        drawn += [figure for study in studies if (figure := figure_of(declared, study)) is not None]
        teller = min(
            main,
            key=lambda place: (bool(place.name), sum(_same(place, other) for other in declared.places)),
            default=None,
        )
        claims = ", ".join(to_claim(page, claim, short=True) for study in studies for claim in study.claims)
        summary = "" if teller is None else plain(teller.summary)
        first = _files(page, main[:2])
        rows.append((page.to(str(source), page.name, slug(str(source))), summary, first, _figures(page, drawn), claims))
        facts = {
            "carried out in": _files(page, main),
            "also in": _files(page, rest),
            "studies": ", ".join(to_study(page, study) for study in studies),
            "experiments": ", ".join(page.to(name, "experiments.md", name) for name in used),
        }
        listed = "".join(f"- {key}: {text}\n" for key, text in facts.items() if text)
        parts.append(f"### {str(source).capitalize()}\n\n{anchor(slug(str(source)))}{summary}\n\n{listed}")
    if rows:
        about = (
            "Claims are those of the studies that measure an algorithm: that name it, or else import its files. "
            "Figures are those of these studies, and of this paper's experiments with it."
        )
        titles = ("algorithm", "what it is", "file", "figures", "claims")
        yield f"## Algorithms\n\n{about}\n\n{table(titles, rows)}"
        yield from parts


def _files(page: Page, places: Iterable[Place]) -> str:
    return ", ".join(page.code(file) for file in dict.fromkeys(place.file for place in places))


def _figures(page: Page, names: Iterable[str]) -> str:
    return ", ".join(to_figure(page, name) for name in dict.fromkeys(names))


# ---------------------------------------------------------------------------------------------------- statements
def numbered(claim: Claim) -> tuple[tuple[str, ...], str] | None:
    """Return the kinds that a claim's number may be of, and the number; None if it has none of the paper.

    >>> numbered(Claim("BNS15-CL4.2-literal", "BNS15", "exact", ""))
    (('claim',), '4.2')
    >>> numbered(Claim("ABM19-NAIVE", "ABM19", "rate", ""))
    """
    match = _ID.match(claim.id)
    return None if match is None else (LETTERS[match[1]], match[2])


def claims_of(declared: Declared, paper: str) -> dict[Source, list[str]]:
    """Return the ids of the claims on each numbered statement of a paper.

    Of several kinds that a number may be of, it is the one that the code names, else the first.
    """
    known = {place.source for place in declared.places}
    claims: dict[Source, list[str]] = {}
    for claim in declared.claims.values():
        number = numbered(claim) if claim.paper == paper else None
        if number is not None:
            possible = [Source(paper, kind, number[1]) for kind in number[0]]
            source = next((stem for stem in possible if stem in known), possible[0])
            claims.setdefault(source, []).append(claim.id)
    return claims


def _statements(declared: Declared, page: Page, paper: str) -> str:
    claims = claims_of(declared, paper)
    named = {
        place.source for place in declared.places if place.source.paper == paper and place.source.kind != "algorithm"
    }
    rows = []
    for source in sorted(named | claims.keys(), key=lambda source: (source.order[1], source.kind)):
        places = [place for place in declared.places if place.source == source]
        studies = dict.fromkeys(
            declared.study_of[claim].id for claim in claims.get(source, ()) if claim in declared.study_of
        )
        drawn = [figure_of(declared, declared.studies[study]) for study in studies]
        rows.append(
            (
                f"{anchor(slug(str(source)))}{source}",
                _files(page, (place for place in places if _room(place) not in ("studies", "figures"))),
                ", ".join(to_claim(page, claim, short=True) for claim in claims.get(source, ())),
                ", ".join(to_study(page, declared.studies[study]) for study in studies),
                ", ".join(to_figure(page, figure) for figure in drawn if figure is not None),
            )
        )
    titles = ("statement", "in the code", "claims", "measured by", "figures")
    return f"## Definitions, lemmas, theorems\n\n{table(titles, rows)}" if rows else ""


def _others(declared: Declared, page: Page, claims: Iterable[Claim]) -> str:
    """Return a table of the claims without a number of the paper."""
    rows = []
    for claim in claims:
        if numbered(claim) is None:
            study = declared.study_of.get(claim.id)
            figure = None if study is None else figure_of(declared, study)
            shown = ("" if study is None else to_study(page, study), "" if figure is None else to_figure(page, figure))
            rows.append((to_claim(page, claim.id), plain(claim.statement), *shown))
    listed = table(("claim", "statement", "measured by", "figure"), rows)
    return f"## Claims without a number\n\n{listed}" if rows else ""


def _experiments(declared: Declared, page: Page, names: Iterable[str]) -> str:
    rows = [
        (
            page.to(name, "experiments.md", name),
            plain(declared.experiments[name].description),
            _figures(page, figures_of(declared, declared.experiments[name])),
        )
        for name in names
    ]
    return f"## Experiments\n\n{table(('experiment', 'what it shows', 'figures'), rows)}" if rows else ""
