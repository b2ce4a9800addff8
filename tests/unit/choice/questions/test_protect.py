"""Protected tables: which questions make no sense, and what remains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.avoidance import SYSTEMS
from epsilens.choice.questions.protect import Protection, Question, answer, plain_systems
from epsilens.choice.system_risks import homogeneity_of_release
from epsilens.errors import ParameterError
from epsilens.table.to_read import TableToRead
from tests.support.avoidance import random_histogram

TABLE = el.FrequencyTable.from_counts(
    [[4, 0], [1, 2], [0, 9]], ["no", "yes"], {"town": ["ash", "elm", "oak"], "sex": ["f", "f", "m"]}
)


def test_the_risk_is_that_of_the_release() -> None:
    histogram = random_histogram(3)
    for name in plain_systems():
        draws = {"seed": 5} if SYSTEMS[name].draws else {}
        found = answer(Question(system=name, **draws), histogram)  # type: ignore[arg-type]
        assert found.name == name
        assert found.people == histogram.n_records
        released = found.table.released
        if released is not None:
            assert found.risk == pytest.approx(homogeneity_of_release(found.system, histogram, released))
        else:
            assert found.k is not None
            assert found.k >= 6
        assert 0.0 <= found.risk <= 1.0


def test_classes_that_show_a_single_value_are_named() -> None:
    counts = np.array([[[3, 0], [2, 0]], [[1, 2], [2, 2]]])
    levels = (("1", "2"), ("M", "F"), ("yes", "no"))
    histogram = av.Histogram(counts, ("block", "gender", "votes"), levels, ("gender", "block"))
    found = answer(Question(system="k-anonymity-full-domain", k=4, node={"gender": 1}), histogram)
    (cell,) = found.homogeneous
    assert (cell.cell, cell.value, cell.people) == ({"gender": "*", "block": "1"}, {"votes": "yes"}, 5)
    assert (found.k, found.l, found.exposed, found.left_out) == (5, 1, 5, 0)
    assert found.settings["levels"] == {"gender": 1, "block": 0}
    rare = answer(Question(system="k-anonymity-full-domain", k=4, node={"block": 0}), histogram)
    assert rare.left_out == 3 + 2 + 3


def test_cells_that_show_a_single_value_are_named() -> None:
    found = answer(Question(system="suppression", k=2), TABLE)
    assert {(*cell.cell.values(), *cell.value.values(), cell.people) for cell in found.homogeneous} == {
        ("ash", "f", "no", 4),
        ("elm", "f", "yes", 2),
        ("oak", "m", "yes", 9),
    }
    assert (found.exposed, found.risk_before) == (15, 13 / 16)
    assert (found.k, found.l, found.table.withheld) == (2, 1, 9)
    nothing = answer(Question(system="suppression", k=16), TABLE)
    assert (nothing.k, nothing.l, nothing.homogeneous) == (None, None, ())


def test_a_seed_is_kept_apart_and_drawn_where_none_is_given() -> None:
    one, other = (answer(Question(system="random-rounding"), TABLE) for _ in range(2))
    assert one.seed != other.seed
    assert one.seed is not None
    again = answer(Question(system="random-rounding", seed=one.seed), TABLE)
    np.testing.assert_array_equal(again.table.counts, one.table.counts)
    assert str(one.seed) == one.to_dict()["seed"]
    assert str(one.seed) not in str(one.record())
    assert answer(Question(system="rounding"), TABLE).seed is None


def test_a_record_says_nothing_about_people_and_that_there_is_no_guarantee() -> None:
    found = answer(Question(system="swapping-discrepancy", swapped_share=0.5, swap=["town"]), TABLE)
    record = found.record()
    assert record["guarantee"] is None
    assert record["settings"] == {"swapped_share": 0.5, "swap": ["town"]}
    assert "neighbours" in record["why"]
    assert not {"people", "homogeneity_risk", "seed", "remarks"} & set(record)
    assert record["columns"] == ["town", "sex", "label", "count"]
    assert found.to_dict()["label"] == "internal"
    assert isinstance(found, Protection)
    assert "ash" not in repr(found)


def test_the_count_has_a_name_of_its_own() -> None:
    histogram = av.Histogram(np.array([[4, 1]]), ("count", "y"), (("a",), ("0", "1")), ("count",))
    assert answer(Question(system="rounding"), histogram).count_column == "published_count"
    assert answer(Question(system="rounding", base=2), histogram).unchanged is False
    assert answer(Question(system="swapping", swapped_share=0.1), histogram).unchanged is True


DATA = TableToRead.of("none.csv", ["town"], "ill")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Question(system="laplace"), "must be one without an epsilon, got 'laplace'.*epsilens release"),
        (lambda: Question(system="dp-suppression"), "must be one without an epsilon"),
        (lambda: Question(system="supression"), "did you mean 'suppression'"),
        (lambda: Question(system="suppression", base=5), "base plays no part in suppression; leave it out"),
        (lambda: Question(system="rounding", k=5), "k plays no part in rounding"),
        (lambda: Question(system="rounding", seed=5), "seed plays no part in rounding"),
        (lambda: Question(system="k-anonymity", seed=5), "seed plays no part in k-anonymity"),
        (lambda: Question(system="rounding", ordered=["age"]), "ordered plays no part in rounding"),
        (lambda: Question(system="k-anonymity", node={"a": 1}), "node plays no part in k-anonymity"),
        (lambda: Question(system="k-anonymity", k=0), "k must be"),
        (lambda: Question(system="suppression", swapped_share=0.0), "swapped_share plays no part in suppression"),
        (
            lambda: Question(system="k-anonymity-full-domain", node={"a": 1}, max_suppressed=0.1),
            "max_suppressed plays no part where node fixes the levels",
        ),
        (lambda: Question(system="k-anonymity-full-domain", max_suppressed=2), "max_suppressed must be between"),
        (lambda: Question(system="swapping", swapped_share=0.0), "share of rows to swap must be > 0"),
        (lambda: Question(system="swapping", swap=["twon"], data=DATA), "did you mean 'town'"),
        (lambda: Question(system="swapping", seed=-1), "seed must be"),
        (lambda: answer(Question(system="rounding")), "there is no table to protect"),
        (lambda: answer(Question(system="suppression", k=100), TABLE), "k must not exceed the number of people"),
    ],
)
def test_questions_that_make_no_sense(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_who_is_shown_as_what_is_counted_rightly_and_wrongly() -> None:
    found = answer(Question(system="suppression", k=2), TABLE)
    right = {value.value: value.shown_right * 16 for value in found.by_value}
    wrong = {value.value: value.shown_wrong * 16 for value in found.by_value}
    assert right == pytest.approx({"no": 4, "yes": 11})
    assert wrong == pytest.approx({"no": 0, "yes": 1})  # in elm one who has it not is shown so
    assert found.rose
    assert found.to_dict()["harmful_wrong"] == pytest.approx(1 / 16)
    assert sum(value.shown_wrong for value in found.by_value_before) == 0


def test_only_harmful_values_count_in_the_risk() -> None:
    harmed = TABLE.with_harm("label=no*2")
    found = answer(Question(system="suppression", k=2), harmed)
    assert (found.exposed, found.harmful_exposed) == (15, 4)
    assert (found.risk, found.risk_before) == (2 * 4 / 16, 2 * 4 / 16)
    assert not found.rose
    classes = answer(Question(system="k-anonymity-full-domain", k=4, node={"town": 0, "sex": 0}), harmed)
    assert [value.shown_right for value in classes.by_value] == [4 / 16, 9 / 16]
    assert classes.risk == 2 * 4 / 16
