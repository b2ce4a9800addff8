from __future__ import annotations

import pytest

from epsilens import sensitivity
from epsilens.choice.questions import sensitivity as asked
from epsilens.errors import ParameterError


def test_arguments_that_are_none_are_not_given() -> None:
    answer = asked.answer(asked.Question("variance", "substitute", {"n": 100, "lower": 0, "upper": 1, "sizes": None}))
    assert answer.to_dict()["value"] == sensitivity.variance(100, 0, 1, "substitute")
    assert {"published", "verification"}.isdisjoint(answer.to_dict())


def test_the_printed_value_and_the_search_on_request() -> None:
    arguments = {"sizes": (3, 3), "lower": (0, 0), "upper": (1, 1), "reveal_largest": True}
    result = asked.answer(asked.Question("pooled-covariance", "add-remove", arguments, True, True)).to_dict()
    assert result["published"] == sensitivity.published.pooled_covariance((3, 3), (0, 0), (1, 1))
    assert result["verification"]["brute_force"] == pytest.approx(result["value"])


def test_what_print_or_a_search_cannot_answer_is_said() -> None:
    answer = asked.answer(asked.Question("count", "add-remove", {"max_rows_per_unit": 2000}, True, True))
    assert (answer.description.value, answer.published, answer.verification) == (2000.0, None, None)
    assert answer.to_dict()["published_note"].endswith("none for a single count")
    assert answer.to_dict()["not_searched"].startswith("an exhaustive search must stay below")
    assert answer.to_dict()["range"] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("modus",), "statistic must be one of"),
        (("mean", "swap", {"n": 9, "lower": 0, "upper": 1}), "neighbours must be one of"),
        (("mean", "substitute", {"n": 9, "lower": 0}), "needs upper, not given"),
        (("mean", "substitute", {"n": 9, "lower": 1, "upper": 1}), "lower must be below upper"),
    ],
)
def test_nonsense_is_refused(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        asked.Question(*given)  # type: ignore[arg-type]
