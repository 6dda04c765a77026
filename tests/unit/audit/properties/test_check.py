"""`semipriv check` passes what is right and names the property that a broken plug-in breaks, with a counterexample."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from strangers import CLASS, LEARNER, control, written

from semipriv.audit.properties._cases import PROPERTIES, WITHOUT_PROPERTIES
from semipriv.audit.properties.check import _FOLDER, NO_EXAMPLES, NOT_LISTED, REST, plugin_at, unchecked
from semipriv.cli import main
from semipriv.core import overlay, rooms

FEW = (("cls(1.0), cls(0.3)", "(cls(1.0),)"), ("[cls(1), cls(2), cls(3)]", "[cls(3)]"))
"""Fewer examples."""
ASKED = ("exact privacy", "look alike", "each dichotomy", "leaves the powers")
CONTROLS = {
    "halved": (LEARNER, ("Mechanism(self.epsilon)", "Mechanism(2 * self.epsilon)"), "exact privacy on a tiny domain"),
    "telling": (LEARNER, ("randomness.source)", 'randomness.source, {"ones": float(sum(labels))})'), "neighbours look"),
    "lacking": (CLASS, ("return_index=True)[1])", "return_index=True)[1])[:2]"), "cover has each dichotomy once"),
    "growing": (CLASS, ("2**m", "1 + m // 2"), "vc dimension is where growth leaves the powers"),
}
"""By name: what is changed of the page's file, and the property that it breaks."""
SHOWN = {
    "halved": r"for halved-0-.*\n.*\(\(\(0\.0,\), [01]\),\) and \(\(\(0\.0,\), [01]\),\), n = 1: loss 1\.47\d+ > 1\.0",
    "telling": r"cost: \{'ones': 0\.0\} and \{'ones': 1\.0\}",
    "lacking": r"Extra items in the right set",
    "growing": r"assert 1 == \(2 \*\* 1\)",
}
"""Counterexamples."""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "semipriv", "check", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)


def test_right_plugins_pass_and_each_control_breaks_its_property(tmp_path: Path) -> None:
    written(tmp_path)
    for path, (before, after) in zip((LEARNER, CLASS), FEW, strict=True):
        text = (tmp_path / path).read_text()
        assert before in text
        (tmp_path / path).write_text(text.replace(before, after))
    controls = {name: control(tmp_path, of, name, change) for name, (of, change, _) in CONTROLS.items()}
    properties = [word for stated in ASKED for word in ("--property", stated)]
    done = run(tmp_path, *properties, LEARNER, CLASS, *map(str, controls.values()))
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    for right in (LEARNER, CLASS):
        assert re.search(rf"{tmp_path / right}: (\d) of \1 properties hold \(\d+ cases", done.stdout)
        assert f"{tmp_path / right}: BROKEN" not in done.stdout
    for name, path in controls.items():
        broken = re.findall(rf"{path}: BROKEN: (.*)", done.stdout)
        assert [stated[: len(CONTROLS[name][2])] for stated in broken] == [CONTROLS[name][2]]
        about = done.stdout.partition(f"{path}: ")[2].partition(f"\n{tmp_path}")[0]
        assert f"BROKEN  {CONTROLS[name][2]}" in about
        assert re.search(SHOWN[name], about), about


THINNED = '''"""A_SSPP on the cover of every second public point."""

from semipriv.core.fields import value
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.learners.stages.cover import CoverStage

__all__ = ["Thinned"]


@value
class ThinnedCover(CoverStage):
    """The cover of every second public point."""

    def _unlabelled(self, points, hypothesis_class):
        return hypothesis_class.cover(points[::2], self.representative)


@value
class Thinned(SSPP):
    """A_SSPP on half of the public points."""

    @classmethod
    def examples(cls):
        return (cls(1.0),)

    @property
    def public_stage(self):
        return ThinnedCover(self.representative)
'''
"""A correct learner that makes the same of one public point and of two."""
ROLES = {
    "deaf": (
        ("[::2]", "[:1]"),
        r"Deaf\(.*\): its public stage made the same of 1, 2, 7, 40 public points of Thresholds.*, so its role must be "
        r"Role\.NO_PUBLIC, and it is Role\.PAPER: change `Deaf\.role`",
    ),
    "bold": (
        (
            "    @property\n    def public",
            "    @property\n    def role(self):\n        return Role.NO_PUBLIC\n\n    @property\n    def public",
        ),
        r"Bold\(.*\): its public stage made of 1 and of 7 public points of Thresholds.* other arrays '.*': .*, so its "
        r"role must not be Role\.NO_PUBLIC",
    ),
}
"""By name: what is changed of it, so that its role is not what it does, and what is told."""


