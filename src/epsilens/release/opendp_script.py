"""A ready Python script that releases the table with OpenDP at the chosen budget.

The script stands alone: it needs OpenDP and nothing of Epsilens. It holds the budget, the columns and the levels of the
universe, but no count. Levels that nobody declared are those found in the data, and the script says so: which levels
occur is a fact about people, so somebody must vouch for them before anything is published.
"""

from __future__ import annotations

import math
import pprint
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from epsilens.budget import count_sensitivity
from epsilens.choice.choose.dial import RiskDial
from epsilens.errors import ParameterError, SourceError
from epsilens.release.samplers import refuse_without_sampler
from epsilens.table.bins import Edges, Width, number_text
from epsilens.table.domain import MISSING
from epsilens.table.reading.levels import NUMBER, WRITTEN_NUMBER
from epsilens.table.schema import Schema

MOST_CELLS = 5_000_000

_TEMPLATE = Template(
    '''"""Release a table of counts with OpenDP. Written by `epsilens choose --export opendp`; edit it as you like.

Budget: $budget_text ($neighbours neighbours).
$levels_note
Noise goes into every cell of the universe, also the empty ones. Run it once per publication: every run spends the
budget anew. Needs: pip install opendp
"""

import csv
import itertools
import math
import operator
import re
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import opendp.prelude as dp

SOURCE = $source
OUT = "released.csv"
COLUMNS = $columns
COUNT = $count  # the column of counts, where the source is a table of counts
UNIT = $unit  # the column that names a person, where people have several rows
ROWS_PER_PERSON = $rows
WIDTHS = $widths  # bins of one width
EDGES = $edges  # bins between edges
CLOSED_ON_THE_RIGHT = $closed  # columns whose bins are
COPIES = $copies  # columns that are read a second time, by their second name
WHERE = $where  # only rows for which all of this holds are read
MISSING_VALUES = $missing_values
LEFT_OUT = $left_out  # columns in which a missing value leaves the row out
INSTEAD = $instead  # public values in the place of missing ones
UNIVERSE = $universe

WHOLE_NUMBERS = $whole
GAUSSIAN = $gaussian
SCALE = $scale
SENSITIVITY = $sensitivity
LIMIT = $limit  # $limit_name, which the noise must not cost more than


def plain(number):
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def stated(text):
    text = text.strip()
    return "$missing" if text == "" or text in MISSING_VALUES else text


def level(column, text):
    text = stated(text)
    if text == "$missing":
        if column not in INSTEAD:
            return text
        text = INSTEAD[column]
    right = column in CLOSED_ON_THE_RIGHT
    if column in WIDTHS:
        step = Decimal(WIDTHS[column])
        low = (Decimal(text) / step).to_integral_value(ROUND_CEILING if right else ROUND_FLOOR) * step
        low = low - step if right else low
        return f"({plain(low)}, {plain(low + step)}]" if right else f"[{plain(low)}, {plain(low + step)})"
    if column in EDGES:
        edges = [Decimal(edge) for edge in EDGES[column]]
        above = sum(Decimal(text) > edge if right else Decimal(text) >= edge for edge in edges)
        if above == 0:
            return f"<= {plain(edges[0])}" if right else f"< {plain(edges[0])}"
        if above == len(edges):
            return f"> {plain(edges[-1])}" if right else f">= {plain(edges[-1])}"
        low, high = plain(edges[above - 1]), plain(edges[above])
        return f"({low}, {high}]" if right else f"[{low}, {high})"
    return text


def number(text):
    return float(text) if re.search(r"$written", text) else None


def passes(text, comparison, values):
    text = stated(text)
    if comparison in ("=", "!="):
        wanted = [stated(value) for value in values]
        same = text in wanted or number(text) is not None and number(text) in map(number, wanted)
        return same == (comparison == "=")
    compared = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[comparison]
    return re.search(r"$number", text) is not None and compared(float(text), float(values[0]))


def true_counts(path):
    cells = list(itertools.product(*(UNIVERSE[column] for column in COLUMNS)))
    counts = dict.fromkeys(cells, 0)
    seen = {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file)
        header = [name.strip() for name in next(rows)]
        # of two columns with one name the last one holds the counts, the first one the values
        where = {column: header.index(COPIES.get(column, column)) for column in COLUMNS}
        asked = [(header.index(COPIES.get(column, column)), how, values) for column, how, values in WHERE]
        last = None if COUNT is None else len(header) - 1 - header[::-1].index(COUNT)
        person = None if UNIT is None else header.index(UNIT)
        for row in rows:
            if not row or not all(passes(row[at], how, values) for at, how, values in asked):
                continue
            if any(stated(row[where[column]]) == "$missing" for column in LEFT_OUT):
                continue
            if person is not None:
                seen[row[person]] = seen.get(row[person], 0) + 1
                if seen[row[person]] > ROWS_PER_PERSON:
                    continue
            cell = tuple(level(column, row[where[column]]) for column in COLUMNS)
            if cell not in counts:
                sys.exit("a row lies outside of the declared universe; declare its levels first")
            counts[cell] += 1 if last is None else int(row[last])
    return cells, [counts[cell] for cell in cells]


def measurement(scale):
    atom = dp.atom_domain(T="i64") if WHOLE_NUMBERS else dp.atom_domain(T="f64", nan=False)
    if GAUSSIAN:
        return dp.m.make_gaussian(dp.vector_domain(atom), dp.l2_distance(T="f64"), scale=scale)
    return dp.m.make_laplace(dp.vector_domain(atom), dp.l1_distance(T="i64" if WHOLE_NUMBERS else "f64"), scale=scale)


def main(source=SOURCE, out=OUT):
    dp.enable_features("contrib")
    distance = int(SENSITIVITY) if WHOLE_NUMBERS and not GAUSSIAN else float(SENSITIVITY)
    scale = SCALE
    while (price := measurement(scale).map(distance)) > LIMIT:  # rounding may put it a digit above: widen the noise
        scale = math.nextafter(scale, math.inf) if price < LIMIT * (1 + 1e-9) else scale * (1 + 1e-6)
    cells, counts = true_counts(source)
    noisy = []
    for start in range(0, len(counts), 20_000):
        chunk = counts[start : start + 20_000]
        noisy.extend(measurement(scale)(chunk if WHOLE_NUMBERS else [float(count) for count in chunk]))
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "published"])
        for cell, value in zip(cells, noisy):
            writer.writerow([*cell, max(0, math.floor(value + 0.5))])  # rounding and clipping cost no privacy
    print(f"{len(cells)} cells released to {out}; $limit_name spent: {price:.6g}, scale of the noise: {scale:.6g}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
'''
)


