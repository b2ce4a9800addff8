"""The words of a choice, written from the JSON of the answer alone, so that anybody can check them."""

from __future__ import annotations

from typing import Any

from epsilens.choice.questions import choose
from epsilens.report.words.choose_answer import short_blocks, shown_as
from epsilens.report.words.choose_beside import (
    both_ceilings,
    companions,
    interval_text,
    limits,
    profile_sentences,
)
from epsilens.report.words.choose_terms import (
    Answer,
    error_text,
    exceed,
    goal,
    noise_text,
    risk_text,
    where_least,
)
from epsilens.report.words.choose_terms import rounded_to_safety as rounded_to_safety
from epsilens.report.words.common import BLANK, NO_GUARANTEE, Block, Text, counted, percent, verb
from epsilens.report.words.explained import explained, measures_by
from epsilens.report.words.laws import law_blocks
from epsilens.report.words.publishing import published_sentence, universe_sentences


def worded(answer: choose.Answer) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    plain = answer.to_dict()
    return plain | {"sentences": choice_sentences(plain)}


def summary(answer: choose.Answer) -> list[Block]:
    """The short answer, a table of budgets, and below them what else there is to know, a paragraph for each thing."""
    plain = answer.to_dict()
    blocks = [*short_blocks(plain), *explained([plain["measure"]], measures_by(answer.question.match))]
    for sentence in choice_sentences(plain, briefly=True):
        blocks += [BLANK, Text(sentence)]
    if answer.laws:
        blocks += [BLANK, *law_blocks(answer.laws)[:-1]]
    return blocks


def script_written(path: str) -> str:
    """Where the script is."""
    return f"Script written to {path}; it holds no counts. Read its first lines before use."


def nothing_to_export(answer: choose.Answer) -> str:
    """Why there is no budget that a script could spend."""
    plain = answer.to_dict()
    why = choice_sentences(plain) if plain["budget"] is None else [*both_ceilings(plain), *profile_sentences(plain)]
    reason = why[-1] if plain["budget"] is not None else why[0]
    return f"there is no budget to export: {reason[0].lower()}{reason[1:].removesuffix('.')}"


def choice_sentences(answer: Answer, briefly: bool = False) -> list[str]:
    """The answer in words; every number in them is a number of ``answer``.

    ``briefly`` leaves out what the short answer above them says.
    """
    first, *rest = _main(answer, briefly and answer["answer"]["budget"] == answer["budget"])
    sentences = [
        first,
        *_publishing(answer),
        *_preview(answer),
        *rest,
        *limits(answer),
        *both_ceilings(answer),
        *profile_sentences(answer),
        *companions(answer),
    ]
    return [sentence for sentence in sentences if sentence]


def _main(answer: Answer, briefly: bool) -> list[str]:
    name = answer["parameter"]
    if not answer["safe_set"]:
        return ["", *_no_budget(answer)[1:]] if briefly else _no_budget(answer)
    if answer["budget"] is None:
        text = (
            f"To keep {goal(answer)}, no noise is needed: {_as_it_is(answer)}. This attack needs none; {NO_GUARANTEE}."
        )
        if answer.get("combined_budget") is None:
            text += f" So there is no largest {answer['parameter']} to take, to round or to publish."
        return [text]
    intervals = " or ".join(interval_text(interval, name) for interval in answer["safe_set"])
    whose = "a count" if answer.get("attack") is None else "a count of the lowest level"
    text = f"To keep {goal(answer)} with {noise_text(answer)}, take {intervals}."
    if briefly:
        return [text, *_division(answer)]
    text += (
        f" The largest{_of_which(answer)} is {name} = {rounded_to_safety(answer['budget'])}: {_at_budget(answer)}, and "
        f"{whose} is off by {error_text(answer, answer['error'])} people on average."
    )
    if answer["people_above"] is not None:
        text += f" {exceed(answer['people_above'])} {risk_text(answer, answer['max_risk'], exact=True)}."
    return [text, *_division(answer)]


def _of_which(answer: Answer) -> str:
    """Where there are several ranges, the budget is taken from the lowest."""
    return " of the lowest range" if len(answer["safe_set"]) > 1 else ""


