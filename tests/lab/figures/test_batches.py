"""Which figures one job draws, and that each of them gets its own tables."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from places import ROOT

from semipriv_lab.experiments.loading import load_run
from semipriv_lab.figures import drawing
from semipriv_lab.figures.batches import LARGEST, batches
from semipriv_lab.figures.catalogue import Drawing, drawings
from semipriv_lab.ledger.studies import studies, studies_for
from semipriv_lab.workflow.log import logged

RUN = load_run(yaml.safe_load((ROOT / "config/config.yaml").read_text()), ROOT / "config/experiments", check=False)
DRAWINGS = drawings(RUN, studies_for(RUN.claims))


def made_up(paper: str | None, *seconds: float) -> dict[str, Drawing]:
    """Figures of a paper, of studies that take so many seconds."""
    shown = [SimpleNamespace(seconds=duration) for duration in seconds]
    return {f"{paper}{i}": Drawing("room", "name", paper, {}, study=study) for i, study in enumerate(shown)}  # type: ignore[arg-type]


def test_each_figure_is_in_one_batch_of_its_paper() -> None:
    split = batches(DRAWINGS)
    assert sorted(stem for batch in split.values() for stem in batch.figures) == sorted(DRAWINGS)
    for name, batch in split.items():
        assert 1 <= len(batch.figures) <= LARGEST
        assert {drawing.paper for drawing in batch.figures.values()} == {batch.paper}
        assert name.startswith(f"{(batch.paper or 'other').lower()}_")
    assert len(split) < len(DRAWINGS) / 4


def test_what_takes_equally_long_is_drawn_together() -> None:
    split = batches(made_up("X", 9, 1, 1, 9, 1, 1, 9, 9, 9, 9, 9) | made_up(None, *[1] * LARGEST))
    assert {name: list(batch.figures) for name, batch in split.items()} == {
        "x_1": ["X1", "X2", "X4", "X5", "X0"],
        "x_2": ["X3", "X6", "X7", "X8", "X9", "X10"],
        "other_1": [f"None{i}" for i in range(LARGEST)],
    }
    longest = max(study.seconds for study in studies().values())
    assert DRAWINGS["proven_sizes"].seconds == longest or longest > 30


def test_a_batch_does_not_depend_on_other_papers() -> None:
    own = {stem: drawing for stem, drawing in DRAWINGS.items() if drawing.paper == "ABM19"}
    assert batches(own).items() <= batches(DRAWINGS).items()


def test_inputs_are_named_by_figure_and_table() -> None:
    inputs = {name: path for batch in batches(DRAWINGS).values() for name, path in batch.inputs.items()}
    assert inputs == {
        f"{stem}.{name}": path for stem, drawing in DRAWINGS.items() for name, path in drawing.inputs.items()
    }


def test_there_is_a_caption_for_each_place_in_a_batch() -> None:
    """The n-th template gives the n-th caption."""
    captions = {path.stem: path.read_text() for path in (ROOT / "workflow/report/figures").iterdir()}
    assert captions == {str(i + 1): f"{{{{ snakemake.params.captions[{i}] }}}}\n" for i in range(LARGEST)}


INPUTS = {"a.summary": "1", "a.public": ["2", "3"], "a_b.summary": "4"}
OUTPUTS = {"a.pdf": "a.pdf", "a.png": "a.png", "a_b.pdf": "b.pdf", "a_b.png": "b.png"}


def test_a_figure_gets_its_own_files(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(drawing, "draw_figure", lambda *arguments: drawn.append(arguments))
    drawing.draw_figures({"a": "first", "a_b": "second"}, INPUTS, OUTPUTS)
    assert drawn == [
        ("first", {"summary": "1", "public": ["2", "3"]}, "a.pdf", "a.png"),
        ("second", {"summary": "4"}, "b.pdf", "b.png"),
    ]


def test_an_error_names_the_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(text: str, *_: object) -> None:
        if text == "second":
            raise KeyError("alpha")

    monkeypatch.setattr(drawing, "draw_figure", fail)
    log = tmp_path / "logs/x.log"
    with pytest.raises(KeyError), logged(log):
        drawing.draw_figures({"a": "first", "a_b": "second"}, INPUTS, OUTPUTS)
    assert capfd.readouterr().err == f"KeyError: 'alpha' (log: {log}; drawing a_b)\n"
    assert log.read_text().endswith("KeyError: 'alpha'\ndrawing a_b\n\n")
