"""Which values harm, declared in every way that is allowed, and refused in every way that is not."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import (
    Harm,
    canonical_weights,
    check_harmful_columns,
    harm_differs,
    in_canonical_order,
    largest_weight,
)

VALUES = {"stroke": ["0", "1", "2", "a*2", MISSING], "hiv": ["no", "yes"]}


def test_all_values_harm_alike_but_missing_ones() -> None:
    harm = Harm.of((), VALUES)
    assert [harm.weight("stroke", value) for value in VALUES["stroke"]] == [1, 1, 1, 1, 0]
    assert Harm.of("stroke=", VALUES).weight("stroke", MISSING) == 1


@pytest.mark.parametrize(
    "declared",
    [
        ("stroke=1", "stroke=2*3"),
        ("stroke = 1*1", "stroke=2 * 3"),
        {"stroke": {"1": 1, 2: 3}},
        {"stroke": {1.0: 1.0, "2": 3.0}},
    ],
)
def test_declared_values_harm_and_no_others(declared: object) -> None:
    harm = Harm.of(declared, VALUES)  # type: ignore[arg-type]
    assert harm.weights == {"stroke": {"1": 1.0, "2": 3.0}}
    assert harm.weight("stroke", "0") == 0
    assert harm.weight("hiv", "no") == 1, "an attribute that is not named keeps the default"


def test_a_value_with_an_asterisk_is_that_value() -> None:
    assert Harm.of("stroke=a*2", VALUES).weights == {"stroke": {"a*2": 1.0}}
    assert Harm.of("stroke=a*2*4", VALUES).weights == {"stroke": {"a*2": 4.0}}
    assert Harm.of({"stroke": ["1", "2"]}, VALUES).weights == {"stroke": {"1": 1.0, "2": 1.0}}


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("strok=1", "names column 'strok', which is not sensitive here; did you mean 'stroke'"),
        ("stroke=12", "names '12', which does not occur in column 'stroke'; did you mean"),
        (
            "stroke=0,1",
            "names '0,1', which does not occur in column 'stroke'; every value needs a COL=VALUE of its own",
        ),
        ("stroke", "must read like COL=VALUE"),
        ("stroke=1*0.5", "a weight must be at least 1"),
        ("stroke=1*nan", "must be finite"),
        ("stroke=1*x", "must be a number"),
        (("stroke=1", "stroke=1*2"), "two weights"),
        ({"stroke": {"1": 0}}, "a weight must be at least 1"),
    ],
)
def test_what_cannot_be_harm_is_refused(declared: object, says: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Harm.of(declared, VALUES)  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_columns_are_refused_before_values_are_known() -> None:
    check_harmful_columns("stroke=whatever", ["stroke"])
    with pytest.raises(ParameterError, match="not sensitive"):
        check_harmful_columns("age=9", ["stroke"])
    with pytest.raises(ParameterError, match="at least 1"):
        check_harmful_columns({"stroke": {"1": 0.3}}, ["stroke"])
    with pytest.raises(ParameterError, match="names no value"):
        Harm({"stroke": {}})


def test_a_combination_harms_as_much_as_the_worst_of_its_values() -> None:
    harm = Harm.of(("stroke=1*3",), VALUES)
    assert harm.of_labels(("stroke", "hiv"), [("0", "no"), ("1", "no"), (MISSING, "yes")]).tolist() == [1, 3, 1]


def test_labels_of_equal_weight_are_exchangeable_and_no_others() -> None:
    weights = np.array([0.0, 2.0, 0.0, 1.0])
    assert in_canonical_order(np.array([[1, 5, 7, 2], [7, 5, 1, 2], [5, 1, 7, 2]]), weights).tolist() == [
        [5, 2, 7, 1],
        [5, 2, 7, 1],
        [1, 2, 7, 5],
    ]
    assert canonical_weights(weights).tolist() == [2, 1, 0, 0]


def test_tables_know_the_harm_of_their_labels() -> None:
    table = FrequencyTable.from_counts([[3, 0, 1], [0, 3, 1]], labels=["a", "b", MISSING])
    assert table.label_weights.tolist() == [1, 1, 0]
    assert table.harm_signatures()[0].tolist() == [[3, 0, 1]]
    weighed = table.with_harm("label=a", "label=b*2")
    assert weighed.label_weights.tolist() == [1, 2, 0]
    assert len(weighed.harm_signatures()[0]) == 2


def test_no_declaration_weighs_more_than_is_known_before_the_data_are() -> None:
    assert largest_weight(()) == 1.0
    assert largest_weight(("stroke=1*3", "stroke=2*1.5", "stroke=a*b", "stroke=3")) == 3.0
    assert largest_weight({"stroke": {"1": 2.5}, "income": ["high"]}) == 2.5


def test_only_labels_that_all_count_once_need_not_be_told_apart() -> None:
    assert not harm_differs(None)
    assert not harm_differs(np.ones(3))
    assert harm_differs(np.array([1.0, 0.0]))
    assert harm_differs(np.array([2.0, 2.0]))


@pytest.mark.parametrize(
    ("declared", "values", "said"),
    [
        ("y=Unknown", ["ill", "(missing)"], "missing values are named by nothing behind the sign"),
        ("y=3", ["[0, 25)", "[25, 50)"], "name a bin of it as results do"),
        ("y=il", ["ill", "(missing)"], "did you mean 'ill'"),
        ("y=ill*nan", ["ill"], "the weight behind a value must be finite"),
    ],
)
def test_a_refusal_teaches_how_values_are_named(declared: str, values: list[str], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Harm.of(declared, {"y": values})
