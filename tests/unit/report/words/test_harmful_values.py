from __future__ import annotations

import pytest

from epsilens.report.words.harmful_values import harm_said, harm_sentence, named_value


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": 1.0, "b": 1.0}, "every value but missing ones; which ones harm can be declared."),
        (
            {"a": 1.0, "(missing)": 0.0},
            "every value but missing ones; which ones harm can be declared. (missing) is a level that discloses "
            "nothing, unless you declare it harmful.",
        ),
        ({"well": 0.0, "ill": 1.0}, "ill, as declared. Being shown as well is not counted."),
        ({"well": 0.0, "x": 0.0, "ill": 3.0}, "ill (3 times), as declared. Being shown as well or x is not counted."),
        ({"a": 2.0, "b": 1.0}, "a (2 times) and b, as declared."),
        (
            {"well": 0.0, "ill": 1.0, "(missing)": 0.0},
            "ill, as declared. Being shown as well is not counted. (missing) is a level that discloses nothing, unless "
            "you declare it harmful.",
        ),
        (
            dict.fromkeys("abcdef", 1.0) | {"g": 0.0},
            "a, b, c, d and 2 more, as declared. Being shown as g is not counted.",
        ),
    ],
)
def test_which_values_count_is_said_in_a_line(weights: dict[str, float], said: str) -> None:
    entries = [{"value": value, "weight": weight} for value, weight in weights.items()]
    assert harm_sentence(entries) == f"Counted as harmful: {said}"


def test_what_was_declared_is_said_so_even_where_it_is_the_default() -> None:
    values = [("a", 1.0), ("b", 1.0)]
    assert harm_said(values) == ["Counted as harmful: every value but missing ones; which ones harm can be declared."]
    assert harm_said(values, declared=True) == ["Counted as harmful: a and b, as declared."]


def test_what_is_missing_needs_no_name() -> None:
    assert named_value("stroke", "1") == "stroke=1"
    assert named_value("stroke", "(missing)") == "(missing)"
