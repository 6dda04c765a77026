"""What a job is given it checks: with any one of its tables altered it ends with an error that names the table."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from runs import Job, place

from semipriv.core import registry
from semipriv.core.tables import TableError
from semipriv_lab.experiments.loading import PLOTS


def kinds(jobs: dict[str, Job]) -> Iterator[Job]:
    """One job of each rule, and one for each module that draws figures, in a batch or by itself."""
    seen = set()
    for job in jobs.values():
        drawn = frozenset(json.loads(text)["name"] for text in job.params.get("figures", {}).values())
        if job.script is not None and (job.rule, drawn) not in seen:
            seen.add((job.rule, drawn))
            yield job


def test_every_job_refuses_each_damaged_table_that_it_is_given(
    finished: Path, jobs: dict[str, Job], tmp_path: Path
) -> None:
    refused = set()
    for i, job in enumerate(kinds(jobs)):
        folder = tmp_path / str(i)
        place(folder, finished, job.inputs)
        for path in [path for path in job.inputs if path.endswith(".parquet")]:
            whole = (folder / path).read_bytes()
            altered = bytearray(whole)
            altered[len(altered) // 2] ^= 1
            (folder / path).write_bytes(altered)
            with pytest.raises(TableError, match=rf"^{re.escape(path)}: .*; it was not used"):
                job.run(folder)
            (folder / path).write_bytes(whole)
            refused.add((job.rule, Path(path).name))
    assert ("summary", "trials.parquet") in refused
    assert len(refused) > 20


@pytest.mark.parametrize("name", registry.names(PLOTS))
def test_figures_say_which_tables_they_read(name: str) -> None:
    assert set(registry.constants(PLOTS, name)["TABLES"]) <= {"summary", "slopes", "trials", "public", "held"}


def test_every_table_for_users_is_read_again_at_the_end(finished: Path, jobs: dict[str, Job]) -> None:
    tables = {str(path.relative_to(finished)) for path in finished.glob("results/**/*.parquet")}
    promised = {path for path in tables if not re.match(r"results/(claims|timings|\w+/blocks)/", path)}
    assert promised
    assert promised == {path for path in jobs["results/summary.txt"].inputs if path.endswith(".parquet")}
