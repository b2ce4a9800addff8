"""The main job in one call: a table in, what is at risk in it out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from epsilens.choice.publishing import BudgetOf, Publish
from epsilens.choice.questions.assess import Question, answer
from epsilens.choice.questions.assessment import Assessment
from epsilens.table.frequency import FrequencyTable, checked_table


def assess(
    table: FrequencyTable,
    mechanism: str | Sequence[str] = "laplace",
    epsilon: float | Iterable[float] = (),
    *,
    delta: float | Iterable[float] | None = None,
    measure: str | Sequence[str] = "local",
    weighted: bool = True,
    neighbours: str = "add-remove",
    match: str | None = None,
    size_model: str | None = None,
    size_fit: str | None = None,
    alpha: str | Sequence[float] | None = None,
    repeats: int = 0,
    seed: int = 2026,
    scenarios: bool = False,
    riskiest: int = 0,
    weightings: Sequence[str] = (),
    knee: bool = False,
    progress: Callable[[int], None] | None = None,
    publish: Publish | None = None,
    budget_of: BudgetOf | None = None,
    sampling_fraction: float | None = None,
) -> Assessment:
    """What ``table`` gives away as it is, and at each ``epsilon`` with the noise of each ``mechanism``.

    One or several of ``mechanism``, ``epsilon`` (0.1, 0.5, 1, 2 and 5 unless given), ``delta`` (of the mechanisms that
    have one) and ``measure``. Averages are over people, or over cells if not ``weighted``; ``weightings`` may name
    both, "people" and "cells". ``knee`` looks for the epsilon at which each risk starts to rise faster. ``match``,
    ``size_model`` ("poisson" unless given), ``size_fit`` and ``alpha`` go to the measures that take them. ``repeats``
    simulates the release that often beside the exact risks. ``scenarios`` adds what becomes of cells (P0's eight
    scenarios), ``riskiest`` that many of the riskiest cells. ``progress`` is called with 1 after each budget.
    ``publish`` says whether several sensitive attributes are in one "joint" table or in "separate" ones, ``budget_of``
    whether epsilon is the budget of "each" of these or of "all". Values that are not harmful do not count
    (:meth:`FrequencyTable.with_harm`); beside every average is how the risk is spread over people, and who is shown as
    what. Where the table is a sample, ``sampling_fraction``, or the survey weights that it was read with, adds what is
    at risk for people of the population.

    The result is computed from true data: internal, not for publication.
    """
    checked_table(table)
    question = Question(
        mechanisms=_several(mechanism),
        epsilons=tuple(epsilon) if isinstance(epsilon, Iterable) else (epsilon,),
        deltas=() if delta is None else tuple(delta) if isinstance(delta, Iterable) else (delta,),
        measures=_several(measure),
        match=match,
        size_model=size_model,
        size_fit=size_fit,
        alpha=alpha if alpha is None or isinstance(alpha, str) else tuple(alpha),
        weighted=weighted,
        neighbours=neighbours,
        repeats=repeats,
        seed=seed,
        scenarios=scenarios,
        riskiest=riskiest,
        weightings=tuple(weightings),
        knee=knee,
        publish=publish,
        budget_of=budget_of,
        sampling_fraction=sampling_fraction,
    )
    return answer(question, table, progress)


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
