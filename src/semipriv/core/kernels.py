"""Compiled functions that load numba when one of them is first called: most jobs of the workflow call none."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import Any

__all__ = ["Kernel", "njit", "prange", "thread_count"]

prange = range
"""Stands for numba's ``prange`` in a kernel with ``parallel=True``, which gets that when it is compiled."""


class Kernel:
    """A function that is compiled by ``numba.njit(**options)`` at its first call, by Python or by another kernel."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func, self.options = function, options
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
        """Call the compiled function."""
        return self.compiled(*arguments)


def _type(kernel: Kernel, _: Any) -> Any:
    """Return the type that numba gives to a kernel which another one calls."""
    return import_module("numba.types").Dispatcher(kernel.compiled)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Return a decorator that does what ``numba.njit(**options)`` does, at the first call of the function."""
    return lambda function: Kernel(function, options)


def thread_count() -> int:
    """Return how many threads numba is given."""
    return int(import_module("numba").get_num_threads())
