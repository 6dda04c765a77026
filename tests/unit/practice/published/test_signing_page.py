"""The certificate as a page: what a signer must see is on it, no text becomes markup, and no edit passes."""

import json
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import release_of

from semipriv.practice.published.signing_page import MISSING, decimals, signing_page
from semipriv.practice.published.verify import remarks, verify

FOLDER = Path("results/releases/visits")
HOSTILE = "<script>alert(1)</script>\u202e&\"'"


class Page(HTMLParser):
    """Tags, texts, and the texts in red, of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.red: list[str] = []
        self._red = False
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._red = ("class", "bad") in attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._red and data.strip():
            self.red.append(data)
            self._red = False

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    release_of(folder)
    return folder


@pytest.fixture
def statement(released: Path) -> dict[str, Any]:
    return json.loads((released / FOLDER / "certificate.json").read_text())


def test_the_page_says_what_is_signed(statement: dict[str, Any]) -> None:
    page, predicate = Page(signing_page(statement)), statement["predicate"]
    assert f"epsilon = {decimals(predicate['guarantee']['epsilon'])}" in page.text
    for what in (predicate["guarantee"]["for_one_person"], *predicate["unprotected"], predicate["release"]):
        assert what in page.text
    assert all(subject["digest"]["sha256"] in page.text for subject in statement["subject"])
    assert not {"script", "img", "link", "iframe"} & set(page.tags), "a page loads nothing"


def test_what_the_request_does_not_say_is_in_red(statement: dict[str, Any]) -> None:
    data = statement["predicate"]["public_data"]
    data |= {"source": None, "licence": "CC0", "date": None}
    assert Page(signing_page(statement)).red == [MISSING, MISSING]
    statement["predicate"]["unprotected_diagnostic"] = {"mistakes": 3}
    assert any("must not be published" in red for red in Page(signing_page(statement)).red)


def test_no_text_of_a_certificate_becomes_markup(statement: dict[str, Any]) -> None:
    tags = Page(signing_page(statement)).tags

    def hostile(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: hostile(inner) for key, inner in value.items()}
        return [hostile(inner) for inner in value] if isinstance(value, list) else value if value is None else HOSTILE

    edited = hostile({key: statement["predicate"][key] for key in ("release", "unprotected", "timing", "public_data")})
    page = signing_page({**statement, "predicate": {**statement["predicate"], **edited}})
    assert Page(page).tags == tags
    assert "\u202e" not in page.decode(), "a character that turns the direction of writing is shown by its number"


def test_an_edited_page_fails_and_a_missing_one_does_not(released: Path) -> None:
    path = released / FOLDER / "certificate.html"
    content = path.read_bytes()
    try:
        path.write_bytes(content.replace(b"epsilon = ", b"epsilon = 0.", 1))
        assert [check.what for check in verify(released / FOLDER) if not check.passed] == [
            "certificate.html follows from certificate.json"
        ]
        path.unlink()
        assert all(check.passed for check in verify(released / FOLDER))
    finally:
        path.write_bytes(content)
    assert not any("certificate.html" in line for line in remarks(released / FOLDER, with_ledger=True))


@given(st.fractions(min_value=0, max_value=10**9))
def test_a_cost_is_never_shown_too_small(exact: Any) -> None:
    shown = Fraction(decimals(exact))
    assert exact <= shown <= exact * (1 + Fraction(1, 10**5))
