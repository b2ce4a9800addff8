"""From people by cell and label to one row per cell with a count column per label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.table.reading.scratch import Scratch, materialised

FEW_LABELS = 20
"""So many labels have a column each, beyond them cells have lists: filtered sums take time in proportion to labels."""


def count_vectors(peopled: Any, n_qids: int, values: Sequence[tuple[str, ...]]) -> tuple[Any, Scratch | None]:
    """Cells ``q<i>`` with the count ``c<k>`` of each label, whose sensitive values are ``values[k]``.

    ``peopled`` has columns ``q<i>``, ``s<j>`` and ``people``, and no group without people: these make no cells.
    """
    keys = [f"q{i}" for i in range(n_qids)]
    return materialised(_filtered_sums(peopled, keys, values), as_they_are=keys)


def _filtered_sums(peopled: Any, keys: Sequence[str], values: Sequence[tuple[str, ...]]) -> Any:
    """A filtered sum per label: what every engine can do."""
    sums = {}
    for k, parts in enumerate(values):
        same = peopled.s0 == parts[0]
        for j, part in enumerate(parts[1:], start=1):
            same &= peopled[f"s{j}"] == part
        sums[f"c{k}"] = peopled.people.sum(where=same).fill_null(0)
    return peopled.group_by(list(keys)).aggregate(**sums)
