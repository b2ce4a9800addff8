"""The bound on a person's rows: the rows kept are those that the hash of each chooses."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pyarrow as pa
import pytest

from epsilens.table import FrequencyTable, Schema, read_table
from epsilens.table.domain import MISSING
from epsilens.table.reading import bounds
from epsilens.table.reading import groups as groups_module
from epsilens.table.reading.people import read_people


def kept_by_hand(rows: list[tuple[str, str, str]], salt: str, bound: int) -> Counter[tuple[str, str]]:
    """The counts by contents, where every row has its own hash: the rule, row by row."""
    copies: Counter[tuple[str, str, str]] = Counter()
    places: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for who, *contents in rows:
        copy = copies[who, contents[0], contents[1]]
        copies[who, contents[0], contents[1]] += 1
        key = f"{salt}|{copy}" + "".join(f"|{len(value)}:{value}" for value in (who, *contents))
        digest = hashlib.md5(key.encode()).hexdigest()
        places.setdefault(who, []).append((digest, (contents[0], contents[1])))
    return Counter(contents for own in places.values() for _, contents in sorted(own)[:bound])


def counts_in(table: FrequencyTable) -> Counter[tuple[str, str]]:
    """The counts by contents in a table of one quasi-identifier."""
    cells = table.cells()["q"]
    found = {(q, s): int(table.vectors[i][k]) for i, q in enumerate(cells) for k, s in enumerate(table.labels)}
    return Counter({key: number for key, number in found.items() if number})


@pytest.fixture(params=["smallest", "sorted"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The rows of a person are chosen by the smallest hashes, or sorted by these as those of large bounds are."""
    if request.param == "sorted":
        monkeypatch.setattr(bounds, "MOST_SMALLEST", 0)
    return str(request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("bound", [1, 2, 3, 50])
@pytest.mark.parametrize("whole", [False, True])
def test_the_rows_kept_are_those_of_the_rule(bound: int, whole: bool) -> None:
    rng = random.Random(bound)
    rows = [(str(rng.randint(1, 9)), rng.choice("aab"), rng.choice("xyyé")) for _ in range(60)]
    who = [int(row[0]) for row in rows] if whole else [f" {row[0]}" for row in rows]
    data = pa.table({"who": who, "q": [row[1] for row in rows], "s": [f"{row[2]} " for row in rows]})
    table = read_table(data, Schema(["q"], "s", unit="who", max_rows_per_unit=bound), row_salt="salt")
    expected = kept_by_hand(rows, "salt", bound)
    assert counts_in(table) == expected
    assert table.dropped_rows == 60 - sum(expected.values())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("bound", [1, 2, 4])
@pytest.mark.parametrize("few", [-1, 20_000])
def test_rows_that_do_not_fit_take_no_place_and_people_with_too_many_are_told(
    monkeypatch: pytest.MonkeyPatch, bound: int, few: int
) -> None:
    monkeypatch.setattr(groups_module, "FEW_GROUPS", few)
    rng = random.Random(bound)
    rows = [(str(rng.randint(1, 12)), rng.choice("aab"), rng.choice("xyyz")) for _ in range(70)]
    nobodys = [(None, "a", "x")] * 3
    data = pa.table(dict(zip(("who", "q", "s"), zip(*rows, *nobodys, strict=True), strict=True)))
    schema = Schema(["q"], "s", unit="who", max_rows_per_unit=bound, universe={"s": ["x", "y"]})
    people = read_people(data, schema, row_salt="salt", misfits="leave-out")
    fit = [row for row in rows if row[2] != "z"]
    expected = kept_by_hand(fit, "salt", bound)
    found = {(row["q0"], row["s0"]): row["people"] for row in people.peopled.to_pyarrow().to_pylist()}
    assert found == expected
    assert people.left_out.read == 73
    own = Counter(who for who, _, _ in fit)
    assert people.left_out.crowded_people == sum(number > bound for number in own.values())


@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("missing", ["level", "drop"])
def test_rows_dropped_for_a_missing_value_take_no_place(bound: int, missing: str) -> None:
    rng = random.Random(bound)
    rows = [(str(rng.randint(1, 40)), str(rng.randint(1, 60)), rng.choice("xyyz")) for _ in range(150)]
    gaps = [(str(who), "", "x") for who in range(1, 20)]
    data = pa.table(dict(zip(("who", "q", "s"), zip(*gaps, *rows, strict=True), strict=True)))
    schema = Schema(["q"], "s", unit="who", max_rows_per_unit=bound, missing=missing)
    counted = rows if missing == "drop" else [*rows, *((who, MISSING, label) for who, _, label in gaps)]
    expected = kept_by_hand(counted, "salt", bound)
    table = read_table(data, schema, row_salt="salt")
    assert counts_in(table) == expected
    assert table.dropped_rows == len(counted) - sum(expected.values())


@pytest.mark.slow
def test_a_bound_of_more_than_a_million_rows_is_one() -> None:
    rows = 1_000_002
    data = pa.table({"who": pa.array([1] * rows), "q": ["a"] * rows, "s": ["x", "y"] * (rows // 2)})
    table = read_table(data, Schema(["q"], "s", unit="who", max_rows_per_unit=rows - 1), row_salt="salt")
    assert (table.n_records, table.dropped_rows) == (rows - 1, 1)
