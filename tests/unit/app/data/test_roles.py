from __future__ import annotations

from epsilens.app.data.roles import _bin_texts, _of, _still, mark
from epsilens.app.work import Work
from epsilens.table.suggested_roles import Suggestion


def test_a_form_begins_anew_whenever_the_data_section_changes() -> None:
    work = Work()
    first = mark(work)
    work.change("data", source="a.csv")
    second = mark(work)
    work.change("risk", max_risk=0.1)
    assert first != second == mark(work)
    work.undo()
    work.undo()
    assert mark(work) == first


def test_suggestions_make_a_data_section() -> None:
    found = _of(
        (
            Suggestion("age", "known", "r", "10"),
            Suggestion("ill", "sensitive", "r"),
            Suggestion("n", "count", "r"),
            Suggestion("x", "unused", "r", "q5"),
        )
    )
    assert found == {"quasi_identifiers": ["age"], "sensitive": ["ill"], "bins": ["age=10"], "count": "n"}


def test_bins_are_shown_as_they_are_typed_whatever_the_project_has() -> None:
    names = ["age", "hours"]
    assert _bin_texts({"age": 10, "hours": [0, 20]}, names) == ["age=10", "hours=0|20"]
    assert _bin_texts(["age=10]", "gone=3"], names) == ["age=10]"]
    assert _bin_texts("age=5", names) == ["age=5"]
    assert _bin_texts(None, names) == []


def test_declarations_about_columns_without_a_role_go() -> None:
    assert _still({"ill": ["yes"], "gone": ["x"]}, ["ill"]) == {"ill": ["yes"]}
    assert _still({"gone": ["x"]}, ["ill"]) is None
    assert _still({"county,tract": [["a", "b"]]}, ["county", "tract"]) == {"county,tract": [["a", "b"]]}
    assert _still("u.json", ["ill"]) == "u.json"
    assert _still("u.json", []) is None
