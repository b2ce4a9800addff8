"""A fitted law, whatever it is a law of, and how it was fitted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Generic, TypeVar

from epsilens.notebook import brief, facts_html

Model = TypeVar("Model", covariant=True)
GIVEN = "as given"
"""The method of a law that was not fitted."""


@dataclass(frozen=True)
class Fit(Generic[Model]):
    """A fitted model and how it was fitted."""

    model: Model
    method: str
    log_likelihood: float
    n_parameters: int
    n_cells: int
    on_boundary: bool = False
    message: str = ""
    """What the reader should know; on the boundary: which limit the data ask for."""
    distance: float | None = None
    """Total variation distance between the cells and the law, 0 the same and 1 disjoint; None where it is not known."""

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def aic(self) -> float:
        """2 parameters - 2 log-likelihood."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def parameters(self) -> dict[str, object]:
        """The model's parameters by name."""
        return asdict(self.model)  # type: ignore[call-overload,no-any-return]
