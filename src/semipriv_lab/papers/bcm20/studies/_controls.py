"""Ways to run a cell: some are broken on purpose, or too small, and must miss what the honest one meets."""

from collections.abc import Sequence
from dataclasses import dataclass

from semipriv.core.statistics import Verdict
from semipriv.queries.methods.pmw import PMW
from semipriv_lab.ledger.claim import Table
from semipriv_lab.ledger.findings import Measurement, highest_over_bound, verdict_on

HONEST = ("PMW", "printed", "repaired")
"""Names of the arms that are no controls."""


@dataclass(frozen=True)
class Arm:
    """A way to run a cell: a method, and the factor by which there are fewer records.

    control: it must miss what the honest one meets.
    """

    name: str
    method: type[PMW] = PMW
    fewer: float = 1.0
    control: bool = True


def honest_or_failed(rows: Sequence[Measurement]) -> Measurement:
    """Return the deciding gate of the honest arm; or, where its gates hold and a control does not, that control."""
    honest = [row for row in rows if row.settings["arm"] in HONEST]
    failed = [row for row in rows if row.settings["arm"] not in HONEST and row.verdict is not Verdict.HOLDS]
    return failed[0] if failed and verdict_on(honest) is Verdict.HOLDS else highest_over_bound(honest)


def without_power(table: Table, verdict: Verdict, place: str, verb: str = "miss") -> str:
    """Return the end of a reason, which names the controls that meet the target; ``where``: a format of settings."""
    rows = [row for row in table.rows if row.verdict is Verdict.INCONCLUSIVE and row.settings["arm"] not in HONEST]
    if verdict is Verdict.HOLDS or not rows:
        return ""
    return f"; controls that do not {verb} the target: {'; '.join(place.format(**row.settings) for row in rows)}"
