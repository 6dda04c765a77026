"""The package as a wheel, outside of the checkout: it lacks nothing, and says in one line what it cannot do alone."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from flit_core import buildapi
from runs import ROOT

PACKAGE = ROOT / "src/semipriv"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / buildapi.build_wheel(str(folder))


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    every = {path.relative_to(ROOT / "src").as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    source = {path for path in every if "__pycache__" not in path}
    assert {"semipriv/py.typed", "semipriv/__init__.pyi", "semipriv/audit/laws/check.ini"} <= source
    with zipfile.ZipFile(wheel) as archive:
        packed = {path for path in archive.namelist() if ".dist-info/" not in path}
        (metadata,) = (path for path in archive.namelist() if path.endswith("/METADATA"))
        said = archive.read(metadata).decode()
    assert packed == source
    assert "Requires-Python: >=3.11\n" in said
    assert "Requires-Dist: numpy>=" in said


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return what runs a command of a fresh environment, into which the wheel was installed, in a folder elsewhere.

    The environment borrows the dependencies of this one, but not its editable semipriv: files .pth of borrowed folders
    are not read.
    """
    home = tmp_path_factory.mktemp("elsewhere")
    venv, bare = home / "venv", {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(venv / "bin/python")]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True, env=bare)
    (site,) = venv.glob("lib/*/site-packages")
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(venv / "bin" / words[0]), *words[1:]]
        return subprocess.run(command, cwd=home, env=bare, capture_output=True, text=True, check=False, timeout=300)

    where = run("python", "-c", "import semipriv; print(semipriv.__file__)").stdout
    assert where.strip() == str(site / "semipriv/__init__.py")
    return run


@pytest.mark.exhaustive
def test_the_python_of_the_readme_runs_outside(installed: Run) -> None:
    block = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S))
    done = installed("python", "-c", f"{block}\nprint(release.certified())")
    assert done.stdout.startswith("Guarantee(epsilon=1.0"), done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("--version", "semipriv 0."),
        ("claim --list", "BBD24-XSTAR "),
        ("claim ABM19-T4.3", "ABM19-T4.3: cited"),
        ("studies", "bbd24_perturbed_privacy"),
        ("plan --class thresholds --alpha 0.1 --epsilon 1 --proven-only", "public"),
        ("budget open ledgers/a.jsonl --epsilon 1", "sum of epsilons  1"),
    ],
)
def test_the_command_line_works_outside(installed: Run, words: str, answer: str) -> None:
    done = installed("semipriv", *words.split())
    assert answer in done.stdout, done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "words", ["claim ABM19-L3.3-rate", "figures --list", "figures --for icml", "release config/release.yaml"]
)
def test_what_needs_files_of_the_checkout_says_so(installed: Run, words: str) -> None:
    done = installed("semipriv", *words.split())
    assert done.returncode == 2
    assert re.fullmatch(r"semipriv: .*(is in no checkout of semipriv|cannot be read).*\n", done.stderr), done.stderr


@pytest.mark.exhaustive
def test_a_release_needs_no_checkout(installed: Run) -> None:
    """The worked example: its tables, a ledger, the release, and its check."""
    home = Path(installed("python", "-c", "import os; print(os.getcwd())").stdout.strip())
    (home / "example.yaml").write_text((ROOT / "config/release.yaml").read_text())
    for words in (
        "python -m semipriv.practice.estimators.example",
        "semipriv budget open ledgers/example.jsonl --epsilon 1",
        "semipriv release example.yaml",
        "semipriv verify results/releases/example",
    ):
        done = installed(*words.split())
        assert done.returncode == 0, f"{words}: {done.stderr}"


@pytest.mark.exhaustive
def test_a_type_checker_sees_the_installed_face(installed: Run, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text("import semipriv as sp\nreveal_type(sp.SSPP(epsilon=1.0))\nsp.SSSPP\n")
    done = installed("python", "-m", "mypy", "--config-file=", "--cache-dir", str(tmp_path), str(tmp_path / "user.py"))
    assert 'Revealed type is "semipriv.papers.abm19.learners.sspp.SSPP"' in done.stdout, done.stdout + done.stderr
    assert 'Module has no attribute "SSSPP"' in done.stdout
