from __future__ import annotations

import json

import pandas as pd

from epsilens.choice.questions import assess, choose, knowledge
from epsilens.report.page.parts import Dial, Section
from epsilens.report.pages.dials import dial_of_assessment, dial_of_choice, dial_of_knowledge
from epsilens.table import Schema, read_table
from epsilens.table.frequency import FrequencyTable


def payloads(section: Section | None) -> tuple[dict[str, object], dict[str, object]]:
    assert section is not None
    (internal,), (public,) = section.parts, section.instead
    assert isinstance(internal, Dial)
    assert isinstance(public, Dial)
    return dict(internal.payload), dict(public.payload)


def test_all_noises_and_measures_to_choose_among_and_noises_alone_in_public(table: FrequencyTable) -> None:
    asked = assess.Question(mechanisms=("laplace", "discrete-laplace"), measures=("local", "hard"), epsilons=(1.0,))
    internal, public = payloads(dial_of_assessment(assess.answer(asked, table), table))
    assert len(internal["dials"]) == 4  # type: ignore[arg-type]
    assert [dial["mechanism"] for dial in public["dials"]] == ["laplace", "discrete-laplace"]  # type: ignore[attr-defined]
    assert not public["internal"]
    assert all(dial["table"] is None for dial in public["dials"])  # type: ignore[attr-defined]


def test_there_is_no_dial_of_several_attributes() -> None:
    people = pd.DataFrame({"age": [1, 1, 2], "ill": list("yyn"), "rich": list("nyn")})
    two = read_table(people, Schema(["age"], ["ill", "rich"]))
    assert dial_of_assessment(assess.answer(assess.Question(), two), two) is None


def test_a_published_dial_knows_nothing_of_the_table(table: FrequencyTable) -> None:
    other = FrequencyTable.from_counts([[9, 9], [1, 0]], labels=["well", "ill"])
    said = [
        json.dumps(payloads(dial_of_choice(choose.answer(choose.Question(max_risk=0.2), data)))[1])
        for data in (table, other)
    ]
    assert said[0] == said[1]


def test_who_knows_all_attributes_has_a_dial() -> None:
    people = pd.DataFrame({"age": [1, 1, 2], "sex": list("fmf"), "ill": list("yyn")})
    data = read_table(people, Schema(["age", "sex"], "ill"))
    found = knowledge.answer(knowledge.Question(epsilons=(0.5, 1.0)), data)
    internal, _ = payloads(dial_of_knowledge(found, data, "add-remove"))
    assert len(internal["dials"]) == 1  # type: ignore[arg-type]
