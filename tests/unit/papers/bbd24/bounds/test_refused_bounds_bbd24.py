"""What bounds of BBD24 refuse besides what is no number."""

import refused

from semipriv.papers.bbd24.bounds import rrspm
from semipriv.papers.bbd24.bounds.hamming import LaplaceWeights, NormalWeights, hamming


def growth(m: int) -> int:
    return m + 1


REFUSED = [
    (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, 0.0), r"sigma = 0.0: must be in \(0, 1\]"),
    (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, -0.5), r"sigma = -0.5: must be in \(0, 1\]"),
    (lambda: rrspm.error_bound(10, 10, growth, 1.0, 0.1, 1.1), r"sigma = 1.1: must be in \(0, 1\]"),
    (lambda: rrspm.sizes(1.5, 0.05, growth, float), r"alpha = 1.5: must be in \(0, 1\)"),
    (lambda: rrspm.sizes(0.1, 0.05, lambda m: 2**m, float), r"^growth\(2097152\): is at least 2\^1048576"),
    (lambda: rrspm.disagreement(10**4, lambda m: float(m) ** 100, 0.05), r"^growth\(20000\): exceeds the float range"),
    (lambda: hamming(6, NormalWeights(1.0)), r"^points = 6: must be 2\^k - 1"),
    (lambda: hamming(2.5, NormalWeights(1.0)), "^points = 2.5: must be an integer"),
    (lambda: LaplaceWeights(0), "^scale = 0: must be > 0"),
]


@refused.each({"bounds": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
