"""The reference: what is declared stands where it should, links lead somewhere, what is new appears by itself."""

import csv
import inspect
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml
from places import ROOT, matching

from semipriv.core import registry, rooms
from semipriv.core.markdown import table
from semipriv_lab.experiments.papers import titles
from semipriv_lab.reference import plugins
from semipriv_lab.reference.__main__ import main
from semipriv_lab.reference.declared import Declared
from semipriv_lab.reference.markdown import Page, slug
from semipriv_lab.reference.sources import Source, named, places

SOURCES = ROOT / "src"
LAB = SOURCES / "semipriv_lab"
ALGORITHMS = {
    "ABM19": {
        1: "learners/sspp.py",
        2: "learners/public_data_reduction.py",
        3: "learners/public_data_reduction.py",
        4: "learners/public_data_reduction.py",
    },
    "BMN20": {1: "stages/regions.py", 2: "learners/learn_half.py"},
    "BCM20": {3: "learners/query_release.py"},
    "BNS15": {
        1: "learners/generic_learner.py",
        2: "label_boost/procedure.py",
        3: "learners/label_boost.py",
        4: "learners/active_subsampling.py",
        5: "learners/all_concepts.py",
    },
    "BBD24": {
        1: "perturbation/perturb.py",
        2: "learners/perturbed_average.py",
        3: "learners/regularised.py",
        4: "learners/rrspm.py",
        5: "learners/rspm.py",
    },
    "OWN": {},
}
"""The numbered algorithms of the papers, from the papers, and the file of the paper's folder that carries each out."""
EVERY_ROOM = [*(room for room in rooms.outside() if room != "figures/plots"), "designs"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT / "docs")
        main([str(folder)])
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.md")}


def anchors(text: str) -> list[str]:
    return re.findall(r'<a id="([^"]+)"></a>', text)


def rows(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("| ")]


def test_every_link_leads_to_a_page_a_place_or_a_file(pages: dict[str, str]) -> None:
    here = ROOT / "docs/reference"
    places_of = {(here / name).resolve(): set(anchors(text)) for name, text in pages.items()}
    for name, text in pages.items():
        assert len(anchors(text)) == len(set(anchors(text))), name
        links = re.findall(r"\]\(([^)\s]*)\)", text)
        assert links
        for link in links:
            path, _, anchor = link.partition("#")
            target = (here / name).parent.joinpath(path).resolve() if path else (here / name).resolve()
            if target in places_of:
                assert not anchor or anchor in places_of[target], f"{name}: {link}"
            else:
                assert target.is_file(), f"{name}: {link}"
                assert not anchor


def test_every_page_is_found_from_the_index(pages: dict[str, str]) -> None:
    linked = set(re.findall(r"\]\(([^)\s#]*\.md)\)", pages["index.md"]))
    assert pages.keys() - {"index.md"} <= linked


def test_rows_of_a_table_have_as_many_cells_as_its_head(pages: dict[str, str]) -> None:
    blocks = [block for text in pages.values() for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M)]
    assert len(blocks) > len(pages)
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block[:200]


def test_a_pipe_in_a_cell_is_escaped() -> None:
    assert table(("a", "b"), [("|x|", "y\nz")]) == "| a | b |\n| --- | --- |\n| \\|x\\| | y z |\n"


def test_every_claim_stands_once(pages: dict[str, str]) -> None:
    lists = {path.parent.name: path.read_text().splitlines() for path in matching(LAB, "papers/*/claims.csv")}
    known = [row | {"paper": paper} for paper, lines in lists.items() for row in csv.DictReader(lines)]
    measured = {
        claim: f"{path.parents[1].name}_{path.stem}"
        for path in LAB.glob("papers/*/studies/[!_]*.py")
        for claim in re.findall(r'\bclaim\(\s*"([^"]+)"', path.read_text())
    }
    assert len(measured) > 150
    listed = [line for line in rows(pages["claims.md"]) if '<a id="' in line]
    for claim in known:
        own = [line for line in listed if f'<a id="{slug(claim["claim"])}"></a>{claim["claim"]} |' in line]
        assert len(own) == 1
        assert f"| {claim['kind']} |" in own[0]
        study = measured.get(claim["claim"])
        assert re.findall(r"\(#(\w+_\w+)\)", own[0]) == ([] if study is None else [study])
        paper = pages[f"papers/{claim['paper']}.md"]
        statements = paper[max(0, paper.find("## Definitions")) :]
        assert statements.count(f"(../claims.md#{slug(claim['claim'])})") == 1, claim["claim"]
    assert f"| {len(known)} claims |" in pages["index.md"]


