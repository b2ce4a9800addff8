from __future__ import annotations

import json
from pathlib import Path

from epsilens.budget import PureDP
from epsilens.release.tables.card import schema_dict
from epsilens.table import Schema
from tests.support.released_tables import SCHEMA, release


def test_the_publishable_card_has_no_confidential_fact(folder: Path) -> None:
    """Two data sets that differ in one person give cards that differ in nothing but noise, names and times."""
    other = folder / "other"
    other.mkdir()
    lines = (folder / "people.csv").read_text().splitlines()
    (other / "people.csv").write_text("\n".join(lines[:-20]) + "\n")
    release(other / "people.csv", other, out=other / "first.csv", budget=PureDP(0.5), non_negative=True)
    ours, theirs = (json.loads((f / "first.card.json").read_text()) for f in (folder, other))
    for card in (ours, theirs):
        for random in ("ledger", "content"):
            card.pop(random)
        card["output"].pop("sha256")
        card["release"] = {k: v for k, v in card["release"].items() if k in {"account", "tables"}}
    assert ours == theirs
    inside = json.loads((folder / "first.internal.json").read_text())
    assert inside["people_rows"] == 60
    assert set(inside["disclosure"][0]) >= {"before", "after", "local_risk_after"}


def test_schemas_survive_being_written_down() -> None:
    for schema in (
        SCHEMA,
        Schema(
            ["age", "dose"], "y", bins={"age": [18], "dose": 0.25}, unit="p", max_rows_per_unit=3, missing_values="?"
        ),
        Schema(["a"], "y", universe={"a": [1, 2], "y": [True, False]}, structural_zeros=[{"a": 1, "y": True}]),
    ):
        assert Schema.from_dict(json.loads(json.dumps(schema_dict(schema)))) == schema
