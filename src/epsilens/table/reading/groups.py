"""People in groups, by level or by raw key with codebooks: whichever is less work.

A few groups are given their levels at once and grouped by these. Of many, each column gets a codebook, and groups are
made again only where keys share a level. On engines that keep no groups everything is one expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from epsilens.table.reading.bounds import bounded_groups
from epsilens.table.reading.codebooks import codebook
from epsilens.table.reading.filters import selected
from epsilens.table.reading.grouped import Cells, Groups
from epsilens.table.reading.keys import Key, alone_of, keys_beside
from epsilens.table.reading.misfits import broken_rules, fitting
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.relations import with_levels
from epsilens.table.reading.scans import Scan, regrouped
from epsilens.table.reading.scratch import Scratch, materialised, materialised_again
from epsilens.table.reading.servers import cells_asked_for
from epsilens.table.reading.wide import cells_at_once

FEW_GROUPS = 50_000
"""So many groups are given their levels faster than codebooks are made; sources of so many rows in one query."""


def groups_of(scan: Scan, by_cell: bool = False) -> Groups:
    """The people of one scan; unless the scan is lenient, without rows that are dropped for a missing value.

    ``by_cell`` is for whoever wants cells with a count of each label, and hardly anything else.
    """
    if scan.schema.unit and (scan.source.engine != "duckdb" or scan.survey_weight is not None):
        return _chosen_rows(scan)
    at_once = cells_at_once if scan.source.engine == "duckdb" else cells_asked_for
    if by_cell and (cells := at_once(scan)) is not None:
        return _by_cell(scan, cells)
    drops = bool(scan.schema.dropped_gaps) and not scan.lenient
    if not (drops or scan.schema.unit) and _is_small(scan):
        return _at_once(scan, *scan.groups(lambda found: _finished(scan.levelled(found))))
    found, scratch = scan.groups()
    every, form = None, scan.form and ("levels", scan.form)
    if drops:
        form = None
        every = one_row(found.aggregate(rows=found.rows.sum()))["rows"]
        found = found.filter(~scan.has_dropped_gap(found))
        if scan.schema.unit:  # whose bound asks for a table
            found, scratch = materialised(found, as_they_are=[*scan.keys, "unit"])
    if scratch is None:
        return Groups(_finished(scan.levelled(found)), tuple(scan.keys), every_row=every)
    if not scan.schema.unit and _at_level(scan, scratch, by_cell):
        by_level = materialised_again(form, found.get_backend(), lambda: _finished(scan.levelled(found)), of=scratch)
        levelled = _at_once(scan, *by_level)
        scratch.drop()
        return replace(levelled, every_row=every)
    groups = replace(_with_books(scan, found, scratch), every_row=every)
    if scan.schema.unit:
        return _bounded(scan, groups)
    return replace(groups, relation=_finished(groups.keyed))


def _is_small(scan: Scan) -> bool:
    """Whether there are hardly many groups, so that they become levels in one query."""
    has_rows = scan.source.has_rows
    return scan.source.engine == "duckdb" and has_rows is not None and not has_rows(FEW_GROUPS + 1)


def _at_level(scan: Scan, scratch: Scratch, by_cell: bool) -> bool:
    """Whether groups are given their levels at once, which is written twice where many columns are asked for often."""
    if scan.source.engine == "duckdb":
        return scratch.rows <= FEW_GROUPS
    return not by_cell  # a codebook for each column would be a query for each


def _chosen_rows(scan: Scan) -> Groups:
    """People whose rows are chosen row by row."""
    complete, every = () if scan.lenient else scan.schema.complete, None
    if complete:
        every = int(scan.source.relation.count().to_pyarrow().as_py())
        scan = replace(scan, source=selected(scan.source, complete, scan.schema.missing_values))
    relation, scratch = scan.chosen_rows()
    return replace(_at_once(scan, _finished(relation), scratch), every_row=every)


def _at_once(scan: Scan, relation: Any, scratch: Scratch | None) -> Groups:
    return Groups(relation, tuple(scan.keys), scratch=scratch)


def _finished(relation: Any) -> Any:
    """With the number of people."""
    return relation if "people" in relation.columns else relation.mutate(people=relation.rows)


def _with_books(scan: Scan, found: Any, scratch: Scratch, alone: Mapping[str, Key] | None = None) -> Groups:
    """Groups with codebooks; columns in which keys share a level have levels instead, and groups are made again.

    Of engines other than DuckDB, which take longer to be asked than to look at a few values more, only columns with
    keys that may share a level have codebooks. The others are ``alone``.
    """
    if alone is None:
        beside = {} if scan.source.engine == "duckdb" else one_row(found.aggregate(**keys_beside(found, scan.keys)))
        alone = alone_of(beside, scan.keys)
    books = {
        internal: codebook(found, internal, key)
        for internal, key in scan.keys.items()
        if internal in found.columns and internal not in alone
    }
    sizes = {
        internal: one_row(book.relation.aggregate(keys=book.relation.count(), levels=book.relation.level.nunique()))
        for internal, book in books.items()
    }
    merged = {internal: book for internal, book in books.items() if sizes[internal]["levels"] < sizes[internal]["keys"]}
    if merged:
        rest = [name for name in found.columns if name not in merged]
        keys = [name for name in (*scan.keys, "unit") if name in found.columns]
        again, anew = materialised(
            regrouped(with_levels(found, merged, rest), keys, scan.most_people), as_they_are=keys
        )
        assert anew is not None
        scratch.drop()
        found, scratch = again, anew
        books = {internal: book for internal, book in books.items() if internal not in merged}
    return Groups(found, tuple(scan.keys), books, scratch, alone=alone)


def _by_cell(scan: Scan, cells: Cells) -> Groups:
    """Cells with codebooks, and the groups of people by cell and label that they are made of."""
    if cells.scratch is None:
        groups = Groups(cells.relation, tuple(scan.keys), alone=cells.alone)
    else:
        groups = _with_books(scan, cells.relation, cells.scratch, cells.alone)
    cells = replace(cells, relation=groups.relation, scratch=groups.scratch)
    return replace(groups, relation=None, cells=cells)


def _bounded(scan: Scan, groups: Groups) -> Groups:
    """The groups without the rows of people beyond the bound."""
    apart: list[str] = []
    if scan.lenient:  # rows that are left out must not take the place of others among a person's
        named = groups.named
        fits = fitting(broken_rules(named, scan.schema, scan.internal))
        relation, scratch = materialised(named.mutate(fits=fits), as_they_are=["unit"])
        groups.drop()
        groups, apart = replace(groups, relation=relation, books={}, scratch=scratch), ["fits"]
    counted, scratch = bounded_groups(groups, scan, apart)
    groups.drop()
    return replace(groups, relation=counted, scratch=scratch)
