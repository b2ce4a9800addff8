"""Reading a table: people grouped by cell and label, and from that result one count vector per cell."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from functools import cache, partial
from typing import Any

from epsilens.errors import DataError, ParameterError
from epsilens.table.cell_store import CellStore
from epsilens.table.engine import Engine, using
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from epsilens.table.reading import levels
from epsilens.table.reading import vectors as vectors_module
from epsilens.table.reading.codebooks import Codebook
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.few import few_people
from epsilens.table.reading.grouped import Cells
from epsilens.table.reading.keys import Key
from epsilens.table.reading.listed_store import ListedCells, ListedStore, listed_cells
from epsilens.table.reading.people import People, internal_names, read_people
from epsilens.table.reading.scratch import Scratch, materialised
from epsilens.table.reading.store import EngineStore
from epsilens.table.reading.weights import weights_of_labels, with_cell_weights
from epsilens.table.schema import Schema, checked_schema

MAX_LABELS = 5_000


def read_table(
    source: Any,
    schema: Schema,
    table: str | None = None,
    count: str | None = None,
    row_salt: str | None = None,
    weight: str | None = None,
    engine: Engine | str | None = None,
) -> FrequencyTable:
    """The frequency table of the people in ``source``.

    ``source`` is a path (CSV or Parquet, also gzipped CSV and patterns), a pandas, Polars or Arrow frame, an Ibis
    table, or a database URL together with ``table``. ``count`` names the count column of a ready-made count table,
    whose rows with the same cell and label add up. Cells and labels come in the order of their code points; only cells
    with people in them are cells.

    Of a person (``schema.unit``) with more rows than the bound, rows are kept at random: by ``row_salt``, a secret that
    gives the same rows again, and by default a fresh one. The table carries it.

    ``weight`` names the column of survey weights, where the people are a sample: how many of the population each of
    them stands for, 1 or more. In a table of counts it is the weight of each person that a row counts.

    ``engine`` reads files: ``"duckdb"``, which is embedded and the default, ``"spark"``, or an
    :class:`~epsilens.table.engine.Engine` with limits of its own. The table is the same.
    """
    if not checked_schema(schema).sensitive_columns:
        raise ParameterError(
            "must name at least one column, got none",
            parameter="sensitive",
            remedy="a table has cells and labels; whoever only counts cells reads them without labels",
        )
    with using(engine):
        people = read_people(source, schema, table, count, row_salt, weight=weight, by_cell=True)
        counted = table_of(people)
        people.close()
    return counted


def table_of(people: People, further: Collection[tuple[str, ...]] = ()) -> FrequencyTable:
    """The frequency table of grouped people; ``further`` are labels that it lists though nobody may have them."""
    schema = people.schema
    store: CellStore | None
    with reading(people.place):
        few = few_people(people)
        observed = _observed(people) if few is None else few.labels()
        values = list(set(further).union(_label_values(observed, schema)))
        labels = _label_texts(values)
        order = sorted(range(len(labels)), key=labels.__getitem__)
        values, labels = [values[k] for k in order], [labels[k] for k in order]
        if len(labels) < 2:
            raise DataError(
                f"the sensitive attribute {' x '.join(schema.sensitive_columns)!r} has a single value; "
                "there is nothing to protect"
            )
        store = None if few is None else few.store(values)
        if store is None:
            store = _engine_store(people, values)
    return FrequencyTable(
        tuple(labels),
        store,
        schema.qid_columns,
        schema.sensitive_columns,
        tuple(values),
        people.max_rows_per_unit,
        people.dropped_rows,
        schema,
        people.row_salt,
        people.left_out.not_selected,
    )


def _engine_store(people: People, values: Sequence[tuple[str, ...]]) -> EngineStore:
    """The cells that stay in the engine, with the counts of the labels ``values``."""
    schema, label_weights = people.schema, None
    books, alone = _raw_keys(people)
    peopled = cache(partial(_peopled, people, {*books, *alone}))
    listed = _listed(peopled(), schema, values) if len(values) > vectors_module.FEW_LABELS else None
    if listed is not None:
        vectors, scratch = listed.relation, listed.scratch
    elif people.cells is not None:
        vectors, scratch = _counted_cells(people, people.cells, values)
    else:
        vectors, scratch = _vectors(peopled(), schema, values)
    if people.weighted:
        vectors, scratch = materialised(with_cell_weights(vectors, peopled(), len(schema.qid_columns)))
        label_weights = weights_of_labels(peopled(), values)
    qids = {name: f"q{i}" for i, name in enumerate(schema.qid_columns)}
    weights = "weights" if people.weighted else None
    if listed is None:
        columns = tuple(f"c{k}" for k in range(len(values)))
        return EngineStore(vectors, qids, columns, scratch, weights, label_weights, books, alone)
    marked = bool(_impossible_labels(schema, values))
    pairs, code_of = ("pairs",), listed.code_of
    return ListedStore(
        vectors, qids, pairs, scratch, weights, label_weights, books, alone, code_of=code_of, impossible=marked
    )


def _raw_keys(people: People) -> tuple[dict[str, Codebook], dict[str, Key]]:
    """The quasi-identifiers that may stay raw keys, with their codebooks, or with how they become levels without.

    Rules about cells and weights are matched by level.
    """
    schema, groups = people.schema, people.scratch
    if groups is None or people.weighted or schema.impossible or people.levelled is not None:
        return {}, {}
    qids = {name: f"q{i}" for i, name in enumerate(schema.qid_columns)}
    books = {name: groups.books[column] for name, column in qids.items() if column in groups.books}
    return books, {name: groups.alone[column] for name, column in qids.items() if column in groups.alone}


def _peopled(people: People, raw: Collection[str]) -> Any:
    """The groups with people in them, sensitive values as levels, quasi-identifiers ``raw`` as keys."""
    if not raw or people.scratch is None:
        return people.peopled
    return people.peopled_of(people.scratch.levelled([f"s{j}" for j in range(len(people.schema.sensitive_columns))]))


def tables_with_common_labels(groups: Sequence[People]) -> list[FrequencyTable]:
    """The frequency tables of several groups of people by the same attributes, each with the labels of all of them.

    So a group all of whom have the same value is a table like the others, and what is declared impossible is marked
    for labels that nobody of the group has, too. The attributes may come in another order in every group.
    """
    labels: set[tuple[str, ...]] = set()
    orders = []
    for people in groups:
        names = people.schema.sensitive_columns
        orders.append([sorted(names).index(name) for name in names])
        with reading(people.place):
            found = _label_values(_observed(people), people.schema)
        labels.update(tuple(values[names.index(name)] for name in sorted(names)) for values in found)
    return [
        table_of(people, [tuple(values[place] for place in order) for values in labels])
        for people, order in zip(groups, orders, strict=True)
    ]


def _counted_cells(people: People, cells: Cells, values: Sequence[tuple[str, ...]]) -> tuple[Any, Scratch | None]:
    """Cells ``q<i>`` with the count of each label ``c<k>``, where people were counted so in the first place."""
    import ibis

    place = {label: k for k, label in enumerate(cells.labels)}
    nobody = ibis.literal(0, "int64")
    counts = {
        f"c{k}": cells.relation[f"c{place[label]}"] if label in place else nobody for k, label in enumerate(values)
    }
    qids = [f"q{i}" for i in range(len(people.schema.qid_columns))]
    return cells.relation.select(*qids, **counts), cells.scratch


def _observed(people: People) -> set[tuple[str, ...]]:
    """The sensitive values that occur together, of more than may be labels only some."""
    if people.cells is not None:
        return set(people.cells.labels)
    keys = [f"s{j}" for j in range(len(people.schema.sensitive_columns))]
    by_key = people.scratch if people.levelled is None else None
    peopled = people.peopled if by_key is None else people.peopled_of(by_key.levelled(keys))
    found = peopled.select(keys).distinct().limit(MAX_LABELS + 1).to_pyarrow()
    return {tuple(row[key] for key in keys) for row in found.to_pylist()}


def _label_values(observed: Collection[tuple[str, ...]], schema: Schema) -> list[tuple[str, ...]]:
    """The values of each label: the observed combinations, and the declared values with everything else."""
    rows = set(observed)
    universe = schema.universe_levels
    if any(name in universe for name in schema.sensitive_columns):
        seen = [{row[j] for row in rows} for j in range(len(schema.sensitive_columns))]
        sides = [universe.get(name, seen[j]) for j, name in enumerate(schema.sensitive_columns)]
        rows |= set(itertools.islice(itertools.product(*sides), MAX_LABELS + 1))
    if len(rows) > MAX_LABELS:
        raise DataError(
            f"the sensitive attribute {' x '.join(schema.sensitive_columns)!r} has more than {MAX_LABELS} "
            "values; a label must be shared by people to be counted: bin a numeric attribute, merge rare values, "
            "or use fewer attributes"
        )
    return list(rows)


def _vectors(peopled: Any, schema: Schema, values: Sequence[tuple[str, ...]]) -> tuple[Any, Scratch | None]:
    """Cells ``q<i>`` with the count of each label ``c<k>``, structural zeros marked."""
    wide, scratch = vectors_module.count_vectors(peopled, len(schema.qid_columns), values)
    marked = _structural_zeros(wide, schema, values)
    return materialised(wide.mutate(**marked)) if marked else (wide, scratch)


def _listed(peopled: Any, schema: Schema, values: Sequence[tuple[str, ...]]) -> ListedCells | None:
    """Cells ``q<i>`` with the counts of their labels as lists, structural zeros marked; see :func:`listed_cells`."""
    impossible = _impossible_labels(schema, values)
    return listed_cells(peopled, len(schema.qid_columns), values, impossible, internal_names(schema))


def _structural_zeros(wide: Any, schema: Schema, values: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """The count columns that some rule touches, with :data:`STRUCTURAL_ZERO` in the cells it names."""
    import ibis

    marked: dict[str, Any] = {}
    for known, labels in _impossible_labels(schema, values):
        cells = levels.matches(wide, internal_names(schema), known) if known else ibis.literal(True)
        for k in labels:
            before = marked.get(f"c{k}", wide[f"c{k}"])
            marked[f"c{k}"] = cells.ifelse(ibis.literal(STRUCTURAL_ZERO, "int64"), before)
    return marked


def _impossible_labels(
    schema: Schema, values: Sequence[tuple[str, ...]]
) -> list[tuple[dict[str, tuple[str, ...]], list[int]]]:
    """By rule about labels: the levels of the cells that it names, and the labels that cannot occur there."""
    sensitive, found = schema.sensitive_columns, []
    for rule in schema.impossible:
        wanted = {j: rule[name] for j, name in enumerate(sensitive) if name in rule}
        labels = [k for k, parts in enumerate(values) if all(parts[j] in some for j, some in wanted.items())]
        if wanted and labels:
            found.append(({name: levels for name, levels in rule.items() if name not in sensitive}, labels))
    return found


def _label_texts(values: Sequence[tuple[str, ...]]) -> list[str]:
    """One text per label, ``a | b`` for joint values; quoted where values that contain the bar would collide."""
    texts = [" | ".join(parts) for parts in values]
    return texts if len(set(texts)) == len(texts) else [" | ".join(map(repr, parts)) for parts in values]
