r"""Text and Markdown of this project in Typst, with formulas that are written as plain text set as mathematics.

Claims and findings write formulas as ``n_public >= 2 ln(1/beta)``.  A formula is a run of words, each of which can
stand in one, with a sign, a Greek letter or a function among them.  All else is text, whose special characters are
escaped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi"),
    *("rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Delta", "Gamma", "Omega", "Theta", "Sigma", "Phi"),
)
_FUNCTIONS = (
    "ln",
    "log",
    "exp",
    "max",
    "min",
    "sup",
    "inf",
    "cosh",
    "sinh",
    "tanh",
    "arcsin",
    "sin",
    "cos",
    "tan",
    "det",
)
_NAMED = ("err", "erf", "growth", "var", "sum", "Pr")
"""Functions whose names are set upright, as Typst has none of these names."""
_OF_TYPST = ("sqrt", "ceil", "floor")
_SIGNS = {
    "<=": "<=", ">=": ">=", "<<": "<<", ">>": ">>", "!=": "!=", "+-": "plus.minus", "-+": "minus.plus", "->": "->",
    "=": "=", "<": "<", ">": ">", "+": "+", "-": "-", "*": "dot.op", "/": "slash", "~": "tilde.op",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<plain>[A-Za-z]+'s\b|[A-Z]\d*\.\d[\w.]*|\b(?:e\.g\.|i\.e\.)|(?<![\w)^])\([a-z]\)(?=[ ,.;:])"
    r"|\d+(?:st|nd|rd|th)\b)"
    r"|(?P<scientific>\d+(?:\.\d+)?e-?\d+\b)"
    r"|(?P<number>\d+(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)"
    r"|(?P<expected>(?:\bP|\bE|\bPr)\[(?:[^\[\]]|\[[^\]]*\])*\])"
    r"|(?P<product><(?=[^\s=<>])[^<>=]{1,30},[^<>=]{0,30}[^\s<>=-]>)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:'*_(?:\{[^}]*\}|\([^() ]{1,7}\)|[A-Za-z0-9]+))?(?:~|'(?![A-Za-z]))*)"
    r"|(?P<sub>(?<=[|)\]])_(?:\{[^}]*\}|[A-Za-z0-9]+))"
    r"|(?P<sign><=|>=|<<|>>|!=|\+-|-\+|->|[=<>+*/~-])|(?P<bar>\|\|?)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<power>\^)|(?P<comma>,)|(?P<factorial>!)|(?P<dots>\.\.\.)|(?P<other>.)",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ARTICLES = ("a", "A", "I")
_SPACE = ("space", " ")
Token = tuple[str, str]
"""Kind of a token, and its text."""


def text(plain: str) -> str:
    r"""Return plain text in Typst, with its formulas as mathematics.

    >>> print(text("if n_pub >= 2/alpha, a bound & #1"))
    if $n_"pub" >= 2 slash alpha$, a bound & \#1
    """
    return "".join(_pieces(_tokens(" ".join(plain.split()))))


def _tokens(plain: str) -> list[Token]:
    return [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(plain)]


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield formulas, and what is text between them."""
    i = 0
    while i < len(tokens):
        run = _run(tokens, i)
        if run and _is_formula(tokens, i, run):
            yield f"${formula(run)}$"
            i += len(run)
            continue
        yield escaped(tokens[i][1])
        i += 1
        # A hyphen and what hangs on it is text: well-known.
        while tokens[i - 1][0] in ("word", "plain") and tokens[i : i + 1] == [("sign", "-")]:
            yield escaped("".join(token for _, token in tokens[i : i + 2]))
            i += 2


def _run(tokens: Sequence[Token], start: int) -> Sequence[Token]:
    """Return the longest formula that can begin at a place: brackets and bars closed, no space or sign at its end."""
    closing: list[str] = []
    bars, end = 0, start
    for i in range(start, len(tokens)):
        kind, token = tokens[i]
        if kind == "open":
            closing.append(_CLOSING[token])
        elif kind == "close":
            if not closing or closing.pop() != token:
                break
        elif not _can_stand(tokens, i, inside=bool(closing)):
            break
        bars += kind == "bar"
        awaiting = kind in ("space", "comma", "sign", "power") or token in (*_OF_TYPST, *_NAMED)
        if not closing and bars % 2 == 0 and not awaiting:
            end = i + 1
    return tokens[start:end]


