"""How many counts a release will publish, from its declarations alone: nobody's data are read."""

from __future__ import annotations

from epsilens.release.tables.question import TablesQuestion
from epsilens.release.universe import declared_universe


def counts_of_tables(question: TablesQuestion) -> tuple[int, ...] | None:
    """The number of cells of each table, in their order.

    Nothing where a threshold decides which cells are shown, or where the table was made by hand: both follow from the
    data.
    """
    public = question.counting.public
    if public is None or question.counting.threshold_delta is not None:
        return None
    universe = declared_universe(public, question.counting.paths)
    if question.tree is not None:
        universe = question.tree.extended(universe)
    return tuple(universe.marginal(plan.columns)[0].n_cells for plan in question.plan.tables)
