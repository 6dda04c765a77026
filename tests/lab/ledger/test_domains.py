"""Domains of claims: what is read, what is refused, what contradicts a measurement, where a sweep goes."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.core.randomness import Simulation
from semipriv_lab.ledger import checked
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.ledger.claims import Claim
from semipriv_lab.ledger.domains import LARGE, SMALL, parse, without_range
from semipriv_lab.ledger.findings import Measurement


def claim(domain: str, *, proof: str = "the paper", kind: str = "theorem", statement: str = "it holds") -> Claim:
    return Claim("ABM19-L3.2", "ABM19", kind, statement, domain, proof)


def contradictions(claim: Claim, rows: list[Measurement]) -> list[str]:
    return checked.contradictions(claim, parse(claim.domain), rows)


def objections(claim: Claim) -> list[str]:
    return checked.objections(claim, parse(claim.domain))


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("0 < epsilon <= 1", {"epsilon": 1.0}, {"epsilon": 1.001}),
        ("0 < epsilon <= 1", {"epsilon": 1e-9}, {"epsilon": 0.0}),
        ("2*m >= d", {"m": 2, "d": 4}, {"m": 1, "d": 100}),
        ("alpha + beta <= 1/3", {"alpha": 0.2, "beta": 1 / 3 - 0.2}, {"alpha": 0.2, "beta": 0.2}),
        ("distribution: line | 64 atoms", {"distribution": "64 atoms"}, {"distribution": "a point"}),
        ("m: 8 | 16", {"m": 16}, {"m": 12}),
        ("lambda > 0", {"lambda": 0.1}, {"lambda": 0.0}),
        ("m >= 8*log(1/delta)**2", {"m": 8, "delta": math.exp(-1)}, {"m": 8, "delta": 1e-5}),
    ],
)
def test_a_condition_tells_inside_from_outside(text: str, inside: dict, outside: dict) -> None:
    assert parse(text).broken(inside) == []
    assert parse(text).broken(outside) == [text]
    assert parse(text).broken({}) == [], "what settings do not have is not judged"


@pytest.mark.parametrize(
    "text", ["epsilon", "epsilon in (0, 1)", "m >= [8]", "0 <", "__import__('os') > 1", "m.real > 1", "open(m) > 1"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text[:6])):
        parse(text).broken({"m": 1, "epsilon": 1})


def test_constants_stand_for_what_the_study_fixes() -> None:
    constants = {"ALPHAS": (0.1, 0.25), "DELTA": 1e-5}
    assert parse("alpha: {ALPHAS}; delta: {DELTA}", constants).text == "alpha: 0.1 | 0.25; delta: 1e-05"
    with pytest.raises(ValueError, match="NOTHING"):
        parse("alpha: {NOTHING}", constants)


@given(st.floats(0, 10), st.floats(0.1, 10), st.integers(0, 20), st.integers(1, 30), st.tuples(*[st.booleans()] * 3))
def test_corners_are_inside_and_reach_the_ends(
    low: float, width: float, first: int, extra: int, open_ends: tuple[bool, bool, bool]
) -> None:
    above, below, unbounded = open_ends
    numbers = f"{low!r} <{'' if above else '='} x <{'' if below else '='} {low + width!r}"
    integers = f"m >= {first}" if unbounded else f"{first} <= m <= {first + extra}"
    domain = parse(f"{numbers}; {integers}; distribution: a | b")
    corners = domain.corners("x", "m", "distribution")
    assert not any(domain.broken(corner) for corner in corners)
    assert {corner["distribution"] for corner in corners} == {"a", "b"}
    assert {min(corner["m"] for corner in corners), max(corner["m"] for corner in corners)} == {
        first,
        int(LARGE) if unbounded else first + extra,
    }
    assert min(corner["x"] for corner in corners) == pytest.approx(low, abs=2 * SMALL)
    assert max(corner["x"] for corner in corners) == pytest.approx(low + width, abs=2 * SMALL)


def test_a_sweep_without_an_end_goes_to_small_and_large_values() -> None:
    assert [corner["epsilon"] for corner in parse("epsilon > 0").corners("epsilon")] == [SMALL, 1.0, LARGE]
    assert {corner["m"] for corner in parse("m >= 1; 2*m >= d; d <= 3").corners("m", "d")} >= {1, int(LARGE)}
    with pytest.raises(ValueError, match="anything"):
        parse("distribution: any").corners("distribution")


def test_a_parameter_without_a_range_is_objected_to() -> None:
    statement = "P[Bad] <= 2(2em/d)^(2d) exp(-alpha m/4)"
    assert without_range(statement, parse("0 < alpha <= 1; 2*m >= d")) == []
    assert without_range(statement, parse("m >= 1")) == ["alpha", "d"]
    assert without_range(statement, parse("0 < alpha < 1; vc >= 1; n_public >= 1")) == [], "names of settings count"
    assert objections(claim("m >= 1", statement=statement)) != []
    assert objections(claim("", statement=statement, kind="cited")) == []


def test_a_theorem_names_a_proof_or_what_was_run() -> None:
    assert objections(claim("", proof="")) != []
    assert objections(claim("distribution: line", proof="")) == []
    assert objections(claim("")) == []


def rows(*settings: dict) -> Table:
    table = Table(Run(Simulation(0), 1.0), Simulation(0))
    for corner in settings:
        table.at_most("error", corner, 0.0, 1.0)
    return table


def test_judged_settings_lie_inside_and_controls_may_lie_outside() -> None:
    table = rows({"m": 8}, {"m": 4})
    assert len(contradictions(claim("m >= 8"), table.rows)) == 1
    table = rows({"m": 8})
    table.exceeding("error", {"m": 1}, 2.0, 1.0)
    table.recorded("error", {"m": 2}, 2.0)
    assert contradictions(claim("m >= 8"), table.rows) == []


def test_without_a_proof_a_row_speaks_of_what_was_run_and_of_no_more() -> None:
    table = rows({"m": 8, "distribution": "line"}, {"m": 64, "distribution": "a point"})
    for domain in ("8 <= m <= 64; distribution: line | a point", "m: 8 | 64; distribution: a point | line"):
        assert contradictions(claim(domain, proof=""), table.rows) == [], domain
    lists = "distribution: line | a point"
    for domain in (
        f"m >= 8; {lists}",
        f"8 <= m <= 100; {lists}",
        "m: 8 | 64; distribution: any",
        "m: 8 | 64; distribution: line | a point | the plane",
        f"m: 8 | 64; {lists}; data: any",
        f"m: 8 | 64; {lists}; 0 < delta < 1",
    ):
        assert contradictions(claim(domain, proof=""), table.rows), domain
        assert contradictions(claim(domain), table.rows) == [], "a proof speaks of more"
    assert contradictions(claim(f"m: 8 | 64; {lists}; delta: 1e-6", proof=""), table.rows) == [], "what the study fixes"


def test_a_row_without_a_proof_names_what_the_study_fixes() -> None:
    """Also where the statement does not name it."""
    table = rows({"m": 8, "distribution": "line", "epsilon": 1.0}, {"m": 64, "distribution": "line", "epsilon": 1.0})
    assert contradictions(claim("m: 8 | 64; distribution: line", proof=""), table.rows)
    assert contradictions(claim("m: 8 | 64; distribution: line; epsilon: 1", proof=""), table.rows) == []
    assert contradictions(claim("m: 8 | 64; distribution: line"), table.rows) == [], "a proof is for every epsilon"
