"""Every figure of a study, drawn from rows that the study measured, with other numbers in them.

A new figure of a study needs a module of its name in ``tests/figure_cases``, and ``python tests/cells.py``, which
writes its rows.  The same is looked at with what a run measures in ``tests/workflow/test_smoke.py``.
"""

import cells
import pandas as pd
import pytest
from drawn import check_figure, other_numbers

from semipriv.figures.base import Results
from semipriv.studies.catalogue import Study, studies

DRAWN = {study.figure: study for study in studies().values() if study.figure is not None}


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    return Results({"measurements": cells.MEASURED})["measurements"]


@pytest.mark.parametrize("figure", DRAWN)
def test_a_figure_shows_and_says_what_its_case_does(measured: pd.DataFrame, figure: str) -> None:
    study: Study = DRAWN[figure]
    own = measured[measured["claim"].isin(study.claims)].dropna(axis="columns", how="all").infer_objects()
    tables = {"measurements": other_numbers(own.reset_index(drop=True))}
    check_figure(f"figures/plots/{study.paper.lower()}", figure, tables, {}, whole=True)
