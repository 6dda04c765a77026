"""Types of arrays, one name each."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]
"""Places in an array, by which it is indexed."""
Words = NDArray[np.uint64]
"""Bits, 64 to a word."""
Whole = NDArray[np.object_]
"""Python integers, of any size."""
