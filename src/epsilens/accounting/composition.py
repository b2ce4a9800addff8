"""What several releases cost together, by every rule side by side.

All rules here are *upper bounds* on the same true cost; the smallest valid one may be quoted. They need promises about
the same people and the same neighbours, which is checked. dp-accounting takes a second to import, so it is imported
only where a privacy loss distribution is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from epsilens.budget import NEIGHBOURS, ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.checks import one_of, probability
from epsilens.errors import ParameterError
from epsilens.notebook import brief, rows_html

CompositionRule: TypeAlias = Literal["basic", "advanced", "optimal-bound", "zcdp", "pld"]
COMPOSITION_RULES: tuple[CompositionRule, ...] = get_args(CompositionRule)

_LOSS_OF = {"laplace": PureDP, "discrete-laplace": PureDP, "gaussian": ZCDP, "discrete-gaussian": ZCDP}
_LARGEST_LOSS = 300.0  # e^loss must stay a number
_MOST_STEPS = 1_000_000  # of a discretised privacy loss distribution
_WIDEST_TABLED = 100_000.0  # standard deviation up to which a discrete Gaussian law is listed value by value


@dataclass(frozen=True)
class ComposedBudget:
    """The total by one rule; what a rule cannot state is None and ``note`` says why."""

    rule: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    note: str


@dataclass(frozen=True)
class Composition:
    """The total cost of a list of releases."""

    budgets: tuple[Budget, ...]
    neighbours: str
    rows: tuple[ComposedBudget, ...]
    delta: float | None = None
    """The delta that was asked for."""

    __repr__ = brief

    def _repr_html_(self) -> str:
        return rows_html("What the releases cost together", self.to_rows())

    def __getitem__(self, rule: str) -> ComposedBudget:
        """The row of one rule."""
        names = [row.rule for row in self.rows]
        return self.rows[names.index(one_of("rule", rule, names))]

    @property
    def best(self) -> ComposedBudget | None:
        """The row with the smallest epsilon among those at the requested delta or below; None where none states one."""
        allowed = math.inf if self.delta is None else self.delta
        stated = [row for row in self.rows if row.epsilon is not None and (row.delta or 0.0) <= allowed]
        return min(stated, key=lambda row: row.epsilon or 0.0) if stated else None

    def budget(self, rule: str) -> Budget:
        """The total by ``rule`` as one budget, of the releases' own kind where the rule keeps it."""
        row = self[rule]
        kinds = {type(budget) for budget in self.budgets}
        if row.rho is not None and kinds == {ZCDP}:
            return ZCDP(row.rho)
        if row.epsilon is None or row.delta is None:
            raise ParameterError(f"rule {rule!r} gives no epsilon here: {row.note}")
        if row.delta == 0:
            return PureDP(row.epsilon)
        if rule == "basic" and kinds == {ProbabilisticDP}:
            return ProbabilisticDP(row.epsilon, row.delta)
        return ApproxDP(row.epsilon, row.delta)

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per rule."""
        return [vars(row) | {"neighbours": self.neighbours} for row in self.rows]


def compose(
    budgets: Sequence[Budget],
    delta: float | None = None,
    neighbours: str | Sequence[str] = "add-remove",
    mechanisms: Sequence[str | None] | None = None,
    rules: Sequence[str] = COMPOSITION_RULES,
) -> Composition:
    """The total (epsilon, delta) of releases about the same people, by each rule.

    With (epsilon_i, delta_i) the releases' budgets and delta' the slack left by the total ``delta``:

    * basic: (sum epsilon_i, sum delta_i);
    * advanced: sum epsilon_i (e^epsilon_i - 1) + sqrt(2 log(1 / delta') sum epsilon_i^2) at sum delta_i + delta'
      (Dwork, Rothblum and Vadhan 2010), or the basic total where that is smaller;
    * optimal-bound: the smallest of the three bounds of Kairouz, Oh and Viswanath (2015, Theorem 3.5) at
      1 - (1 - delta') prod (1 - delta_i);
    * zcdp: rho = sum rho_i + sum epsilon_i^2 / 2, conditional on none of the events of probability delta_i, converted
      at the delta that remains (Bun and Steinke 2016);
    * pld: numerically composed privacy loss distributions (dp-accounting, rounded to the safe side), of the worst
      mechanism with each budget, or of the mechanism named in ``mechanisms`` ("laplace", "discrete-laplace" for PureDP;
      "gaussian", "discrete-gaussian" for ZCDP; one row per person).

    Source: P0 section 4.3.
    Assumes that every release concerns the same people; later ones may depend on earlier ones only through the data
    and what was published; the budgets themselves were fixed beforehand.
    ``neighbours`` is one definition for all or one per release; different ones cannot be composed. ``rules`` picks the
    rows; all but "pld" are immediate.
    """
    chosen = _checked(budgets)
    if not chosen:
        raise ParameterError("composition needs at least one budget, got an empty list")
    common = _common_neighbours(neighbours, len(chosen))
    if delta is not None:
        probability("delta", delta)
    parts = _Parts.of(chosen, delta)
    row_of: dict[str, Callable[[], ComposedBudget]] = {
        "basic": lambda: _basic(parts),
        "advanced": lambda: _advanced(parts),
        "optimal-bound": lambda: _optimal_bound(parts),
        "zcdp": lambda: _zcdp(parts),
        "pld": lambda: _pld(parts, chosen, common, mechanisms),
    }
    rows = tuple(row_of[one_of("rule", rule, COMPOSITION_RULES)]() for rule in rules)
    return Composition(chosen, common, rows, delta)


def compose_parallel(
    groups: Sequence[Sequence[Budget]],
    delta: float | None = None,
    neighbours: str | Sequence[str] = "add-remove",
    mechanisms: Sequence[Sequence[str | None]] | None = None,
) -> Composition:
    """The total of releases about disjoint groups of people: by each rule, that of the costliest group.

    epsilon = max over groups of the group's composed epsilon, delta and rho likewise. ``neighbours`` is one definition
    for all or one per group, ``mechanisms`` one list per group, as in :func:`compose`.

    Source: P0 section 4.3.
    Assumes that nobody is in two groups; a person's group is public; if a substituted record could move to
    another group, two groups would change at once and their costs would add up.
    """
    if not groups:
        raise ParameterError("parallel composition needs at least one group of budgets, got an empty list")
    common = _common_neighbours(neighbours, len(groups))
    named: Sequence[Sequence[str | None] | None] = [None] * len(groups) if mechanisms is None else mechanisms
    if len(named) != len(groups):
        raise ParameterError(f"mechanisms must be one list per group ({len(groups)}), got {len(named)}")
    each = [compose(group, delta, common, names) for group, names in zip(groups, named, strict=True)]
    rows = []
    for rule in COMPOSITION_RULES:
        same = [composition[rule] for composition in each]
        rows.append(
            ComposedBudget(
                rule,
                _largest([row.epsilon for row in same]),
                _largest([row.delta for row in same]),
                _largest([row.rho for row in same]),
                "; ".join(dict.fromkeys(["costliest of the groups", *(row.note for row in same)])),
            )
        )
    return Composition(tuple(budget for group in groups for budget in group), common, tuple(rows), delta)


@dataclass(frozen=True)
class _Parts:
    """The releases, sorted by what they promise."""

    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]
    rho: float
    delta: float | None
    mixed: str

    @staticmethod
    def of(budgets: tuple[Budget, ...], delta: float | None) -> _Parts:
        plain = [b for b in budgets if not isinstance(b, ZCDP)]
        kinds = list(dict.fromkeys(type(b).__name__ for b in budgets))
        return _Parts(
            tuple(b.epsilon for b in plain),
            tuple(0.0 if isinstance(b, PureDP) else b.delta for b in plain),
            math.fsum(b.rho for b in budgets if isinstance(b, ZCDP)),
            delta,
            f"mixes {' and '.join(kinds)}; " if len(kinds) > 1 else "",
        )

    @property
    def spent(self) -> float:
        """1 - prod (1 - delta_i)."""
        return -math.expm1(math.fsum(math.log1p(-d) for d in self.deltas))

    def slack(self, taken: float) -> float | None:
        """What the requested delta leaves once ``taken`` is gone; None without a delta or without a rest."""
        return None if self.delta is None or self.delta <= taken else self.delta - taken

    def refusal(self, taken: float) -> str:
        return (
            "needs delta=..."
            if self.delta is None
            else f"needs delta > {taken:g}, what the releases' own deltas add to"
        )


def _basic(parts: _Parts) -> ComposedBudget:
    epsilon, taken = math.fsum(parts.epsilons), math.fsum(parts.deltas)
    if parts.rho == 0:
        return ComposedBudget("basic", epsilon, min(taken, 1.0), None, f"{parts.mixed}sums")
    rho = None if parts.epsilons else parts.rho
    slack = parts.slack(taken)
    if slack is None:
        return ComposedBudget("basic", None, None, rho, f"{parts.mixed}converting zCDP {parts.refusal(taken)}")
    note = f"{parts.mixed}zCDP releases composed, converted at delta {slack:.3g}, then sums"
    return ComposedBudget("basic", epsilon + ZCDP(parts.rho).epsilon(slack), parts.delta, rho, note)


def _with_converted(parts: _Parts, slack: float) -> tuple[list[float], list[float], float, str]:
    """Epsilons and deltas with the zCDP releases as one more entry, which takes half of the slack."""
    if parts.rho == 0:
        return list(parts.epsilons), list(parts.deltas), slack, parts.mixed
    half = 0.5 * slack
    note = f"{parts.mixed}zCDP releases composed and converted at delta {half:.3g}; "
    return [*parts.epsilons, ZCDP(parts.rho).epsilon(half)], [*parts.deltas, half], half, note


def _advanced(parts: _Parts) -> ComposedBudget:
    taken = math.fsum(parts.deltas)
    slack = parts.slack(taken)
    if slack is None:
        return ComposedBudget("advanced", None, None, None, parts.mixed + parts.refusal(taken))
    epsilons, _, slack, note = _with_converted(parts, slack)
    drift = math.fsum(epsilon * _expm1(epsilon) for epsilon in epsilons)
    total = drift + math.sqrt(2.0 * math.log(1.0 / slack) * math.fsum(epsilon**2 for epsilon in epsilons))
    simple = math.fsum(epsilons)
    note += "Dwork-Rothblum-Vadhan" if total < simple else "the basic total is smaller"
    return ComposedBudget("advanced", min(total, simple), parts.delta, None, note)


def _optimal_bound(parts: _Parts) -> ComposedBudget:
    taken = parts.spent
    slack = None if parts.slack(taken) is None or parts.delta is None else (parts.delta - taken) / (1.0 - taken)
    if slack is None:
        return ComposedBudget("optimal-bound", None, None, None, parts.mixed + parts.refusal(taken))
    epsilons, _, _, note = _with_converted(parts, slack)
    if parts.rho > 0:  # the converted entry's delta multiplies in like any other
        slack = 1.0 - (1.0 - slack) / (1.0 - 0.5 * slack)
    squares = math.fsum(epsilon**2 for epsilon in epsilons)
    drift = math.fsum(epsilon * math.tanh(0.5 * epsilon) for epsilon in epsilons)
    bounds = (
        math.fsum(epsilons),
        drift + math.sqrt(2.0 * squares * math.log(math.e + math.sqrt(squares) / slack)),
        drift + math.sqrt(2.0 * squares * math.log(1.0 / slack)),
    )
    return ComposedBudget("optimal-bound", min(bounds), parts.delta, None, f"{note}Kairouz-Oh-Viswanath, Theorem 3.5")


def _zcdp(parts: _Parts) -> ComposedBudget:
    rho = math.fsum([parts.rho, *(0.5 * epsilon**2 for epsilon in parts.epsilons)])
    taken = parts.spent
    note = f"{parts.mixed}epsilon-DP counts as rho = epsilon^2 / 2" if parts.epsilons else "rhos add up"
    if parts.slack(taken) is None or parts.delta is None:
        stated = rho if taken == 0 else None  # with deltas of its own the composition is not plain zCDP
        return ComposedBudget("zcdp", None, None, stated, f"{note}; an epsilon {parts.refusal(taken)}")
    remaining = (parts.delta - taken) / (1.0 - taken)
    return ComposedBudget("zcdp", ZCDP(rho).epsilon(remaining), parts.delta, rho if taken == 0 else None, note)


def _pld(
    parts: _Parts, budgets: tuple[Budget, ...], neighbours: str, mechanisms: Sequence[str | None] | None
) -> ComposedBudget:
    names: list[str | None] = [None] * len(budgets) if mechanisms is None else list(mechanisms)
    if len(names) != len(budgets):
        raise ParameterError(f"mechanisms must name one per budget ({len(budgets)}), got {len(names)}")
    for name, budget in zip(names, budgets, strict=True):
        if name is not None and _LOSS_OF[one_of("mechanism", name, _LOSS_OF)] is not type(budget):
            raise ParameterError(
                f"the privacy loss of {name!r} is known for {_LOSS_OF[name].__name__}, got {type(budget).__name__}"
            )
    taken = parts.spent
    if parts.slack(taken) is None or parts.delta is None:
        return ComposedBudget("pld", None, None, None, parts.mixed + parts.refusal(taken))
    if any(name is None and isinstance(budget, ZCDP) for name, budget in zip(names, budgets, strict=True)):
        note = "zCDP alone determines no privacy loss distribution; name the mechanisms"
        return ComposedBudget("pld", None, None, None, parts.mixed + note)
    sizes = [math.sqrt(2.0 * b.rho) if isinstance(b, ZCDP) else b.epsilon for b in budgets]
    if max(sizes) > _LARGEST_LOSS:
        note = f"privacy losses above {_LARGEST_LOSS:g} are out of its range"
        return ComposedBudget("pld", None, None, None, parts.mixed + note)
    if any(
        name == "discrete-gaussian" and size * _WIDEST_TABLED < 1.0 for name, size in zip(names, sizes, strict=True)
    ):
        note = f"discrete Gaussian noise wider than {_WIDEST_TABLED:g} is out of its range"
        return ComposedBudget("pld", None, None, None, parts.mixed + note)
    step = max(min(1e-4, min(sizes) / 1000.0), math.fsum(sizes) / _MOST_STEPS)
    total = None
    for budget, name in zip(budgets, names, strict=True):
        one = _loss_distribution(budget, name, neighbours, step)
        total = one if total is None else total.compose(one)
    assert total is not None
    epsilon = float(total.get_epsilon_for_delta(parts.delta))
    if not math.isfinite(epsilon):
        return ComposedBudget("pld", None, None, None, "the truncated distribution reaches no epsilon at this delta")
    source = "mechanisms as named" if any(names) else "worst mechanism per budget"
    return ComposedBudget("pld", epsilon, parts.delta, None, f"{parts.mixed}{source}, step {step:.2g}, safe side")


def _loss_distribution(budget: Budget, mechanism: str | None, neighbours: str, step: float) -> Any:
    """The privacy loss distribution of one release; under substitution two counts move by one each."""
    from dp_accounting.pld import common, privacy_loss_distribution  # lazy: a second to import

    twice = 2 if neighbours == "substitute" else 1
    grid = {"value_discretization_interval": step}
    if isinstance(budget, ZCDP):
        sigma = 1.0 / math.sqrt(2.0 * budget.rho)
        if mechanism == "gaussian":  # rotation turns both counts into one, whatever the neighbours
            return privacy_loss_distribution.from_gaussian_mechanism(sigma, sensitivity=1.0, **grid)
        one = privacy_loss_distribution.from_discrete_gaussian_mechanism(sigma * math.sqrt(twice), 1, **grid)
    elif mechanism == "laplace":
        one = privacy_loss_distribution.from_laplace_mechanism(twice / budget.epsilon, sensitivity=1.0, **grid)
    elif mechanism == "discrete-laplace":
        one = privacy_loss_distribution.from_discrete_laplace_mechanism(budget.epsilon / twice, 1, **grid)
    else:
        delta = 0.0 if isinstance(budget, PureDP) else budget.delta
        promise = common.DifferentialPrivacyParameters(budget.epsilon, delta)
        return privacy_loss_distribution.from_privacy_parameters(promise, **grid)
    return one.self_compose(2) if twice == 2 else one


def mechanisms_of(budget: Budget) -> tuple[str, ...]:
    """The mechanisms with such a budget whose privacy loss distribution is known."""
    return tuple(name for name, kind in _LOSS_OF.items() if kind is type(budget))


def _checked(budgets: Sequence[Budget]) -> tuple[Budget, ...]:
    """The budgets, refused unless they are a list of budgets."""
    given: Sequence[object] = budgets if isinstance(budgets, Sequence) else [budgets]
    for budget in given:
        if not isinstance(budget, PureDP | ApproxDP | ProbabilisticDP | ZCDP):
            raise ParameterError(
                f"budgets must be a list of PureDP, ApproxDP, ProbabilisticDP or ZCDP, got {type(budget).__name__}"
            )
    return tuple(budgets)


def _common_neighbours(neighbours: str | Sequence[str], releases: int) -> str:
    """The one definition that all releases share."""
    each = [neighbours] * releases if isinstance(neighbours, str) else list(neighbours)
    if len(each) != releases:
        raise ParameterError(f"neighbours must be one definition or one per release ({releases}), got {len(each)}")
    for definition in each:
        one_of("neighbours", definition, NEIGHBOURS)
    if len(set(each)) > 1:
        raise ParameterError(
            f"budgets of different neighbours cannot be composed, got {' and '.join(sorted(set(each)))}; "
            "restate them for the same neighbours first"
        )
    return each[0]


def _largest(values: Sequence[float | None]) -> float | None:
    """The largest value, None if any is missing."""
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None


def _expm1(x: float) -> float:
    return math.expm1(x) if x < 700.0 else math.inf
