"""Parts of a summary, by what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.report.words.common import Block, Grid


def grids_of(blocks: Sequence[Block]) -> list[Grid]:
    """All tables."""
    return [block for block in blocks if isinstance(block, Grid)]


def average_grids(blocks: Sequence[Block]) -> list[Grid]:
    """The diagnostics, and the tables with a row for each budget: beliefs and averages, not what stands beside them."""
    beside = ("Who is shown as what", "Share of ", "Local risk of the worst-off", "Risks of the worst-off")
    return [grid for grid in grids_of(blocks) if not grid.title.startswith(beside)]
