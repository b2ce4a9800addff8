from __future__ import annotations

from epsilens.release.cards.rules import REFUSALS, WATCHING, card_rules, rows_read, rules_words
from epsilens.table.conditions import conditions


def test_a_card_states_its_rules_and_what_is_not_hidden() -> None:
    rules = card_rules(["Rows that name no person are not counted."])
    assert rules == {
        "rows": ["Rows that name no person are not counted."],
        "refusals": list(REFUSALS),
        "watching": WATCHING,
    }
    (section,) = rules_words({"rules": rules})
    assert section.startswith("## What holds whatever the data are\n\n- Rows that name no person are not counted.\n")
    assert section.endswith(f"- {WATCHING}")


def test_a_card_of_an_earlier_version_has_none() -> None:
    assert rules_words({}) == []


def test_a_card_states_which_rows_are_read() -> None:
    assert rows_read(()) == []
    (texts,) = rows_read(conditions("job!=none"))
    assert texts.startswith("Only rows for which 'job!=none' holds are read, as was declared")
    assert "not a number" not in texts
    (numbers,) = rows_read(conditions(["job!=none", "age>=18"]))
    assert "'job!=none' and 'age>=18' hold are read" in numbers
    assert "what is not a number does not pass" in numbers
