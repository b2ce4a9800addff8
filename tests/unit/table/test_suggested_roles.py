from __future__ import annotations

import pytest

from epsilens.table.column_facts import Column, Structure
from epsilens.table.suggested_roles import MOST_KNOWN, Suggestion, suggested, words


def suggestions(*columns: Column, rows: int = 1_000) -> dict[str, Suggestion]:
    return {one.column: one for one in suggested(Structure(rows, columns))}


def one(name: str, kind: str = "text", distinct: int = 5, missing: int = 0, rows: int = 1_000) -> Suggestion:
    return suggestions(Column(name, kind, distinct, missing), rows=rows)[name]


def test_names_are_read_as_words() -> None:
    assert {"block", "group"} <= words("BlockGroup") & words("block_group") & words("block-group")
    assert {"hours", "per", "week"} <= words("hours-per-week")
    assert "diagnose" in words("Diagnoses2")
    assert "icd" in words("ICD10code")
    assert words("") == {""}


@pytest.mark.parametrize(
    ("name", "kind", "distinct", "role", "bins"),
    [
        ("age", "whole numbers", 90, "known", "10"),
        ("Age", "text", 9, "known", None),
        ("age_at_birth", "whole numbers", 12, "known", None),
        ("hours-per-week", "whole numbers", 80, "known", "10"),
        ("sex", "text", 2, "known", None),
        ("ZIP", "text", 40, "known", None),
        ("zip", "whole numbers", 800, "unused", None),
        ("tract", "text", 400, "unused", None),
        ("maritalStatus", "text", 5, "known", None),
        ("disease", "text", 5, "sensitive", None),
        ("HIV_status", "text", 2, "sensitive", None),
        ("income", "whole numbers", 900, "sensitive", "q5"),
        ("count", "whole numbers", 30, "count", None),
        ("n", "whole numbers", 30, "count", None),
        ("n", "numbers", 30, "unused", None),
        ("fnlwgt", "whole numbers", 900, "weight", None),
        ("patient_id", "text", 1_000, "unused", None),
        ("patient_id", "text", 600, "unit", None),
        ("person", "whole numbers", 700, "unit", None),
        ("name", "text", 990, "unused", None),
        ("ssn", "text", 1_000, "unused", None),
        ("email", "text", 3, "unused", None),
        ("county", "text", 1, "unused", None),
        ("empty", "text", 0, "unused", None),
        ("colour", "text", 5, "unused", None),
        ("anything", "text", 1_000, "unused", None),
    ],
)
def test_a_name_and_a_number_of_values_suggest_a_role(
    name: str, kind: str, distinct: int, role: str, bins: str | None
) -> None:
    found = one(name, kind, distinct)
    assert (found.role, found.bins) == (role, bins)
    assert found.reason
    assert not found.reason.endswith(".")


def test_a_second_column_of_the_same_name_is_a_count_as_published_tables_have_it() -> None:
    found = suggestions(Column("income", "text", 2, 0), Column("income_1", "whole numbers", 40, 0))
    assert (found["income"].role, found["income_1"].role) == ("sensitive", "count")
    assert one("income_1", "whole numbers", 40).role != "count"


def test_counts_have_no_gaps() -> None:
    assert one("count", "whole numbers", 30, missing=1).role == "unused"


def test_one_column_is_sensitive_and_it_is_the_most_private() -> None:
    found = suggestions(Column("income", "text", 6, 0), Column("disease", "text", 5, 0), Column("count", "text", 5, 0))
    assert found["disease"].role == "sensitive"
    assert found["income"].role == "unused"
    assert "could be sensitive too" in found["income"].reason


def test_there_are_not_too_many_known_ones_and_the_usual_ones_stay() -> None:
    names = ["job", "school", "language", "degree", "tenure", "origin", "age", "sex", "county"]
    found = suggestions(*(Column(name, "text", 5, 0) for name in names))
    known = [name for name, one in found.items() if one.role == "known"]
    assert len(known) == MOST_KNOWN
    assert {"age", "sex", "county"} <= set(known)


def test_a_single_row_suggests_as_any_other() -> None:
    assert one("sex", distinct=1, rows=1).role == "known"
    assert one("disease", distinct=1, rows=1).role == "sensitive"
