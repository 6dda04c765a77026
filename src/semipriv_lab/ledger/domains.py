"""The domain of a claim: the values of its parameters for which its statement is judged.

A domain is written in the column ``domain`` of a list of claims, as conditions that are separated by semicolons:

- comparisons of expressions, ``0 < epsilon <= 1``, ``2*m >= d``, ``alpha + beta <= 1/3``;
- the values of a name, ``distribution: line | 64 atoms``;
- a name for which everything is allowed, ``distribution: any``.

``{NAME}`` stands for a literal constant of the claim's study.

>>> domain = parse("0 < epsilon <= 1; m >= 8; distribution: line | 64 atoms")
>>> domain.broken({"epsilon": 2.0, "m": 8, "distribution": "line"})
['0 < epsilon <= 1']
>>> [at["epsilon"] for at in domain.corners("epsilon")]
[1e-06, 0.5000005, 1]
"""

import ast
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = str | int | float
Given = Mapping[str, Any]

ANY = "any"
SMALL, LARGE = 1e-6, 1e4
"""Where a sweep ends that has no end, or an open one at 0."""
NEAR = 1e-6
"""Distance of a sweep from an open end."""

_SYMBOLS = (
    *("epsilon", "delta", "alpha", "beta", "gamma", "lambda", "sigma", "eta", "rho", "kappa", "tau", "VC", "TD"),
    *("m", "n", "d", "p", "l", "b", "t", "J", "n_public", "n_private", "n_labelled", "n_unlabelled"),
)
_SAME = {
    "m": {"n_public", "points"},
    "n": {"n_private", "examples"},
    "b": {"bits"},
    "l": {"features"},
    "VC": {"vc", "d"},
    "d": {"vc", "dimension", "VC"},
    "TD": {"teaching"},
}
"""Names that settings use for the symbol of a statement."""
_ASKED = ("epsilon", "delta", "alpha", "beta", "distribution", "class")
"""What a row without a proof names wherever its judged cells have it, also if the statement does not."""
_INTEGERS = frozenset(
    {"n", "m", "d", "l", "p", "b", "t", "k", "vc", "VC", "J", "TD"}
    | {"bits", "rounds", "features", "points", "examples", "dimension"}
)
_COMPARE: Mapping[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}
_ARITHMETIC: Mapping[type, Callable[[Any, Any], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "log": math.log, "exp": math.exp, "sqrt": math.sqrt, "min": min, "max": max, "floor": math.floor,
}  # fmt: skip
_ALLOWED = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Call, ast.operator, ast.unaryop, ast.expr_context)
_ROUNDING = 1e-9


# ---------------------------------------------------------------------------------------------------- conditions
@dataclass(frozen=True)
class Listed:
    """The values that a name may have; None: any."""

    text: str
    name: str
    values: tuple[Value, ...] | None

    @property
    def names(self) -> frozenset[str]:
        """The name that is restricted."""
        return frozenset((self.name,))

    def holds(self, given: Given) -> bool:
        """Return whether the value is among the listed ones, numbers up to rounding."""
        return self.values is None or any(_equal(given[self.name], value) for value in self.values)


@dataclass(frozen=True)
class Compared:
    """A chain of comparisons, such as 0 < epsilon <= 1."""

    text: str
    terms: tuple[ast.expr, ...]
    operators: tuple[type, ...]

    @property
    def names(self) -> frozenset[str]:
        """All names in it."""
        nodes = (node for term in self.terms for node in ast.walk(term))
        return frozenset(_name(node) for node in nodes if isinstance(node, ast.Name)) - _FUNCTIONS.keys()

    def holds(self, given: Given) -> bool:
        """Return whether all comparisons hold, up to rounding where equality is allowed."""
        values = [_evaluated(term, given) for term in self.terms]
        return all(_compares(how, a, b) for how, (a, b) in zip(self.operators, itertools.pairwise(values), strict=True))

    def ends(self, name: str) -> tuple[tuple[float, bool], tuple[float, bool]]:
        """Return the lower and the upper end for a name that stands alone, each with whether it is open."""
        low, high = (-math.inf, True), (math.inf, True)
        for how, (a, b) in zip(self.operators, itertools.pairwise(self.terms), strict=True):
            upwards = how in (ast.Lt, ast.LtE, ast.Eq)
            for left, right, rising in ((a, b, upwards), (b, a, not upwards or how is ast.Eq)):
                if isinstance(left, ast.Name) and _name(left) == name and not _names_in(right):
                    end = (_evaluated(right, {}), how in (ast.Lt, ast.Gt))
                    low, high = (low, end) if rising else (end, high)
                    if how is ast.Eq:
                        low = high = end
        return low, high


