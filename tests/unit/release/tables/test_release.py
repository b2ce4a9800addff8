from __future__ import annotations

import json
import logging
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epsilens.accounting.account import BudgetExceededError
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import DataError, EpsilensError, ParameterError
from epsilens.release import Ledger
from epsilens.release.card_files import schema_problem
from epsilens.release.ledger.protocol import WriteError
from epsilens.release.tables.release import release_table
from epsilens.release.verification import verify_card
from epsilens.table import FrequencyTable, Schema, read_table
from tests.support.released_tables import LEVELS, SCHEMA, release, written_rows


def test_every_cell_of_the_universe_is_released_in_its_order(people: Path, tmp_path: Path) -> None:
    released = release(people, tmp_path, out=tmp_path / "o.csv")
    rows = written_rows(tmp_path / "o.csv")
    assert [(row["region"], row["sex"], row["illness"]) for row in rows[:3]] == [
        ("north", "f", "no"),
        ("north", "f", "yes"),
        ("north", "m", "no"),
    ]
    assert len(rows) == 12
    truth = read_table(people, Schema(["region", "sex"], "illness"))
    assert sum(int(row["count"]) for row in rows) == truth.n_records == 60
    assert sum(int(row["count"]) == 0 for row in rows) == 4  # nobody is x
    assert list(rows[0]) == ["region", "sex", "illness", "count", "standard_error", "lower", "upper"]
    assert set(released.files) == {"output", "card", "card-text", "internal"}
    assert (tmp_path / "o.internal.json").stat().st_mode & 0o077 == 0


