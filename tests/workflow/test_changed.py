"""Which tests ``make check`` runs."""

import changed
import pytest
from places import ROOT, matching


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/semipriv/core/tables.py", "tests/unit/core/test_tables.py"),
        ("src/semipriv/learners/stages/cover.py", "src/semipriv/audit/properties/test_learners.py"),
        ("src/semipriv/classes/intervals.py", "tests/unit/classes"),
        ("src/semipriv/classes/intervals.py", "src/semipriv/audit/properties/test_classes.py"),
        ("src/semipriv/distributions/shifts/tilt.py", "src/semipriv/audit/properties/test_distributions.py"),
        ("src/semipriv/distributions/shifts/tilt.py", "src/semipriv/distributions/shifts/tilt.py"),
        ("src/semipriv_lab/papers/bmn20/studies/rates.py", "tests/lab/papers/bmn20/studies/test_bmn20_rates.py"),
        ("src/semipriv_lab/papers/bmn20/studies/_distributions.py", "tests/lab/papers/bmn20/studies"),
        ("src/semipriv_lab/papers/abm19/studies/reduction.py", "tests/lab/papers/abm19/learners/test_reduction.py"),
        (
            "src/semipriv_lab/papers/abm19/studies/_reduction_runs.py",
            "tests/lab/papers/abm19/learners/test_reduction.py",
        ),
        (
            "src/semipriv_lab/papers/abm19/studies/public_need.py",
            "tests/lab/papers/test_gates.py::test_properties_of_a_study[abm19_public_need]",
        ),
        ("src/semipriv_lab/papers/abm19/studies/_counts.py", "tests/lab/papers/test_gates.py"),
        ("src/semipriv_lab/papers/abm19/claims.csv", "tests/lab/ledger"),
        ("src/semipriv_lab/measures/population_error.py", "tests/lab/measures"),
        ("src/semipriv/practice/columns/dates.py", "tests/unit/practice/columns"),
        ("src/semipriv/papers/abm19/bounds/sizes.py", "tests/unit/papers/abm19/bounds"),
        ("src/semipriv/learners/public_metric_discriminant.py", "tests/lab/learners"),
        ("src/semipriv/core/overlay.py", "tests/unit/core/test_overlay.py"),
        ("src/semipriv/practice/databases/duckdb.py", "tests/unit/practice/databases"),
        ("src/semipriv/mechanisms/noise/laplace.py", "tests/unit/mechanisms"),
        ("src/semipriv_lab/papers/abm19/figures/lower_bound.py", "tests/lab/figures"),
        ("src/semipriv_lab/papers/abm19/controls/cover.py", "tests/lab/audit"),
        ("benchmarks/growth.py", "tests/benchmarks"),
        ("tests/oracles/answers.json", "tests/unit/privacy/test_other_libraries.py"),
        ("src/semipriv/audit/properties/class_cases/intervals.py", "src/semipriv/audit/properties/test_classes.py"),
        ("tests/rules/test_bytes.py", "tests/rules/test_bytes.py"),
        ("config/experiments/excess_grid.yaml", "tests/lab/experiments"),
    ],
)
def test_a_changed_file_has_its_tests_run(path: str, expected: str) -> None:
    tests = changed.selected([path])
    assert expected in tests
    assert all((ROOT / test.partition("::")[0]).exists() for test in tests)
    assert (changed.HOUSE in tests) == path.startswith("src/")


def test_every_room_is_tested() -> None:
    """But for parts of ``core`` that all tests use."""
    for path in matching(ROOT, "src/**/[!_]*.py"):
        name = str(path.relative_to(ROOT))
        tests = set(changed.selected([name])) - {changed.HOUSE}
        assert tests - {name} or path.parent.name == "core" or "audit/properties/test_" in name, name


def test_nothing_is_run_twice_or_for_nothing() -> None:
    assert changed.selected([]) == changed.selected(["README.md", "Makefile", "src/semipriv/gone.py"][:2]) == []
    both = changed.selected(["tests/unit/classes/test_intervals.py", "src/semipriv/classes/intervals.py"])
    assert "tests/unit/classes" in both
    assert "tests/unit/classes/test_intervals.py" not in both


def test_one_learner_is_held_to_its_own_properties() -> None:
    assert changed.is_learner("src/semipriv/papers/abm19/learners/sspp.py")
    assert not any("properties" in test for test in changed.selected(["src/semipriv/papers/abm19/learners/sspp.py"]))
    for shared in ("_selecting", "base"):
        path = f"src/semipriv/learners/{shared}.py"
        assert not changed.is_learner(path)
        assert "src/semipriv/audit/properties/test_learners.py" in changed.selected([path])
