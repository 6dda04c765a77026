"""Figures for papers: pages of the venue's width, letters that can be read, the same bytes each time, clear errors."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text
from places import ROOT
from test_figures import LEARNERS, results, summary

from semipriv.cli import main
from semipriv.core import tables
from semipriv.drawing.fitting import faults, fit, label_end, shared_legend, typeset
from semipriv.drawing.style import FAMILIES, LEAST_SIZE, PALETTE, STYLES, Style, apply_style, in_force, page
from semipriv_lab.experiments.schemas import SLOPES, SUMMARY, TRIALS
from semipriv_lab.figures.base import Sheet, draw_figure
from semipriv_lab.figures.plots import excess

FEW = LEARNERS[1:4] + LEARNERS[-1:]
EXCESS = '{"room": "figures/plots", "name": "excess", "x": "n_public"}'


def drawn(folder: Path, venue: str, name: str = "figure", specification: str = EXCESS) -> tuple[Sheet, bytes, bytes]:
    pdf, png = folder / f"{name}.pdf", folder / f"{name}.png"
    sheet = draw_figure(specification, results(folder, FEW).paths, pdf, png, style=STYLES[venue])
    return sheet, pdf.read_bytes(), png.read_bytes()


def media_box(pdf: bytes) -> tuple[float, float]:
    """Width and height of the page in inches."""
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    return float(box[0]) / 72, float(box[1]) / 72


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


# ------------------------------------------------------------------------------------------------------------ pages
@pytest.mark.parametrize("venue", STYLES)
def test_pages_are_as_wide_as_the_venue_says_and_fonts_are_embedded(tmp_path: Path, venue: str) -> None:
    sheet, pdf, png = drawn(tmp_path, venue)
    style = STYLES[venue]
    assert not sheet.faults
    assert sheet.width in style.widths
    assert media_box(pdf) == pytest.approx((sheet.width, sheet.height), abs=1e-3)
    assert sheet.height <= style.height
    width, height = (int.from_bytes(png[i : i + 4]) for i in (16, 20))
    assert (width, height) == (pytest.approx(200 * sheet.width, abs=1), pytest.approx(200 * sheet.height, abs=1))
    assert b"/FontFile2" in pdf, "TrueType fonts are embedded"
    assert b"/Type3" not in pdf
    fonts = set(re.findall(rb"/FontName /[A-Z]+\+([\w-]+)", pdf)) or set(re.findall(rb"/BaseFont /\S*?(\w+) ", pdf))
    family = b"STIX" if style.family == "serif" else b"DejaVu"
    assert fonts
    assert all(font.startswith(family) for font in fonts), fonts


def test_published_widths() -> None:
    widths = {"neurips": [5.5], "icml": [3.25, 6.75], "jmlr": [6.0], "ieee": [3.5, 7.16], "screen": [7.0]}
    assert {venue: STYLES[venue].widths for venue in widths} == widths
    assert STYLES["lncs"].text * 25.4 == pytest.approx(122)
    assert STYLES["slides"].text / STYLES["slides"].height == pytest.approx(16 / 9)


def test_a_figure_too_wide_for_a_column_goes_across_the_text(tmp_path: Path) -> None:
    """One panel fits in a column; five beside each other do not."""
    sheet, _, _ = drawn(tmp_path, "icml")
    assert (sheet.width, sheet.narrower) == (3.25, ())
    frame = [summary(FEW).assign(case=f"case {i}") for i in range(5)]
    rows = [row for part in frame for row in part.astype(object).where(part.notna(), None).to_dict("records")]
    tables.write(tmp_path / "summary.parquet", SUMMARY, rows)
    paths = {"summary": tmp_path / "summary.parquet", "slopes": tmp_path / "slopes.parquet"}
    sheet = draw_figure(EXCESS, paths, tmp_path / "wide.pdf", style=STYLES["icml"])
    assert sheet.width == 6.75
    assert any("in wide" in fault or "overlap" in fault for fault in sheet.narrower)
    assert not sheet.faults
    assert media_box((tmp_path / "wide.pdf").read_bytes())[0] == pytest.approx(6.75)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": 0.0}, "text = 0.0: must be > 0"),
        ({"family": "serfi"}, "unknown family 'serfi': did you mean 'serif'"),
        ({"size": 5.0}, "size = 5: must be >= 6"),
        ({"column": 6.0}, r"column = 6: must be in \(0, 5\)"),
    ],
)
def test_styles_that_cannot_be(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Style(**({"text": 5.0, "family": "serif", "size": 8.0, "height": 9.0, "source": "here"} | change))


# ------------------------------------------------------------------------------------------------------ text that fits
@pytest.mark.parametrize("venue", STYLES)
def test_no_text_is_too_small(tmp_path: Path, venue: str) -> None:
    style = STYLES[venue]
    with in_force(style, style.widths[0]):
        figure = excess.draw(results(tmp_path, FEW), x="n_public")
        figure.axes[0].text(20, 0.1, "tiny", fontsize=2)
        fit(figure, style.height)
        texts = [text for text in figure.findobj(Text) if text.get_text()]
        assert len(texts) > 10
        assert min(text.get_fontsize() for text in texts) >= LEAST_SIZE


def test_long_titles_and_labels_are_broken_between_words(tmp_path: Path) -> None:
    with in_force(STYLES["neurips"], 5.5):
        figure, panels = plt.subplots(1, 3, figsize=page(3.0))
        for axes in panels:
            axes.set(xlabel="a label that is longer than its axis, much longer", ylabel="and upwards " * 9)
            axes.set_title("a title with $a + b = c$ that is longer than its panel")
        before = figure.get_figheight()
        figure.draw_without_rendering()
        assert faults(figure)
        fit(figure, 9.0)
        assert faults(figure) == ()
        assert figure.get_figheight() > before
        title = panels[0].get_title()
        assert "\n" in title
        assert " ".join(title.split()) == "a title with $a + b = c$ that is longer than its panel"
        assert "$a + b = c$" in title


def test_text_that_fits_is_left_as_it_is() -> None:
    with in_force(STYLES["neurips"], 5.5):
        figure, axes = plt.subplots(figsize=page(3.0))
        axes.set(title="short", xlabel="one label", ylabel="another")
        fit(figure, 9.0)
        assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("short", "one label", "another")
        assert figure.get_figheight() == page(3.0)[1]


def test_labels_of_given_ticks_do_not_touch() -> None:
    with in_force(STYLES["icml"], 3.25):
        figure, axes = plt.subplots(figsize=page(2.0))
        axes.set_xlim(0, 30)
        axes.set_xticks(range(0, 31), [f"{1000 + i}" for i in range(31)])
        figure.draw_without_rendering()
        assert faults(figure)
        fit(figure, 9.0)
        assert faults(figure) == ()
        shown = [label.get_text() for label in axes.get_xticklabels() if label.get_text()]
        assert shown == [f"{1000 + i}" for i in range(0, 31, 31 // len(shown) + 1)]
        assert len(shown) >= 3


def test_a_legend_is_as_wide_as_the_page_allows() -> None:
    sizes = []
    for width in (7.0, 3.25):
        with in_force(STYLES["screen"], width):
            figure, axes = plt.subplots(figsize=page(3.0))
            for i in range(6):
                axes.plot([0, 1], [0, i], label=f"the rather long name of learner {i}")
            shared_legend(figure)
            fit(figure, 9.0)
            assert faults(figure) == ()
            sizes.append((figure.legends[0]._ncols, figure.get_figheight() / page(3.0)[1]))
    assert sizes[0][0] > sizes[1][0]
    assert sizes[0][1] < sizes[1][1], "more rows make the figure higher"


def test_a_list_of_two_columns_has_smaller_letters_before_it_becomes_one_column() -> None:
    shown = {}
    with in_force(STYLES["icml"], 3.25):
        for length in range(20, 40):
            figure, axes = plt.subplots(figsize=page(3.0))
            for i in range(6):
                axes.plot([0, 1], [0, i], label=f"{'n' * length} {i}")
            shared_legend(figure)
            (legend,) = figure.legends
            shown[legend._ncols, legend.get_texts()[0].get_fontsize() == LEAST_SIZE] = length
            plt.close(figure)
    assert shown[2, False] < shown[2, True] < shown[1, False]
    assert (1, True) not in shown


def test_entries_stand_in_the_order_of_drawing_and_once() -> None:
    with in_force(STYLES["screen"], 7.0):
        figure, axes = plt.subplots()
        axes.errorbar([1], [1], [1], fmt="o", label="first")
        axes.plot([1], [1], label="second")
        axes.errorbar([1], [1], [1], fmt="o", label="third")
        axes.plot([1], [1], label="first")
        shared_legend(figure)
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["first", "second", "third"]


def test_words_at_ends_of_curves_stand_beside_them_and_apart() -> None:
    with in_force(STYLES["neurips"], 5.5):
        figure, axes = plt.subplots(figsize=page(3.0))
        heights = {"low": 0.0, "one": 0.50, "two": 0.505, "three": 0.51, "high": 1.0}
        for name, height in heights.items():
            axes.plot([0, 1], [0.2, height])
            label_end(axes, 1, height, name, PALETTE[0])
        figure.draw_without_rendering()
        assert faults(figure)
        fit(figure, 9.0)
        assert faults(figure) == ()
        boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
        centres = [(boxes[name].y0 + boxes[name].y1) / 2 for name in heights]
        assert centres == sorted(centres), "in the order of the curves"
        for name in ("low", "two", "high"):
            there = axes.transData.transform((1, heights[name]))[1]
            assert abs((boxes[name].y0 + boxes[name].y1) / 2 - there) < 4, "moved only as far as needed"


def test_names_and_minus_signs_are_typeset() -> None:
    with in_force(STYLES["neurips"], 5.5):
        assert typeset("A_SSPP, slope -1.5 [-2, -1]: a-b") == (
            "$\\mathcal{A}_{\\mathrm{SSPP}}$, slope \N{MINUS SIGN}1.5 [\N{MINUS SIGN}2, \N{MINUS SIGN}1]: a-b"
        )
        assert typeset(typeset("A_LearnHalf and $n-1$")) == "$\\mathcal{A}_{\\mathrm{LearnHalf}}$ and $n-1$"
        figure, axes = plt.subplots()
        axes.set_title("A_SSPP")
        fit(figure, 9.0)
        assert "mathcal" in axes.get_title()
    with in_force(STYLES["screen"], 7.0):
        assert typeset("A_SSPP") == "$A_{\\mathrm{SSPP}}$"


def test_a_legend_on_a_curve_is_a_fault() -> None:
    with in_force(STYLES["neurips"], 5.5):
        figure, axes = plt.subplots(figsize=page(3.0))
        axes.plot([0, 1], [0, 1], label="rising")
        axes.legend(loc="upper left")
        fit(figure, 9.0)
        assert faults(figure) == ()
        axes.legend(loc="center")
        assert "a legend covers curves" in " ".join(faults(figure))


def test_faults_name_what_cannot_be_read() -> None:
    with in_force(STYLES["neurips"], 5.5):
        figure, panels = plt.subplots(1, 2, figsize=page(3.0), layout="none")
        panels[0].text(0.5, 0.5, "here")
        panels[0].text(0.5, 0.5, "there")
        figure.text(0.99, 0.5, "too far to the right")
        panels[1].set_position([0.6, 0.1, 0.05, 0.8])
        figure.draw_without_rendering()
        message = " ".join(faults(figure))
    assert "'here' and 'there' overlap" in message
    assert "'too far to the right' sticks out" in message
    assert "in wide" in message


def test_a_page_is_no_higher_than_the_venues() -> None:
    with in_force(STYLES["slides"], STYLES["slides"].text):
        figure, _ = plt.subplots(figsize=page(8.0))
        fit(figure, STYLES["slides"].height)
        assert figure.get_figheight() == STYLES["slides"].height


# ------------------------------------------------------------------------------------------------------------- bytes
def test_bytes_do_not_depend_on_what_was_drawn_or_set_before(tmp_path: Path) -> None:
    first = drawn(tmp_path, "neurips")
    drawn(tmp_path, "slides", "other", '{"room": "figures/plots", "name": "table_errors"}')
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.dash_capstyle": "round", "pdf.fonttype": 3}):
        assert drawn(tmp_path, "neurips") == first
        assert mpl.rcParams["font.size"] == 30, "what was set before is set again"
    apply_style()
    assert drawn(tmp_path, "neurips") == first


def test_only_letters_that_come_with_matplotlib() -> None:
    shipped = {path.stem for path in (Path(mpl.get_data_path()) / "fonts" / "ttf").glob("*.ttf")}
    for family in FAMILIES.values():
        for name in family[f"font.{family['font.family']}"]:
            assert name.replace(" ", "") in shipped


# ------------------------------------------------------------------------------------------------------ command line
@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options that name a run of two experiments of which the tables are there."""
    monkeypatch.chdir(ROOT)
    for name in ("excess_vs_public", "excess_intervals"):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        results(folder, FEW)
        tables.write(folder / "trials.parquet", TRIALS, [])
        tables.write(folder / "slopes.parquet", SLOPES, [])
    own = tmp_path / "own.yaml"
    own.write_text("experiments: [excess_vs_public, excess_intervals]\nclaims: [ABM19-L3.3-rate]\n")
    return ["figures", "--configfile", str(own), "--directory", str(tmp_path)]