@pytest.mark.parametrize("paper", titles())
def test_every_algorithm_of_the_papers_leads_to_its_file(pages: dict[str, str], paper: str) -> None:
    text = pages[f"papers/{paper.lower()}.md"]
    if not ALGORITHMS[paper]:
        assert "## Algorithms" not in text
        return
    first = {}
    for line in rows(text[text.index("## Algorithms") : text.index("## Definitions")]):
        cells = line.split(" | ")
        if match := re.match(r"\| \[algorithm (\d+)\]", cells[0]):
            first[int(match[1])] = re.findall(r"src/semipriv/([\w/]+\.py)", cells[2])[0]
            assert "figures.md#" in cells[3], line
            assert "claims.md#" in cells[4], line
    folder = f"papers/{paper.lower()}"
    assert first == {number: f"{folder}/{file}" for number, file in ALGORITHMS[paper].items()}


@pytest.mark.parametrize("room", EVERY_ROOM)
def test_every_plugin_and_parameter_stands_once(pages: dict[str, str], room: str) -> None:
    page = pages[f"{room.partition('/')[0]}.md"]
    for name in registry.names(room):
        anchor = "-".join([*room.split("/")[1:], name])
        assert page.count(f'<a id="{anchor}"></a>') == 1
        entry = page[page.index(f'<a id="{anchor}"></a>') :].partition("\n#")[0]
        given = {key: default for key, default, _ in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", entry, flags=re.M)}
        signature = inspect.signature(registry.load(room, name)).parameters
        assert list(given) == list(signature)
        for key, parameter in signature.items():
            assert (given[key] == "required") == (parameter.default is inspect.Parameter.empty)
        assert registry.module(room, name).replace(".", "/") + ".py" in entry


def test_learners_tell_what_they_promise_to_whom(pages: dict[str, str]) -> None:
    page = pages["learners.md"]
    for name in registry.names("learners"):
        entry = page[page.index(f'<a id="{name}"></a>') :].partition("\n##")[0]
        private = any(example.guarantee is not None for example in registry.load("learners", name).examples())
        assert "- guarantee: " in entry
        assert ("- protects: " in entry) == private
        assert "- output: " in entry
        assert "- public stage: " in entry
        rows = re.findall(r"^\| `(\w+)` \| .*? \| *(.*?) *\|$", entry, flags=re.M)
        assert all(meaning for _, meaning in rows), [key for key, meaning in rows if not meaning]


def test_every_experiment_and_figure_stands_once(pages: dict[str, str]) -> None:
    figures = anchors(pages["figures.md"])
    drawn = set(re.findall(r"src/semipriv_lab/([\w/]*figures/[\w/]+)\.py", pages["figures.md"]))
    for path in matching(ROOT, "config/experiments/*.yaml"):
        given = yaml.safe_load(path.read_text())
        assert anchors(pages["experiments.md"]).count(path.stem) == 1
        entry = pages["experiments.md"].partition(f'<a id="{path.stem}"></a>')[2].partition("\n## ")[0]
        for learner in given["learners"]:
            assert f"(learners.md#{learner['name']})" in entry
        for figure in given.get("figures", []):
            file = figure.get("file", figure["name"])
            assert figures.count(slug(f"{path.stem}__{file}")) == 1
            assert f"(figures.md#{slug(path.stem)}__{file})" in entry
    plots = {path.relative_to(LAB).with_suffix("").as_posix() for path in PLOT_FILES}
    assert drawn == plots
    assert all(figures.count(path.stem) == 1 for path in PLOT_FILES if path.parent.name != "plots")


PLOT_FILES = matching(LAB, "papers/*/figures/**/[!_]*.py", "figures/plots/[!_]*.py")


# ---------------------------------------------------------------------------------------------------- new files
PLUGIN = '''"""A measure that is new (BCM20 theorem 99)."""

from semipriv.core.fields import size, value

__all__ = ["Temporary"]


@value
class Temporary:
    """The number of *things* | that differ.  It has a second sentence.

    Args:
        many: how many things
            there are.
        few: how few, in {0, 1}.
    """

    many: int = size()
    few: int = size(0, default=1)
'''


def test_a_new_plugin_appears_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "semipriv_lab/measures"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text('"""Measures, new ones."""\n')
    (room / "temporary.py").write_text(PLUGIN)
    (room / "_helper.py").write_text(PLUGIN)
    specification = spec_from_file_location("temporary", room / "temporary.py")
    loaded = module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "temporary", loaded)
    specification.loader.exec_module(loaded)
    monkeypatch.setattr(registry, "load", lambda room, name: loaded.Temporary)
    declared = Declared(ROOT, tmp_path)
    declared.__dict__["used"] = {"some": frozenset({"semipriv_lab/measures/temporary.py"})}
    [(name, text)] = plugins.pages(declared, "https://some.where")
    assert name == "measures.md"
    assert "| [temporary](#temporary) | `Temporary` | The number of *things* \\| that differ. |" in text
    assert "_helper" not in text, "no plug-in"
    assert "| `many` | required | how many things there are. |" in text
    assert "| `few` | `1` | how few, in {0, 1}. |" in text
    assert "(https://some.where/src/semipriv_lab/measures/temporary.py)" in text
    assert "- source: [BCM20 theorem 99](papers/bcm20.md#theorem-99)" in text
    assert "- experiments: [some](experiments.md#some)" in text


