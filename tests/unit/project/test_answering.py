"""What a project asks, and its answers; that they are those of commands is tested with the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epsilens.choice.questions import choose_delta
from epsilens.errors import ParameterError
from epsilens.project.answering import answer_of, data_of, given_of, question_of, worded
from epsilens.table.to_read import HierarchyToRead

DATA: dict[str, Any] = {"source": "a.csv", "quasi_identifiers": ["age"], "sensitive": ["ill"]}


def test_values_are_read_by_their_kinds() -> None:
    assert given_of("assess", {**DATA, "epsilons": "0.5,1", "bins": {"age": 5}}) == {
        "source": "a.csv", "quasi_identifiers": ("age",), "sensitive": ("ill",), "epsilons": (0.5, 1.0),
        "bins": ("age=5",),
    }  # fmt: skip
    with pytest.raises(ParameterError, match="source is missing: say in"):
        given_of("assess", {})
    with pytest.raises(ParameterError, match="command must be one of assess, choose"):
        given_of("demo", DATA)


def test_a_question_knows_where_its_data_are() -> None:
    assert question_of("assess", {**DATA, "cells": 3}).riskiest == 3
    assert question_of("assess", DATA).data.schema.qid_columns == ("age",)
    fixed = {**DATA, "fixed_epsilon": 1, "max_risk": 0.3, "mechanism": "gaussian-analytic"}
    assert isinstance(question_of("choose", fixed), choose_delta.Question)
    assert isinstance(data_of("posterior release", {"source": "a", "levels": "b", "by": "c"}), HierarchyToRead)


def test_households_and_a_table_that_was_read_already(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("age,ill,home\n1,y,h\n1,n,h\n2,y,g\n2,y,g\n")
    asked = {**DATA, "source": str(path), "epsilons": 1, "household": "home"}
    found = answer_of("assess", asked)
    assert found.households is not None
    table = data_of("assess", asked).read()  # type: ignore[call-arg, unused-ignore]
    again = answer_of("assess", {**asked, "source": "gone.csv", "household": None}, table)
    assert worded("assess", again, asked)["budgets"] == worded("assess", found, asked)["budgets"]
