from __future__ import annotations

import pytest

from epsilens.report.words.harmful_values import harm_sentence


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": 1.0, "b": 1.0}, "being shown with any value, each alike, since none was declared harmful."),
        ({"a": 1.0, "(missing)": 0.0}, "being shown with any value but (missing), which tells nothing about anybody."),
        ({"well": 0.0, "ill": 1.0}, "being shown with ill; well harms nobody."),
        ({"well": 0.0, "x": 0.0, "ill": 3.0}, "being shown with ill (which counts 3 times); well and x harm nobody."),
        ({"a": 2.0, "b": 1.0}, "being shown with a (which counts 2 times) or b."),
        (dict.fromkeys("abcdef", 1.0) | {"g": 0.0}, "being shown with a, b, c, d or 2 more; g harms nobody."),
    ],
)
def test_what_counts_is_said_in_a_line(weights: dict[str, float], said: str) -> None:
    entries = [{"value": value, "weight": weight} for value, weight in weights.items()]
    assert harm_sentence(entries) == f"What counts: {said}"
