"""Attackers who know only some attributes, in one call: a table in, what every set of its columns discloses out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from epsilens.choice.knowing.answer import Knowledge
from epsilens.choice.questions.knowledge import Question, answer
from epsilens.table.frequency import FrequencyTable, checked_table


def knowledge(
    table: FrequencyTable,
    mechanism: str | Sequence[str] = "laplace",
    epsilon: float | Iterable[float] = (),
    *,
    delta: float | Iterable[float] | None = None,
    share: float | None = None,
    largest_set: int | None = None,
    knows: str | Sequence[str] = (),
    neighbours: str = "add-remove",
    progress: Callable[[int], None] | None = None,
) -> Knowledge:
    """What somebody learns who knows just some of the quasi-identifiers, for every set of them.

    For each set: the people disclosed today; the local risk, averaged over people, of somebody who adds up the noisy
    counts of the full table (as they are, and rounded and clipped as published); and that of the marginal published
    itself at the same budget. One or several of ``mechanism``, ``epsilon`` (0.1, 0.5, 1, 2 and 5 unless given) and
    ``delta``. Of up to 12 columns all sets are looked at, otherwise those of at most ``largest_set`` columns.
    ``share`` is what the smallest sets are to disclose, by default half of what all columns do. ``knows`` names
    the columns that one attacker knows, who is told of first. ``progress`` is called with how many sets are done.

    The result is computed from true data: internal, not for publication.
    """
    checked_table(table)
    question = Question(
        mechanisms=(mechanism,) if isinstance(mechanism, str) else tuple(mechanism),
        epsilons=tuple(epsilon) if isinstance(epsilon, Iterable) else (epsilon,),
        deltas=() if delta is None else tuple(delta) if isinstance(delta, Iterable) else (delta,),
        share=share,
        largest_set=largest_set,
        knows=(knows,) if isinstance(knows, str) else tuple(knows),
        neighbours=neighbours,
    )
    return answer(question, table, progress)
