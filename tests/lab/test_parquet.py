"""Tables of a run are read with their schemas."""

import re
from pathlib import Path

import semipriv_lab


def test_only_the_pages_of_a_finished_run_read_parquet_as_it_comes() -> None:
    sources = Path(semipriv_lab.__file__).parent
    readers = {
        str(path.relative_to(sources))
        for path in sources.rglob("*.py")
        if re.search(r"pyarrow\.parquet|read_parquet|pyarrow\.dataset", path.read_text())
    }
    assert readers == {"reference/numbers.py"}
