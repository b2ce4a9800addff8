"""Who is shown as what, straight from the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.words.assess import belief_sentence, summary, today_sentences
from epsilens.report.words.common import Grid, Note, Text
from epsilens.report.words.values import (
    MOST_VALUES,
    fine_percent,
    harm_sentences,
    headline,
    today_values,
    value_sentences,
    values_blocks,
    values_today_grid,
)
from epsilens.table.domain import MISSING

ILL = replace(
    el.FrequencyTable.from_counts([[3, 0, 0], [1, 2, 0], [0, 5, 1], [7, 0, 0], [0, 0, 2]], ["0", "1", MISSING]),
    sensitive=("stroke",),
    label_values=(("0",), ("1",), (MISSING,)),
)
HEALTHY = replace(el.FrequencyTable.from_counts([[3, 0], [1, 2], [7, 0]], ["0", "1"]), sensitive=("stroke",))


def found(table: el.FrequencyTable, *harmful: str) -> Assessment:
    return assess(table.with_harm(*harmful) if harmful else table, Question(epsilons=(1.0,)))


def test_what_counts_as_harmful_is_always_said() -> None:
    every = "Counted as harmful: every value but missing ones; which ones harm can be declared."
    assert harm_sentences(found(HEALTHY).today[0]) == [every]
    unknown = "(missing) is a level that discloses nothing, unless you declare it harmful."
    assert harm_sentences(found(ILL).today[0]) == [every, unknown]
    declared = "Counted as harmful: stroke=1, as declared. Being shown as stroke=0 is not counted."
    assert harm_sentences(found(ILL, "stroke=1").today[0]) == [declared, unknown]
    assert harm_sentences(found(ILL, "stroke=1*3", "stroke=").today[0]) == [
        "Counted as harmful: stroke=1 (3 times) and (missing), as declared. Being shown as stroke=0 is not counted."
    ]
    for table in (HEALTHY, HEALTHY.with_harm("stroke=1")):
        said = [block.text for block in summary(found(table)) if isinstance(block, Text)]
        assert len([text for text in said if text.startswith("Counted as harmful")]) == 1


def test_a_value_that_reads_as_missing_is_pointed_out() -> None:
    labels = ["0", "1", "Unknown"]
    table = replace(el.FrequencyTable.from_counts([[3, 0, 0], [1, 2, 4]], labels), sensitive=("stroke",))
    hint = "stroke=Unknown counts as a value; if it means missing, declare that it does."
    assert harm_sentences(found(table).today[0])[-1] == hint
    assert hint not in harm_sentences(found(table, "stroke=1").today[0])


def test_the_headline_is_about_values_that_harm() -> None:
    known = " to anyone who knows their quasi-identifiers"
    assert headline(found(HEALTHY).today[0]) == (
        f"Published as it is, 10 of 13 people (76.9 %) are disclosed{known}, all of them as stroke=0."
    )
    assert headline(found(HEALTHY, "stroke=1").today[0]) == (
        "Published as it is, nobody is shown with a harmful value (stroke=1)."
    )
    ill = headline(found(ILL, "stroke=1", "stroke=").today[0])
    shown = "Published as it is, 2 of 21 people (9.5 %) are shown with a harmful value"
    assert ill == f"{shown}{known}, all of them as (missing)."
    everybody = headline(found(ILL).today[0])  # none declared: nobody is said to be harmed by being healthy
    assert everybody == f"Published as it is, 10 of 21 people (47.6 %) are disclosed{known}, all of them as stroke=0."


@pytest.mark.parametrize(
    ("table", "harmful", "said"),
    [
        (HEALTHY, (), ["All 10 are shown as stroke=0."]),
        (
            HEALTHY,
            ("stroke=1",),
            [
                "Nobody is shown with a harmful value (stroke=1).",
                "10 people are shown with a value that is not counted as harmful, all of them as stroke=0.",
            ],
        ),
        (
            ILL,
            ("stroke=0",),
            [
                "10 people are shown with a harmful value, all of them as stroke=0.",
                "2 people are shown with a value that is not counted as harmful, all of them as (missing).",
            ],
        ),
        (
            ILL,
            ("stroke=0", "stroke="),
            ["12 people are shown with a harmful value: 10 are shown as stroke=0 and 2 as (missing)."],
        ),
        (el.FrequencyTable.from_counts([[1, 2]]), (), []),
        (el.FrequencyTable.from_counts([[1, 0], [2, 1]], ["a", "b"]), (), ["1 person is shown as label=a."]),
    ],
)
def test_today_it_says_as_what_people_are_disclosed(
    table: el.FrequencyTable, harmful: tuple[str, ...], said: list[str]
) -> None:
    assert today_values(found(table, *harmful).today[0]) == said


def test_a_file_in_which_only_healthy_people_are_disclosed_misleads_nobody() -> None:
    result = found(HEALTHY, "stroke=1")
    _, disclosed, _ = today_sentences(result, result.today[0])
    assert disclosed == (
        "Published as it is, 2 cells show a single stroke: that of 10 of 13 people (76.9 %) is plain to anyone who "
        "knows their quasi-identifiers."
    )
    assert result.to_dict()["today"][0]["harmful_people"] == 0
    assert "single harmful stroke" in belief_sentence(result.lines[0])
    headings = [
        block.headings for block in summary(result) if isinstance(block, Grid) and "with laplace" in block.title
    ]
    assert headings == [
        ("epsilon", "harmful one\nshown, theirs", "harmful one\nshown, wrong", "believing\nis right"),
    ]


def test_the_table_has_harmful_values_first_and_the_numbers_of_the_json() -> None:
    result = found(ILL, "stroke=1*2")
    (line,), (attribute,) = result.lines, result.today
    grid, *notes = values_blocks(line, attribute)
    assert isinstance(grid, Grid)
    assert [row[:3] for row in grid.rows] == [("1", "2 times", "7"), ("0", "no", "11"), (MISSING, "no", "3")]
    by_value = {row["value"]: row for row in line.to_dict()["by_value"]}
    for row in grid.rows:
        assert row[3:5] == (
            fine_percent(by_value[row[0]]["shown_right"]),
            fine_percent(by_value[row[0]]["shown_wrong"]),
        )
    harm = line.to_dict()
    assert harm["harmful_right"] == by_value["1"]["shown_right"] == line.belief.right
    assert harm["weighted_harm_wrong"] == 2 * by_value["1"]["shown_wrong"]
    assert any("as often as each value weighs" in note.text for note in notes if isinstance(note, Note))
    (said,) = value_sentences(line, attribute)
    assert said.startswith(
        f"At epsilon = 1, {fine_percent(line.belief.right)} of people are shown as stroke=1 and have it"
    )
    assert (
        f"{fine_percent(line.belief.wrong)} are shown so wrongly, which is a harm as well and is counted apart" in said
    )


def test_of_many_values_the_riskiest_are_shown_and_all_are_in_the_json() -> None:
    many = el.FrequencyTable.from_counts([[k + 1 if i == k else 0 for k in range(12)] for i in range(12)])
    result = found(many)
    grid, more, *_ = values_blocks(result.lines[0], result.today[0])
    assert isinstance(grid, Grid)
    assert isinstance(more, Note)
    assert len(grid.rows) == MOST_VALUES + 1  # and all harmful ones together
    assert more.text == "4 values of less risk are in the JSON only."
    assert len(result.lines[0].to_dict()["by_value"]) == 12
    assert today_values(result.today[0]) == [
        "Of these, 12 are shown as label=11, 11 as label=10, 10 as label=9 and 45 as one of 9 other values."
    ]


def test_where_nothing_is_shown_there_is_no_table() -> None:
    mixed = assess(el.FrequencyTable.from_counts([[5, 5]]), Question(epsilons=(1000.0,)))
    assert not list(values_blocks(mixed.lines[0], mixed.today[0]))
    harmed = assess(HEALTHY.with_harm("stroke=1"), Question(epsilons=(1e4,)))
    assert value_sentences(harmed.lines[0], harmed.today[0]) == ["At epsilon = 10000, nobody is shown as stroke=1."]


def test_few_of_many_people_are_told_with_two_digits() -> None:
    shares = (0.0, 1e-9, 0.000345, 0.0099, 0.01, 0.5, 1.0)
    assert [fine_percent(share) for share in shares] == [
        "0.0 %", "< 0.0001 %", "0.034 %", "0.99 %", "1.0 %", "50.0 %", "100.0 %",
    ]  # fmt: skip


def test_today_who_has_each_value_and_who_is_shown_with_it() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [0, 1], [2, 2]], labels=["no", "yes"])
    (attribute,) = found(table).today
    grid = values_today_grid(attribute)
    assert [list(row) for row in grid.rows] == [
        ["no", "yes", "5", "1", "3", "60.0 %"],
        ["yes", "yes", "3", "1", "1", "33.3 %"],
    ]
    assert [row[4] for row in grid.rows] == [str(value["disclosed"]) for value in attribute.to_dict()["by_value"]]
