"""What a fingerprint must see: every way to write an import, and every module that another one's names come from."""

import inspect
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from places import matching

from semipriv.core import fingerprint as own
from semipriv.core import overlay
from semipriv.core.fingerprint import closure, fingerprint, imports, packages
from semipriv.core.overlay import PACKAGES

MODULES = sorted(
    ".".join([package, *path.relative_to(folder).with_suffix("").parts])
    for package, folder in PACKAGES.items()
    for path in matching(folder, "**/*.py")
    if path.stem not in ("__init__", "__main__")
)


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("from semipriv.papers import abm19", {"papers", "papers.abm19"}),
        ("from semipriv.papers.abm19.bounds import sizes", {"papers.abm19.bounds", "papers.abm19.bounds.sizes"}),
        ("from semipriv.papers.abm19.bounds.sizes import cover_points", {"papers.abm19.bounds.sizes"}),
        ("from semipriv.core import checks, registry as r", {"core", "core.checks", "core.registry"}),
        ("from semipriv import geometry", {"geometry"}),
        ("import semipriv.geometry.sweep", {"geometry.sweep"}),
        ("import semipriv.classes._rectangle_kernels as kernels", {"classes._rectangle_kernels"}),
        ("from semipriv.classes import _rectangle_kernels", {"classes", "classes._rectangle_kernels"}),
        ("def f():\n    from semipriv.geometry import sweep", {"geometry", "geometry.sweep"}),
        ("if True:\n    import semipriv.core.checks, os, semipriv.core.files", {"core.checks", "core.files"}),
        (
            "class A:\n    try:\n        pass\n    except ImportError:\n        import semipriv.core.checks\n"
            "    else:\n        import semipriv.core.files\n    finally:\n        import semipriv.core.tables",
            {"core.checks", "core.files", "core.tables"},
        ),
        (
            "match 1:\n    case 1:\n        while x:\n            pass\n        else:\n"
            "            import semipriv.core.checks\n"
            "async def f():\n    with x:\n        import semipriv.core.files",
            {"core.checks", "core.files"},
        ),
        ("import numpy\nfrom attrs import field\nfrom semiprivate import checks", set()),
    ],
)
def test_every_way_to_write_an_import_is_seen(tmp_path: Path, text: str, imported: set[str]) -> None:
    path = tmp_path / "some.py"
    path.write_text(text)
    assert imports(path) == {f"semipriv.{name}" for name in imported}
    assert closure([path]) >= imports(path)


def test_a_plug_in_that_is_built_by_name_is_in_the_closure(tmp_path: Path) -> None:
    """As its import would be; what is not written out, or not there, is found by nobody."""
    path = tmp_path / "some.py"
    path.write_text("def f():\n    return registry.build('learners', {'name': 'fixed_grid', 'epsilon': x})")
    assert imports(path) == set()
    assert closure([path]) == closure(["semipriv.learners.fixed_grid"])
    others = ("'learners', {'name': x}", "room, {'name': 'fixed_grid'}", "'learners', {'name': 'gone'}", "x, y")
    for i, text in enumerate(others):
        other = tmp_path / f"other{i}.py"
        other.write_text(f"registry.build({text})")
        assert closure([other]) == set()


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        (
            "import numpy.linalg as l, os\nfrom scipy.stats import norm\nfrom semipriv.core import checks",
            {"numpy", "scipy", "lazy_loader"},
        ),
        ("def f():\n    import pandas", {"pandas"}),
        ("from importlib import import_module\nx = import_module('numba.types').Dispatcher", {"numba"}),
        ("import importlib\nx = importlib.import_module('numba')\ny = importlib.import_module(x)", {"numba"}),
        ("if TYPE_CHECKING:\n    import pandas\nelse:\n    import numpy", {"numpy"}),
        ("if typing.TYPE_CHECKING:\n    import pandas\ndef f():\n    import pandas", {"pandas"}),
        ("try:\n    import a\nexcept (OSError, ImportError):\n    import b\nelse:\n    import c", {"b", "c"}),
        ("try:\n    import a\nexcept:\n    pass", set()),
        ("try:\n    import a\nexcept ValueError:\n    pass", {"a"}),
        (
            "from __future__ import annotations\nfrom semipriv.core.tables import read",
            {"numpy", "pyarrow", "lazy_loader"},
        ),
    ],
)
def test_packages_are_those_that_are_imported_when_it_runs(tmp_path: Path, text: str, imported: set[str]) -> None:
    path = tmp_path / "some.py"
    path.write_text(text)
    assert set(packages([path])) == imported


def test_whatever_a_module_uses_is_in_its_closure() -> None:
    """By the names that the module has once it is imported, not by its text."""
    for name in MODULES:
        if name.endswith("databases.spark") and find_spec("pyspark") is None:
            continue  # of an environment of its own
        known = closure([name])
        assert name in known
        for key, value in vars(import_module(name)).items():
            source = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
            if not key.startswith("__") and isinstance(source, str) and overlay.is_ours(source):
                assert source in known, f"{name} uses {key} of {source}"


def test_a_fingerprint_changes_with_every_module_of_its_closure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a package of three modules, one for each kind of import."""
    root = tmp_path / "semipriv"
    texts = {
        "top.py": "from semipriv.room import middle\n",
        "room/__init__.py": "",
        "room/middle.py": "def f():\n    from semipriv import bottom\n",
        "bottom.py": "",
        "other.py": "from semipriv import top\n",
    }
    for place, text in texts.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text)
    monkeypatch.setitem(overlay.PACKAGES, "semipriv", root)
    own._imports.cache_clear()
    try:
        before = fingerprint(["semipriv.top"])
        for place, text in texts.items():
            (root / place).write_text(f"{text}# changed\n")
            own._imports.cache_clear()
            assert (fingerprint(["semipriv.top"]) != before) == (place != "other.py"), place
            (root / place).write_text(text)
            own._imports.cache_clear()
        assert fingerprint(["semipriv.top"]) == before
    finally:
        own._imports.cache_clear()


def test_a_fingerprint_changes_with_every_data_file(tmp_path: Path) -> None:
    """With what they hold and with their names, not with their folder; a script's own text is none of its business."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"

    def fingerprint_of(content: bytes, other: bytes) -> str:
        first.write_bytes(content)
        second.write_bytes(other)
        return fingerprint([first, second, "semipriv.core.files"])

    texts = [(b"a", b"b"), (b"b", b"a"), (b"a", b""), (b"", b"a"), (b"ab", b""), (b"a\0", b"b"), (b"", b"")]
    assert len({fingerprint_of(*pair) for pair in texts}) == len(texts)
    assert fingerprint_of(*texts[0]) == fingerprint_of(*texts[0]) != fingerprint([first, "semipriv.core.files"])
    renamed = tmp_path / "third.csv"
    renamed.write_bytes(second.read_bytes())
    assert fingerprint([first, renamed, "semipriv.core.files"]) != fingerprint_of(*texts[0])
