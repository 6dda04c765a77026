"""Where sizes leave the range of floats."""

LEAST = 1e-100
"""Of alpha, beta and epsilon: below it sizes and their parts leave the range of floats."""


def not_tiny(name: str, value: float) -> None:
    """Raise ValueError for a value below a quarter of LEAST: theorem 10 asks for its parts at alpha/4 and beta/2."""
    if value < LEAST / 4:
        raise ValueError(f"{name} = {value!r}: must be >= {LEAST:g}, as sizes are too large for floats below")
