"""What outputs share that answer queries."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.privacy.guarantee import Output

SCALES = ("pm1", "01")
"""Scales of answers: means of h with values -1 and 1, as in BCM20, or shares of the population with h = 1."""


def shown(shares: Floats, scale: str) -> Floats:
    """Return shares in a scale: as they are, or 2 share - 1."""
    return 2 * shares - 1 if scale == "pm1" else shares


class QueryOutput(Output):
    """A data structure that answers every query of a class: G: H -> [-1, 1] (BCM20 definition 5)."""

    @property
    @abstractmethod
    def functions(self) -> HypothesisClass:
        """The class."""

    @property
    @abstractmethod
    def scale(self) -> str:
        """The scale of the answers, 'pm1' or '01'; errors in pm1 are twice those in 01."""

    @property
    @abstractmethod
    def anchors(self) -> Points:
        """Sorted distinct points (m, d): hypotheses that label them alike have the same answer."""

    @abstractmethod
    def cover_shares(self) -> tuple[Parameters, Floats]:
        """Return one hypothesis (M, p) for each dichotomy of the anchors, and its answer as a share (M,)."""

    @abstractmethod
    def shares_of(self, parameters: Parameters) -> Floats:
        """Return the answers to hypotheses of the class, (q, p) -> (q,), as shares."""

    def description(self) -> dict[str, Any]:
        """Return class and scale."""
        return {"functions": self.functions.specification(), "scale": self.scale}

    def answer(self, queries: ArrayLike | Hypothesis | Sequence[Hypothesis]) -> Floats:
        """Return the answers to hypotheses of the class, given as such or by their parameters (q, p): (q,).

        Raise ValueError for hypotheses of another class, and for parameters of another shape or that are not numbers.
        """
        return shown(self.shares_of(self._parameters(queries)), self.scale)

    def _parameters(self, queries: ArrayLike | Hypothesis | Sequence[Hypothesis]) -> Parameters:
        asked = [queries] if isinstance(queries, Hypothesis) else queries
        if isinstance(asked, (list, tuple)) and any(isinstance(query, Hypothesis) for query in asked):
            for i, query in enumerate(asked):
                functions = query.functions if isinstance(query, Hypothesis) else type(query).__name__
                if functions != self.functions:
                    raise ValueError(f"queries: number {i} is of {functions!r}, answers are of {self.functions!r}")
            asked = [query.parameters for query in asked]
        parameters = np.asarray(asked, np.float64)
        width = self.functions.width
        if parameters.ndim == 1 and width == 1:
            parameters = parameters[:, None]
        if parameters.ndim != 2 or parameters.shape[1] != width:
            raise ValueError(f"queries: must have shape (q, {width}) for {self.functions!r}, got {parameters.shape}")
        if np.isnan(parameters).any():
            row = int(np.argmax(np.isnan(parameters).any(axis=1)))
            raise ValueError(f"queries: row {row} = {parameters[row].tolist()}: must be numbers")
        self.functions.check_parameters(parameters, "queries")
        return parameters