def opendp_script(
    dial: RiskDial,
    value: float,
    source: str,
    schema: Schema,
    count: str | None = None,
) -> str:
    """The script for ``value`` of the dial's parameter, reading ``source`` (a CSV file) as ``schema`` says."""
    check_exportable(source, schema)
    universe, found = _universe(dial, schema)
    if (size := math.prod(len(levels) for levels in universe.values())) > MOST_CELLS:
        raise ParameterError(
            f"has {size:,} cells, more than {MOST_CELLS:,}",
            parameter="universe",
            remedy="use fewer columns or wider `bins`",
        )
    noise, budget = dial.noise(value), dial.budget(value)
    refuse_without_sampler(noise)
    gaussian = noise.secure_sampler == "gaussian"
    rows = dial.table.max_rows_per_unit
    moved = count_sensitivity(dial.neighbours, 2 if gaussian else 1, rows)
    scale = noise.size
    # the Gaussian's rho at this scale, as OpenDP's map states it; for Laplace the budget itself
    limit = 0.5 * (moved / scale) ** 2 * (1.0 + 1e-12) if gaussian else value
    note = (
        f"CHECK FIRST: the levels of {', '.join(found)} were read from the data. Publish only if they are public."
        if found
        else "All levels were declared."
    )
    return _TEMPLATE.substitute(
        budget_text=", ".join(f"{name} = {number:.10g}" for name, number in vars(budget).items()),
        neighbours=dial.neighbours,
        levels_note=note,
        source=repr(source),
        columns=repr(list(universe)),
        count=repr(count),
        unit=repr(schema.unit),
        rows=repr(rows),
        widths=repr({n: number_text(r.step) for n, r in schema.bin_rules.items() if isinstance(r, Width)}),
        edges=repr({n: [number_text(e) for e in r.edges] for n, r in schema.bin_rules.items() if isinstance(r, Edges)}),
        closed=repr([name for name, rule in schema.bin_rules.items() if rule.closed == "right"]),
        copies=repr(dict(schema.copies)),
        where=repr([(one.column, one.operator, list(one.values)) for one in schema.conditions]),
        missing_values=repr(list(schema.missing_values)),
        left_out=repr(list(schema.dropped_gaps)),
        instead=repr(schema.stand_ins),
        written=WRITTEN_NUMBER,
        number=NUMBER,
        missing=MISSING,
        universe=pprint.pformat({n: list(levels) for n, levels in universe.items()}, width=116, sort_dicts=False),
        whole=repr(noise.integer_valued),
        gaussian=repr(gaussian),
        scale=repr(scale),
        sensitivity=repr(moved),
        limit=repr(limit),
        limit_name="rho" if gaussian else "epsilon",
    )


def check_exportable(source: str, schema: Schema) -> None:
    """Refuse what the script could not do, before any data is read."""
    if not Path(source).name.lower().endswith(".csv"):
        raise ParameterError(
            "must be a CSV file for the script", parameter="source", remedy="write the table to a .csv file"
        )
    if schema.read_from_data:
        raise ParameterError(
            f"of {schema.read_from_data[0]!r} are quantiles read from the data, which a release may not do for free",
            parameter="bins",
            remedy="give a width or edges",
        )
    if schema.structural_zeros:
        raise ParameterError(
            "are not known to the script", parameter="structural_zeros", remedy="make a release of the table instead"
        )


def _universe(dial: RiskDial, schema: Schema) -> tuple[dict[str, Sequence[str]], list[str]]:
    """The levels of every column, and the columns whose levels nobody declared."""
    declared: Mapping[str, Sequence[str]] = schema.universe_levels
    table, levels, found = dial.table, dict[str, Sequence[str]](), []
    cells = table.cells()
    for name in schema.qid_columns:
        levels[name] = declared.get(name) or sorted(set(cells[name]))
    for j, name in enumerate(schema.sensitive_columns):
        levels[name] = declared.get(name) or sorted({parts[j] for parts in table.label_values})
    for name in levels:
        rule = schema.bin_rules.get(name)
        if isinstance(rule, Edges) and name not in declared:
            levels[name] = rule.labels()  # public by their definition
        elif name not in declared:
            found.append(name)
    return levels, found


def check_script_path(path: str) -> None:
    """Refuse a place where the script could not be written; an existing file is not overwritten."""
    if Path(path).exists():
        raise SourceError(f"{path!r} exists", remedy="choose another name for the `script`")
    if not Path(path).absolute().parent.is_dir():
        raise SourceError(
            f"folder {str(Path(path).parent)!r} does not exist", remedy="create it or choose another place"
        )


def write_script(text: str, path: str) -> None:
    """Write the script; an existing file is not overwritten."""
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SourceError(f"{path!r} exists", remedy="choose another name for the `script`") from None
    except OSError as problem:
        raise SourceError(f"cannot write {path!r}: {problem.strerror}") from None