def _can_stand(tokens: Sequence[Token], i: int, *, inside: bool) -> bool:
    """Return whether a token can be part of a formula.  inside: of a bracket that the formula opened."""
    kind, token = tokens[i]
    before = tokens[i - 1] if i else _SPACE
    after = tokens[i + 1] if i + 1 < len(tokens) else _SPACE
    if kind == "word":
        if token in _ARTICLES and before[0] == after[0] == "space":
            return any(
                token[0] in ("sign", "number") for token in (*tokens[max(i - 2, 0) : i - 1], *tokens[i + 2 : i + 3])
            )
        named = token in (*_NAMED, *_OF_TYPST) and after[1] == "("
        root = (
            token == "sqrt" and after[0] == "space" and tokens[i + 2 : i + 3] and tokens[i + 2][0] in ("word", "number")
        )
        return named or root or after[0] == "power" or _is_symbol(token) or (before[0] == "number" and token == "em")
    if (kind, token) == ("sign", "-"):  # a hyphen joins words, a minus stands between spaces or before a number
        return (
            before[0] in ("space", "open", "power", "comma") or after[0] in ("space", "number") or _is_symbol(after[1])
        )
    return kind not in ("plain", "other", "comma") or (kind == "comma" and inside)


def _is_symbol(word: str) -> bool:
    base = re.split(r"[_~']", word)[0]
    return (
        base in (*_GREEK, *_FUNCTIONS, "KL")
        or bool(re.fullmatch(r"[A-Za-z]|[a-z]\d|log2", base))
        or word.startswith("sum_")
    )


def _is_formula(tokens: Sequence[Token], start: int, run: Sequence[Token]) -> bool:
    """Return whether a run is more than text: it has a symbol, or relates numbers."""
    before = tokens[start - 1] if start else _SPACE
    kind, token = run[0]
    if kind in ("space", "comma", "factorial") or run[0] == ("sign", "/") or before[1] == "_":
        return False
    if len(run) == 1:
        return kind in ("expected", "product", "scientific") or (
            kind == "word" and token not in (*_ARTICLES, "max", "min", *_NAMED)
        )
    kinds = {kind for kind, _ in run}
    related = {token for kind, token in run if kind == "sign"} - {"-", "/"}
    minus = run[0] == ("sign", "-") or [("sign", "-"), _SPACE] in [list(run[i : i + 2]) for i in range(len(run))]
    return bool(related or minus or kinds & {"power", "word", "expected", "product", "scientific"})


def formula(tokens: Sequence[Token]) -> str:
    """Return the tokens of a formula as mathematics of Typst."""
    parts: list[str] = []
    i = bars = 0
    while i < len(tokens):
        kind, token = tokens[i]
        following = tokens[i + 1] if i + 1 < len(tokens) else _SPACE
        if kind == "power":
            i, raised = _exponent(tokens, i + 1)
            parts.append(f"^({raised})" if parts else f'""^({raised})')
            continue
        if (kind, token, following[1]) == ("word", "err", "^"):  # the empirical error
            parts.append('hat("err")')
            i += 2
            continue
        if (kind, token) == ("word", "sqrt") and following[1] != "(":
            i += 1 + (following[0] == "space")
            parts.append(f"sqrt({formula(tokens[i : i + 1])})")
        elif kind == "bar":
            bars += 1
            parts.append(f' class("{"opening" if bars % 2 else "closing"}", bar.v{".double" * (len(token) - 1)}) ')
        else:
            parts.append(_set(kind, token, applied=following[1] == "("))
        i += 1
    return re.sub(r" +(?=[ ^_,)\]⟩])|(?<=[(\[]) +", "", "".join(parts)).strip()


def _set(kind: str, token: str, *, applied: bool) -> str:
    """Return a token of a formula.  applied: whether a bracket follows."""
    if kind == "number":
        return f'"{token}"' if "," in token else token
    if kind == "word":
        return " e m " if token == "em" else _symbol(token, applied=applied)
    if kind == "sub":
        return f"_({_index(token[1:])})"
    if kind == "sign":
        return f" {_SIGNS[token]} "
    if kind == "scientific":
        digits, _, power = token.partition("e")
        return f"10^({power})" if digits == "1" else f"{digits} dot 10^({power})"
    if kind == "expected":
        name, _, subscript = token.partition("[")
        return f'"{name}"[#[{text(subscript[:-1])}]]' if len(name) > 1 else f"{name}[#[{text(subscript[:-1])}]]"
    if kind == "product":
        return f"⟨{formula(_tokens(token[1:-1]))}⟩"
    if kind == "dots":
        return " dots "
    return rf"\{token}" if token in "{}" else token


