r"""The ledger as tables for LaTeX: one file to ``\input``, which needs the packages booktabs, longtable and array."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv.core.files import atomic
from semipriv_lab.ledger.table import CLAIMS, assumed, columns, counts, false_alarms, shown_verdict

_HEAD = r"""% The ledger of claims, one table for each paper.  It needs \usepackage{booktabs,longtable,array}
% and a page of one column (\onecolumn where the text has two): \input{claims}
"""
_COLUMNS = {
    "claim": (0.17, "claim"),
    "statement": (0.31, "statement"),
    "verdict": (0.13, "verdict"),
    "measured": (0.19, "measured [limits]"),
    "bound": (0.11, "bound"),
    "trials": (0.09, "trials"),
}
"""For each column, its share of the text's width and its title."""

_GREEK = {
    **{name: f"\\{name}" for name in ("alpha", "beta", "gamma", "delta", "eta", "lambda", "mu", "nu", "pi", "sigma")},
    "epsilon": r"\varepsilon",
    "Delta": r"\Delta",
    "Omega": r"\Omega",
}
_SIGNS = {
    "<=": r"$\leq$",
    ">=": r"$\geq$",
    "<<": r"$\ll$",
    ">>": r"$\gg$",
    "<": "$<$",
    ">": "$>$",
    "+-": r"$\pm$",
    "-+": r"$\mp$",
    " ~ ": r" $\sim$ ",
    "~": r"\textasciitilde{}",
    "|": "$|$",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}
_TOKENS = re.compile(
    r"(?P<root>sqrt\((?P<under>[\w/ ]+)\))"
    r"|(?P<power>\^(?:(?P<exponent>-?\w+)|\((?P<exponents>[\w/+* -]+)\)))"
    r"|(?P<variable>(?<![A-Za-z0-9_])(?P<letter>[A-Za-z])_(?P<index>[A-Za-z0-9]+)(?![A-Za-z0-9_]))"
    r"|(?P<greek>(?<![A-Za-z0-9_])(?:" + "|".join(sorted(_GREEK)) + r")(?![A-Za-z0-9_]))"
    r"|(?P<minus>(?<![\w)\]\-+])-(?=[\d.]))"
    r"|(?P<hyphens>-{2,})"
    r"|(?P<sign>" + "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)) + ")"
    r"|(?P<other>[^\x20-\x7e])",
    re.ASCII,
)


def write_latex(ledger: str | Path, target: str | Path) -> None:
    """Write the ledger for LaTeX: the number of claims with each verdict, then a table of the claims of each paper."""
    rows = tables.read_rows(ledger, CLAIMS)
    lines = [_HEAD, *_counts(rows)]
    for paper in dict.fromkeys(row["paper"] for row in rows):
        lines += ["", *_claims(paper, [row for row in rows if row["paper"] == paper])]
    with atomic(target) as path:
        path.write_text("\n".join([*lines, ""]))


def escaped(text: str) -> str:
    r"""Return text for LaTeX, with special characters escaped.

    Inequalities, powers, indices, roots and Greek letters become formulas.  A character beyond ASCII, which a font of
    LaTeX may lack, becomes its number.

    >>> print(escaped("P[Bad] <= 2(2em/d)^(2d), n_pub > 50 % of A_SSPP & sqrt(m)"))
    P[Bad] $\leq$ 2(2em/d)$^{2d}$, $n_{\mathrm{pub}}$ $>$ 50 \% of $A_{\mathrm{SSPP}}$ \& $\sqrt{m}$
    """
    return _TOKENS.sub(_set, " ".join(text.split()))


def _set(match: re.Match[str]) -> str:
    """Return a token of a text in LaTeX."""
    kind, token = match.lastgroup, match[0]
    groups = match.groupdict()
    if groups["root"]:
        return rf"$\sqrt{{{_formula(groups['under'])}}}$"
    if groups["power"]:
        return f"$^{{{_formula(groups['exponent'] or groups['exponents'])}}}$"
    if groups["variable"]:
        index = groups["index"] if groups["index"].isdigit() else rf"\mathrm{{{groups['index']}}}"
        return f"${groups['letter']}_{{{index}}}$"
    if groups["greek"]:
        return f"${_GREEK[token]}$"
    if groups["minus"]:
        return "$-$"
    if groups["hyphens"]:
        return "{}".join(token)
    return _SIGNS[token] if kind == "sign" else f"U+{ord(token):04X}"


