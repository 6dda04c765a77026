"""Slopes of an experiment: which curves get one."""

from types import SimpleNamespace

import pytest

from semipriv.distributions.designs._inference import size_keys
from semipriv_lab.workflow.gather import _slopes

XS = (1.0, 2.0, 4.0, 8.0)


def slopes(other: dict[str, list] | None = None, **curves: list[float]) -> dict[str, float]:
    """The slopes of curves with standard errors of a tenth, in an order of rows that is not that of x.

    other: what else is told of their points, in order.
    """
    rows = [
        {
            "case": case,
            "learner": "sspp",
            "name": "sspp",
            "title": "A",
            "measure": "population_error",
            "role": "paper",
            "parameters": "{}",
            "epsilon": 1.0,
            **dict.fromkeys((*size_keys(), "bits")),
            "n": x,
            "private_zeros": None,
            "sigma": 1.0,
            "mean": mean,
            "standard_error": 0.1 * mean,
            **{key: values[i] for key, values in (other or {}).items()},
        }
        for case, means in curves.items()
        for i, (x, mean) in enumerate(zip(XS, means, strict=True))
    ]
    experiment = SimpleNamespace(name="e", slopes={"x": "n", "low": 1, "high": 8})
    fitted = _slopes(experiment, rows[::2] + rows[1::2])
    return {row["case"]: row["slope"] for row in fitted}


def test_a_curve_that_turns_gets_no_slope() -> None:
    fitted = slopes(falls=[8, 4, 2, 1], up_and_down=[1, 2, 4, 1], down_and_up=[4, 1, 2, 8], level=[1, 1.05, 1, 0.95])
    assert set(fitted) == {"falls", "level"}
    assert fitted["falls"] == pytest.approx(-1)


@pytest.mark.parametrize(
    "key", ["n_public", "n_private", "n_labelled", "n_unlabelled", "bits", "private_zeros", "sigma"]
)
def test_a_curve_on_which_something_else_varies_gets_no_slope(key: str) -> None:
    """However well its points lie on a line."""
    falls = [8.0, 4.0, 2.0, 1.0]
    for values in ([3, 3, 3, 4], [1, 2, 3, 4], [None, 3, 3, 3]):
        assert slopes({key: values}, falls=falls) == {}
    assert slopes({key: [3, 3, 3, 3]}, falls=falls) == {"falls": pytest.approx(-1)}
