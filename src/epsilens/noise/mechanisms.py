"""The mechanisms: every way to turn a budget into noise, and every fact about it.

This is the only list of mechanisms, and through them of laws. A new one is a line here: its name, the norm in which it
takes the sensitivity, and a rule for every kind of budget that it honours. Everything else (which law it makes, whether
it has a delta, whether it can be released) follows from the noise that its rules make, since a law answers for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP, budget_words, count_sensitivity
from epsilens.checks import formerly, one_of, positive, probability
from epsilens.errors import ParameterError
from epsilens.noise.calibration import (
    analytic_gaussian_sigma,
    classic_gaussian_sigma,
    concentrated_sigma,
    probabilistic_gaussian_sigma,
)
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.discrete_laplace import DiscreteLaplaceNoise
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.law import Noise

_LARGEST = 1e300  # of an epsilon or a rho, and one over the smallest

_EXAMPLES: dict[type[Budget], Budget] = {
    PureDP: PureDP(0.5),
    ApproxDP: ApproxDP(0.5, 0.01),
    ProbabilisticDP: ProbabilisticDP(0.5, 0.01),
    ZCDP: ZCDP(0.5),
}


@dataclass(frozen=True)
class Mechanism:
    """A way to turn a budget into noise: the norm of its sensitivity, and one rule per kind of budget.

    The first rule is the one that a plain (epsilon, delta) is read for. ``takes`` says in words which budgets these
    are, with parameters in backticks.
    """

    name: str
    norm: Literal[1, 2]
    rules: dict[type[Budget], Callable[[Any, float], Noise]]  # each rule gets the kind of budget it is filed under
    takes: str
    below: float = math.inf  # its proof holds for epsilon below this
    in_print: bool = False  # whether the published comparison of disclosure avoidance systems has it

    @property
    def has_delta(self) -> bool:
        """Whether a plain budget of this mechanism is a pair (epsilon, delta)."""
        return next(iter(self.rules)) is not PureDP

    @property
    def has_rho(self) -> bool:
        """Whether it takes a rho."""
        return ZCDP in self.rules

    @cached_property
    def law(self) -> Noise:
        """A noise of the law that it makes, of some size: ask it what is true of the law at every size.

        Made by the rule for rho where there is one: it needs no solver, and so no library.
        """
        kind = ZCDP if self.has_rho else next(iter(self.rules))
        return self.rules[kind](_EXAMPLES[kind], 1.0)

    @property
    def is_plain(self) -> bool:
        """Whether it is called as its law; the others are further calibrations of the same law."""
        return self.name == self.law.name

    @property
    def can_be_released(self) -> bool:
        """Whether it is plain and a secure sampler draws its law."""
        return self.is_plain and self.law.secure_sampler is not None

    def budget(self, epsilon: float, delta: float | None = None) -> Budget:
        """The budget that ``epsilon`` and, where the mechanism has one, ``delta`` mean for this mechanism."""
        kind = next(iter(self.rules))
        if kind is PureDP:
            return PureDP(epsilon)
        if delta is None:
            raise ParameterError(
                f"mechanism {self.name!r} needs a `delta`", remedy="a common choice is below 1 / (number of people)"
            )
        return ProbabilisticDP(epsilon, delta) if kind is ProbabilisticDP else ApproxDP(epsilon, delta)

    def as_in_print(self, epsilon: float) -> Noise:
        """Its noise in the published comparison of systems, for neighbours by substitution.

        Laws that take epsilon alone have the l1 sensitivity 2, so that a Laplace law has scale 2 / epsilon. The others
        are calibrated to rho-zCDP with rho = epsilon / 10 and an l2 sensitivity of 2: sigma^2 = 20 / epsilon.

        Source: P2 Table 1.
        Departs from print (P2-2, P2-4): the text has variance 4 / epsilon^2, but the table's deltas belong to
        20 / epsilon; the l2 sensitivity is sqrt(2), so the exact delta is far below the claim.
        """
        if not self.has_delta:
            return self.rules[PureDP](PureDP(epsilon), 2.0)
        return self.law.of_size(math.sqrt(20.0 / positive("epsilon", epsilon)))


def _gaussian_probabilistic(budget: ProbabilisticDP, sensitivity: float) -> Noise:
    return GaussianNoise(probabilistic_gaussian_sigma(budget, sensitivity))


MECHANISMS: dict[str, Mechanism] = {
    mechanism.name: mechanism
    for mechanism in (
        Mechanism("laplace", 1, {PureDP: lambda b, s: LaplaceNoise(s / b.epsilon)}, "`epsilon`", in_print=True),
        Mechanism(
            "discrete-laplace",
            1,
            {PureDP: lambda b, s: DiscreteLaplaceNoise(s / b.epsilon)},
            "`epsilon`",
            in_print=True,
        ),
        Mechanism(
            "gaussian",
            2,
            {
                ApproxDP: lambda b, s: GaussianNoise(classic_gaussian_sigma(b, s)),
                ProbabilisticDP: _gaussian_probabilistic,
                ZCDP: lambda b, s: GaussianNoise(concentrated_sigma(b, s)),
            },
            "`epsilon` below 1 and `delta`, `epsilon` and `delta` of probabilistic DP, or `rho`",
            below=1.0,
            in_print=True,
        ),
        Mechanism(
            "gaussian-probabilistic",
            2,
            {ProbabilisticDP: _gaussian_probabilistic},
            "`epsilon` and `delta` of probabilistic DP",
        ),
        Mechanism(
            "gaussian-analytic",
            2,
            {ApproxDP: lambda b, s: GaussianNoise(analytic_gaussian_sigma(b, s))},
            "`epsilon` and `delta`",
        ),
        Mechanism(
            "discrete-gaussian",
            2,
            {
                ApproxDP: lambda b, s: DiscreteGaussianNoise(concentrated_sigma(ZCDP.within(b), s)),
                ZCDP: lambda b, s: DiscreteGaussianNoise(concentrated_sigma(b, s)),
            },
            "`rho`, or `epsilon` and `delta` by way of the largest rho within them",
            in_print=True,
        ),
    )
}


@formerly(rows_per_unit="max_rows_per_unit")
def calibrate(
    mechanism: str,
    budget: Budget,
    neighbours: str = "add-remove",
    sensitivity: float | None = None,
    max_rows_per_unit: int = 1,
) -> Noise:
    """The noise with which ``mechanism`` honours ``budget``.

    The sensitivity is that of a table of counts between ``neighbours`` in the mechanism's own norm, unless given.
    """
    chosen = MECHANISMS[one_of("mechanism", mechanism, MECHANISMS)]
    rule = chosen.rules.get(type(budget))
    if rule is None:
        raise refused_budget(chosen.name, chosen.takes, budget)
    if sensitivity is None:
        sensitivity = count_sensitivity(neighbours, chosen.norm, max_rows_per_unit)
    name, amount = next(iter(vars(budget).items()))  # epsilon or rho
    if not 1.0 / _LARGEST <= amount <= _LARGEST:
        raise ParameterError(
            f"must lie between {1.0 / _LARGEST:g} and {_LARGEST:g} to be spent on noise", parameter=name, got=amount
        )
    moved = positive("sensitivity", sensitivity)
    try:
        return rule(budget, moved)
    except ParameterError as error:
        if error.parameter != chosen.law.parameter:
            raise
        raise ParameterError(
            f"so small a budget needs noise wider than any number where the sensitivity is {moved:g}",
            remedy=f"take a larger `{name}`",
        ) from None


def refused_budget(mechanism: str, takes: str, budget: object) -> ParameterError:
    """The error of a budget that a mechanism does not take."""
    return ParameterError(f"`mechanism={mechanism}` takes {takes}, got {budget_words(budget)}")


def refuse_needless_delta(mechanisms: Iterable[str]) -> None:
    """Refuse a delta where none of ``mechanisms`` has one: it would be ignored."""
    names = list(mechanisms)
    if any(MECHANISMS[name].has_delta for name in names):
        return
    subject, verb = ("mechanism", "has") if len(names) == 1 else ("mechanisms", "have")
    raise ParameterError(
        f"{subject} {' and '.join(map(repr, names))} {verb} no delta: `epsilon` alone is the budget",
        remedy="leave `delta` out",
    )


def check_mechanisms(mechanisms: Sequence[str], deltas: Iterable[float] = ()) -> None:
    """Refuse names that no mechanism has, and deltas that are not probabilities or would be ignored."""
    if not mechanisms:
        raise ParameterError("name at least one mechanism")
    for mechanism in mechanisms:
        one_of("mechanism", mechanism, MECHANISMS)
    given = [probability("delta", delta) for delta in deltas]
    if given:
        refuse_needless_delta(mechanisms)


def laws() -> dict[str, Noise]:
    """Every law by its name, as :attr:`Mechanism.law` gives it."""
    return {mechanism.law.name: mechanism.law for mechanism in MECHANISMS.values()}


def law_named(name: str) -> Noise:
    """The law of that name; its ``of_size`` gives it with the size that is wanted."""
    plain = MECHANISMS.get(name)  # called as its law, which spares making all others
    if plain is not None and plain.is_plain:
        return plain.law
    known = laws()
    return known[one_of("law", name, known)]


def releasable() -> list[str]:
    """The mechanisms that can be released, those with noise in whole numbers first."""
    able = [mechanism for mechanism in MECHANISMS.values() if mechanism.can_be_released]
    return [mechanism.name for mechanism in sorted(able, key=lambda mechanism: not mechanism.law.integer_valued)]
