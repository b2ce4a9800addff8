"""The bound on a person's rows: the rows kept are those that the hash of each chooses."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import pyarrow as pa
import pytest

from epsilens.table import Schema, read_table


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


@pytest.mark.parametrize("bound", [1, 2, 3, 50])
@pytest.mark.parametrize("whole", [False, True])
def test_the_rows_kept_are_those_of_the_rule(bound: int, whole: bool) -> None:
    rng = random.Random(bound)
    rows = [(str(rng.randint(1, 9)), rng.choice("aab"), rng.choice("xyyé")) for _ in range(60)]
    who = [int(row[0]) for row in rows] if whole else [f" {row[0]}" for row in rows]
    data = pa.table({"who": who, "q": [row[1] for row in rows], "s": [f"{row[2]} " for row in rows]})
    table = read_table(data, Schema(["q"], "s", unit="who", max_rows_per_unit=bound), row_salt="salt")
    expected = kept_by_hand(rows, "salt", bound)
    cells = table.cells()["q"]
    found = {(q, s): table.vectors[i][k] for i, q in enumerate(cells) for k, s in enumerate(table.labels)}
    assert {key: int(n) for key, n in found.items() if n} == expected
    assert table.dropped_rows == 60 - sum(expected.values())
