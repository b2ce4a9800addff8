from __future__ import annotations

from epsilens.release.verification import CardAnswer, CardQuestion, Check
from epsilens.report.words.card import check_blocks
from epsilens.report.words.common import Verdict

CHECKS = (Check("form", True, "it fits"), Check("output", False, "another one"), Check("data", None, "not given"))


def test_checks_in_words_and_what_follows_from_them() -> None:
    answer = CardAnswer(CardQuestion("c.json"), CHECKS)
    assert check_blocks(answer) == [
        Verdict("         ok", "good", "form: it fits"),
        Verdict("     FAILED", "bad", "output: another one"),
        Verdict("not checked", "", "data: not given"),
    ]
    assert str(answer.problem) == "the card c.json does not hold: output: another one"
    assert answer.to_dict() == {
        "ok": False,
        "checks": [
            {"check": "form", "holds": True, "words": "it fits"},
            {"check": "output", "holds": False, "words": "another one"},
            {"check": "data", "holds": None, "words": "not given"},
        ],
    }
    asked = CardAnswer(CardQuestion("c.json", data="people.csv"), CHECKS[::2])
    assert asked.to_dict()["ok"] is True
    assert str(asked.problem) == "the data were not compared (data, ledger): not given"
    assert CardAnswer(CardQuestion("c.json"), CHECKS[::2]).problem is None
