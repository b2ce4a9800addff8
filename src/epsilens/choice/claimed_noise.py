"""What somebody claims of the noise in a published table: mechanism, budget, and what became of the noisy counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.checks import one_of, positive
from epsilens.errors import EpsilensError, ParameterError
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.mechanisms import refuse_needless_delta

_SMALLEST, _LARGEST = 1e-12, 1e12  # of an epsilon or a rho that is looked for


@dataclass(frozen=True)
class Claim:
    """The mechanism and the budget that are claimed, and what is said to have been done to the noisy counts."""

    mechanism: str
    budget: Budget
    neighbours: str = "add-remove"
    max_rows_per_unit: int = 1
    rounded: bool | None = None
    """Whether noisy counts were rounded; None: as they look."""
    clipped: bool | None = None
    """Whether negative ones became 0; None: as they look."""
    threshold: int | None = None
    """Counts below it are not shown, nor are cells that nobody is in."""
    size: float | None = None
    """The size of the noise where that is stated, as on a card; otherwise it follows from the budget."""
    untestable: str | None = None
    """Why no law of noise is left to test, if so."""

    def __post_init__(self) -> None:
        one_of("claimed", self.mechanism, MECHANISMS)
        if self.size is not None:
            positive("size", self.size)
        if self.rounded and self.noise.integer_valued:
            raise ParameterError("is moot: the claimed noise is whole-numbered already", parameter="rounded")

    @staticmethod
    def of(
        mechanism: str | None,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        **further: Any,
    ) -> Claim | None:
        """From plain values; None where nothing is claimed."""
        if mechanism is None:
            for name, value in {"epsilon": epsilon, "delta": delta, "rho": rho, **further}.items():
                if value is not None:
                    raise ParameterError(
                        "belongs to a claim",
                        parameter=name,
                        remedy="name the mechanism with `claimed`, or leave it out",
                    )
            return None
        known = MECHANISMS[one_of("claimed", mechanism, MECHANISMS)]
        if rho is not None:
            if epsilon is not None or delta is not None:
                raise ParameterError("a budget is `epsilon` (with `delta`) or `rho`, not both")
            if not known.has_rho:
                raise ParameterError(f"the mechanism {mechanism!r} takes {known.takes}, not `rho`")
            return Claim(mechanism, ZCDP(rho), **further)
        if epsilon is None:
            other = " or `rho`" if known.has_rho else ""
            raise ParameterError(
                f"needs the budget that is claimed: `epsilon`{other}", parameter="claimed", got=mechanism
            )
        if delta is not None:
            refuse_needless_delta([mechanism])
        return Claim(mechanism, known.budget(epsilon, delta), **further)

    @property
    def noise(self) -> Noise:
        """The noise that is claimed."""
        noise = self._noise(self.budget)
        return noise if self.size is None else noise.of_size(self.size)

    def _noise(self, budget: Budget) -> Noise:
        return calibrate(self.mechanism, budget, self.neighbours, max_rows_per_unit=self.max_rows_per_unit)

    def budget_of(self, size: float) -> float | None:
        """The epsilon (or rho) that noise of this size costs, with the claimed delta; None where it costs none.

        Noise shrinks as the budget grows, so the budget is found by bisection. None also where it would be larger than
        any that the mechanism's proof covers.
        """
        if math.isinf(size):
            return 0.0
        if size <= 0:
            return None
        low, high = math.log(_SMALLEST), math.log(min(_LARGEST, self._most))
        try:
            if self._size_at(low) < size or self._size_at(high) > size:
                return None
            while high - low > 1e-12 * max(1.0, abs(high)):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self._size_at(middle) > size else (low, middle)
        except EpsilensError:
            return None
        return math.exp(high)

    @property
    def _most(self) -> float:
        below = MECHANISMS[self.mechanism].below
        classic = isinstance(self.budget, ApproxDP) and math.isfinite(below)
        return below * (1.0 - 1e-12) if classic else _LARGEST

    def _size_at(self, log_amount: float) -> float:
        amount, budget = math.exp(log_amount), self.budget
        if isinstance(budget, ZCDP):
            return self._noise(ZCDP(amount)).size
        if isinstance(budget, ApproxDP | ProbabilisticDP):
            return self._noise(replace(budget, epsilon=amount)).size
        return self._noise(PureDP(amount)).size

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        noise = self.noise
        return {
            "mechanism": self.mechanism,
            **vars(self.budget),
            "neighbours": self.neighbours,
            "law": noise.name,
            noise.parameter: noise.size,
        }
