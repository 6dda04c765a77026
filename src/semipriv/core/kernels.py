"""Compiled functions that load numba when one of them is first called: most jobs of the workflow call none.

Loading numba takes longer than all that many a job has to count.  So a kernel may have a stand-in, which returns the
same without numba, and which is called instead until all stand-ins together have taken about as long as loading does.
"""

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

__all__ = ["Kernel", "njit", "prange", "thread_count"]

LOADING = 0.25
"""Seconds in which numba is loaded, and finds its first compiled function."""
INTERPRETED = 500e-9
"""Seconds that Python takes for an element of the arrays that a kernel gets, if it carries out the kernel itself."""

prange = range
"""Stands for numba's ``prange`` in a kernel with ``parallel=True``, which gets that when it is compiled."""


class Kernel:
    """A function that is compiled by ``numba.njit(**options)`` at its first call, by Python or by another kernel.

    stand_in: returns the same values as the function without numba, None if nothing does.  seconds: that it takes for
    an element of the arrays it gets.
    """

    spent: ClassVar[float] = 0.0
    """Seconds that stand-ins took in this process, about."""

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        stand_in: Callable[..., Any] | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.py_func, self.options, self.stand_in, self.seconds = function, options, stand_in, seconds
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of the function."""
        numba = import_module("numba")
        import_module("numba.extending").typeof_impl.register(Kernel)(_type)
        if self.options.get("parallel"):
            self.py_func.__globals__["prange"] = numba.prange
        return numba.njit(**self.options)(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function, or its stand-in while that is cheaper than loading numba."""
        if self.stand_in is not None and "numba" not in sys.modules:
            cost = self.seconds * sum(argument.size for argument in arguments if isinstance(argument, np.ndarray))
            if Kernel.spent + cost <= LOADING:
                Kernel.spent += cost
                return self.stand_in(*arguments)
        return self.compiled(*arguments)


def _type(kernel: Kernel, _: Any) -> Any:
    """Return the type that numba gives to a kernel which another one calls."""
    return import_module("numba.types").Dispatcher(kernel.compiled)


def njit(
    *,
    stand_in: Callable[..., Any] | None = None,
    seconds: float = INTERPRETED,
    interpreted: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Any]], Kernel]:
    """Return a decorator that does what ``numba.njit(**options)`` does, at the first call of the function.

    stand_in, seconds: as ``Kernel`` has them.  interpreted: whether the function itself is its stand-in, carried out by
    Python: for functions whose values do not depend on who carries them out, with sums of floats in one order, integers
    that stay within 64 bits, and no exponentials or logarithms.
    """

    def decorator(function: Callable[..., Any]) -> Kernel:
        return Kernel(function, options, _unboxed(function) if interpreted else stand_in, seconds)

    return decorator


def _unboxed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns Python's numbers where the given one returns NumPy's, as compiled ones do."""

    def unboxed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(unboxed, value))
        return value.item() if isinstance(value, np.generic) else value

    return lambda *arguments: unboxed(function(*arguments))


def thread_count() -> int:
    """Return how many threads numba is given."""
    return int(import_module("numba").get_num_threads())
