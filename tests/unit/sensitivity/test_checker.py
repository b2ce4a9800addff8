"""The checker counts what it searched and refuses what it cannot."""

from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.sensitivity import verify


def test_worst_pair_and_counts() -> None:
    found = verify("mean", "add-remove", n=3, lower=0, upper=1)
    assert found.pairs == 75
    assert found.data_sets == 35 + 15
    data, other = found.worst_pair
    values = [record[0] for record in data[0]], [record[0] for record in other[0]]
    assert abs(sum(values[0]) / 3 - sum(values[1]) / 2) == pytest.approx(found.brute_force)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"statistic": "varience", "n": 3}, r"statistic must be one of .*did you mean 'variance'"),
        ({"statistic": "variance", "n": 3}, r"needs lower, upper, not given"),
        ({"statistic": "variance", "n": 3, "lower": 0, "uper": 1}, r"got uper; did you mean 'upper'"),
        ({"statistic": "variance", "n": 60, "lower": 0, "upper": 1}, r"search must stay below 1000000 pairs.*about 6"),
        ({"statistic": "mean", "n": 3, "lower": 0, "upper": 1, "published": True}, r"prints the right value for mean"),
        ({"statistic": "histogram", "max_rows_per_unit": 2000}, r"search must stay below 1000000 pairs"),
        ({"statistic": "histogram", "max_rows_per_unit": 0}, r"max_rows_per_unit must be >= 1"),
        ({"statistic": "histogram_tree", "levels": 400}, r"search must stay below 1000000 pairs.*about 6 levels"),
        ({"statistic": "histogram_tree", "levels": 1, "neighbours": "substitute"}, r"levels must be >= 2"),
        ({"statistic": "proportions", "n": 3, "categories": 1}, r"categories must be >= 2"),
        ({"statistic": "mean", "n": 3, "lower": 0, "upper": 1, "neighbours": "both"}, r"neighbours must be one of"),
    ],
)
def test_bad_requests(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        verify(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_a_tree_is_searched_on_the_complete_binary_one(levels: int, neighbours: str, norm: int) -> None:
    found = verify("histogram_tree", neighbours, levels=levels, norm=norm)
    assert found.attained
    assert found.data_sets == 2 ** (levels - 1) * (2 ** (levels - 1) + 1) // 2 + (
        2 ** (levels - 1) if neighbours == "add-remove" else 0
    )


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_a_person_with_several_rows_changes_as_many_records(neighbours: str, rows: int) -> None:
    for norm in (1, 2):
        assert verify("histogram", neighbours, norm=norm, max_rows_per_unit=rows).attained
    found = verify("count", neighbours, max_rows_per_unit=rows)
    assert (found.brute_force, found.attained) == (rows, True)
