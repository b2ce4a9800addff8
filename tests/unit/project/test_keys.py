"""What a project may say is what commands may be asked."""

from __future__ import annotations

import click
import pytest

from epsilens.project.keys import ANSWERED, COMMANDS, DATA, EXPECTED, GROUPS, KEYS, SHARED, fits, is_output
from tests.support.command_lines import COMMANDS as TREE

WITHOUT = ("ledger", "card", "run", "reproduce", "app")
"""Commands that ask nothing which could be kept."""


def test_every_command_has_a_section_with_its_options() -> None:
    tree = {" ".join(path): command for path, command in TREE.items() if path[0] not in WITHOUT}
    assert set(tree) == set(COMMANDS)
    for name, command in tree.items():
        options = {str(parameter.name) for parameter in command.params if not is_output(name, str(parameter.name))}
        assert options == set(KEYS[name]), name


def test_kinds_are_those_of_the_options() -> None:
    for path, command in TREE.items():
        kinds = KEYS.get(" ".join(path), {}) if path[0] not in WITHOUT else {}
        for parameter in command.params:
            kind = kinds.get(str(parameter.name))
            if kind is None:
                continue
            read = parameter.callback.__name__ if parameter.callback else ""
            assert (kind == "flag") == bool(getattr(parameter, "is_flag", False)), (path, parameter.name)
            assert (kind == "names") == (read == "names"), (path, parameter.name)
            assert (kind == "ends") == (read == "ends"), (path, parameter.name)
            assert (kind in ("texts", "by_column", "files_by_column")) == (
                bool(getattr(parameter, "multiple", False)) and read in ("", "_cells")
            ), (path, parameter.name)
            if isinstance(parameter.type, click.Path):
                assert kind in ("path", "universe", "zeros"), (path, parameter.name)
            if read in ("numbers", "budgets"):
                assert kind in ("numbers", "wholes"), (path, parameter.name)
            if read in ("fraction", "fractions"):
                assert kind == read, (path, parameter.name)


def test_sections_are_told_apart() -> None:
    assert not set(SHARED) & set(COMMANDS)
    assert set(ANSWERED) <= set(COMMANDS)
    assert set(DATA) <= set(KEYS["data"])
    assert {"posterior", "sensitivity"} == GROUPS
    assert {kind for kinds in KEYS.values() for kind in kinds.values()} <= set(EXPECTED)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("flag", [True], ["true", 1]),
        ("text", ["a"], [1, True, ["a"]]),
        ("number", [1, 0.5, "1/864"], [True, [1], {}]),
        ("names", ["a,b", ["a"]], [1, [1], {"a": 1}]),
        ("numbers", [1, [0.1, "1/2"], "0.01:1:5"], [True, [True], {}]),
        ("by_column", ["age=5", ["age=5"], {"age": 5, "hours": [0, 20]}], [{"age": {}}, True]),
        ("universe", ["u.json", {"a": ["x"]}], [["x"], 1]),
        ("zeros", ["z.json", [{"a": "x"}]], [{"a": "x"}, ["x"]]),
    ],
)
def test_a_value_fits_its_kind(kind: str, good: list[object], bad: list[object]) -> None:
    assert all(fits(kind, value) for value in good)
    assert not any(fits(kind, value) for value in bad)
