"""What is not said is not assumed: where a bound or an answer may be told more of the problem, its default is less."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import semipriv
from semipriv.papers.abm19.bounds.sizes import excess_bound, excess_bound_realizable
from semipriv.papers.abm19.bounds.split import best_excess_bound, best_private_size

LEAST = {"realizable": False, "sigma": 1.0, "spread": float("inf")}
"""Labels may be wrong; public and private points have one stated distribution; nothing is known of the spread."""


def _modules() -> Iterator[str]:
    for info in pkgutil.walk_packages(semipriv.__path__, "semipriv."):
        if {"bounds", "planner", "privacy"} & {*info.name.split(".")} and not info.ispkg:
            yield info.name


def _defaults() -> Iterator[tuple[str, str, Any]]:
    for module in _modules():
        for name, value in vars(import_module(module)).items():
            error = isinstance(value, type) and issubclass(value, Exception)
            if callable(value) and not error and getattr(value, "__module__", "") == module:
                for key, parameter in inspect.signature(value).parameters.items():
                    if key in LEAST and parameter.default is not parameter.empty:
                        yield f"{module}.{name}", key, parameter.default


def test_defaults_assume_nothing_more() -> None:
    computed_defaults = list(_defaults())
    assert {key for _, key, _ in computed_defaults} >= {"realizable", "sigma"}
    assert [item for item in computed_defaults if item[2] != LEAST[item[1]]] == []


def test_bounds_without_a_word_are_those_of_wrong_labels() -> None:
    sizes = (1000, 10_000, 1.0, 0.05, 1, 7.0)
    assert best_excess_bound(*sizes) == best_excess_bound(*sizes, realizable=False)
    assert best_excess_bound(*sizes) > best_excess_bound(*sizes, realizable=True)
    asked = (0.2, 0.05, 1.0, 3000, 1, 8.0)
    assert best_private_size(*asked) == best_private_size(*asked, realizable=False)
    assert excess_bound(*sizes) == pytest.approx(excess_bound(*sizes, sigma=1.0))
    assert excess_bound_realizable(*sizes) == excess_bound_realizable(*sizes, sigma=1.0)
