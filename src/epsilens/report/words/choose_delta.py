"""The words of a delta that was chosen for a fixed epsilon, written from the JSON of the answer alone."""

from __future__ import annotations

from typing import Any

from epsilens.budget import ProbabilisticDP
from epsilens.choice.questions import choose_delta
from epsilens.noise import MECHANISMS
from epsilens.report.words.choose_answer import short_blocks
from epsilens.report.words.choose_terms import Answer, exceed, goal, risk_text, rounded_to_safety, why_it_falls
from epsilens.report.words.common import BLANK, Block, Text, number, number_beside
from epsilens.report.words.explained import explained, measures_by


def worded(answer: choose_delta.Answer) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    plain = answer.to_dict()
    return plain | {"sentences": delta_sentences(plain)}


def summary(answer: choose_delta.Answer) -> list[Block]:
    """Which delta to take, a table of them, what the measure is, and what a delta means, a paragraph each."""
    plain = answer.to_dict()
    first, *others = delta_sentences(plain)
    blocks = [*short_blocks(plain), BLANK, Text(first)]
    blocks += [*explained([plain["measure"]], measures_by(answer.question.match))]
    for sentence in others:
        blocks += [BLANK, Text(sentence)]
    return blocks


def delta_sentences(answer: Answer) -> list[str]:
    """The answer in words; every number in them is a number of ``answer``."""
    noise = f"{answer['mechanism']} noise at epsilon = {answer['epsilon']:g}, {answer['neighbours']} neighbours"
    low, high = answer["scanned_from"], answer["scanned_to"]
    if answer["delta"] is None:
        return [
            f"No delta from {low:g} to {high:g} keeps {goal(answer)} with {noise}: the risk is "
            f"{risk_text(answer, answer['risk_at_least_delta'])} at the least of them and "
            f"{risk_text(answer, answer['risk_at_largest_delta'])} at the largest. Fix another epsilon, or "
            "delta instead.",
            _meaning(answer),
        ]
    sentences = []
    if answer["delta"] >= high and answer["safe_set"][0]["low"] <= low:
        sentences.append(
            f"To keep {goal(answer)} with {noise}, {_ranges(answer)} will do: at this epsilon the ceiling does not "
            f"decide about delta. The risk is {risk_text(answer, answer['risk'])} at delta = {high:g}."
        )
    else:
        sentences.append(
            f"To keep {goal(answer)} with {noise}, take {_ranges(answer)}. The largest"
            f"{' of the lowest range' if len(answer['safe_set']) > 1 else ''} is delta = "
            f"{rounded_to_safety(answer['delta'])}: the risk is {risk_text(answer, answer['risk'])} there, and a count "
            f"is off by {number_beside(answer['error'], digits=3)} people on average."
        )
    if answer["people_above"] is not None:
        sentences.append(f"{exceed(answer['people_above'])} {risk_text(answer, answer['max_risk'], exact=True)} there.")
    if (least := answer["safe_set"][0]["low"]) > low:
        sentences.append(
            f"Smaller is not safer here: below {rounded_to_safety(least, up=True)} the risk rises above the ceiling, "
            f"and is {risk_text(answer, answer['risk_at_least_delta'])} at {low:g}{why_it_falls(answer)}."
        )
    sentences += [_meaning(answer), _custom(answer)]
    if answer["public_delta"] is not None and answer["delta"] < high:
        sentences.append(
            "A delta that was tuned on true data says a little about them once it is published: round it down to "
            f"{answer['public_delta']:g}, a value of a grid that was fixed beforehand."
        )
    return sentences


def _ranges(answer: Answer) -> str:
    parts = []
    for interval in answer["safe_set"]:
        if interval["low"] <= answer["scanned_from"]:
            parts.append(f"any delta up to {rounded_to_safety(interval['high'])}")
        else:
            low = rounded_to_safety(interval["low"], up=True)
            parts.append(f"delta from {low} to {rounded_to_safety(interval['high'])}")
    return " or ".join(parts)


def _meaning(answer: Answer) -> str:
    """What delta is, for this mechanism."""
    if ProbabilisticDP is next(iter(MECHANISMS[answer["mechanism"]].rules)):
        return (
            f"Delta is the probability with which somebody may learn more than epsilon = {answer['epsilon']:g} allows "
            "(probabilistic DP)."
        )
    return (
        f"Delta is by how much the promise of epsilon = {answer['epsilon']:g} may fail: no output is more than "
        "e^epsilon times as probable with a person as without, but for a probability of delta in all."
    )


def _custom(answer: Answer) -> str:
    """How this delta stands to one over the number of people."""
    people = answer["people"]
    side = "below" if answer["delta"] * people < 1 else "not below"
    advice = "" if side == "below" else ": that risk ceiling alone would allow for more than is usual, so take less"
    return (
        f"It is customary to take less than 1 in {number(people)}, one over the number of people; this one is "
        f"{side} it{advice}."
    )