BOTH = ["excess_vs_public__excess", "excess_intervals__excess"]


def test_command(run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run, "--for", "neurips", *BOTH]) == 0
    out = capsys.readouterr().out
    folder = tmp_path / "results/figures/neurips"
    assert {path.name for path in folder.iterdir()} == {f"{name}.{end}" for name in BOTH for end in ("pdf", "png")}
    assert len(re.findall(r"\.pdf, .*\.png: 5\.50 x \d\.\d\d in", out)) == 2
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    again = tmp_path / "again"
    command = [sys.executable, "-m", "semipriv", *run, "--for", "neurips", "--into", str(again), *BOTH[::-1]]
    environment = os.environ | {"PYTHONHASHSEED": "11", "PYTHONPATH": str(ROOT / "src"), "TZ": "Asia/Tokyo"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert {path.name: path.read_bytes() for path in again.iterdir()} == first


def test_command_one_format_into_a_folder(run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run, "--for", "icml", "--format", "pdf", "--into", str(tmp_path / "x/y"), BOTH[1]]) == 0
    assert [path.name for path in (tmp_path / "x/y").iterdir()] == [f"{BOTH[1]}.pdf"]
    assert "3.25 x" in capsys.readouterr().out


def test_command_lists(run: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run, "--list", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["venues"].keys() == STYLES.keys()
    assert main([*run, "--json"]) == 2
    assert "--json: goes with --list" in capsys.readouterr().err
    assert main([*run, "--list"]) == 0
    out = capsys.readouterr().out
    for words in (*STYLES, *BOTH, "public_points", "3.25 or 6.75 in", "llncs.cls"):
        assert words in out
    assert "mixture_rates" not in out, "is not part of this run"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --for VENUE (screen, neurips, icml,"),
        (["--for", "neurip"], "unknown venue 'neurip': did you mean 'neurips'"),
        (["--for", "icml", "excess_vs_publik__excess"], "did you mean 'excess_vs_public__excess'"),
        (["--for", "icml", "mixture_rates"], "unknown figure 'mixture_rates'"),
        (["--for", "icml", "--format", "jpg"], "invalid choice: 'jpg'"),
        (["--for", "icml", "--make"], "give --make the names of figures"),
        (["--for", "icml", "--fast"], "'--fast': is not an option"),
        (["--for", "icml", "--configfile", "gone.yaml"], "gone.yaml: cannot be read"),
        (
            ["--for", "icml", "public_points"],
            "abm19_public_need.measurements.parquet: does not exist, figure 'public_points' needs it; make it: "
            "semipriv figures --make public_points --for icml --directory",
        ),
    ],
)
def test_command_refuses(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main([*run, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert message in err
    assert not (tmp_path / "results/figures").exists()


def test_command_tells_what_cannot_be_read(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sizes, all faults of the page, and why it is not the narrower one: of each figure, below its files."""
    sheets = {
        BOTH[0]: Sheet(
            6.75, 2.5, ("title: reaches beyond the page", "'n': 4.0 pt, least 5"), ("legend: covers a curve",)
        ),
        BOTH[1]: Sheet(3.25, 1.999, ()),
    }
    monkeypatch.setattr("semipriv_lab.figures.base.draw_figure", lambda *given, **_: sheets[Path(given[2]).stem])
    assert main([*run, "--for", "icml", "--format", "pdf", "--into", str(tmp_path), *BOTH]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / BOTH[0]}.pdf: 6.75 x 2.50 in",
        "  as wide as the text: in one column legend: covers a curve",
        "  title: reaches beyond the page",
        "  'n': 4.0 pt, least 5",
        f"{tmp_path / BOTH[1]}.pdf: 3.25 x 2.00 in",
    ]


def test_command_draws_what_it_can(run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run, "--for", "screen", "--format", "png"]) == 1
    out, err = capsys.readouterr()
    assert {path.stem for path in (tmp_path / "results/figures/screen").iterdir()} == set(BOTH)
    assert len(out.splitlines()) >= 2
    assert err.startswith("semipriv: public_points was not drawn: ")
    assert "make it: semipriv figures --make public_points --for screen" in err


def test_command_makes_what_the_named_figures_need(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It asks Snakemake for their tables and for nothing else, and ends as it ends."""
    asked: list[str] = []
    monkeypatch.setattr("semipriv_lab.cli.figures.run_workflow", lambda *given: asked.extend(given[3]) or 5)
    assert main([*run, "--for", "screen", "--make", "public_points"]) == 5
    assert asked == ["results/claims/abm19_public_need.measurements.parquet"]
    assert not (tmp_path / "results/figures").exists()


def test_command_refuses_an_altered_table(run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results/excess_intervals/summary.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    assert main([*run, "--for", "neurips", BOTH[1]]) == 2
    assert str(path) in capsys.readouterr().err
    assert not (tmp_path / "results/figures").exists()


def test_configuration_files_replace_keys_as_snakemakes_do(tmp_path: Path) -> None:
    from semipriv_lab.cli._workflow import configured

    (tmp_path / "a").write_text(
        "seed: 1\nresults: one\noverrides: {excess_grid: {trials: 3, blocks: 2}}\nclaims: [BMN20]\n"
    )
    (tmp_path / "b").write_text("results: two\noverrides: {excess_grid: {trials: 4}}\nclaims: [ABM19]\n")
    assert configured([tmp_path / "a", tmp_path / "b"]) == {
        "seed": 1,
        "results": "two",
        "overrides": {"excess_grid": {"trials": 4, "blocks": 2}},
        "claims": ["ABM19"],
    }
