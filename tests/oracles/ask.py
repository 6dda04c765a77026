"""Ask the oracles, and keep their answers: ``ask.py`` writes answers.json, ``ask.py --check`` compares with it.

A check fails if a number moved by more than REPEATS, or if fresh draws and the kept ones are told apart at LEVEL.
"""

import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import accounting
import draws
import maps
from scipy.stats import chi2_contingency

FILE = Path(__file__).with_name("answers.json")
REPEATS = 1e-9
"""Relative: PLDs are composed by Fourier transforms, whose last digits may differ between machines; 1e-13 absolute."""
LEVEL = 1e-6


def given(function: Callable[..., Any], values: tuple[Any, ...]) -> dict[str, Any]:
    """Return parameters by name."""
    return dict(zip(inspect.signature(function).parameters, values, strict=True))


def how(source: Any) -> str:
    """Return a docstring as one line."""
    return " ".join(inspect.getdoc(source).split())


def answers(oracle: Any) -> dict[str, Any]:
    """Return the answers to all questions of a module."""
    answers = {}
    for function, cases in oracle.CASES.items():
        rows = [(case, function(*case)) for case in cases]
        answers[function.__name__] = {
            "how": how(function),
            "cases": [{"given": given(function, case), "low": low, "high": high} for case, (low, high) in rows],
        }
    return answers


def drawn() -> dict[str, Any]:
    """Return the counts of all samplers."""
    answers = {}
    for function, cases in draws.CASES.items():
        rows = [(case, sorted(function(*case).items())) for case in cases]
        answers[function.__name__] = {
            "how": how(function),
            "cases": [{"given": given(function, case), "counts": dict(counts)} for case, counts in rows],
        }
    return answers


def asked() -> dict[str, Any]:
    """Return everything that goes to the file."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in ("dp-accounting", "opendp")},
        "about": {"dp-accounting": how(accounting), "opendp": how(maps), "draws": how(draws)},
        "dp-accounting": answers(accounting),
        "opendp": answers(maps),
        "draws": drawn(),
    }


def near(kept: float | None, fresh: float | None) -> bool:
    """Whether a number is the same again."""
    if kept is None or fresh is None:
        return kept is fresh
    return abs(kept - fresh) <= 1e-13 + REPEATS * abs(kept)


def alike(kept: dict[str, int], fresh: dict[int, int]) -> bool:
    """Whether two samples look drawn from one distribution: chi-square on cells of at least 50 draws together."""
    old, fresh_counts = Counter({int(k): n for k, n in kept.items()}), Counter(fresh)
    cells = [[0, 0]]
    for place in sorted(old | fresh_counts):
        if sum(cells[-1]) >= 50:
            cells.append([0, 0])
        cells[-1][0] += old[place]
        cells[-1][1] += fresh_counts[place]
    return bool(chi2_contingency(cells).pvalue > LEVEL)


def moved(kept: dict[str, Any], fresh: dict[str, Any]) -> list[str]:
    """Return what is not the same again, one line each."""
    changes = [f"versions: {kept['versions']}, now {fresh['versions']}"] * (kept["versions"] != fresh["versions"])
    for part in ("dp-accounting", "opendp", "draws"):
        if kept[part].keys() != fresh[part].keys():
            return [*changes, f"{part}: other questions"]
        for name, question in fresh[part].items():
            pairs = list(zip(kept[part][name]["cases"], question["cases"], strict=False))
            if len(pairs) != len(question["cases"]) or any(old["given"] != new["given"] for old, new in pairs):
                changes.append(f"{part}: {name}: other cases")
                continue
            for old, new in pairs:
                same = (
                    alike(old["counts"], new["counts"])
                    if part == "draws"
                    else all(near(old[end], new[end]) for end in ("low", "high"))
                )
                if not same:
                    changes.append(f"{part}: {name} {new['given']}: was {old}, is {new}")
    return changes


if __name__ == "__main__":
    fresh = asked()
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(moved(json.loads(FILE.read_text()), fresh)) or 0)
    FILE.write_text(json.dumps(fresh, indent=1) + "\n")
