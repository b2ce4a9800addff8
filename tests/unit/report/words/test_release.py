"""What a release says when it is done."""

from __future__ import annotations

from pathlib import Path

from epsilens.release.statistics import Mean, Proportions
from epsilens.report.words.release import (
    released_statistics_lines,
    released_tables_lines,
    statistics_headings,
    statistics_rows,
)
from epsilens.table import FrequencyTable
from tests.support import released_statistics, released_tables


def test_tables(tmp_path: Path) -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["a", "b"], cells={"q": ["x", "y"]})
    answer = released_tables.release(
        table, tmp_path, schema=None, cells_are_public=True, out=tmp_path / "o.csv", marginals=[["q"], []],
        consistent=True, confidence=0.9,
    )  # fmt: skip
    lines = released_tables_lines(answer)
    assert lines[0] == f"3 counts written to {tmp_path / 'o.csv'}"
    assert lines[1].startswith("  q: standard error ")
    assert "90 % interval ± " in lines[1]
    assert lines[1].endswith(" before consistency")
    assert lines[3] == "Cost epsilon 60, rho 1800; account 'survey' has epsilon 940 left (pure)."
    assert lines[-1] == f"Internal assessment: {tmp_path / 'o.internal.json'} (INTERNAL: not for publication)"


def test_statistics(tmp_path: Path) -> None:
    wanted = [Mean("a", 0, 10), Proportions("sex", ("f", "m"))]
    answer = released_statistics.release(tmp_path, wanted, out=tmp_path / "o.csv")
    assert statistics_headings(answer) == ("statistic", "value", "standard error", "95 % interval")
    assert [row[0] for row in statistics_rows(answer)] == ["mean(a)", "proportions(sex) [f]", "proportions(sex) [m]"]
    lines = released_statistics_lines(answer)
    assert lines[0].startswith("proportions(sex): simplex, moved by ")
    assert lines[1:3] == [
        f"3 numbers written to {tmp_path / 'o.csv'}",
        "Cost epsilon 1; account 'survey' has epsilon 9 left (pure).",
    ]
