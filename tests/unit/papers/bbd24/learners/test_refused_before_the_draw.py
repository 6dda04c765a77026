"""A search that would list too much is refused before noise is drawn."""

import numpy as np
import pytest

from semipriv.classes.rectangles import Rectangles
from semipriv.papers.bbd24.learners.rrspm import RRSPM


def test_a_search_in_space_that_would_list_too_much_is_refused_before_the_draw() -> None:
    learner = RRSPM(50.0, weights="discrete_laplace", scale="teaching")
    prepared = learner.prepare(np.random.default_rng(0).random((6, 3)), Rectangles(3))
    learner.check_release(prepared, 20)
    with pytest.raises(ValueError, match=r"to list.*take fewer rows"):
        learner.check_release(prepared, 300)
