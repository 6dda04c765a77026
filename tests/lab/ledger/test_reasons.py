"""A reason has at most three sentences, and nothing that a study says is lost between it and the note."""

import re

import pytest

from semipriv_lab.ledger.reasons import MOST_SENTENCES, MOST_WORDS, reason_of, sentences

SAID = (
    "exact for the domains listed; the proof covers the rest",
    "n / 3 gives 1.2 (at b = 8; not judged), noise 1.9; exponents .95 to 1.02.  Before, i.e. in May, it was open.",
    "one fails; kappa = 1 is enough; P[x > 1] <= .1 (one shift; two sizes); e.g. at 3 it holds: yes; more; still more",
    "; ".join(["one sentence of seven words and more"] * 20),
    "one " * 100,
)


def words(text: str) -> list[str]:
    return re.findall(r"[^\s;.!?:]+", text.lower())


@pytest.mark.parametrize("text", SAID)
def test_all_that_is_said_is_in_the_reason_or_the_note(text: str) -> None:
    reason = reason_of(text)
    assert words(f"{reason.reason} {reason.note}") == words(text)


@pytest.mark.parametrize("text", SAID)
def test_a_reason_is_short(text: str) -> None:
    parts = sentences(reason_of(text).reason)
    assert 1 <= len(parts) <= MOST_SENTENCES
    assert len(parts) == 1 or sum(len(part.split()) for part in parts) <= MOST_WORDS


def test_nothing_said_is_no_reason() -> None:
    assert reason_of("") == ("", "")


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("epsilon = 1", "epsilon = 1."),
        ("n' is small", "n' is small."),
        ("in all cells", "In all cells."),
        ("a shift", "A shift."),
        ("a = 1", "a = 1."),
        ("BNS15 says so!", "BNS15 says so!"),
    ],
)
def test_sentences_begin_with_a_capital_unless_with_a_symbol(text: str, begun: str) -> None:
    assert sentences(text) == [begun]
