from __future__ import annotations

import pytest

from epsilens.report.words.addresses import without_passwords


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ana:secret@db/town", "postgresql://ana:***@db/town"),
        ("epsilens assess 'postgresql://ana:se@cr/et@db:5432/town' --qid age", None),
        ("source='mysql://:secret@db/town', sensitive='a:b@c'", "source='mysql://:***@db/town', sensitive='a:b@c'"),
        ("postgresql://db/town?user=ana&password=secret&x=1", "postgresql://db/town?user=ana&password=***&x=1"),
        ("postgresql://db:5432/town", "postgresql://db:5432/town"),
        ("people.csv --harmful a:b@c", "people.csv --harmful a:b@c"),
    ],
)
def test_a_password_is_three_stars_and_nothing_else_changes(text: str, shown: str | None) -> None:
    found = without_passwords(text)
    assert found == (shown or "epsilens assess 'postgresql://ana:***@db:5432/town' --qid age")
