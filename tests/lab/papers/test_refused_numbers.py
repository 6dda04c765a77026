"""Every public function of bounds refuses numbers that are none of its domain, before any work, and names them.

NaN is refused for every number, and 0 and -1 for every size, but where ALLOWED says that theory knows them.
"""

import inspect
import math
import signal
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from typing import Any, Union, get_args, get_origin

import numpy as np
import pytest
from places import matching

from semipriv.core import binomial, least
from semipriv.distributions import spacings
from semipriv.privacy.guarantee import Guarantee
from semipriv_lab.experiments.papers import papers

SECONDS = 1.0
"""CPU time after which a function that is given nonsense has not refused it."""
SANE: dict[str, Any] = {
    **dict.fromkeys(("alpha", "beta", "gap", "noise", "rho", "error", "rate", "accuracy"), 0.1),
    **dict.fromkeys(("d", "vc", "vc_dimension", "bits", "t", "size", "levels", "p"), 2),
    **dict.fromkeys(("m", "n", "n_public", "n_private", "n_labelled", "n_unlabelled", "domain", "points"), 100),
    **{"epsilon": 1.0, "delta": 1e-6, "gamma": 0.5, "eta": 1.0, "q": 8, "log_cover": 3.0, "log_size": 3.0},
    **{"sigma": 2.0, "sensitivity": 1.0, "buckets": 16, "mechanism": "exponential", "loss": 1.0},
    **dict.fromkeys(("base_epsilon", "base", "own", "eps0", "scale", "constant", "factor", "events", "least"), 1.0),
    **dict.fromkeys(("tau", "radius", "width", "x", "share", "strip", "empirical", "remainder", "n_delta"), 0.1),
    **dict.fromkeys(("log_cells", "log_queries", "log_left", "log_right"), 3.0),
    **dict.fromkeys(("log_concepts", "log_width", "log_ratio", "log_hypotheses"), 3.0),
    **{"cells": 100, "budget": Guarantee(1.0, 1e-6)},
    **dict.fromkeys(("queries", "count", "power", "root", "dimension", "start", "kept"), 2),
    **{"unlabelled": 1000, "patterns": 5, "trials": 1, "row": 1, "printed": False, "realizable": False, "k": 1},
    **{"side": 0.25, "e": 2.7, "premise": Fraction(1, 18), "failures": (0.1, 0.1, 0.1), "mode": "facet"},
    **{"growth": lambda m: m + 1, "failure": lambda n: 1 / n, "fits": lambda n: n < 7, "reading": "early exit"},
    **{"generator": np.random.default_rng(0), "gaps": np.full((1, 5), 0.2), "v": np.ones(2)},
    "log_growth": lambda m: math.log(m + 1),
    **{"representative": "midpoint", "substitution": Fraction(1, 100), "exhaustion": Fraction(1, 100)},
}
"""Arguments by name."""
TABLE = np.array([[True, False], [False, False]])
COLUMN = {"n": 5, "ones": 2, "answer": Fraction(1, 2), "reach": Fraction(1, 10)}
OTHER: dict[str, dict[str, Any]] = {
    "abm19.need.hidden_pair_failure": {"p": 0.5},
    "abm19.need.worse_of_two": {"gap": np.ones(2)},
    "abm19.reduction.subsampled_epsilon": {"p": 0.5},
    "abm19.split.best_private_size": {"alpha": 0.5, "n_public": 5000},
    "bbd24.hamming.hamming": {"points": 7},
    "bbd24.rrspm.sizes": {"scale": float},
    "bbd24.teaching.least_gain": {"patterns": TABLE},
    "bbd24.teaching.teaching_set": {"patterns": TABLE},
    "bcm20.fingerprinting.pull": COLUMN,
    "bcm20.fingerprinting.score": COLUMN,
    "bcm20.proven.pmw": {"failure": 0.1},
    "bcm20.public_only.stumps_public_failure": {"m": np.array([100])},
    "binomial.binomial_distribution": {"p": 0.5},
    "bns15.sanitizers.net_size": {"size": 10},
    "bns15.strips.strips_size": {"alpha": 0.5, "size": 400},
}
"""Arguments of functions with which those by name do not fit."""
NO_ARGUMENT_IS_A_NUMBER = {
    *("abm19.spacings.circle_diameters", "abm19.spacings.cross_diameters", "abm19.reduction.printed_steps"),
    *("abm19.spacings.covering_radius_thresholds", "bbd24.teaching.shift", "bcm20.domains.largest_shattered"),
    "least.least_number",
}
WORDS = {"d": ("VC dimension", "dimension"), "p": ("dual VC dimension",)}
"""What a message may call a parameter, besides its name."""
NO_POINT, NO_PUBLIC_POINT = "chances and gaps of no point", "no public point: the whole domain is open"
ALLOWED = {
    "abm19.need.hidden_pair_failure m": NO_PUBLIC_POINT,
    "abm19.sizes.bad_probability_bound m": NO_PUBLIC_POINT,
    "abm19.sizes.cover_radius m": NO_PUBLIC_POINT,
    "abm19.sizes.cover_size_bound m": NO_PUBLIC_POINT,
    "abm19.sizes.excess_bound n_public": NO_PUBLIC_POINT,
    "abm19.sizes.excess_bound_realizable n_public": NO_PUBLIC_POINT,
    "abm19.split.split_bound n_public": NO_PUBLIC_POINT,
    "abm19.spacings.bad_diameters_circle m": NO_POINT,
    "abm19.spacings.bad_diameters_cross m": NO_POINT,
    "abm19.spacings.bad_diameters_moment_curve m": NO_POINT,
    "bbd24.teaching.least_gain row": "an index",
    "bbd24.teaching.teaching_set row": "an index",
    "bcm20.domains.cells_sum p": "functions of which none differ in one place",
    "bcm20.steps.remark_size d": "a class of one function",
    "bcm20.steps.traced_closed_form m": NO_PUBLIC_POINT,
    "bcm20.steps.traced_private m": NO_PUBLIC_POINT,
    "binomial.binomial_distribution n": "the distribution of an empty sum",
    "bmn20.sizes.halfspaces k": "all points are one",
    "bmn20.sizes.halfspaces m": NO_PUBLIC_POINT,
    "bmn20.sizes.hypotheses k": "all points are one",
    "bmn20.sizes.hypotheses m": NO_PUBLIC_POINT,
    "bcm20.fingerprinting.private_need m": "no public record",
    "bcm20.fingerprinting.pull ones": "all values are -1",
    "bcm20.fingerprinting.score ones": "all values are -1",
    "bmn20.sizes.log_size_bound m": NO_PUBLIC_POINT,
    "bmn20.sizes.subsample_loss m": NO_PUBLIC_POINT,
    "bns15.generalisation.agnostic_failure m": NO_POINT,
    "bns15.generalisation.empty_interval m": NO_POINT,
    "bns15.generalisation.fixed_target_failure m": NO_POINT,
    "bns15.relabelling.most_failing unlabelled": "no unlabelled example",
    "least.largest_size start": "no point always fits",
    "spacings.bad_diameters m": NO_POINT,
    "spacings.bad_probability_thresholds m": NO_POINT,
    "spacings.bad_probability_thresholds_float m": NO_POINT,
    "spacings.simulated m": NO_POINT,
}
"""Sizes that may be 0, and what 0 means."""


