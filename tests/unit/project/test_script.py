"""A project as a Python program."""

from __future__ import annotations

import ast

import pytest

from epsilens.errors import ParameterError
from epsilens.project.script import script_of


def test_a_program_is_short_and_in_plain_literals() -> None:
    asked = {"source": 'a "b".csv', "quasi_identifiers": ["age", "sex"], "sensitive": "ill", "max_risk": 0.05}
    text = script_of("choose", asked)
    assert text.splitlines()[0] == '"""Prints in JSON what `epsilens choose ... --json` prints."""'
    assert (
        "project = el.Project.of(\n"
        '    data={"source": \'a "b".csv\', "quasi_identifiers": ["age", "sex"], "sensitive": "ill"},\n'
        '    choose={"max_risk": 0.05},\n)\n'
    ) in text
    ast.parse(text)


def test_commands_of_two_words_and_long_values() -> None:
    rho = [0.1234567 + k for k in range(30)]
    text = script_of("posterior release", {"source": "a", "levels": ["b"], "rho": rho, "by": ["c"]})
    assert '    posterior={\n        "release": {\n' in text
    assert max(map(len, text.splitlines())) <= 110
    assert '"levels"' not in script_of("release", {"source": "a", "levels": ["b"]}).partition("release=")[0]
    with pytest.raises(ParameterError, match="command must be one of"):
        script_of("demo", {})
