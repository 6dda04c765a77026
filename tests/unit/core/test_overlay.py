"""Plug-in folders: what is in them is found as if it were in the package; what is wrong with them is told by file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from strangers import written

from semipriv.audit.properties.outside import examples, is_outside, together
from semipriv.cli import main
from semipriv.core import overlay, registry
from semipriv.core.fingerprint import _imports, closure, fingerprint


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plug-in folder of docs/adding.md, not laid."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    return tmp_path / "mine"


def test_a_plugin_from_outside_is_like_one_of_the_package(plugins: Path) -> None:
    assert "from_above" not in registry.names("learners")
    overlay.lay(["mine"])
    assert "from_above" in registry.names("learners")
    learner = registry.build("learners", {"name": "from_above", "epsilon": 0.5})
    h = registry.build(("classes", "regressors"), {"name": "single_features", "dimension": 2})
    assert registry.name_of(learner) == "from_above"
    assert registry.specified(registry.specification("learners", learner)) == learner
    assert registry.specified(h.specification()) == h
    assert registry.modules(learner) == {"semipriv.learners.from_above"}
    assert closure(registry.modules(learner)) >= {"semipriv.learners.from_above", "semipriv.learners.base"}
    assert overlay.outside(closure(registry.modules(learner) | registry.modules(h))) == {
        "learners/from_above.py": plugins / "learners/from_above.py",
        "classes/single_features.py": plugins / "classes/single_features.py",
    }
    assert is_outside(h)
    assert examples("classes") == list(together("classes", {})["single_features"]) == [type(h)(d) for d in (1, 2, 3)]


def test_a_fingerprint_sees_the_files_and_what_they_import(plugins: Path) -> None:
    (plugins / "learners/_shared.py").write_text("A = 1\n")
    for line in ("from semipriv.learners._shared import A", "from ._shared import A", "from . import _shared"):
        user = plugins / "learners/using.py"
        user.write_text(f"{line}\n\n__all__ = ['A']\n")
        overlay.lay([plugins])
        _imports.cache_clear()
        before = fingerprint(["semipriv.learners.using"]), fingerprint(["semipriv.learners.from_above"])
        (plugins / "learners/_shared.py").write_text(f"A = {len(line)}\n")
        _imports.cache_clear()
        after = fingerprint(["semipriv.learners.using"]), fingerprint(["semipriv.learners.from_above"])
        assert before[0] != after[0], line
        assert before[1] == after[1]
    _imports.cache_clear()


def test_while_files_are_held_a_room_has_those_of_its_start(plugins: Path) -> None:
    overlay.lay(["mine"])
    for name in ("later", "later_still"):
        with overlay.held():
            before = registry.names("learners")
            (plugins / f"learners/{name}.py").write_text("")
            with overlay.held():
                assert registry.names("learners") == before
            assert registry.names("learners") == before
        assert registry.names("learners") == sorted([*before, name])


def test_two_folders_with_one_name_are_refused(plugins: Path, tmp_path: Path) -> None:
    other = tmp_path / "other/learners"
    other.mkdir(parents=True)
    for name in ("from_above", "sspp", "base"):
        for path in other.glob("*.py"):
            path.unlink()
        (other / f"{name}.py").write_text("")
        with pytest.raises(
            ValueError, match=rf"other/learners/{name}.py: a file of this name already exists, .*{name}"
        ):
            overlay.lay([plugins, tmp_path / "other"])
        assert os.environ[overlay.VARIABLE] == ""


def test_of_two_files_with_one_name_that_which_is_laid_counts(plugins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay.lay([plugins])
    first = registry.load("learners", "from_above")
    folder = plugins.parent / "elsewhere"
    (folder / "learners").mkdir(parents=True)
    (folder / "learners/from_above.py").write_text((plugins / "learners/from_above.py").read_text())
    monkeypatch.setenv(overlay.VARIABLE, str(folder))
    assert registry.load("learners", "from_above") is not first
    assert sys.modules["semipriv.learners.from_above"].__file__ == str(folder / "learners/from_above.py")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("none", "none: is not a folder"),
        ("empty", "empty: is not a plug-in folder, it has none of the folders classes, classifiers, "),
        ("a:b", "must not contain ':'"),
    ],
)
def test_what_is_no_plugin_folder_is_refused(plugins: Path, folder: str, message: str) -> None:
    (plugins.parent / "empty").mkdir()
    with pytest.raises(ValueError, match=message):
        overlay.lay([folder])


@pytest.fixture
def laboratory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of papers of a laboratory that has none yet."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.setitem(overlay.PACKAGES, "semipriv_lab", tmp_path)
    (tmp_path / "papers").mkdir()
    return tmp_path / "papers"


def test_of_a_paper_the_half_of_the_library_may_be_alone(laboratory: Path) -> None:
    known = overlay.papers()
    assert known
    for paper, folder in known.items():
        assert overlay.parts(paper) == (folder,)
        assert not overlay.files(f"papers/{paper}/studies")


def test_of_a_paper_the_half_of_the_laboratory_alone_is_refused(laboratory: Path) -> None:
    (laboratory / "gone/__pycache__").mkdir(parents=True)  # as Git leaves what it takes away
    overlay.papers()
    study = laboratory / "new26/studies/share.py"
    study.parent.mkdir(parents=True)
    study.write_text("")
    title = overlay.PACKAGE / "papers/new26/__init__.py"
    with pytest.raises(ValueError, match=f"papers/new26: is half of a paper, {title} with its title is missing"):
        overlay.papers()


def test_a_paper_from_outside_without_a_title_is_refused(plugins: Path) -> None:
    (plugins / "papers/new26/learners").mkdir(parents=True)
    (plugins / "papers/new26/learners/other.py").write_text("")
    with pytest.raises(ValueError, match=r"mine/papers/new26: is half of a paper, .*/mine/papers/new26/__init__.py"):
        overlay.lay([plugins])


def test_experiments_are_found_once(plugins: Path) -> None:
    overlay.lay([plugins])
    (plugins.parent / "config").mkdir()
    assert overlay.experiments(plugins.parent / "config") == {
        "which_feature": plugins / "experiments/which_feature.yaml"
    }
    (plugins.parent / "config/which_feature.yaml").write_text("")
    with pytest.raises(ValueError, match=r"mine/experiments/which_feature.yaml: an experiment .*config/which_"):
        overlay.experiments(plugins.parent / "config")


INSTALLED = """
import sys, time
from semipriv.core import overlay, registry
print(overlay.folders(), "brought" in registry.names("learners"), "importlib.metadata" in sys.modules)
"""


@pytest.mark.parametrize(("value", "is_plugin"), [("theirs.plugins", True), ("theirs.nothing", None), (None, False)])
def test_installed_distributions_bring_plugins(tmp_path: Path, value: str | None, is_plugin: bool | None) -> None:
    """By entry points; environments without any do not even import what reads them."""
    info = tmp_path / "site/theirs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[semipriv.plugins]\nmine = {value}\n" if value else "[other]\na = b\n")
    room = tmp_path / "site/theirs/plugins/learners"
    room.mkdir(parents=True)
    (room / "brought.py").write_text("")
    (room.parent / "__init__.py").write_text("raise AssertionError('a plug-in package is not imported')\n")
    (room.parents[1] / "__init__.py").write_text("")
    path = os.pathsep.join([str(tmp_path / "site"), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, overlay.VARIABLE: ""}
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED], capture_output=True, text=True, env=environment, check=False
    )
    if is_plugin is None:
        assert "entry point 'mine' of semipriv.plugins: there is no module 'theirs.nothing'" in done.stderr
    else:
        assert done.stdout.endswith(f"{is_plugin} {is_plugin}\n"), done


def test_a_release_by_plugins_says_so(plugins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The certificate names each file with its digest; a changed file is another release, which is charged anew."""
    from releases import kinds, project

    changes = {"class": {"name": "single_features", "dimension": 2}, "learner": {"name": "from_above", "epsilon": 0.25}}
    request = project(plugins.parent, plugins=[str(plugins)], **changes)
    assert main(["release", str(request)]) == 0
    warning = "the guarantee is the word of the author of plug-ins"
    assert f"{warning}: classes/single_features.py, learners/from_above.py" in capsys.readouterr().out
    folder = plugins.parent / "results/releases/visits"
    certified = json.loads((folder / "certificate.json").read_text())["predicate"]["plugins"]
    assert certified["files"].keys() == {"classes/single_features.py", "learners/from_above.py"}
    assert "the word of their author" in certified["whose_word"]
    assert main(["verify", str(folder), "--ledger", str(plugins.parent / "ledgers/clinic.jsonl")]) == 0
    assert "WARNING the guarantee is the word of the author" in capsys.readouterr().out
    charged = kinds(plugins.parent).count("reserved")
    assert main(["release", str(request)]) == 0
    assert kinds(plugins.parent).count("reserved") == charged == 1
    path = plugins / "learners/from_above.py"
    path.write_text(path.read_text() + "# a change\n")
    assert main(["release", str(request)]) == 2
    assert "from_above.py: was changed after it was imported: start again" in capsys.readouterr().err
    del sys.modules["semipriv.learners.from_above"]  # as in another process
    assert main(["release", str(request)]) == 0
    assert kinds(plugins.parent).count("reserved") == 2
    again = json.loads((folder / "certificate.json").read_text())["predicate"]["plugins"]
    assert again["files"] != certified["files"]
