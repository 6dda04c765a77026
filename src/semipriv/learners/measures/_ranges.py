"""The range of E[h(x)] over the hypotheses of the line that label given points alike, in closed form."""

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.core.functions import Parameters
from semipriv.distributions.marginals.base import Marginal
from semipriv.geometry.shapes import Rays
from semipriv.queries.cells import runs

Floats = NDArray[np.float64]


def ranges(functions: HypothesisClass, parameters: Parameters, anchors: Floats, law: Marginal) -> tuple[Floats, Floats]:
    """Return inf and sup of E[h(x)] over the hypotheses that label the anchors as each of (k, p) does: (k,), (k,).

    anchors: u_1 < ... < u_m.  functions: rays of one direction, or intervals, with exact ends that may be any numbers.
    With u_0 = -infinity and u_{m+1} = infinity, hypotheses that are 1 on u_i, ..., u_j alone have

        rays up:    P[x >= u_i] <= E[h] <= P[x > u_{i-1}],   j = m,
        rays down:  P[x <= u_j] <= E[h] <= P[x < u_{j+1}],   i = 1,
        intervals:  P[u_i <= x <= u_j] <= E[h] <= P[u_{i-1} < x < u_{j+1}],

    and intervals without an anchor 0 <= E[h] <= max_i P[u_i < x < u_{i+1}].  Each end is attained or a limit.
    """
    shape = functions.ones(parameters)
    assert shape is not None, f"{functions!r}: a class with exact ends has shapes"
    start, stop = runs(shape, anchors)
    u = np.concatenate([[-np.inf], anchors, [np.inf]])
    below, up_to = law.cdf_left(u), law.cdf(u)  # P[x < u_i], P[x <= u_i], i = 0, ..., m + 1
    below[0] = up_to[0] = 0.0
    below[-1] = up_to[-1] = 1.0
    if isinstance(shape, Rays):
        upper = bool(shape.upper[0])
        assert np.all(shape.upper == upper), f"{functions!r}: rays of both directions"
        first = np.where(start < stop, start, len(anchors))  # a ray up without an anchor begins after the last
        if upper:
            return 1 - below[first + 1], 1 - up_to[first]
        return up_to[stop], below[stop + 1]
    some = start < stop
    low = np.where(some, up_to[stop] - below[start + 1], 0.0)
    high = np.where(some, below[stop + 1] - up_to[start], (below[1:] - up_to[:-1]).max())
    return np.maximum(low, 0.0), high
