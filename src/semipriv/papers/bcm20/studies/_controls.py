"""Ways to run a cell: some are broken on purpose, or too small, and must miss what the honest one meets."""

from dataclasses import dataclass

from semipriv.queries.methods.pmw import PMW


@dataclass(frozen=True)
class Arm:
    """A way to run a cell: a method, and the factor by which there are fewer records.

    control: it must miss what the honest one meets.
    """

    name: str
    method: type[PMW] = PMW
    fewer: float = 1.0
    control: bool = True
