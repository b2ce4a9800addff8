from __future__ import annotations

import pytest

from epsilens.report.words.addresses import has_password, safe_address, without_passwords


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql://ana:pw@host:5432/db", "postgresql://ana:***@host:5432/db"),
        ("postgresql://ana:p/w@1@host/db", "postgresql://ana:***@host/db"),
        ("postgresql://:pw@host/db", "postgresql://:***@host/db"),
        ("epsilens assess 'mysql://a:p#w?x@h/db?q=1' --qid a@b", "epsilens assess 'mysql://a:***@h/db?q=1' --qid a@b"),
        ("postgresql://h/db?user=a&password=pw&sslmode=x", "postgresql://h/db?user=a&password=***&sslmode=x"),
        ("mssql://h/db;PWD=pw", "mssql://h/db;PWD=***"),
        ('"source": "snowflake://a:pw@x/y?private_token=t",', '"source": "snowflake://a:***@x/y?private_token=***",'),
    ],
)
def test_no_password_is_told(given: str, told: str) -> None:
    assert without_passwords(given) == told


def test_a_whole_address_may_have_any_password() -> None:
    assert (
        safe_address("postgresql://ana:p'w\" /@x@host/db?password=1'2") == "postgresql://ana:***@host/db?password=***'2"
    )
    assert safe_address("mysql://ana:p w@host/db") == "mysql://ana:***@host/db"
    assert has_password("postgresql://ana:pw@host/db")


@pytest.mark.parametrize(
    "text", ["people.csv", "postgresql://ana@host/db", "duckdb:///data/a.db", "a: b@c", "x?password=pw", ""]
)
def test_everything_else_stays(text: str) -> None:
    assert without_passwords(text) == text
    assert safe_address(text) == text
    assert not has_password(text)
