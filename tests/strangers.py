"""Plug-in folders for tests: those of docs/adding.md and docs/adding-a-paper.md, and controls that break a property."""

import re
from pathlib import Path

from places import ROOT

PAGE, ADDING_A_PAPER = ROOT / "docs/adding.md", ROOT / "docs/adding-a-paper.md"
LEARNER, CLASS = "mine/learners/from_above.py", "mine/classes/single_features.py"


def written(folder: Path) -> dict[str, str]:
    """Write the files that the page shows, each after its name, and return their texts."""
    files = re.findall(r"`(mine/[a-z_/.]+|run\.yaml)`(?:(?!```).)*?```\w+\n(.*?)```", PAGE.read_text(), flags=re.S)
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return dict(files)


def control(folder: Path, of: str, name: str, *changes: tuple[str, str]) -> Path:
    """Write a file beside another one, with another name of its type and some of its text changed."""
    text = (folder / of).read_text()
    kind = re.search(r'__all__ = \["(\w+)"\]', text)
    assert kind is not None
    for before, after in [(kind[1], name.title()), *changes]:
        assert before in text
        text = text.replace(before, after)
    path = (folder / of).with_stem(name)
    path.write_text(text)
    return path


BOUND = '''"""Sizes of WAR65."""


def variance(epsilon: float, n: int) -> float:
    """Return the bound."""
    return (1 + 2 / epsilon) ** 2 / (4 * n)
'''
CONTROL = '''"""A negative control of WAR65."""

import math

from semipriv_lab.controls.base import Control, registered


def _response(epsilon):
    p = 1 / (1 + math.exp(-epsilon))
    return lambda data: {bit: math.log(p if bit == data[0] else 1 - p) for bit in (0, 1)}


@registered
def answered_twice() -> Control:
    """Half of the noise."""
    return Control("a row answers with twice its epsilon", 1.0, [[0, 1]], _response(1.0), _response(2.0))
'''


def paper_written(folder: Path) -> Path:
    """Write the paper of the page, with a learner, a bound and a negative control besides, and return its folder."""
    paper, text = folder / "mine/papers/war65", ADDING_A_PAPER.read_text()
    study, plot, _ = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    lists = re.findall(r"```\n( *(?:claim|study),.*?)```", text, flags=re.S)
    claims, studies = (re.sub(r"^ +", "", block, flags=re.M) for block in lists)
    written(folder)
    learner = (folder / LEARNER).read_text().replace("FromAbove", "FromBelow")
    files = {
        "__init__.py": '"""Randomized Response.\n\nEach row answers with a lie now and then.\n"""\n',
        "claims.csv": claims,
        "studies.csv": studies,
        "studies/share.py": study,
        "figures/share.py": plot,
        "bounds/variances.py": BOUND,
        "learners/from_below.py": f"{learner}\n\nfrom semipriv.papers.war65.bounds.variances import variance\n",
        "controls/response.py": CONTROL,
    }
    for name, content in files.items():
        (paper / name).parent.mkdir(parents=True, exist_ok=True)
        (paper / name).write_text(content)
    return paper
