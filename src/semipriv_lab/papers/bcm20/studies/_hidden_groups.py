"""A distribution of tables of categories: hidden groups of records, columns independent within a group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Floats
from semipriv.queries.schema import Codes


@dataclass(frozen=True, eq=False)
class HiddenGroups:
    """Records of G groups.  shares: (G,), of the groups; other: (G,), shares of another population of the same groups.

    columns: of each column the cumulative shares of its K values in each group, (G, K).
    """

    shares: Floats
    other: Floats
    columns: tuple[Floats, ...]

    @classmethod
    def drawn(cls, sizes: Sequence[int], groups: int, generator: np.random.Generator) -> "HiddenGroups":
        """Draw a distribution: both shares from Dirichlet(1), each column of each group from Dirichlet(1/2)."""
        shares, other = generator.dirichlet(np.ones(groups), size=2)
        columns = [generator.dirichlet(np.full(size, 0.5), size=groups).cumsum(axis=1) for size in sizes]
        return cls(shares, other, tuple(columns))

    def sample(self, n: int, bias: float, generator: np.random.Generator) -> Codes:
        """Draw n records (n, c), as places of values; groups have the shares (1 - bias) shares + bias other."""
        group = generator.choice(len(self.shares), n, p=(1 - bias) * self.shares + bias * self.other)
        columns = [(generator.random((n, 1)) > column[group, :-1]).sum(axis=1) for column in self.columns]
        return np.array(columns, np.int64).T
