"""From parameters to a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epsilens.cli.release import command
from epsilens.errors import ParameterError
from epsilens.project.releasing import DEFAULTS, release

GIVEN: dict[str, Any] = {
    "columns": ("sex", "ill"), "universe": '{"sex": ["f", "m"], "ill": ["y", "n"]}', "epsilon": 0.5,
    "ledger": "b.db", "account": "a", "total_epsilon": 1.0, "out": "o.csv", "one_row_per_person": True,
}  # fmt: skip


def test_defaults_are_those_that_options_show() -> None:
    shown = {parameter.name: parameter.default for parameter in command.params}
    assert {name: shown[name] for name in DEFAULTS} == dict(DEFAULTS)


def test_parameters_become_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    question = release({**GIVEN, "marginal": ("sex", "total"), "structural_zeros": '[{"sex": "f", "ill": "y"}]'})
    assert question.wanted.marginals == [("sex",), ()]
    assert question.counting.schema is not None
    assert question.counting.schema.structural_zeros
    assert question.spending.mechanism == "discrete-laplace"
    tree = {name: value for name, value in GIVEN.items() if name != "columns"} | {"columns": ("sex",), "tree": "sex"}
    assert release(tree).choices.consistent


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"columns": ()}, "columns is missing"),
        ({"epsilon": None}, "epsilon is missing"),
        ({"ledger": None}, "ledger is missing"),
        ({"branching": 2}, "is about a tree"),
        ({"missing": ("refuse",)}, "must be level, drop or a value"),
        ({"marginal": (",",)}, "names no column"),
    ],
)
def test_what_can_be_refused_without_data_is(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        release({**GIVEN, **more})
