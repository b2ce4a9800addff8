"""What a project says so far, and what one step changed in it."""

from __future__ import annotations

import pytest

from epsilens.report.words.project_summary import LONGEST, changed_words, summary_rows


def test_an_empty_project_says_what_is_still_open() -> None:
    assert summary_rows({}) == [("Data", "not chosen yet"), ("Budget", "not chosen yet")]


def test_every_choice_has_its_line() -> None:
    sections: dict[str, dict[str, object]] = {
        "data": {
            "source": "/home/ana/people.csv",
            "quasi_identifiers": ["block_group", "age", "sex"],
            "sensitive": "disease",
            "bins": {"age": 10},
            "harmful": {"disease": ["cancer", "diabetes"]},
            "where": "age >= 18",
        },
        "noise": {"mechanisms": "discrete-laplace,gaussian"},
        "risk": {"max_risk": 0.05, "measures": ["local"], "max_people": 3, "max_error": 2.5, "max_wrong": 0.1},
        "release": {"epsilon": 0.5, "one_row_per_person": True},
        "ledger": {"ledger": "books/b.db", "account": "survey-2026", "total_epsilon": 2.0},
    }
    assert summary_rows(sections) == [
        ("Data", "people.csv"),
        ("Known to others", "block_group, age and sex"),
        ("Sensitive", "disease"),
        ("Bins", "age 10"),
        ("Harmful values", "disease cancer and diabetes"),
        ("Rows", "age >= 18"),
        ("Person", "one row each"),
        ("Noise", "discrete-laplace and gaussian"),
        (
            "Ceiling",
            "risk at most 5.0 % (local); people above it at most 3; error of a count at most 2.5; shown wrongly at "
            "most 10.0 %",
        ),
        ("Budget", "epsilon 0.5"),
        ("Ledger", "b.db, account survey-2026, opened with epsilon 2"),
    ]


def test_an_address_is_shown_without_who_logs_in() -> None:
    sections = {"data": {"source": "postgresql://ana:secret@db/town", "table": "people", "count": "n"}}
    assert summary_rows(sections)[0] == ("Data", "postgresql://db/town, table people, counts in n")


def test_people_with_several_rows() -> None:
    rows = dict(summary_rows({"data": {"unit": "patient", "max_rows_per_unit": 3}}))
    assert rows["Person"] == "named by patient, at most 3 rows each"
    assert dict(summary_rows({"data": {"unit": "patient"}}))["Person"] == "named by patient, at most 1 row each"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"risk": {"max_risk": 0.05}}, {"risk": {"max_risk": 0.1}}, "highest risk 5 % -> 10 %"),
        ({}, {"data": {"source": "people.csv"}}, "data none -> people.csv"),
        ({}, {"data": {"source": "pg://ana:secret@db"}}, "data none -> pg://ana:***@db"),
        ({"data": {"bins": {"age": 5}}}, {}, "bins age 5 -> none"),
        ({}, {}, "nothing"),
        ({}, {"release": {"one_row_per_person": True}}, "one row per person none -> yes"),
        ({}, {"data": {"quasi_identifiers": ["age"]}}, "known to others none -> age"),
        ({}, {"data": {"sensitive": "y", "count": "n"}}, "sensitive none -> y and 1 more"),
    ],
)
def test_a_step_in_words(before: dict[str, dict[str, object]], after: dict[str, dict[str, object]], said: str) -> None:
    assert changed_words(before, after) == said


def test_a_long_value_is_cut() -> None:
    said = changed_words({}, {"about": {"title": "x" * 100}})
    assert said == f"title none -> {'x' * (LONGEST - 1)}…"


def test_no_password_of_a_database_is_told() -> None:
    before = {"data": {"source": "postgresql://ana:s3cret@host/db"}}
    after = {"data": {"source": "postgresql://host/db?password=s3cret"}}
    told = f"{summary_rows(before)}{summary_rows(after)}{changed_words(before, after)}{changed_words(after, {})}"
    assert "s3cret" not in told


@pytest.mark.parametrize("said", ["1/20", "abc"])
def test_a_ceiling_is_told_as_it_was_written(said: str) -> None:
    assert ("Ceiling", f"risk at most {said}; shown wrongly at most {said}") in summary_rows(
        {"risk": {"max_risk": said, "max_wrong": said}}
    )