Condition = Listed | Compared


@dataclass(frozen=True)
class Domain:
    """All conditions of a domain.  text: as readers see it."""

    conditions: tuple[Condition, ...]

    @property
    def text(self) -> str:
        """The conditions, as they are written."""
        return "; ".join(condition.text for condition in self.conditions)

    @property
    def names(self) -> frozenset[str]:
        """The names that have a condition."""
        return frozenset().union(*(condition.names for condition in self.conditions))

    def broken(self, given: Given) -> list[str]:
        """Return the conditions that settings break; one about a name that they do not have is left out."""
        known = (condition for condition in self.conditions if condition.names <= given.keys())
        return [condition.text for condition in known if not condition.holds(given)]

    def ends(self, name: str) -> tuple[tuple[float, bool], tuple[float, bool]]:
        """Return the lower and the upper end of a number, each with whether it is open."""
        ends = [c.ends(name) for c in self.conditions if isinstance(c, Compared) and name in c.names]
        low = max((low for low, _ in ends), default=(-math.inf, True))
        high = min((high for _, high in ends), key=lambda end: (end[0], not end[1]), default=(math.inf, True))
        return low, high

    def corners(self, *names: str) -> list[dict[str, Any]]:
        """Return settings at the corners of the domain, and in the middle, for the given names.

        A number takes its least and its greatest value, and one between; ends that are open are approached to NEAR,
        the range (0, infinity) is swept from SMALL to LARGE.  A list takes all values.  Combinations outside of the
        domain are left out.

        Raise ValueError for a name without a condition, or one of which anything is allowed.
        """
        values = [self._swept(name) for name in names]
        combined = (dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values))
        return [settings for settings in combined if not self.broken(settings)]

    def _swept(self, name: str) -> Sequence[Value]:
        if name not in self.names:
            raise ValueError(f"domain {self.text!r}: has no condition on {name}")
        for condition in self.conditions:
            if isinstance(condition, Listed) and condition.name == name:
                if condition.values is None:
                    raise ValueError(f"domain {self.text!r}: {name} may be anything, so that it has no corners")
                return condition.values
        return self._numbers(name)

    def _numbers(self, name: str) -> Sequence[float]:
        (low, above), (high, below) = self.ends(name)
        if name in _INTEGERS or name.startswith("n_"):
            first = (math.floor(low) + 1 if above else math.ceil(low)) if math.isfinite(low) else 0
            last = (math.ceil(high) - 1 if below else math.floor(high)) if math.isfinite(high) else int(LARGE)
            return sorted({first, min(first + 1, last), round(math.sqrt(max(first, 1) * max(last, 1))), last})
        start = low + NEAR if above else low
        if not math.isfinite(high):
            start = SMALL if low == 0 else start
            return [start, 1.0, LARGE] if start < 1 else [start, 10 * start, LARGE]
        end = high - NEAR if below else high
        return [start, (start + end) / 2, end]


NOWHERE = Domain(())
"""The domain that says nothing."""


def parse(text: str, constants: Mapping[str, Any] | None = None) -> Domain:
    """Return the domain that a text writes.

    constants: the values of the names in braces.  Raise ValueError, with the condition, for what cannot be read.
    """
    filled = re.sub(r"\{(\w+)\}", lambda match: _filled(match[1], constants or {}), text)
    return Domain(tuple(_condition(part.strip()) for part in filled.split(";") if part.strip()))


def constants_in(text: str) -> list[str]:
    """Return the names in braces."""
    return re.findall(r"\{(\w+)\}", text)


