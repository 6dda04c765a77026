"""What bounds of BCM20 refuse besides what is no number."""

from fractions import Fraction

import refused

from semipriv.papers.bcm20.bounds import domains, steps
from semipriv.papers.bcm20.bounds import sizes as bcm20

REFUSED = [
    (lambda: bcm20.cover_points_class(1.5, 0.1, 1), r"alpha = 1\.5: must be in \(0, 1\)"),
    (lambda: bcm20.cover_points_union(0.1, 0.0), r"beta = 0\.0: must be in \(0, 1\)"),
    (lambda: bcm20.pmw_records(0.1, 0.1, 0.0, 1.0), "log_cells = 0.0: must be > 0"),
    (lambda: bcm20.pmw_records(0.1, 0.1, 1.0, 1.0, delta=0.0), r"delta = 0.0: must be in \(0, 1\)"),
    (lambda: bcm20.log_queries_bound(2, 3), "m = 2: must be >= 3"),
    (lambda: domains.largest_shattered([1, 0]), r"labels: must be \(M, K\)"),
    (lambda: steps.remark_size(Fraction(2), 1), r"alpha = .*: must be in \(0, 1\)"),
]


@refused.each({"bounds": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
