"""Plug-in folders for tests: that of docs/adding.md, and twins of its files that break a law."""

import re
from pathlib import Path

from runs import ROOT

PAGE = ROOT / "docs/adding.md"
LEARNER, CLASS = "mine/learners/from_above.py", "mine/classes/single_features.py"


def written(folder: Path) -> dict[str, str]:
    """Write the files that the page shows, each after its name, and return their texts."""
    found = re.findall(r"`(mine/\S+?|run\.yaml)`(?:(?!```).)*?```\w+\n(.*?)```", PAGE.read_text(), flags=re.S)
    for name, text in found:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return dict(found)


def twin(folder: Path, of: str, name: str, *changes: tuple[str, str]) -> Path:
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