def _numbers(function: Callable[..., Any]) -> Iterator[tuple[str, bool]]:
    """Yield the parameters that are numbers, and whether they are sizes."""
    for parameter in inspect.signature(function).parameters.values():
        union = get_origin(parameter.annotation) in (Union, types.UnionType)
        kinds = set(get_args(parameter.annotation) if union else [parameter.annotation])
        if kinds & {int, float, Fraction}:
            yield parameter.name, int in kinds


def _arguments(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    others = {"diameters": lambda gaps: gaps.max(axis=1)} | OTHER.get(name, {})
    needed = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
    ]
    if "weights" in needed:  # bounds of BBD24 alone ask for them
        others["weights"] = import_module("semipriv.papers.bbd24.bounds.hamming").LaplaceWeights(10.0)
    return {key: others[key] if key in others else SANE[key] for key in needed}


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of bounds, by paper, module and name."""
    for paper in papers().values():
        for path in matching(paper.folders[0], "bounds/[!_]*.py"):
            module = f"semipriv.papers.{paper.id.lower()}.bounds.{path.stem}"
            yield from _of_module(f"{paper.id.lower()}.{path.stem}", import_module(module))
    for module in (least, binomial, spacings):
        yield from _of_module(module.__name__.rpartition(".")[2], module)


def _of_module(name: str, module: types.ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    for function, value in [*vars(module).items()]:
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not function.startswith("_"):
            yield f"{name}.{function}", value


FUNCTIONS = dict(_public())
NUMBERS = {
    name: found
    for name, function in FUNCTIONS.items()
    if name not in NO_ARGUMENT_IS_A_NUMBER and (found := list(_numbers(function)))
}


@contextmanager
def _in_time() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_number_or_no_size_is_refused_by_name(name: str) -> None:
    """And what is in the domain is not."""
    given = _arguments(name, FUNCTIONS[name])
    with _in_time():
        FUNCTIONS[name](**given)
    for key, is_size in NUMBERS[name]:
        for bad in [math.nan, *([0, -1] if is_size else [])]:
            with _in_time():
                if bad == 0 and f"{name} {key}" in ALLOWED:
                    FUNCTIONS[name](**given | {key: bad})
                    continue
                with pytest.raises(ValueError, match=r" = ") as raised:
                    FUNCTIONS[name](**given | {key: bad})
            assert str(raised.value).startswith(tuple(f"{word} = {bad!r}" for word in (key, *WORDS.get(key, ()))))


def _here(names: Iterable[str]) -> set[str]:
    """Return those of functions of the toolkit and of papers that are here: a paper may be taken away."""
    rooms = {paper.lower() for paper in papers()} | {"least", "binomial", "spacings"}
    return {name for name in names if name.partition(".")[0] in rooms}


def test_every_exception_is_one() -> None:
    assert _here(ALLOWED) <= {f"{name} {key}" for name, number in NUMBERS.items() for key, size in number if size}
    assert set(FUNCTIONS) >= _here(NO_ARGUMENT_IS_A_NUMBER | set(OTHER))
    assert [name for name in _here(NO_ARGUMENT_IS_A_NUMBER) if list(_numbers(FUNCTIONS[name]))] == []