def _filled(name: str, constants: Mapping[str, Any]) -> str:
    if name not in constants:
        known = f": those are {', '.join(sorted(constants))}" if constants else ""
        raise ValueError(f"{{{name}}}: is no literal constant of the study{known}")
    value = constants[name]
    return (
        " | ".join(map(_shown, value)) if isinstance(value, Iterable) and not isinstance(value, str) else _shown(value)
    )


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _condition(text: str) -> Condition:
    listed = re.fullmatch(r"([^:<>=]+):(.*)", text)
    if listed:
        values = [_value(part.strip()) for part in listed[2].split("|")]
        return Listed(text, listed[1].strip(), None if values == [ANY] else tuple(values))
    try:
        tree = ast.parse(re.sub(r"\blambda\b", "lambda_", text), mode="eval").body
    except SyntaxError:
        tree = None
    if not isinstance(tree, ast.Compare) or not all(type(how) in _COMPARE for how in tree.ops):
        raise ValueError(
            f"{text!r}: must be a comparison, as 0 < epsilon <= 1, or a list, as distribution: line | 64 atoms"
        )
    compared = Compared(text, (tree.left, *tree.comparators), tuple(type(how) for how in tree.ops))
    for term in compared.terms:
        for node in ast.walk(term):
            unknown = isinstance(node, ast.Call) and ast.unparse(node.func) not in _FUNCTIONS
            if unknown or not isinstance(node, _ALLOWED):
                raise ValueError(f"{text!r}: may hold numbers, names, + - * / ** and {', '.join(_FUNCTIONS)}")
    return compared


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _name(node: ast.Name) -> str:
    return node.id.rstrip("_")


def _names_in(term: ast.expr) -> set[str]:
    return {_name(node) for node in ast.walk(term) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()


def _evaluated(term: ast.expr, given: Given) -> float:
    match term:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name():
            return float(given[_name(term)])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluated(inner, given)
        case ast.BinOp(left=left, op=how, right=right) if type(how) in _ARITHMETIC:
            return _ARITHMETIC[type(how)](_evaluated(left, given), _evaluated(right, given))
        case ast.Call(func=ast.Name(id=name), args=inner) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_evaluated(argument, given) for argument in inner))
    raise ValueError(f"{ast.unparse(term)!r}: cannot be worked out")


def _compares(how: type, a: float, b: float) -> bool:
    near = math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=0.0)
    return near if how is ast.Eq else (near and how in (ast.LtE, ast.GtE)) or bool(_COMPARE[how](a, b))


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return str(a) == str(b)
    return math.isclose(a, b, rel_tol=_ROUNDING)


# ---------------------------------------------------------------------------------------------------- checks
def free_parameters(statement: str) -> list[str]:
    """Return the parameters that a statement names, in the order of ``_SYMBOLS``.

    >>> free_parameters("PMW is accurate to alpha at its printed sample size, n = 8 m")
    ['alpha', 'm', 'n']
    """
    words = set(re.findall(r"(?<![\w'])([A-Za-z_]+)(?![\w'])", re.sub(r"\be\.g\.|\bi\.i\.d\.", "", statement)))
    return [symbol for symbol in _SYMBOLS if symbol in words]


def without_range(statement: str, domain: Domain) -> list[str]:
    """Return the parameters that a statement names and its domain says nothing of."""
    return [name for name in free_parameters(statement) if not domain.names & ({name} | _SAME.get(name, set()))]


def not_as_run(domain: Domain, settings: Sequence[Given]) -> list[str]:
    """Return what a domain says beyond the settings that were run, or leaves out, for a claim without a proof.

    A range must end where the settings end, and a list hold the values that occur.  A name that no setting has may have
    a list, of what the study fixes.  Nothing may be ``any``.  Epsilon, delta, alpha, beta, distributions and classes of
    the settings must have a condition.
    """
    names = dict.fromkeys(name for cell in settings for name in cell)
    run = {name: list(dict.fromkeys(cell[name] for cell in settings if name in cell)) for name in names}
    left_out = [name for name in _ASKED if name in run and name not in domain.names]
    problems = [
        f"{name}: {', '.join(map(str, run[name]))} was run, and the domain does not say so" for name in left_out
    ]
    for name in sorted(domain.names):
        problems += _beyond(domain, name, run.get(name, []))
    return problems


def _beyond(domain: Domain, name: str, run: Sequence[Any]) -> list[str]:
    """Return what the conditions on a name say beyond its values in a run."""
    about = [condition for condition in domain.conditions if name in condition.names]
    listed = [condition for condition in about if isinstance(condition, Listed)]
    problems = [
        f"{condition.text}: a row without a proof speaks of what was run"
        for condition in listed
        if condition.values is None
    ]
    problems += [
        f"{condition.text}: {value} was not run"
        for condition in listed
        for value in condition.values or ()
        if run and not any(_equal(value, other) for other in run)
    ]
    if listed:
        return problems
    (low, _), (high, _) = domain.ends(name)
    if not run:
        return [f"{name}: no judged cell has it, and the domain is {domain.text}"]
    if not _equal(low, min(run)) or not _equal(high, max(run)):
        return [f"{name}: was run from {min(run):g} to {max(run):g}, and the domain is {domain.text}"]
    return []
