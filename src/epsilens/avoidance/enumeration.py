"""Small tables, who are neighbours among them, and what a system publishes for each: the ground of an audit.

A system that can be audited states an :class:`Enumeration` of its own: the tables on which its worst case shows, and
the hockey-stick divergence of any two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epsilens.noise.divergence import Distribution, hockey_stick

AuditNeighbours: TypeAlias = Literal["add-remove", "substitute", "qid"]
"""The neighbours of a budget, and ``"qid"``: one person's quasi-identifiers are replaced and nothing else."""
AUDIT_NEIGHBOURS: tuple[AuditNeighbours, ...] = ("add-remove", "substitute", "qid")

Counts: TypeAlias = tuple[tuple[int, ...], ...]
"""A small table: rows are the values of the other attributes, columns those of the quasi-identifiers."""


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What an audit goes through.

    ``delta(before, after, epsilon)`` is the hockey-stick divergence of what is published for two tables; ``law`` gives
    that of one table where it can be listed. ``bound`` is the largest count that ``tables`` stand for, where it
    matters. ``neighbours`` are those that an audit of everything asks about.
    """

    tables: Sequence[Counts]
    delta: Callable[[Counts, Counts, float], float]
    law: Callable[[Counts], Distribution] | None = None
    bound: int | None = None
    neighbours: tuple[AuditNeighbours, ...] = ("substitute",)

    @staticmethod
    def of_laws(
        tables: Sequence[Counts],
        law: Callable[[Counts], Distribution],
        bound: int | None = None,
        neighbours: tuple[AuditNeighbours, ...] = ("substitute",),
    ) -> Enumeration:
        """From the law of what is published for a table; each is written down once."""
        known: dict[Counts, Distribution] = {}

        def of(table: Counts) -> Distribution:
            if table not in known:
                known[table] = law(table)
            return known[table]

        return Enumeration(
            tables,
            lambda before, after, epsilon: hockey_stick(of(before), of(after), epsilon),
            law,
            bound,
            neighbours,
        )


def two_counts(largest: int) -> list[Counts]:
    """All tables of two counts up to ``largest``: enough where every count is treated alike."""
    return [((a, b),) for a in range(largest + 1) for b in range(largest + 1)]


def neighbouring_pairs(tables: Sequence[Counts], neighbours: AuditNeighbours) -> Iterator[tuple[Counts, Counts]]:
    """All ordered pairs of ``tables`` that are neighbours."""
    known = set(tables)
    for table in tables:
        cells = [(i, j) for i, row in enumerate(table) for j in range(len(row))]
        for i, j in cells:
            if neighbours == "add-remove":
                changes = [((i, j, 1),), ((i, j, -1),)] if table[i][j] else [((i, j, 1),)]
            elif table[i][j]:
                changes = [
                    ((i, j, -1), (a, b, 1))  # type: ignore[misc]
                    for a, b in cells
                    if (a, b) != (i, j) and (neighbours == "substitute" or a == i)
                ]
            else:
                continue
            for change in changes:
                after = _changed(table, change)
                if after in known:
                    yield table, after


def independent_law(laws: Sequence[Distribution]) -> Distribution:
    """The law of independent outputs, listed one after another."""
    joint: dict[Hashable, float] = {(): 1.0}
    for law in laws:
        joint = {
            (*output, value): mass * share  # type: ignore[misc]
            for output, mass in joint.items()
            for value, share in law.items()
        }
    return joint


def _changed(table: Counts, change: tuple[tuple[int, int, int], ...]) -> Counts:
    rows = [list(row) for row in table]
    for i, j, by in change:
        rows[i][j] += by
    return tuple(tuple(row) for row in rows)