def _exponent(tokens: Sequence[Token], start: int) -> tuple[int, str]:
    """Return the place after an exponent, and the exponent: a bracket's contents, or a signed symbol."""
    if start < len(tokens) and tokens[start][0] == "open":
        depth = 0
        for i in range(start, len(tokens)):
            depth += (tokens[i][0] == "open") - (tokens[i][0] == "close")
            if depth == 0:
                return i + 1, formula(tokens[start + 1 : i])
    end = start + len(list(takewhile(lambda token: token[0] == "sign", tokens[start:]))) + 1
    return end, formula(tokens[start:end])


def _symbol(word: str, *, applied: bool) -> str:
    """Return a word of a formula: a Greek letter, a function, a variable with its index, or a name set upright."""
    bare = word.rstrip("~'")
    name, _, index = bare.replace("'", "").partition("_")
    if name == "log2":
        name, index = "log", "2"
    elif re.fullmatch(r"[a-z]\d", name):
        name, index = name[0], f"{name[1]},{index}" if index else name[1]
    call = name in (*_FUNCTIONS, *_OF_TYPST)
    symbol = name if call or name in _GREEK or len(name) == 1 or name == "sum" else f'"{name}"'
    if index:
        symbol += (
            f'_"{index}"' if re.fullmatch(r"[A-Za-z]{2,}", index) and index not in _GREEK else f"_({_index(index)})"
        )
    if "~" in word:
        symbol = f"tilde({symbol})"
    symbol += "'" * word.count("'")
    # A bracket after a letter is no call of a function in Typst; two letters side by side are no word.
    return f"{symbol} " if not applied or not call else symbol


def _index(index: str) -> str:
    return formula(_tokens(index.strip("{}()")))


def escaped(plain: str) -> str:
    r"""Return text without formulas in Typst.

    >>> print(escaped("a_b *c* #1"))
    a\_b \*c\* \#1
    """
    return re.sub(r"([\\#$*_`<>@~\[\]\"'/=+-])", r"\\\1", plain)


def raw(code: str) -> str:
    """Return code as it is, which may break at its dots and underscores."""
    quoted = code.replace("\\", "\\\\").replace('"', '\\"')
    return f'#code("{quoted}")'


_SPAN = re.compile(
    r"`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(\s*\S+?\s*\)|(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])", re.DOTALL
)


def inline(markdown: str) -> str:
    """Return Markdown within a paragraph in Typst: code, bold, links (their words alone), comments left out."""
    parts: list[str] = []
    without = re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL)
    place = 0
    for match in _SPAN.finditer(without):
        parts += [_kept(without[place : match.start()])]
        if match[1]:
            parts.append(raw(" ".join(match[1].split())))
        elif match[2]:
            parts.append(f"#strong[{inline(match[2])}]")
        else:
            parts.append(f"#emph[{inline(match[3] or match[4])}]")
        place = match.end()
    return "".join([*parts, _kept(without[place:])])


def _kept(plain: str) -> str:
    """Return text in Typst, with the spaces at its ends."""
    set_ = text(plain)
    first = " " if plain[:1].isspace() else ""
    last = " " if plain[-1:].isspace() and plain.strip() else ""
    return f"{first}{set_.strip()}{last}"


def blocks(markdown: str) -> Iterator[str]:
    """Yield the blocks of a page of Markdown in Typst: headings, paragraphs, lists and tables."""
    for block in re.split(r"\n\s*\n", markdown.strip()):
        yield from _block(block.splitlines())


def _block(lines: list[str]) -> Iterator[str]:
    if match := re.match(r"(#+) (.*)", lines[0]):
        yield f"{'=' * len(match[1])} {inline(match[2])}"
        if lines[1:]:
            yield from _block(lines[1:])
    elif lines[1:] and re.match(r"\|[ :|-]+\|$", lines[1]):
        yield table([[inline(cell) for cell in _cells(row)] for i, row in enumerate(lines) if i != 1])
    elif lines[0].startswith("- "):
        items = re.split(r"\n- ", "\n".join(lines)[2:])
        yield f"#list({', '.join(f'[{inline(item)}]' for item in items)})"
    else:
        yield f"#par[{inline(chr(10).join(lines))}]"


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def table(rows: Sequence[Sequence[str]], columns: Iterable[str] | None = None) -> str:
    """Return a table of cells in Typst, whose first row is its head; columns: their widths."""
    widths = ", ".join(columns or ["auto"] * len(rows[0]))
    head, *rest = (", ".join(f"[{cell}]" for cell in row) for row in rows)
    return f"#table(columns: ({widths},), table.header({head}), {', '.join(rest)})"
