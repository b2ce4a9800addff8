from __future__ import annotations

from epsilens.release.cards.rules import REFUSALS, WATCHING, card_rules, rules_words


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
