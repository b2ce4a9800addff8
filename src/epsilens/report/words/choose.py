"""The words of a choice, written from the JSON of the answer alone, so that anybody can check them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from epsilens.choice.questions import choose
from epsilens.report.words.common import (
    BLANK,
    Block,
    Text,
    counted,
    number,
    number_beside,
    percent,
    percent_beside,
    verb,
)
from epsilens.report.words.explained import explained, measures_by
from epsilens.report.words.laws import law_blocks
from epsilens.report.words.posterior import prior_text
from epsilens.report.words.publishing import published_sentence, universe_sentences

Answer = Mapping[str, Any]
"""The JSON of an answer."""


def worded(answer: choose.Answer) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    plain = answer.to_dict()
    return plain | {"sentences": choice_sentences(plain)}


def summary(answer: choose.Answer) -> list[Block]:
    """What to take, what the measure is, and below it what else there is to know, a paragraph for each thing."""
    plain = answer.to_dict()
    first, *others = choice_sentences(plain)
    blocks: list[Block] = [Text(first), *explained([plain["measure"]], measures_by(answer.question.match))]
    for sentence in others:
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
    why = choice_sentences(plain) if plain["budget"] is None else [*_both_ceilings(plain), *_profile(plain)]
    reason = why[-1] if plain["budget"] is not None else why[0]
    return f"there is no budget to export: {reason[0].lower()}{reason[1:].removesuffix('.')}"


def rounded_to_safety(value: float, up: bool = False, digits: int = 4) -> str:
    """A number with a few digits, rounded down (an upper end) or ``up`` (a lower end), so that it stays safe."""
    if value == 0:
        return "0"
    exact = Decimal(repr(value))
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(step, ROUND_CEILING if up else ROUND_FLOOR)):g}"


def choice_sentences(answer: Answer) -> list[str]:
    """The answer in words; every number in them is a number of ``answer``."""
    first, *rest = _main(answer)
    sentences = [
        first,
        *_publishing(answer),
        *_preview(answer),
        *rest,
        *_limits(answer),
        *_both_ceilings(answer),
        *_profile(answer),
        *_companions(answer),
    ]
    return [sentence for sentence in sentences if sentence]


def _goal(answer: Answer) -> str:
    ceiling = _risk(answer, answer["max_risk"], exact=True) + _gain(answer)
    if answer["max_people"] is not None:
        whom = "nobody" if answer["max_people"] == 0 else f"at most {counted(answer['max_people'], 'person')}"
        return f"{whom} at a {_measure(answer)} risk above {ceiling}"
    return f"the {answer['aggregate_words']} ({_measure(answer)}) at or below {ceiling}"


def _gain(answer: Answer) -> str:
    """Where the ceiling comes from, if it was given as a point above the prior."""
    if answer.get("max_gain") is None:
        return ""
    return f" ({answer['max_gain']:g} above the prior of {prior_text(answer['prior'])})"


def _measure(answer: Answer) -> str:
    """The measure, with what else decides the number it gives."""
    shared = f", of a family of {number(answer['family'])}" if answer.get("family") else ""
    if answer.get("attack") is not None:
        return f"{answer['measure']}, {answer['attack']} attack{shared}"
    if shared:
        return f"{answer['measure']}{shared}"
    several = {"max": ", largest of the attributes", "sum": ", sum of the attributes"}
    if answer.get("publish") == "separate" and answer["attributes"] == "joint":
        return f"{answer['measure']}, combination of the attributes"
    return f"{answer['measure']}{several.get(answer.get('attributes') or 'joint', '')}"


def _exceed(count: int) -> str:
    return {0: "Nobody exceeds", 1: "1 person exceeds"}.get(count, f"{number(count)} people exceed")


def _risk(answer: Answer, value: float, *others: float, exact: bool = False) -> str:
    """A risk in per cent, a ratio as a number; ``exact`` is for a ceiling, whose digits the user chose.

    A risk is told with as many digits as it takes to see on which side of the ceiling, and of ``others``, it is.
    """
    if answer.get("max_gain") is not None and math.isclose(value, answer["max_risk"], rel_tol=1e-6):
        exact, value = True, float(f"{answer['max_risk']:.4g}")  # a ceiling that was added up has digits nobody chose
    if answer["measure"] == "posterior-ratio":
        return f"{value:.10g}" if exact else number_beside(value, answer["max_risk"], *others)
    if exact:
        return f"{100 * value:.10g} %" if 100 * value != round(100 * value, 1) else percent(value)
    return percent_beside(value, answer["max_risk"], *others)


def _error(answer: Answer, error: float) -> str:
    """An error in people, with as many digits as it takes to see on which side of its ceiling it is."""
    return number_beside(error, *([] if answer["max_error"] is None else [answer["max_error"]]), digits=3)


def _noise(answer: Answer) -> str:
    fixed = f" and delta = {answer['delta']:g}" if answer["delta"] is not None else ""
    return f"{answer['mechanism']} noise{fixed}, {answer['neighbours']} neighbours"


def _main(answer: Answer) -> list[str]:
    name = answer["parameter"]
    if not answer["safe_set"]:
        return _no_budget(answer)
    if answer["budget"] is None:
        text = f"To keep {_goal(answer)}, no noise is needed: {_as_it_is(answer)}. Other attacks may still succeed."
        if answer.get("combined_budget") is None:
            text += f" So there is no largest {answer['parameter']} to take, to round or to publish."
        return [text]
    intervals = " or ".join(_interval(interval, name) for interval in answer["safe_set"])
    whose = "a count" if answer.get("attack") is None else "a count of the lowest level"
    text = (
        f"To keep {_goal(answer)} with {_noise(answer)}, take {intervals}. The largest{_of_which(answer)} is {name} = "
        f"{rounded_to_safety(answer['budget'])}: {_at_budget(answer)}, and {whose} is off by "
        f"{_error(answer, answer['error'])} people on average."
    )
    if answer["people_above"] is not None:
        text += f" {_exceed(answer['people_above'])} {_risk(answer, answer['max_risk'], exact=True)}."
    return [text, *_division(answer)]


def _of_which(answer: Answer) -> str:
    """Where there are several ranges, the budget is taken from the lowest."""
    return " of the lowest range" if len(answer["safe_set"]) > 1 else ""


def _at_budget(answer: Answer) -> str:
    if answer["max_people"] is None:
        return f"the risk is {_risk(answer, answer['risk'])} there"
    return f"the {answer['aggregate_words']} is {_risk(answer, answer['risk'])} there"


def _as_it_is(answer: Answer) -> str:
    """The table without noise, which meets the ceiling."""
    if answer["max_people"] is None:
        return f"the table as it is has {_risk(answer, answer['unprotected'])}"
    return f"{_exceed(answer['people_above']).lower()} it in the table as it is"


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


def _interval(interval: Mapping[str, float | None], name: str) -> str:
    low, high = interval["low"], interval["high"]
    if high is None:
        return f"{name} from {rounded_to_safety(low or 0.0, up=True)} on"
    if not low:
        return f"{name} up to {rounded_to_safety(high)}"
    return f"{name} from {rounded_to_safety(low, up=True)} to {rounded_to_safety(high)}"


def _no_budget(answer: Answer) -> list[str]:
    name = answer["parameter"]
    where = _where(answer)
    sentences = [
        f"No {name} keeps {_goal(answer)}: the least possible risk is {_risk(answer, answer['floor'])}, {where}."
    ]
    tried = answer["remedies"]
    enough = [remedy for remedy in tried if remedy["reaches_the_ceiling"]]
    for remedy in enough[:3]:
        then = "no noise is needed" if remedy["without_noise"] else f"{name} = {rounded_to_safety(remedy['budget'])}"
        sentences.append(
            f"What would do: {remedy['lever']}; then {then}, and the least risk is {_risk(answer, remedy['floor'])}."
        )
    if tried and not enough:
        best = tried[0]
        ways = f"None of the {len(tried)} ways of saying less that were tried"
        sentences.append(
            f"{ways} is enough alone; the best is to {best['lever']}, with a least risk of "
            f"{_risk(answer, best['floor'], answer['floor'])}."
            if best["floor"] < answer["floor"] - 1e-9
            else f"{ways} makes the least possible risk smaller."
        )
    return sentences


def _where(answer: Answer) -> str:
    if answer["floor_at"] is None:
        return "that of the table without noise"
    if answer["floor_at"] == 0:
        return f"approached as {answer['parameter']} tends to 0"
    return f"at {answer['parameter']} = {answer['floor_at']:.4g}"


def _limits(answer: Answer) -> list[str]:
    name, sentences = answer["parameter"], []
    if answer["smaller_is_unsafe"] and answer["safe_set"][0]["low"] <= answer["scanned_from"]:
        sentences.append(
            f"Smaller is not safer here: as {name} tends to 0 the risk tends to "
            f"{_risk(answer, answer['limit_at_zero'])}, above the ceiling; values below "
            f"{rounded_to_safety(answer['scanned_from'], up=True)} were not looked at."
        )
    elif answer["smaller_is_unsafe"]:
        low = rounded_to_safety(answer["safe_set"][0]["low"], up=True)
        why = "" if answer["measure"].startswith("posterior") else ", because noise makes mixed cells look homogeneous"
        sentences.append(
            f"Smaller is not safer here: below {low} the risk rises above the ceiling, and to "
            f"{_risk(answer, answer['limit_at_zero'])} as {name} tends to 0{why}. The least risk is "
            f"{_risk(answer, answer['floor'])}, {_where(answer)}."
        )
    if answer["unprotected_is_safe"] and answer["budget"] is not None:
        sentences.append(f"The table without noise meets the ceiling too, with {_risk(answer, answer['unprotected'])}.")
    if answer["undetected_excess"] is None and answer["budget"] is not None:
        sentences.append(
            f"{number(answer['budgets_scanned'])} budgets were looked at; how steep this risk can be between them is "
            "not known."
        )
    if answer["undetected_excess"] is not None and answer["safe_set"]:
        excess = f" by more than {answer['undetected_excess']:.1e}" if answer["undetected_excess"] else ""
        sentences.append(
            f"Between the {number(answer['budgets_scanned'])} budgets looked at, the risk cannot exceed the "
            f"ceiling{excess}."
        )
    if answer["budget"] is not None and answer.get("combined_budget", answer["budget"]) is not None:
        sentences.append(_public(answer))
    return sentences


def _public(answer: Answer) -> str:
    why = "A budget that was tuned on true data says a little about them once it is published"
    if answer["public_budget"] is None:
        return f"{why}, and no round number lies in the safe range: do not publish its digits."
    return f"{why}: round it down to {answer['public_budget']:g}, a value of a grid that was fixed beforehand."


def _both_ceilings(answer: Answer) -> list[str]:
    if answer["meets_both"] is None:
        return []
    name, bound = answer["parameter"], f"an error of {answer['max_error']:g} per count"
    if answer["meets_both"]:
        least = rounded_to_safety(answer["error_floor"], up=True)
        kept = f"{bound[0].upper()}{bound[1:]} is kept from {name} = {least} on."
        return [kept] if answer.get("profile") is not None else [kept, *_together(answer, "Both")]
    near = answer["nearest_pair"]
    return [
        f"No {name} meets both the risk ceiling and {bound}: the nearest is {name} = {near[name]:.4g}, with a risk of "
        f"{_risk(answer, near['risk'])} and an error of {_error(answer, near['error'])}."
    ]


def _together(answer: Answer, how_many: str) -> list[str]:
    """What keeps everything that was asked for; nothing to say where there is no largest such budget."""
    if answer["combined_budget"] is None:
        return []
    return [f"{how_many} together: {answer['parameter']} = {rounded_to_safety(answer['combined_budget'])}."]


def _profile(answer: Answer) -> list[str]:
    profile = answer.get("profile")
    if profile is None:
        return []
    # the chance at the largest epsilon itself may be smaller than at those below: what holds for all is delta
    unless = f" (but for a chance of {answer['delta']:g} at most)" if "failure" in profile else ""
    first = (
        f"The risk profile {profile['profile']} allows epsilon up to {rounded_to_safety(profile['epsilon'])} between "
        f"{profile['neighbours']} neighbours, whatever the data{unless}; it binds at a "
        f"prior of p = {profile['binding_prior']:.3g}, for somebody who takes part with probability "
        f"q = {profile['binding_taking_part']:.3g}."
    )
    ceilings, how_many = ("both the risk ceiling", "Both")
    if answer["meets_both"] is not None:
        ceilings, how_many = ("the risk ceiling, the error ceiling", "All")
    if answer["combined_budget"] is None:
        return [first, f"No budget meets {ceilings} and the profile."]
    return [first, *_together(answer, how_many)]


def _factor(value: float) -> str:
    """Three figures, and 14,100 instead of 1.41e+04."""
    return f"{float(f'{value:.3g}'):,.0f}" if 1000.0 <= value < 1e9 else f"{value:.3g}"


def _companions(answer: Answer) -> list[str]:
    sentences = []
    if (worst := answer.get("worst_case")) is not None:
        at = answer.get("worst_case_at", answer["budget"])
        factor = worst["odds_factor_usually"]
        odds = "without a limit to speak of" if factor is None else f"by a factor of {_factor(factor)} at most"
        bit = "whether somebody is there"
        if answer["neighbours"] == "substitute":
            bit = "which of two records is somebody's"
        limit = "at most " if "from" in worst else ""  # that of the budget, not of the mechanism
        levels = f" from all {len(answer['shares'])} levels" if answer.get("attack") is not None else ""
        if answer.get("publish") == "separate":
            levels = f" from the {len(answer['sensitive'])} tables"
        sentences.append(
            f"In the worst case at {answer['parameter']} = {rounded_to_safety(at)}, an adversary who "
            f"knows everything but {bit} tells it{levels} with an advantage of {limit}{percent(worst['advantage'])} "
            f"over guessing, and odds rise {odds}"
            + ("." if worst["odds_factor"] is not None else " (but for a chance of one in a million).")
        )
    elif "worst_case" in answer:
        sentences.append(
            "The worst case of a person with several rows is not computed for this mechanism: its budget is the "
            "promise."
        )
    if (match := answer.get("matched_risk")) is not None:
        sentences.append(
            f"At matched risk ({_risk(answer, match['risk'], exact=True)}), {match['better']} has "
            f"{percent(match['saving'])} less error than {match['worse']}: {match['better_error']:.3g} against "
            f"{match['worse_error']:.3g} people per count."
        )
    elif "matched_risk" in answer:
        sentences.append("The errors are not compared: one of the two mechanisms has no largest safe budget.")
    if levers := answer.get("levers"):
        sentences.append(_levers(levers, answer["parameter"]))
    return sentences


def _levers(levers: list[Mapping[str, Any]], name: str) -> str:
    base = next(lever for lever in levers if lever["kind"] == "none")
    half = next(lever for lever in levers if lever["kind"] == "budget")
    text = (
        f"At {name} = {rounded_to_safety(base['epsilon'])} the risk is {percent_beside(base['risk'], half['risk'])}; "
        f"halving the budget makes it {percent_beside(half['risk'], base['risk'])} and the error {half['error']:.3g}."
    )
    coarser = [lever for lever in levers if lever["kind"] == "coarsen" and lever["error"] is not None]
    if not coarser:
        return text
    best = min(coarser, key=lambda lever: lever["risk"])
    verdict = "buys more than that" if best["risk"] < half["risk"] else "buys less than that"
    return (
        f"{text} To {best['name']} {verdict}: {percent_beside(best['risk'], half['risk'])}, with an error of "
        f"{best['error']:.3g} per original count."
    )


goal, risk_text = _goal, _risk
"""What is to be kept, and a risk beside its ceiling: ``choose_delta`` says them in the same words."""