def test_json_has_every_property_and_the_counterexamples_of_broken_ones(tmp_path: Path) -> None:
    """A learner that thins public points is right; one that claims what it does not do is told what to change."""
    written(tmp_path)
    of, change, stated = CONTROLS["lacking"]
    thinned = Path("mine/learners/thinned.py")
    (tmp_path / thinned).write_text(THINNED)
    controls = [(control(tmp_path, of, "lacking", change), stated, SHOWN["lacking"])]
    for name, ((before, after), actual_role) in ROLES.items():
        role = ("import SSPP\n", "import SSPP\nfrom semipriv.core.roles import Role\n")
        path = control(tmp_path, str(thinned), name, (before, after), role)
        controls.append((path, "the role of a learner is what it does", actual_role))
    properties = [
        word for request in (*ASKED[2:], "role of a learner", "equal stages") for word in ("--property", request)
    ]
    done = run(tmp_path, "--json", *properties, CLASS, str(thinned), *(str(path) for path, _, _ in controls))
    assert (done.returncode, done.stderr) == (1, "")
    right, thin, *others = json.loads(done.stdout)
    assert [other["room"] for other in (right, thin, *others)] == ["classes", "learners", "classes", *["learners"] * 2]
    for found_right in (right, thin):
        assert len(found_right["properties"]) == 2
        assert all(checked["holds"] and checked["cases"] > 0 for checked in found_right["properties"])
    for found_wrong, (_, broken_property, actual_role) in zip(others, controls, strict=True):
        (broken, *_) = (checked for checked in found_wrong["properties"] if not checked["holds"])
        assert broken["property"].startswith(broken_property)
        assert any(re.search(actual_role, " ".join(text.split())) for text in broken["failures"].values())


@pytest.mark.exhaustive
def test_the_files_of_the_page_on_adding_have_all_properties(tmp_path: Path) -> None:
    written(tmp_path)
    done = run(tmp_path, CLASS, LEARNER)
    assert done.returncode == 0, done.stdout
    assert len(re.findall(r"\d+ of \d+ properties hold", done.stdout)) == 2


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which nothing is laid over the package."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_room_is_that_of_the_folder_or_of_the_base_class(empty: Path) -> None:
    text = written(empty)[CLASS]
    with plugin_at(CLASS, None) as plugin:
        assert (plugin.room, plugin.kind.__name__, plugin.path) == ("classes", "SingleFeatures", empty / CLASS)
        assert not plugin.concerns("test_classes", {"h": 3, "name": "single"})
        assert plugin.concerns("test_classes", {"h": plugin.kind(2)})
        assert not plugin.concerns("test_learners", {"h": plugin.kind(2)})
    (empty / "loose.py").write_text(text)
    with plugin_at("loose.py", None) as plugin:
        assert (plugin.room, plugin.name) == ("classes", "loose")
    (empty / "loose.py").write_text("__all__ = ['A']\nclass A:\n    pass\n")
    with pytest.raises(ValueError, match="its room is not known"), plugin_at("loose.py", None):
        pass
    with plugin_at("loose.py", "classes") as plugin:
        assert plugin.room == "classes"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.py"], "none.py: is no Python file"),
        (["mine/oracles/m.py"], "the room 'oracles' has no properties (those with some: classes, learners,"),
        (["mine/learners/bad.py"], "bad.py: __all__ is missing: must list the one type that the file is for"),
        (["mine/learners/worse.py"], "worse.py: cannot be imported (ModuleNotFoundError: No module named 'nowhere')"),
        (["mine/learners/left.py"], "left.py: cannot be imported (SystemExit: 0)"),
        (["left.py"], "left.py: cannot be imported (SystemExit: 0)"),
        (["left.py", "--room", "learners"], "semipriv: left.py: cannot be imported (SystemExit: 0)"),
    ],
)
def test_what_is_no_plugin_is_refused(
    empty: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    for name, text in {"oracles/m": "", "learners/bad": "A = 1\n", "learners/worse": "import nowhere\n"}.items():
        (empty / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (empty / "mine" / f"{name}.py").write_text(text)
    for path in ("mine/learners/left.py", "left.py"):
        (empty / path).write_text("raise SystemExit(0)\n")
    assert main(["check", *words]) == 2
    assert message in capsys.readouterr().err


def test_without_pytest_a_line_says_what_to_install(
    empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(empty)
    monkeypatch.setitem(sys.modules, "pytest", None)
    assert main(["check", CLASS]) == 2
    assert "pip install 'semipriv[check]'" in capsys.readouterr().err


def test_what_is_not_checked_is_said(empty: Path) -> None:
    written(empty)
    changes = (
        ("def output_distribution(", "def _output_distribution("),
        ("Learner[Cover], FiniteOutput", "Learner[Cover]"),
    )
    without = control(empty, LEARNER, "unlisted", *changes)
    silent = control(empty, CLASS, "silent", ("def examples(", "def samples("))
    with (
        plugin_at(CLASS, None) as right,
        plugin_at(LEARNER, None) as listed,
        plugin_at(without, None) as computed_plugin_at,
    ):
        assert unchecked(right) == []
        assert unchecked(listed) == [REST["learners"]]
        assert unchecked(computed_plugin_at) == [REST["learners"], NOT_LISTED]
    with plugin_at(silent, None) as other:
        assert unchecked(other) == [NO_EXAMPLES]


def test_every_property_is_that_of_a_room() -> None:
    named = {stated for properties in PROPERTIES.values() for stated in properties}
    assert named == {path.stem for path in _FOLDER.glob("test_*.py")}
    library = [room.name for room in rooms.every() if room.outside and room.package == rooms.LIBRARY]
    assert sorted([*PROPERTIES, *WITHOUT_PROPERTIES]) == sorted(library)
    assert REST.keys() <= PROPERTIES.keys()
