"""Names as SQL has them, and how columns of PostgreSQL's own types are read. Tables are in the integration tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens.table.reading.postgres_tables import _read_as, quoted


@given(st.text(max_size=30))
def test_a_quoted_name_is_one_name_whatever_is_in_it(name: str) -> None:
    written = quoted(name)
    assert written[0] == written[-1] == '"'
    inside = written[1:-1]
    assert inside.replace('""', "").count('"') == 0  # no quote stands alone, so none ends the name
    assert inside.replace('""', '"') == name


@pytest.mark.parametrize(
    ("kind", "form", "written", "is_domain", "is_blind", "read", "type_"),
    [
        ("int4", "b", "integer", False, False, '"a b"', "integer"),
        ("int4", "b", "integer", True, False, 'CAST("a b" AS integer) AS "a b"', "integer"),
        ("mood", "e", "mood", False, False, 'CAST("a b" AS text) COLLATE "C" AS "a b"', "text"),
        ("bpchar", "b", "character(9)", False, False, 'CAST("a b" AS text) COLLATE "C" AS "a b"', "text"),
        ("citext", "b", "citext", False, False, 'CAST("a b" AS text) COLLATE "C" AS "a b"', "text"),
        ("text", "b", "text", False, True, 'CAST("a b" AS text) COLLATE "C" AS "a b"', "text"),
        ("text", "b", "text", False, False, '"a b"', "text"),
        ("money", "b", "money", False, False, 'CAST("a b" AS numeric) AS "a b"', "numeric"),
    ],
)
def test_texts_that_are_compared_otherwise_are_read_letter_by_letter(
    kind: str, form: str, written: str, is_domain: bool, is_blind: bool, read: str, type_: str
) -> None:
    assert tuple(_read_as("a b", kind, form, written, is_domain, is_blind)) == (read, type_)
