"""Gates of controls: what is broken on purpose, or too small, must miss what the honest one meets."""

from semipriv.ledger.findings import Measurement, Settings
from semipriv.statistics import Interval, Verdict

ROUNDING = 1e-9


def exceeding(
    quantity: str, settings: Settings, measured: float | Interval, bound: float, trials: int = 0
) -> Measurement:
    """Return the gate of a control, which must be above the bound; else it has no power, and nothing is concluded."""
    value = measured if isinstance(measured, Interval) else Interval.exact(measured)
    verdict = Verdict.HOLDS if value.low > bound * (1 + ROUNDING) else Verdict.INCONCLUSIVE
    return Measurement(quantity, settings | {"control": "yes"}, value, bound, trials, verdict)
