"""What perturbation refuses, and in which words."""

import math

import refused

from semipriv.papers.bbd24.perturbation.calibration import (
    gaussian_scale,
    laplace_scale,
    least_count,
    least_perturbed_eta,
    least_regularised_eta,
    paper_gaussian_scale,
    paper_laplace_scale,
    rho_perturbed,
    rho_regularised,
)
from semipriv.papers.bbd24.perturbation.gaussian_weights import closed_scale, union_scale, width_scale
from semipriv.papers.bbd24.perturbation.sizes import Task, comparison

REFUSED = [
    (lambda: rho_regularised(0), "eta = 0: must be > 0"),
    (lambda: rho_perturbed(1, 0, 0.1), "count = 0: must be >= 1"),
    (lambda: rho_perturbed(1, 1, 1), "delta = 1"),
    (lambda: gaussian_scale(1, 0, 5, 0.1), "delta = 0"),
    (lambda: gaussian_scale(1, 0.1, 0, 0.1), "m = 0"),
    (lambda: laplace_scale(0, 5, 0.1), "epsilon = 0"),
    (lambda: laplace_scale(1e-320, 10**9, 2.0), "epsilon = 1e-320: the scale would exceed the float range"),
    (lambda: paper_laplace_scale(1e-320, 10**9, 2.0), "epsilon = 1e-320: the scale would exceed the float range"),
    (lambda: paper_gaussian_scale(1e-320, 1e-5, 9, 2.0), "epsilon = 1e-320: the scale would exceed the float range"),
    (lambda: Task(0.0, 1.0, 9.0, 1.0), "lipschitz = 0.0: must be > 0"),
    (lambda: Task(0.5, 1.0, 9.0, range=0.0), "range = 0.0: must be > 0"),
    (lambda: Task(0.5, 1.0, 9.0, 0.0), "spread = 0.0: must be > 0"),
    (lambda: Task(0.5, 1.0, 9.0, beta=1.0), "beta = 1.0"),
    (lambda: least_regularised_eta(-1), "rho = -1"),
    (lambda: least_perturbed_eta(0.1, 100, 1e-6), "count = 100: must be at least 16317 for rho = 0.1, whatever eta"),
    (lambda: least_count(0.1, 2.0, 1e-6), r"eta = 2.0: must be above 7\.97884\d+ for rho = 0.1"),
    (lambda: comparison(3, 24, math.sqrt(3), 0.05), r"points = 24: must be above 24\.5"),
]

NORMAL = [
    (lambda: union_scale(0, 1.0, 1e-5, 2), "^points = 0: must be >= 1"),
    (lambda: union_scale(2, 1.0, 1e-5, 0), "^patterns = 0: must be >= 1"),
    (
        lambda: union_scale(4095, 1.0, 1e-5, 2**4095),
        "^patterns = .*: delta / patterns is below the float range, use closed",
    ),
    (lambda: closed_scale(2, 0.0, 1e-5, 2), "^epsilon = 0.0"),
    (lambda: closed_scale(2, 1e-320, 1e-5, 2), "^epsilon = 1e-320: the scale would exceed the float range"),
    (lambda: width_scale(2, 1.0, 1.0, 1.0), "^delta = 1.0"),
    (lambda: width_scale(2, 1.0, 1e-5, -1.0), "^width = -1.0"),
]


@refused.each({"sizes": REFUSED, "normal weights": NORMAL})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