def test_a_table_that_was_read_already_and_parquet(people: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    released = release(read_table(people, SCHEMA), tmp_path, out=tmp_path / "o.parquet")
    written = pq.read_table(tmp_path / "o.parquet")
    assert written.equals(released.to_arrow())
    assert written.schema.field("count").type == "int64"
    with pytest.raises(DataError, match="counted by region, sex, illness, the schema names"):
        release(
            read_table(people, SCHEMA),
            tmp_path,
            schema=Schema(["sex"], "illness", universe={k: LEVELS[k] for k in ("sex", "illness")}),
        )


def test_in_memory_the_release_is_returned_and_counts(people: Path, tmp_path: Path) -> None:
    released = release(people, tmp_path)
    assert released.files == {}
    assert released.card["output"] is None
    assert released.tables[0].counts.sum() == 60
    assert [e.kind for e in Ledger(tmp_path / "b.db").chain().entries] == ["open", "reserve", "commit"]
    assert {p.name for p in tmp_path.iterdir()} - {"b.db", "b.db-wal", "b.db-shm"} == {"people.csv"}


def test_rows_per_person_are_bounded_counted_and_paid_for(people: Path, tmp_path: Path) -> None:
    once = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")
    twice = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person", max_rows_per_unit=2)
    first = release(people, tmp_path, schema=once, one_row_per_person=False)
    assert (first.internal["people_rows"], first.internal["dropped_rows"]) == (30, 30)
    assert "dropped_rows" not in json.dumps(first.card)
    second = release(people, tmp_path, schema=twice, one_row_per_person=False, budget=PureDP(0.5))
    assert second.card["mechanism"]["sensitivity"] == {"norm": "l1", "value": 2.0}
    assert second.card["mechanism"]["tables"][0]["law"]["scale"] == pytest.approx(4.0)
    assert second.card["unit"] == {"protects": "a person", "column": "person", "max_rows_per_person": 2}


def test_the_same_people_have_one_budget_whichever_rows_are_drawn(people: Path, tmp_path: Path) -> None:
    """Rows are drawn anew for each release, so the content differs; it is counted again with the earlier salt."""
    schema = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")
    for _ in range(2):
        release(people, tmp_path, schema=schema, one_row_per_person=False)
    with pytest.raises(EpsilensError, match=r"this very content was released from account 'survey' \(entry 4\)"):
        release(people, tmp_path, schema=schema, one_row_per_person=False, account="other")
    lines = people.read_text().splitlines()
    people.write_text("\n".join(lines[:-2]) + "\n")  # without one person
    released = release(people, tmp_path, schema=schema, one_row_per_person=False, account="other")
    assert released.card["composition"]["account"] == "other"


def test_the_sensitivity_follows_the_neighbours(people: Path, tmp_path: Path) -> None:
    released = release(
        people,
        tmp_path,
        mechanism="discrete-gaussian",
        budget=ZCDP(0.5),
        neighbours="substitute",
        total=ZCDP(1.0),
    )
    table = released.card["mechanism"]["tables"][0]
    assert table["law"]["sigma"] == pytest.approx(np.sqrt(2.0))
    assert table["opendp_price"] <= 0.5


def test_marginals_share_the_budget_and_one_file(people: Path, tmp_path: Path) -> None:
    released = release(
        people, tmp_path, marginals=[["sex", "illness"], ["region"], []], shares=[2, 1, 1], out=tmp_path / "o.csv"
    )
    assert [t["share"] for t in released.card["mechanism"]["tables"]] == ["0.5", "0.25", "0.25"]
    rows = written_rows(tmp_path / "o.csv")
    assert [row["table"] for row in rows] == ["sex x illness"] * 6 + ["region"] * 2 + ["(total)"]
    assert rows[-1] == {**rows[-1], "region": "", "sex": "", "illness": "", "count": "60"}
    assert rows[6]["region"] == "north"
    assert rows[0]["region"] == ""


def test_consistent_levels_add_up(people: Path, tmp_path: Path) -> None:
    released = release(
        people, tmp_path, hierarchy=["region", "sex"], consistent=True, non_negative=True, budget=PureDP(0.5)
    )
    coarse, fine = released.tables
    assert (coarse.universe.columns, fine.universe.columns) == (("region", "illness"), ("region", "sex", "illness"))
    _, group = fine.universe.marginal(("region", "illness"))
    assert np.bincount(group, weights=fine.counts) == pytest.approx(coarse.counts)
    assert (fine.counts >= 0).all()
    assert (fine.standard_errors < released.card["mechanism"]["tables"][1]["standard_error"]).all()
    assert [s["step"] for s in released.card["post_processing"]] == ["consistency", "non-negativity"]


def test_overlapping_marginals_agree_are_not_negative_and_keep_structural_zeros(people: Path, tmp_path: Path) -> None:
    zeros = [{"sex": "x", "illness": "yes"}, {"sex": "x", "region": "south"}]
    released = release(
        people,
        tmp_path,
        schema=Schema(["region", "sex"], "illness", universe=LEVELS, structural_zeros=zeros),
        marginals=[["region", "sex"], ["sex", "illness"], ["region", "illness"]],
        budget=PureDP(0.3),
        consistent=True,
        non_negative=True,
        out=tmp_path / "o.csv",
    )
    first, second, third = released.tables
    assert [table.universe.n_cells for table in released.tables] == [5, 5, 4]
    assert min(table.counts.min() for table in released.tables) >= 0
    totals = [table.counts.sum() for table in released.tables]
    assert totals[0] == pytest.approx(totals[1]) == pytest.approx(totals[2])
    for table, other, column in ((first, second, "sex"), (second, third, "illness"), (first, third, "region")):
        sums = [
            np.bincount(part.universe.codes[:, part.universe.columns.index(column)], weights=part.counts)
            for part in (table, other)
        ]
        assert sums[0] == pytest.approx(sums[1], abs=1e-9)
    steps = released.card["post_processing"]
    assert [step["step"] for step in steps] == ["consistency", "non-negativity"]
    assert steps[1]["numbers"]["off_the_nearest_by_standard_errors_at_most"] <= 0.1
    assert "never grows" in steps[1]["bias"]
    assert schema_problem(released.card) is None


def test_tables_too_large_to_agree_are_refused_before_anything_is_spent(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epsilens.release.fitting.tree.MAX_JOINT_CELLS", 5)
    with pytest.raises(ParameterError, match="at most 5 cells of all their columns together, got 12"):
        release(people, tmp_path, marginals=[["region", "sex"], ["sex", "illness"]], consistent=True, non_negative=True)
    assert not (tmp_path / "b.db").exists()


def test_columns_that_nest_are_released_along_their_paths(tmp_path: Path) -> None:
    import pyarrow as pa

    people = pa.table({"county": ["A", "A", "B"], "tract": ["1", "2", "3"], "ill": ["no", "yes", "no"]})
    paths = {("county", "tract"): [("A", "1"), ("A", "2"), ("B", "3"), ("B", "4")]}
    schema = Schema(["county", "tract"], "ill", universe={"ill": ["no", "yes"]})
    released = release(people, tmp_path, schema=schema, paths=paths, hierarchy=["county", "tract"], consistent=True)
    assert [table.universe.n_cells for table in released.tables] == [4, 8]
    assert released.tables[0].counts == pytest.approx([1, 1, 1, 0], abs=1e-9)


def test_without_a_universe_nothing_or_only_what_reaches_a_threshold(people: Path, tmp_path: Path) -> None:
    open_schema = Schema(["region", "sex"], "illness", universe={"region": ["north", "south"]})
    with pytest.raises(ParameterError, match="does not declare the levels of 'sex', 'illness'"):
        release(people, tmp_path, schema=open_schema)
    assert not (tmp_path / "b.db").exists()
    released = release(
        people, tmp_path, schema=open_schema, threshold_delta=1e-6, budget=PureDP(1.5), total=ApproxDP(2.0, 1e-5)
    )
    table = released.tables[0]
    threshold = released.card["mechanism"]["tables"][0]["threshold"]
    assert (table.counts >= threshold).all()
    assert 0 < table.universe.n_cells < 8
    assert released.card["universe"] == {
        "declared": False,
        "cells": None,
        "levels": None,
        "structural_zeros": [],
        "paths": [],
    }
    assert released.card["budget"]["cost"] == {"epsilon": "1.5", "delta": "0.000001", "rho": None}
    with pytest.raises(ParameterError, match="no threshold is needed"):
        release(people, tmp_path, threshold_delta=1e-6)


def test_thresholded_cells_come_in_the_order_of_their_texts(tmp_path: Path) -> None:
    table = FrequencyTable.from_counts(
        [[90, 80], [70, 0], [60, 50]], labels=["b", "a"], cells={"q": ["zeta", "alpha", "mid"]}
    )
    released = release(table, tmp_path, schema=None, threshold_delta=1e-6, total=ApproxDP(100.0, 1e-5))
    rows = released.to_arrow().to_pylist()
    assert [(row["q"], row["label"], row["count"]) for row in rows] == [
        ("alpha", "b", 70),
        ("mid", "a", 50),
        ("mid", "b", 60),
        ("zeta", "a", 80),
        ("zeta", "b", 90),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"one_row_per_person": False}, "say who is protected"),
        ({"schema": Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")}, "names people, so do not"),
        ({"ledger": None}, "name both"),
        ({"schema": None}, "needs a schema"),
        ({"consistent": True}, "consistency needs several tables"),
        ({"rounded": True}, "rounding is moot"),
        ({"confidence": 1.0}, "confidence must lie"),
        ({"out": "o.xlsx"}, "must end in .csv or .parquet"),
        ({"marginals": [["sex"]], "hierarchy": ["sex"]}, "only one of marginals, levels and hierarchy"),
        ({"hierarchy": ["age"]}, "names 'age', which is not released"),
        ({"cells_are_public": True}, "not both"),
        ({"budget": PureDP(2000.0)}, "epsilon 1000 left of 1000, this release asks for 2000"),
    ],
)
def test_bad_requests_spend_and_write_nothing(people: Path, tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(EpsilensError, match=said):
        release(people, tmp_path, **options)
    assert not (tmp_path / "b.db").exists() or not Ledger(tmp_path / "b.db").chain().reservations("survey")


def test_a_table_of_counts_must_say_what_its_cells_are(tmp_path: Path) -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["a", "b"])
    with pytest.raises(ParameterError, match="which cells exist is a fact about people"):
        release(table, tmp_path, schema=None)


def test_a_single_column_and_names_that_collide(tmp_path: Path) -> None:
    import pyarrow as pa

    people = pa.table({"count": ["a", "a", "b"]})
    schema = Schema(["count"], universe={"count": ["a", "b", "c"]})
    released = release(people, tmp_path, schema=schema)
    assert released.to_arrow().column_names == [
        "count", "released_count", "released_standard_error", "released_lower", "released_upper",
    ]  # fmt: skip
    assert released.tables[0].counts.tolist() == [2, 1, 0]


def test_a_release_that_fails_late_does_not_replace_what_exists(people: Path, tmp_path: Path) -> None:
    release(people, tmp_path, out=tmp_path / "o.csv")
    before = (tmp_path / "o.csv").read_bytes()
    with pytest.raises(WriteError, match="exists"):
        release(people, tmp_path, out=tmp_path / "o.csv")
    with pytest.raises(BudgetExceededError):
        release(people, tmp_path, out=tmp_path / "o.csv", budget=PureDP(2000.0), force=True)
    assert (tmp_path / "o.csv").read_bytes() == before
    release(people, tmp_path, out=tmp_path / "o.csv", force=True)


# -- no data value may leave by a side door ---------------------------------------------------------------------------

TOKENS = ("TOKENregion9x", "TOKENsex7q", "TOKENill5z", "TOKENperson3w")


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    path = tmp_path / "marked.csv"
    rows = "".join(f"{TOKENS[3]}{i},north,f,no\n" for i in range(50))
    path.write_text(f"person,region,sex,illness\n{rows}{TOKENS[3]},{TOKENS[0]},{TOKENS[1]},{TOKENS[2]}\n")
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"schema": Schema(["region", "sex"], "illness", universe={**LEVELS, "region": ["north"]})},
        {"schema": Schema(["region", "sex"], "illness", bins={"region": 5}, universe={**LEVELS, "region": ["[0, 5)"]})},
        {"schema": Schema(["region", "person"], "illness"), "threshold_delta": 1e-6, "budget": PureDP(1.0)},
        {
            "schema": Schema(["region", "sex"], "illness", unit="person"),
            "threshold_delta": 1e-6,
            "one_row_per_person": False,
            "budget": PureDP(1.0),
        },
        {"schema": Schema(["region", "sex"], "illness", structural_zeros=[{"region": TOKENS[0]}], universe=LEVELS)},
    ],
)
def test_no_data_value_in_any_log_error_traceback_ledger_or_card(
    marked: Path,
    tmp_path: Path,
    options: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    said = ""
    with caplog.at_level(logging.DEBUG):
        try:
            release(marked, tmp_path, out=tmp_path / "o.csv", total=ApproxDP(100.0, 1e-5), **options)
        except EpsilensError as problem:
            said = "".join(traceback.format_exception(problem))
    streams = capfd.readouterr()
    written = [p for p in tmp_path.iterdir() if p != marked]
    everything = said + caplog.text + streams.out + streams.err + "".join(p.read_text("latin-1") for p in written)
    source_lines = "structural_zeros" in str(options)  # there the curator declared the level, so it may be said
    assert source_lines or not [token for token in TOKENS if token in everything]
    assert said or written


def test_a_database_file_is_let_go_of_after_a_single_column_was_counted(tmp_path: Path) -> None:
    import duckdb

    from epsilens.table.reading.cells import read_cells

    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT unnest(['a', 'a', 'b']) AS y")
    schema = Schema(["y"], universe={"y": ["a", "b", "c"]})
    counted = read_cells(f"duckdb://{path}", schema, table="people")
    assert dict(zip(counted.domain.levels[0], counted.counts[counted.codes[:, 0].argsort()], strict=True)) == {
        "a": 2,
        "b": 1,
    }
    with duckdb.connect(str(path)) as connection:  # refused while another engine holds the file
        connection.execute("INSERT INTO people VALUES ('c')")


def test_a_release_treats_all_columns_alike(people: Path, tmp_path: Path) -> None:
    alike = release(people, tmp_path, schema=Schema(["region", "sex", "illness"], universe=LEVELS))
    told = release(people, tmp_path, schema=SCHEMA)
    assert [table.universe.domain for table in alike.tables] == [table.universe.domain for table in told.tables]
    assert (alike.internal["disclosure"], len(told.internal["disclosure"])) == ([], 1)
    assert alike.internal["people_rows"] == told.internal["people_rows"]


@pytest.mark.slow
def test_very_many_levels_of_the_last_column_are_counted_without_a_table_of_labels(tmp_path: Path) -> None:
    import pyarrow as pa

    codes = [f"c{i}" for i in range(6_000)]
    schema = Schema(["a"], "code", universe={"a": ["x"], "code": codes})
    released = release(pa.table({"a": ["x"] * 3, "code": ["c5", "c5", "c9"]}), tmp_path, schema=schema)
    assert released.tables[0].universe.n_cells == 6_000
    assert released.internal["disclosure"] == []


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_thresholded_release_of_nobody_is_an_output_without_rows(tmp_path: Path, suffix: str) -> None:
    import pyarrow as pa

    nobody = pa.table({"a": pa.array([], pa.string()), "s": pa.array([], pa.string())})
    total, spent = ApproxDP(2.0, 1e-3), PureDP(1.0)
    out = tmp_path / f"o.{suffix}"
    found = release_table(
        nobody, budget=spent, ledger=tmp_path / "b.db", account="survey", schema=Schema(["a"], "s"), total=total,
        one_row_per_person=True, threshold_delta=1e-6, out=out,
    )  # fmt: skip
    assert found.to_arrow().num_rows == found.card["output"]["rows"] == 0
    assert found.internal["disclosure_not_computed"] is not None
    checks = verify_card(tmp_path / "o.card.json", data=nobody, ledger=tmp_path / "b.db")
    assert all(check.holds for check in checks)
