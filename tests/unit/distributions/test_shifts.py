"""Where the regions of shifts lie: about their centre, at the border if the centre is too near to it."""

import numpy as np
import pytest

from semipriv.distributions.shifts.mixture import Mixture
from semipriv.distributions.shifts.region import Region

PLACES = [(0.0, 0.0), (0.05, 0.0), (0.5, 0.4), (0.85, 0.75), (0.95, 0.8), (1.0, 0.8)]


@pytest.mark.parametrize(("centre", "start"), PLACES)
def test_a_region_has_its_width_and_is_as_central_as_can_be(centre: float, start: float) -> None:
    """Width 0.2 for both; inside it the density is 1 / sigma, outside it is less."""
    for shift in (Region(0.2, centre), Mixture(0.4, centre, share=0.5)):
        inside, outside = np.linspace(start, start + 0.2, 5), [0.0, start, start + 0.2, 1.0]
        np.testing.assert_allclose(np.diff(shift.distribution(inside)), 0.05 / shift.sigma, rtol=1e-12)
        parts = np.diff(shift.distribution(outside))
        np.testing.assert_allclose(parts.sum(), 1.0)
        widths = np.diff(outside)
        assert np.all(parts[[0, 2]] <= widths[[0, 2]] * (1 + 1e-12))
