"""What several releases cost together, by every rule side by side.

All rules are *upper bounds* on the same true cost; the smallest valid one may be quoted. They need promises about the
same people and the same neighbours, which is checked. The rules themselves are in the rule book (``rules``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias, TypeGuard, TypeVar, cast

from epsilens.accounting.amounts import decimal
from epsilens.accounting.cost import Cost, cost_of, cost_of_noise
from epsilens.accounting.rules import RULE_BOOK, Rule, Total
from epsilens.budget import NEIGHBOURS, ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.checks import one_of, probability, whole
from epsilens.errors import ParameterError
from epsilens.noise import Noise, calibrate
from epsilens.noise.law import has_privacy_loss
from epsilens.notebook import brief, rows_html

Composable: TypeAlias = Budget | Noise | tuple[str | Noise, Budget]
"""A release, by what is known of it: its budget; the noise of its counts; its mechanism or noise, and its budget."""

COMPOSITION_RULES: tuple[str, ...] = tuple(RULE_BOOK)


@dataclass(frozen=True)
class ComposedBudget:
    """The total by one rule; what a rule cannot state is None and ``note`` says why."""

    rule: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    note: str
    adaptive: bool = False
    """Whether it holds also where each budget was chosen after seeing earlier outputs, within limits fixed before."""


@dataclass(frozen=True)
class Composition:
    """The total cost of a list of releases."""

    budgets: tuple[Composable, ...]
    """The releases as they were given."""
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
        kinds = set(map(_kind, self.budgets))
        if row.rho is not None and kinds == {ZCDP}:
            return ZCDP(row.rho)
        if row.epsilon is None or row.delta is None:
            raise ParameterError(f"`rule={rule}` gives no epsilon here: {row.note}")
        if row.delta == 0:
            return PureDP(row.epsilon)
        if rule == "basic" and kinds == {ProbabilisticDP}:
            return ProbabilisticDP(row.epsilon, row.delta)
        return ApproxDP(row.epsilon, row.delta)

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per rule."""
        return [vars(row) | {"neighbours": self.neighbours} for row in self.rows]


def compose(
    budgets: Sequence[Composable],
    delta: float | None = None,
    neighbours: str | Sequence[str] = "add-remove",
    mechanisms: Sequence[str | None] | None = None,
    rules: Sequence[str] = COMPOSITION_RULES,
    max_rows_per_unit: int | Sequence[int] = 1,
) -> Composition:
    """The total (epsilon, delta) of releases about the same people, by each rule.

    A release is given as its budget, of which the worst mechanism is composed; as the noise of its counts
    (``GaussianNoise(4.0)``), whose own privacy loss is composed; or as a pair of its mechanism or noise and its budget.
    With (epsilon_i, delta_i) the releases' budgets and delta' the slack left by the total ``delta``:

    * basic: (sum epsilon_i, sum delta_i);
    * advanced: sum epsilon_i (e^epsilon_i - 1) + sqrt(2 log(1 / delta') sum epsilon_i^2) at sum delta_i + delta'
      (Dwork, Rothblum and Vadhan 2010), or the basic total where that is smaller;
    * optimal-bound: the smallest of the three bounds of Kairouz, Oh and Viswanath (2015, Theorem 3.5) at
      1 - (1 - delta') prod (1 - delta_i);
    * zcdp: rho = sum rho_i + sum epsilon_i^2 / 2, conditional on none of the events of probability delta_i, converted
      at the delta that remains (Bun and Steinke 2016);
    * pld: numerically composed privacy loss distributions, rounded to the safe side, or the sum of the largest losses
      where that is smaller. ``mechanisms`` names the mechanism of each budget, or None.

    Source: P0 section 4.3.
    Assumes that every release concerns the same people; later ones may depend on earlier ones only through the data
    and what was published; the budgets themselves were fixed beforehand. A total by "basic" or "zcdp" that was fixed
    beforehand and is kept holds also where each budget was chosen after seeing earlier outputs (``adaptive``).
    ``neighbours`` is one definition for all or one per release; different ones cannot be composed. ``rules`` picks the
    rows; all but "pld" are immediate. ``max_rows_per_unit`` says how many rows of the counted table a person may have,
    of all releases or of each.
    """
    given = _checked(budgets)
    if not given:
        raise ParameterError("composition needs at least one budget, got an empty list")
    common = _common_neighbours(neighbours, len(given))
    if delta is not None:
        probability("delta", delta)
    chosen = [RULE_BOOK[one_of("rule", rule, RULE_BOOK)] for rule in rules]
    people = [max_rows_per_unit] * len(given) if isinstance(max_rows_per_unit, int) else list(max_rows_per_unit)
    known: dict[tuple[Composable, int], Cost] = {}  # of a hundred thousand releases most are alike
    costs = []
    for asked in zip(_named(given, mechanisms), _one_each("max_rows_per_unit", people, given), strict=True):
        if asked not in known:
            known[asked] = _cost(asked[0], common, whole("max_rows_per_unit", asked[1], 1))
        costs.append(known[asked])
    kinds = list(dict.fromkeys(_kind(release).__name__ for release in given))
    mixed = f"mixes {' and '.join(kinds)}; " if len(kinds) > 1 else ""
    at = None if delta is None else decimal(delta)
    return Composition(given, common, tuple(_row(rule, rule.total(costs, at), mixed) for rule in chosen), delta)