def _at_budget(answer: Answer) -> str:
    if answer["max_people"] is None:
        return f"the risk is {risk_text(answer, answer['risk'])} there"
    return f"the {answer['aggregate_words']} is {risk_text(answer, answer['risk'])} there"


def _as_it_is(answer: Answer) -> str:
    """The table without noise, which meets the ceiling."""
    if answer["max_people"] is None:
        return f"the table as it is has {risk_text(answer, answer['unprotected'])}"
    return f"{exceed(answer['people_above']).lower()} it in the table as it is"


def _publishing(answer: Answer) -> list[str]:
    """How several sensitive attributes are published, and whose budget that is."""
    if answer.get("publish") is None:
        return []
    return [published_sentence(answer["sensitive"], answer["publish"], answer["budget_of"])]


def _preview(answer: Answer) -> list[str]:
    """Which counts a release publishes, and how far these are off."""
    if "universe" not in answer:
        return []
    sentences = universe_sentences(answer["universe"])
    if answer["published_error"] is not None:
        off = f"a count is off by {answer['published_error']:.3g} people on average"
        sentences[0] += f" Once counts below 0 are raised to 0, {off}."
    return [" ".join(sentences)]


def _division(answer: Answer) -> list[str]:
    """How the budget is divided over the levels of a hierarchy."""
    if answer.get("attack") is None:
        return []
    levels = answer.get("levels") or [f"level {i + 1}" for i in range(len(answer["shares"]))]
    parts = [
        f"{level} {percent(share)} ({error:.3g} people off)"
        for level, share, error in zip(levels, answer["shares"], answer["errors"], strict=True)
    ]
    return [
        f"That is the {answer['parameter']} of all {len(parts)} levels together, divided as {', '.join(parts)}; "
        f"{counted(answer['people'], 'person')} {verb(answer['people'])} at stake."
    ]


def _values_behind(answer: Answer) -> list[str]:
    """Which value carries most of the least possible risk, and what it would change if that one harmed nobody."""
    if answer.get("if_harmless") is None:
        return []
    name, whole, most = answer["parameter"], answer["floor"], answer["risk_by_value"][0]
    label, without = shown_as(answer, most["value"]), answer["if_harmless"]
    if without["without_noise"]:
        then = f"this attack would need no noise; {NO_GUARANTEE}"
    elif without["reaches_the_ceiling"]:
        then = f"{name} = {rounded_to_safety(without['budget'])} would keep the ceiling"
    else:
        then = f"the least possible risk would be {risk_text(answer, without['floor'], whole)}, still above the ceiling"
    average = sum(part["risk"] for part in answer["risk_by_value"])
    share = f"{percent(most['risk']).removesuffix(' %')} of {percent(average)}"
    what = "the least possible risk" if answer["aggregate"] == "mean" else "the average risk over people there"
    return [
        f"Of {what}, {share} comes from cells that show {label} alone. If being shown so harms nobody, declare the "
        f"values that do: then {then}."
    ]


def _no_budget(answer: Answer) -> list[str]:
    name = answer["parameter"]
    where = where_least(answer)
    sentences = [
        f"No {name} keeps {goal(answer)}: the least possible risk is {risk_text(answer, answer['floor'])}, {where}."
    ]
    sentences += _values_behind(answer)
    tried = answer["remedies"]
    enough = [remedy for remedy in tried if remedy["reaches_the_ceiling"]]
    for remedy in enough[:3]:
        then = (
            f"this attack needs no noise ({NO_GUARANTEE})"
            if remedy["without_noise"]
            else f"{name} = {rounded_to_safety(remedy['budget'])}"
        )
        sentences.append(
            f"What would do: {remedy['lever']}; then {then}, and the least risk is "
            f"{risk_text(answer, remedy['floor'])}."
        )
    if tried and not enough:
        best = tried[0]
        ways = f"None of the {len(tried)} ways of saying less that were tried"
        sentences.append(
            f"{ways} is enough alone; the best is to {best['lever']}, with a least risk of "
            f"{risk_text(answer, best['floor'], answer['floor'])}."
            if best["floor"] < answer["floor"] - 1e-9
            else f"{ways} makes the least possible risk smaller."
        )
    return sentences
