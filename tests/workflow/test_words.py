"""Pages can be read: no sentence is longer than a breath, no page is hard, and no phrase is one that a native avoids.

The index of readability is the automated one (ARI), which counts letters and words: 13 is a student in the first year,
who is the youngest that the pages are for; terms of the field are long words, so short sentences must make up for them.
Forty words are twice the mean that plain-language guides ask for.  Proofs, in the findings, have longer sentences.
"""

import re

import pytest
import textstat
from places import ROOT, matching

LONGEST, HARDEST, FEW = 40, 13, 10
"""Words of a sentence; index of a page that has more than a few sentences."""
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "config/README.md")]
PAGES += [path for path in matching(ROOT, "docs/**/*.md") if path.name != "findings.md"]
AVOIDED = ("in place of", "in the place of", "but for", "tells of", "tell of", "is told", "are told")


def prose(text: str) -> list[str]:
    """Paragraphs and items of a page, without code, tables, headings and formulas; a piece of code is one word."""
    for pattern, instead in (
        (r"(?ms)^```.*?^```", ""),
        (r"(?m)^\s*(\||#|!\[|<).*$", ""),
        (r"(?s)<!--.*?-->|\$\$.*?\$\$", ""),
        (r"`[^`]*`", "code"),
        (r"!?\[([^\]]*)\]\([^)]*\)", r"\1"),
        (r"(?m)^\s*([-*]|\d+\.) ", "\n\n"),
    ):
        text = re.sub(pattern, instead, text)
    parts = (" ".join(part.split()).replace("*", "") for part in re.split(r"\n\s*\n", text))
    return [part if part[-1] in ".:?!" else f"{part}." for part in parts if part]


def sentences(text: str) -> list[str]:
    return [sentence for part in prose(text) for sentence in re.split(r"(?<=[.?!:;])\s+(?=[A-Z]|code )", part)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_can_be_read(page: object) -> None:
    text = page.read_text(encoding="utf-8")
    split = sentences(text)
    assert [sentence for sentence in split if len(sentence.split()) > LONGEST] == []
    if len(split) > FEW:
        assert textstat.automated_readability_index("\n".join(prose(text))) <= HARDEST


@pytest.mark.parametrize("page", [*PAGES, ROOT / "docs/findings.md"], ids=lambda path: str(path.relative_to(ROOT)))
def test_phrases_that_a_reader_stumbles_over(page: object) -> None:
    text = " ".join(prose(page.read_text(encoding="utf-8"))).lower()
    assert [phrase for phrase in AVOIDED if re.search(rf"\b{phrase}\b", text)] == []


def test_a_long_sentence_is_found() -> None:
    """In prose, not in code or tables; a hard page and a phrase are found, too."""
    long = " ".join(["word"] * 41)
    assert len(sentences(f"One.\n\n```\n{long}\n```\n\n| {long} |\n\nTwo. {long.capitalize()}.")) == 3
    assert len(sentences(f"Two. {long.capitalize()}.")[1].split()) > LONGEST
    hard = (
        "Incomprehensibly sesquipedalian formulations characterise bureaucratically standardised communication. " * 12
    )
    assert textstat.automated_readability_index(hard) > HARDEST