def compose_parallel(
    groups: Sequence[Sequence[Composable]],
    delta: float | None = None,
    neighbours: str | Sequence[str] = "add-remove",
    mechanisms: Sequence[Sequence[str | None]] | None = None,
    max_rows_per_unit: int | Sequence[Sequence[int]] = 1,
) -> Composition:
    """The total of releases about disjoint groups of people: by each rule, that of the costliest group.

    epsilon = max over groups of the group's composed epsilon, delta and rho likewise. ``neighbours`` is one definition
    for all or one per group, ``mechanisms`` and ``max_rows_per_unit`` one list per group, as in :func:`compose`.

    Source: P0 section 4.3.
    Assumes that nobody is in two groups; a person's group is public; if a substituted record could move to
    another group, two groups would change at once and their costs would add up.
    """
    if not groups:
        raise ParameterError("parallel composition needs at least one group of budgets, got an empty list")
    common = _common_neighbours(neighbours, len(groups))
    named: Sequence[Sequence[str | None] | None] = [None] * len(groups) if mechanisms is None else mechanisms
    if len(named) != len(groups):
        raise ParameterError(f"must be one list per group ({len(groups)})", parameter="mechanisms", got=len(named))
    people: Sequence[int | Sequence[int]] = (
        [max_rows_per_unit] * len(groups) if isinstance(max_rows_per_unit, int) else max_rows_per_unit
    )
    each = [
        compose(group, delta, common, names, max_rows_per_unit=most)
        for group, names, most in zip(groups, named, _one_each("max_rows_per_unit", people, groups), strict=True)
    ]
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
                RULE_BOOK[rule].adaptive,
            )
        )
    return Composition(tuple(release for one in each for release in one.budgets), common, tuple(rows), delta)


def _row(rule: Rule, total: Total, mixed: str) -> ComposedBudget:
    def plain(amount: Decimal | None) -> float | None:
        return None if amount is None else float(amount)

    amounts = plain(total.epsilon), plain(total.delta), plain(total.rho)
    return ComposedBudget(rule.name, *amounts, mixed + total.note, rule.adaptive)


def _checked(budgets: Sequence[Composable]) -> tuple[Composable, ...]:
    """The releases, refused unless they are a list of what can be composed."""
    given: Sequence[object] = budgets if isinstance(budgets, list | tuple) else [budgets]
    for release in given:
        if not (_is_budget(release) or has_privacy_loss(release) or _is_pair(release)):
            raise ParameterError(
                "must be a list of budgets, of noises, or of pairs (mechanism or noise, budget), "
                f"got {type(release).__name__}",
                parameter="budgets",
            )
    return tuple(budgets)


def _is_budget(release: object) -> TypeGuard[Budget]:
    return isinstance(release, PureDP | ApproxDP | ProbabilisticDP | ZCDP)


def _is_pair(release: object) -> TypeGuard[tuple[str | Noise, Budget]]:
    if not isinstance(release, tuple) or len(release) != 2:
        return False
    return _is_budget(release[1]) and (isinstance(release[0], str) or has_privacy_loss(release[0]))


def _named(releases: tuple[Composable, ...], mechanisms: Sequence[str | None] | None) -> list[Composable]:
    """The releases, budgets with the mechanisms that are named for them."""
    named: list[Composable] = []
    names = [None] * len(releases) if mechanisms is None else mechanisms
    for release, name in zip(releases, _one_each("mechanisms", names, releases), strict=True):
        if name is None:
            named.append(release)
        elif _is_budget(release):
            named.append((name, release))
        else:
            raise ParameterError("must be None where the noise is given", parameter="mechanisms", got=name)
    return named


def _cost(release: Composable, neighbours: str, rows: int) -> Cost:
    if isinstance(release, tuple):
        law, budget = release
        noise = calibrate(law, budget, neighbours, max_rows_per_unit=rows) if isinstance(law, str) else law
        return cost_of_noise(noise, neighbours, rows, budget)
    return cost_of(release) if _is_budget(release) else cost_of_noise(cast("Noise", release), neighbours, rows)


def _kind(release: Composable) -> type:
    """The kind of budget that a release has, or that its noise alone gives it."""
    budget = release[1] if isinstance(release, tuple) else release
    if _is_budget(budget):
        return type(budget)
    return ZCDP if cost_of_noise(cast("Noise", budget), NEIGHBOURS[0]).epsilon is None else PureDP


Each = TypeVar("Each")


def _one_each(name: str, values: Sequence[Each], releases: Sequence[object]) -> Sequence[Each]:
    """The values, refused unless there is one for each release or group."""
    if len(values) != len(releases):
        raise ParameterError(f"must be one per budget ({len(releases)})", parameter=name, got=len(values))
    return values


def _common_neighbours(neighbours: str | Sequence[str], releases: int) -> str:
    """The one definition that all releases share."""
    each = [neighbours] * releases if isinstance(neighbours, str) else list(neighbours)
    if len(each) != releases:
        raise ParameterError(
            f"must be one definition or one per release ({releases})", parameter="neighbours", got=len(each)
        )
    for definition in each:
        one_of("neighbours", definition, NEIGHBOURS)
    if len(set(each)) > 1:
        raise ParameterError(
            f"budgets of different `neighbours` cannot be composed, got {' and '.join(sorted(set(each)))}",
            remedy="restate them for the same neighbours first",
        )
    return each[0]


def _largest(values: Sequence[float | None]) -> float | None:
    """The largest value, None if any is missing."""
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None
