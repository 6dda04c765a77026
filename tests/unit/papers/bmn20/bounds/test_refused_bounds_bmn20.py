"""What bounds of BMN20 refuse besides what is no number."""

import refused

from semipriv.papers.bmn20.bounds import sizes as bmn20

REFUSED = [
    (lambda: bmn20.hypotheses(3, 2, k=3), r"k = 3: must be in 0\.\.2"),
    (lambda: bmn20.hypotheses(1, 2, k=1), r"k = 1: must be in 0\.\.0"),
    (lambda: bmn20.halfspaces(3, 2, "half"), "mode.*facet"),
    (lambda: bmn20.hypotheses(-1, 2), "m = -1: must be >= 0"),
    (lambda: bmn20.excess_tail(1.0, 0, 0.1), "epsilon = 0: must be > 0"),
    (lambda: bmn20.excess_tail(1.0, 1, 1), r"beta = 1: must be in \(0, 1\)"),
]


@refused.each({"bounds": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
