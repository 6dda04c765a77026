"""Private query release on a fixed grid that does not depend on data; public points are a prior, or are not used."""

from typing import ClassVar

from semipriv.core.fields import real, size, value
from semipriv.core.roles import Role
from semipriv.learners._answering import AnsweringByMethod, as_method
from semipriv.learners.stages.grid_domain import GridDomain

__all__ = ["GridQueryRelease"]


@value
class GridQueryRelease(AnsweringByMethod):
    """A_PAP with the points of a fixed grid instead of public ones, ``size`` in each feature from low to high.

    It answers well if the distribution is spread over the grid, and knows nothing of what lies between two grid points.
    Most methods do not use public points at all: then it is the baseline without them.  ``public_prior_tree`` takes
    their shares of the cells as a prior; so no answer is limited by how few they are.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: 0 or more; some methods need delta > 0.
        method: a method of query release, its name or a mapping with its parameters.
        scale: 'pm1' (means of -1 and 1) or '01' (shares).
        low: least point of each feature.
        high: greatest point of each feature, > low.
        size: points in each feature.

    Raises:
        ValueError: for high <= low, and for a budget that the method refuses.
    """

    hue: ClassVar[str] = "green"

    low: float = real(default=0.0)
    high: float = real(default=1.0)
    size: int = size(default=1024)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")
        super().__attrs_post_init__()

    @classmethod
    def examples(cls) -> tuple["GridQueryRelease", ...]:
        """Return one with three points in each feature."""
        prior = cls(0.5, 0.0, as_method("method", "public_prior_tree"), "01", size=5)
        return cls(0.7, 1e-6, as_method("method", "gaussian"), low=0.0, high=3.0, size=3), prior

    @property
    def role(self) -> Role:
        """No public data, unless the method reads them."""
        return Role.VARIANT if self.method.reads_public else Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """The name: what makes the cells."""
        return f"fixed grid, {self.method.short_title}"

    @property
    def public_stage(self) -> GridDomain:
        """The cells of the grid, with the public points in each if the method reads them."""
        return GridDomain(self.low, self.high, self.size, self.method.reads_public)