def test_a_new_experiment_appears_by_itself(tmp_path: Path) -> None:
    (tmp_path / "config/experiments").mkdir(parents=True)
    text = (ROOT / "config/experiments/excess_vs_public.yaml").read_text()
    (tmp_path / "config/experiments/temporary.yaml").write_text(text)
    declared = Declared(tmp_path)
    assert list(declared.experiments) == ["temporary"]
    assert "temporary__excess" in declared.figures


# ---------------------------------------------------------------------------------------------------- sources
@pytest.mark.parametrize(
    ("text", "around", "names"),
    [
        ("A learner (BNS15 algorithm 3).", None, ["BNS15 algorithm 3"]),
        ("What algorithms 2 and 3 of BBD24 share.", None, ["BBD24 algorithm 2", "BBD24 algorithm 3"]),
        ("BCM20 definition 2, algorithm 3.", None, ["BCM20 definition 2", "BCM20 algorithm 3"]),
        ("Theorem 10's n; BBD24, lemma 23.", "BCM20", ["BCM20 theorem 10", "BBD24 lemma 23"]),
        ("(BNS15 theorems A.3 and 3.3)", None, ["BNS15 theorem A.3", "BNS15 theorem 3.3"]),
        (
            "Sharper: claims 4.8 to 4.11 and fact 4.",
            "BNS15",
            [*(f"BNS15 claim 4.{i}" for i in range(8, 12)), "BNS15 fact 4"],
        ),
        ("theorem 4.1 and dichotomy 4.2 of ABM19", "ABM19", ["ABM19 theorem 4.1", "ABM19 dichotomy 4.2"]),
        ("Dwork and Roth 2014, theorem 3.23; BCM20 lemma 7.", None, ["BCM20 lemma 7"]),
        ("By Dwork et al. 2015, section 4, and theorem 2.", "BCM20", []),
        ("A theorem 3 of no paper.", None, []),
        ("algorithm 1, steps 1 to 5", "ABM19", ["ABM19 algorithm 1"]),
    ],
)
def test_what_a_text_names(text: str, around: str | None, names: list[str]) -> None:
    assert [f"{source.paper} {source}" for source, _ in named(text, around)] == names


def test_a_number_belongs_to_the_paper_of_what_is_around_it(tmp_path: Path) -> None:
    package = tmp_path / "semipriv"
    (package / "bmn20").mkdir(parents=True)
    (package / "bmn20/one.py").write_text('"""Steps of lemma 4.3."""\n')
    (package / "two.py").write_text(
        '"""About ABM19."""\n\nclass Two:\n    """Algorithm 1 in full."""\n\n    def run(self):\n'
        '        """Carry it out.  BBD24 lemma 1 is another, as is lemma 2."""\n'
    )
    (package / "three.py").write_text('"""By Higham 2002."""\n\ndef three():\n    """Theorem 3."""\n')
    named = {(place.source, place.file, place.name, place.implements) for place in places(tmp_path)}
    assert named == {
        (Source("BMN20", "lemma", "4.3"), "semipriv/bmn20/one.py", "", True),
        (Source("ABM19", "algorithm", "1"), "semipriv/two.py", "Two", True),
        (Source("BBD24", "lemma", "1"), "semipriv/two.py", "Two.run", False),
        (Source("BBD24", "lemma", "2"), "semipriv/two.py", "Two.run", False),
    }


def test_links_with_an_address() -> None:
    page = Page("papers/abm19.md", "https://some.where")
    assert page.file("x", "docs/glossary.md") == "[x](https://some.where/docs/glossary.md)"
    assert page.to("x", "claims.md", "y") == "[x](../claims.md#y)"
    assert Page("claims.md").file("x", "docs/glossary.md") == "[x](../glossary.md)"
