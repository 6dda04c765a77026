"""Gates of controls: a run that is broken on purpose, or too small, must miss what the honest one meets."""

from dataclasses import dataclass

from semipriv.ledger.findings import Measurement, Settings
from semipriv.queries.methods.pmw import PMW
from semipriv.statistics import Interval, Verdict


@dataclass(frozen=True)
class Arm:
    """A way to run a cell: a method, and the factor by which there are fewer records.

    control: it must miss what the honest one meets.
    """

    name: str
    method: type[PMW] = PMW
    fewer: float = 1.0
    control: bool = True


def exceeding(quantity: str, settings: Settings, measured: Interval, bound: float, trials: int) -> Measurement:
    """Return the gate of a control, which must be above the bound; else it has no power, and nothing is concluded."""
    verdict = Verdict.HOLDS if measured.low > bound else Verdict.INCONCLUSIVE
    return Measurement(quantity, settings, measured, bound, trials, verdict)
