"""What the report says of figures and runtimes."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from docutils.core import publish_parts
from hypothesis import example, given
from hypothesis import strategies as st
from places import ROOT

from semipriv.core import tables
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.figures.captions import caption, plain
from semipriv_lab.figures.catalogue import drawings
from semipriv_lab.ledger import studies as measured
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.html import bar, number, table, write_page
from semipriv_lab.workflow.runtimes import write_runtimes
from semipriv_lab.workflow.timings import TIMINGS

RUN = load_run(yaml.safe_load((ROOT / "config/config.yaml").read_text()), ROOT / "config/experiments", check=False)
DRAWINGS = drawings(RUN, measured.studies_for(RUN.claims))


def html(text: str) -> str:
    """What docutils makes of it; any warning of docutils is an error."""
    return publish_parts(text, writer="html", settings_overrides={"halt_level": 2})["body"]


def words(page: str) -> str:
    """The text of a page, without tags."""
    texts: list[str] = []
    parser = HTMLParser(convert_charrefs=True)
    parser.handle_data = texts.append  # type: ignore[method-assign]
    parser.feed(page)
    return " ".join("".join(texts).split())


NO_SETTINGS = {"description", "kind", "paper", "seconds", "blocks", "figures", "slopes", "measures"}
"""Keys of an experiment that say what is drawn and how it is carried out, or are said in other words."""


@pytest.mark.parametrize("name", sorted(DRAWINGS))
def test_captions_say_what_from_where_and_with_which_constants(name: str) -> None:
    drawing = DRAWINGS[name]
    text = words(html(caption(drawing, RUN.effort)))
    assert "What is drawn" in text
    if drawing.experiment is None:
        study = drawing.study
        for claim in study.claims:
            assert f"{claim}: {' '.join(claims()[claim].statement.split())}" in text
        assert re.search(r"Constants [A-Z_]+: .*effort: 1$", text)
    else:
        specification = drawing.experiment.specification
        assert drawing.experiment.description.split(".")[0].split("``")[0] in text
        settings = text.partition(" Settings ")[2]
        for key in specification.keys() - NO_SETTINGS:
            shown = f"{specification[key]} " if isinstance(specification[key], int) else ""
            assert f" {key}: {shown}" in f" {settings} "
        assert f"class: {specification['class']['name']}" in text
        assert f"trials: {specification['trials']}" in text
        assert text.endswith(f"beta: {RUN.settings['beta']} seed: {RUN.seed}")


def test_captions_give_the_numbers_of_their_own_run() -> None:
    """Every run of the other tests has the usual settings: a number written by hand would pass there."""
    own = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    own |= {"beta": 0.2, "seed": 7, "trials_factor": 0.5, "effort": 0.25}
    own["overrides"] = {"excess_vs_public": {"n_private": 321}}
    run = load_run(own, ROOT / "config/experiments", check=False)
    for name, drawing in drawings(run, measured.studies_for(run.claims)).items():
        text = words(html(caption(drawing, run.effort)))
        if drawing.experiment is None:
            assert text.endswith("effort: 0.25")
            continue
        assert text.endswith("beta: 0.2 seed: 7")
        usual = DRAWINGS[name].experiment.specification["trials"]
        assert f"trials: {max(1, round(usual / 2))} " in text
        assert ("n_private: 321 " in text) == (drawing.experiment.name == "excess_vs_public")


def test_constants_of_a_study_are_those_of_its_module() -> None:
    from semipriv_lab.papers.abm19.studies import bad_event as abm19_bad_event

    text = words(html(caption(DRAWINGS["bad_event"], 0.5)))
    assert f"TRIALS: {abm19_bad_event.TRIALS} " in text
    assert f"BOUNDS: {abm19_bad_event.BOUNDS} " in text
    assert "RATIO" not in text, "names of quantities are no constants"
    assert text.endswith("effort: 0.5")


@given(st.text(alphabet="ab*_|`\\:. \n-[]<>&", max_size=30))
@example("::")
def test_plain_text_is_no_markup(text: str) -> None:
    shown = publish_parts("x " + plain(" ".join(text.split())), writer="html")["body"]
    expected = "x " + " ".join(" ".join(text.split()).replace("``", "").split())
    assert words(shown) == expected.strip()


def test_every_paper_of_an_experiment_is_known_and_shown() -> None:
    known = {"ABM19", "BMN20", "BCM20", "BNS15", "BBD24", "OWN", None}
    assert {drawing.paper for drawing in DRAWINGS.values()} == known


def record(folder: Path, rule: str, job: str, seconds: float, log: str) -> None:
    path = folder / "timings" / rule / f"{job}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"s\th:m:s\tmax_rss\tcpu_time\n{seconds}\t0:00:02\t-\t0.1\n")
    path = folder / "logs" / rule / f"{job}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"done in 9.99 s, 9.99 s of CPU, 9 MiB was said before\n{log}\n")


def test_runtimes(tmp_path: Path) -> None:
    record(tmp_path, "evaluate", "grid_0", 4.0, "done in 1.00 s, 1.50 s of CPU, 120 MiB")
    record(tmp_path, "evaluate", "grid_1", 2.0, "done in 2.50 s, 0.00 s of CPU, 1 MiB")
    record(tmp_path, "gather", "grid", 10.0, "a line")
    record(tmp_path, "evaluate", "of_an_earlier_run_0", 1000.0, "done in 1000.00 s, 1000.00 s of CPU, 9 MiB")
    (tmp_path / "timings/ledger.tsv").write_text("s\tmax_rss\tcpu_time\n1.0\t10.0\t0.5\n")
    jobs = {"grid": "ABM19", "grid_0": "ABM19", "grid_1": "ABM19", "ledger": "all papers"}
    files = [tmp_path / name for name in ("jobs.parquet", "jobs.html", "minutes.txt")]
    write_runtimes(tmp_path / "timings", tmp_path / "logs", jobs, *files)
    rows = {(row["rule"], row["job"]): row for row in tables.read_rows(tmp_path / "jobs.parquet", TIMINGS)}
    assert rows["evaluate", "grid_0"] == {
        "rule": "evaluate", "job": "grid_0", "paper": "ABM19", "seconds": 4.0, "work": 1.0, "cpu": 1.5, "memory": 120.0,
    }  # fmt: skip
    assert (rows["evaluate", "grid_1"]["work"], rows["evaluate", "grid_1"]["cpu"]) == (2.0, 0.0)
    assert {rows["gather", "grid"][name] for name in ("work", "cpu", "memory")} == {None}
    assert set(rows) == {("evaluate", "grid_0"), ("evaluate", "grid_1"), ("gather", "grid"), ("ledger", "")}
    text = words((tmp_path / "jobs.html").read_text())
    assert "4 jobs took 17 s in all, summed over cores; 50 % of it was start-up" in text, "3 of the 6 timed seconds"
    assert "evaluate2" in text.replace(" ", "")
    line = "Minutes of one core by paper: ABM19 0.3, all papers 0.0, in all 0.3"
    assert files[2].read_text() == f"{line}\n"
    assert line in text


def test_runtimes_of_nothing(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("jobs.parquet", "jobs.html", "minutes.txt")]
    write_runtimes(tmp_path / "timings", tmp_path, {}, *files)
    assert "0 jobs" in (tmp_path / "jobs.html").read_text()


def test_pages_escape_and_load_nothing(tmp_path: Path) -> None:
    body = [table(("a<b", "c"), [("1 & 2", number(3)), (bar("<i>", 0.25), "d")], ["x", 'y"'])]
    write_page(tmp_path / "page.html", "A < B", body)
    text = (tmp_path / "page.html").read_text()
    assert words(text.split("</style>")[1]).split() == ["A", "<", "B", "a<bc", "1", "&", "23", "<i>d"]
    assert "25.0%" in text
    assert not re.search(r"<script|src=|href=|url\(|@import", text)