def _formula(text: str) -> str:
    """Return simple mathematics for LaTeX: Greek letters by their commands, underscores escaped."""
    words = re.split(r"([A-Za-z]+)", text)
    return "".join(f"{_GREEK[word]} " if word in _GREEK else word.replace("_", r"\_") for word in words).strip()


def _counts(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    simulated, chance = false_alarms(rows)
    verdicts = columns()
    yield r"\begin{table}[htbp]\centering\footnotesize\setlength{\tabcolsep}{4pt}"
    yield (
        rf"\caption{{Verdicts on {len(rows)} claims; refuted ones of our own, which no paper claims, are counted apart."
        rf" Those of {simulated} rest on simulations. The chance that any of them is wrong by accident is at most"
        rf" about {number(100 * chance)}\,\%, assuming: {escaped(assumed(rows))}.}}"
    )
    yield r"\label{tab:claims}"
    yield rf"\begin{{tabular}}{{l{'r' * len(verdicts)}}}"
    yield r"\toprule"
    yield " & ".join(["paper", *verdicts]) + r" \\"
    yield r"\midrule"
    for paper, count in counts(rows).items():
        yield " & ".join([escaped(paper), *(str(count[verdict]) for verdict in verdicts)]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _claims(paper: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{\dimexpr {share:g}\linewidth-2\tabcolsep\relax}}"
        for share, _ in _COLUMNS.values()
    )
    head = " & ".join(title for _, title in _COLUMNS.values())
    yield r"{\footnotesize\setlength{\tabcolsep}{3pt}"
    yield rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
    yield rf"\caption{{Claims of {escaped(paper)}.}}\label{{tab:claims-{paper}}}\\"
    yield rf"\toprule {head} \\ \midrule \endfirsthead"
    yield rf"\toprule {head} \\ \midrule \endhead"
    yield r"\bottomrule \endfoot"
    for row in rows:
        yield line(row)
    yield r"\end{longtable}}"


def line(row: Mapping[str, Any]) -> str:
    """Return a row of the ledger as a line of a table: claim, statement, verdict, measured, bound, trials.

    What was not measured has no numbers.
    """
    return " & ".join(_cells(row)) + r" \\ \addlinespace[2pt]"


def _cells(row: Mapping[str, Any]) -> list[str]:
    bound = "" if row.get("bound") is None else number(row["bound"])
    trials = "" if row.get("trials") is None else "exact" if row["trials"] == 0 else f"{row['trials']:,}"
    return [escaped(row["claim"]), escaped(_said(row)), shown_verdict(row), _measured(row), bound, trials]


def _said(row: Mapping[str, Any]) -> str:
    """Return the statement, with its domain."""
    return f"{row['statement']} (for {row['domain']})" if row["domain"] else str(row["statement"])


def _measured(row: Mapping[str, Any]) -> str:
    """Return the deciding measurement, with its limits unless it is exact."""
    if row.get("measured") is None:
        return ""
    if row["low"] == row["high"]:
        return number(row["measured"])
    return f"{number(row['measured'])} [{number(row['low'])}, {number(row['high'])}]"


def number(value: float) -> str:
    r"""Return a number in four digits for LaTeX.

    >>> print(number(0.25), number(-2), number(3.2e-7), number(float("inf")))
    $0.25$ $-2$ $3.2\cdot10^{-7}$ $\infty$
    """
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    digits, _, power = f"{value:.4g}".partition("e")
    if digits == "1" and power:
        return f"$10^{{{int(power)}}}$"
    return f"${digits}\\cdot10^{{{int(power)}}}$" if power else f"${digits}$"
