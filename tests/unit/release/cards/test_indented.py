"""JSON with one value per line is the standard library's, letter by letter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from epsilens.release.cards.indented import indented_json

VALUES: list[Any] = [
    {},
    [],
    'ä\n"\\ \u2028 \x7f \U0001f600',
    {"a": [], "b": {}, "c": (), "d": None},
    {"levels": {"area": ["1", 'two "quoted"', "\t", ""], "mixed": ["a", 1, True, None, 0.1, -1e300]}},
    [[["deep"], ["er"]], [{"x": [1, 2]}]],
    {1: "whole", 1.5: "not", False: "false", None: "nothing", 'k"': ("t", "u")},
]


@pytest.mark.parametrize("value", VALUES)
def test_as_the_standard_library_writes_it(value: Any) -> None:
    assert indented_json(value) == json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        indented_json({"a": [float("nan")]})
