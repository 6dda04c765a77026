"""The certificate as a page for the person who signs: one screen, and one sheet of paper.

It is a function of the certificate alone, so ``semipriv verify`` recomputes it.  It loads nothing: no script, no font,
no picture.  All texts of a certificate are escaped, whoever wrote them.
"""

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from html import escape
from typing import Any

from semipriv.practice.published.certificate import DECLARED, DIAGNOSTIC

MISSING = "not said in the request"
"""Said, in red, of a source, a licence or a date that the request lacks."""
_ROLES = {"public": "public rows", "unlabelled": "unlabelled rows", "held_out": "held-out rows"}
_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate of {title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8888; --bad: #b00020; }}
@media (prefers-color-scheme: dark) {{ :root {{ --bad: #ff8a80; }} }}
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 75ch; margin: 1.5rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.3rem; margin: 0 0 .2rem; }}
h2 {{ font-size: 1rem; margin: 1rem 0 .2rem; border-bottom: 1px solid var(--line); }}
p, ul {{ margin: .3rem 0; }}
ul {{ padding-left: 1.2rem; }}
table {{ border-collapse: collapse; }}
th {{ text-align: left; font-weight: 600; padding-right: 1rem; vertical-align: top; }}
code {{ overflow-wrap: anywhere; }}
.bad {{ color: var(--bad); font-weight: 600; }}
.line {{ border-bottom: 1px solid; display: inline-block; width: 16rem; height: 1.6rem; }}
details {{ font-size: .85rem; }}
@media print {{ body {{ font-size: 10.5pt; margin: 0; max-width: none; }} .bad {{ color: #000; border: 1px solid; }} }}
</style>
"""


def signing_page(statement: Mapping[str, Any]) -> bytes:
    """Return the page of a certificate.

    Args:
        statement: the certificate, as ``certificate`` makes it.

    Returns:
        An HTML document in UTF-8.
    """
    predicate = statement["predicate"]
    parts = [
        _HEAD.format(title=_text(predicate["release"])),
        f"<h1>Certificate of the release {_text(predicate['release'])}</h1>",
        *_guarantee(predicate),
        *_persons(predicate),
        *_declared(predicate),
        *_unprotected(predicate),
        *_public(predicate["public_data"]),
        *_databases(predicate),
        *_verifying(statement),
        *_signature(),
    ]
    return "\n".join([*parts, "</html>", ""]).encode()


def decimals(exact: str | int | float | Fraction, digits: int = 6) -> str:
    """Return a number that is at least the exact one, in decimals: a cost that is shown is never too small.

    >>> decimals("1/3"), decimals("1/10"), decimals(Fraction(1, 10**6)), decimals("0"), decimals("2469135/2")
    ('0.333334', '0.1', '0.000001', '0', '1234570')
    """
    value = Fraction(exact)
    context = Context(prec=digits, rounding=ROUND_CEILING)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    return f"{rounded:f}" if -10 < rounded.adjusted() < 20 else f"{rounded:e}"


def _text(value: object) -> str:
    """Return a text of a certificate for a page, with characters that cannot be seen as their numbers."""
    return escape("".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in str(value)))


def _guarantee(predicate: Mapping[str, Any]) -> Iterator[str]:
    stated, exact = predicate["guarantee"], predicate["guarantee"]["exact"]
    delta = f", delta = {decimals(stated['delta'])}" if stated["delta"] else ""
    yield f"<p><strong>epsilon = {decimals(stated['epsilon'])}{delta}</strong>: {_text(stated['variant'])}.</p>"
    yield f"<p>{_text(stated['for_one_person'])}</p>"
    yield f"<p>The guarantee compares {_text(stated['between'])}.</p>"
    numbers = [
        f"{name} = {_text(exact[name])}" for name in ("epsilon", "rho", "delta") if exact[name] not in (None, "0")
    ]
    yield f"<details><summary>Exact fractions</summary><p><code>{', '.join(numbers)}</code></p></details>"


def _persons(predicate: Mapping[str, Any]) -> Iterator[str]:
    if "persons" in predicate:
        yield f"<p>{_sentence(predicate['persons']['are'])} {_sentence(predicate['persons']['count_as'])}</p>"
    if "period" in predicate:
        periods = ", ".join(map(_text, predicate["period"]["names"]))
        yield f"<p>Periods of the data: {periods}. {_sentence(predicate['period']['whose_word'])}</p>"
    if predicate[DIAGNOSTIC] is not None:
        yield '<p class="bad">This release holds an exact number that nothing protects. It must not be published.</p>'
    if "plugins" in predicate:
        files = ", ".join(map(_text, predicate["plugins"]["files"]))
        yield f'<p class="bad">Code from outside of semipriv: {files}. Its author answers for the guarantee.</p>'


def _declared(predicate: Mapping[str, Any]) -> Iterator[str]:
    """Yield what somebody must answer for, as nothing can check it."""
    yield "<h2>Declared, and not checked by anything</h2><ul>"
    if "persons" not in predicate:
        yield "<li>Each row of the private table is one person.</li>"
    yield "<li>Ranges, categories, learner and settings were chosen without looking at private rows.</li>"
    yield "<li>No other ledger is charged for the same people.</li>"
    yield f"<li>Public rows: {_text(predicate['public_data']['chosen'])}.</li></ul>"


def _unprotected(predicate: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Not protected</h2><ul>"
    yield from (f"<li>{_text(what)}</li>" for what in predicate["unprotected"])
    yield f"<li>timing: {_text(predicate['timing'].removeprefix('none: '))}</li></ul>"


def _public(data: Mapping[str, Any]) -> Iterator[str]:
    if data["digest"] is None:
        return
    yield "<h2>Public data</h2><table>"
    for name in DECLARED:
        value = _text(data[name]) if data.get(name) is not None else f'<span class="bad">{MISSING}</span>'
        yield f"<tr><th>{name}</th><td>{value}</td></tr>"
    yield "</table>"


def _databases(predicate: Mapping[str, Any]) -> Iterator[str]:
    """Yield which databases rows were read from, if any were."""
    table, others = predicate.get("database"), predicate.get("sources", {})
    if table is None and not others:
        return
    yield "<h2>Databases</h2><table>"
    if table is not None:
        described = f"What left it: {_sentence(table['left_it'])} {_sentence(table['same_table'])}"
        yield f"<tr><th>private table</th><td>{_text(table['engine'])}. {described}</td></tr>"
    for role, source in others.items():
        described = f"{_sentence(source['state'])} {_sentence(source['same_rows'])}"
        yield f"<tr><th>{_text(_ROLES[role])}</th><td>{_text(source['engine'])}. {described}</td></tr>"
    yield "</table>"


def _verifying(statement: Mapping[str, Any]) -> Iterator[str]:
    ledger = statement["predicate"]["ledger"]
    yield "<h2>How to verify</h2>"
    yield "<p><code>semipriv verify FOLDER --ledger LEDGER</code>, by the person who holds the ledger. "
    yield f"It was charged by entry {_text(ledger['entry'])} of ledger <code>{_text(ledger['identity'])}</code>.</p>"
    yield "<details><summary>Certified files, with their SHA-256</summary><table>"
    for subject in statement["subject"]:
        yield f"<tr><th>{_text(subject['name'])}</th><td><code>{_text(subject['digest']['sha256'])}</code></td></tr>"
    yield "</table></details>"


def _signature() -> Iterator[str]:
    yield "<h2>Signed</h2><p>I answer for what is declared above.</p>"
    yield '<p>Name <span class="line"></span> Date and signature <span class="line"></span></p>'


def _sentence(text: str) -> str:
    """Return words of a certificate as a sentence."""
    return _text(f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}")
