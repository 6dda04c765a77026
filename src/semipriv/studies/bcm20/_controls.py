"""Gates of controls: a run that is broken on purpose, or too small, must miss what the honest one meets."""

from semipriv.ledger.findings import Measurement, Settings
from semipriv.statistics import Interval, Verdict


def exceeding(quantity: str, settings: Settings, measured: Interval, bound: float, trials: int) -> Measurement:
    """Return the gate of a control, which must be above the bound; else it has no power, and nothing is concluded."""
    verdict = Verdict.HOLDS if measured.low > bound else Verdict.INCONCLUSIVE
    return Measurement(quantity, settings, measured, bound, trials, verdict)
