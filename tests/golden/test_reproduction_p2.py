"""The errata of P2 that are known are found by the program itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.reproduce.question import Question, answer


@pytest.mark.slow
def test_every_departure_is_found_and_every_verdict_is_there(data_dir: Path) -> None:
    found = answer(Question(("P2",), data_dir))
    assert len(found.rows) > 300
    departed = {row.departs for row in found.rows if not row.holds and row.needs is None}
    assert departed == {None, *(f"P2-{number}" for number in range(1, 17))}
    assert all(found.counts("P2").values())
    assert found.files_missing == ["ma2019-ipums.csv", "national2019.csv", "tx2019.csv"]
    # without a departure, and yet not confirmed: chance in one alpha, too much to tell
    assert [row.place for row in found.rows if row.departs is None and not row.holds and row.needs is None] == [
        "Table 1, epsilon = 4, DP swapping"
    ]


def test_without_data_the_rest_is_told() -> None:
    found = answer(Question(("P2",)))
    assert {row.verdict for row in found.rows if row.needs} == {"not reproducible"}
    assert sum(row.needs is None for row in found.rows) > 130
    assert found.files_missing == ["ma2019.csv", "national2019.csv", "tx2019.csv"]
