"""What else there is to know of a choice: where it ends, other ceilings, a profile, the worst case, levers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.report.words.choose_terms import (
    Answer,
    error_text,
    risk_text,
    rounded_to_safety,
    where_least,
    why_it_falls,
)
from epsilens.report.words.common import NO_GUARANTEE, number, percent, percent_beside


def limits(answer: Answer) -> list[str]:
    """Where smaller is not safer and why, what the scan cannot have missed, and what to publish instead."""
    name, sentences = answer["parameter"], []
    if answer["smaller_is_unsafe"] and answer["safe_set"][0]["low"] <= answer["scanned_from"]:
        sentences.append(
            f"Smaller is not safer here: as {name} tends to 0 the risk tends to "
            f"{risk_text(answer, answer['limit_at_zero'])}, above the ceiling{why_it_falls(answer)}; values below "
            f"{rounded_to_safety(answer['scanned_from'], up=True)} were not looked at."
        )
    elif answer["smaller_is_unsafe"]:
        low = rounded_to_safety(answer["safe_set"][0]["low"], up=True)
        sentences.append(
            f"Smaller is not safer here: below {low} the risk rises above the ceiling, and to "
            f"{risk_text(answer, answer['limit_at_zero'])} as {name} tends to 0{why_it_falls(answer)}. The least "
            f"risk is {risk_text(answer, answer['floor'])}, {where_least(answer)}."
        )
    elif answer["fall"] is not None and answer.get("attack") is None:
        fall = answer["fall"]
        start = f"at {name} = {fall['from']:.4g}" if fall["from"] else f"for {name} next to 0"
        high = risk_text(answer, fall["risk_from"], fall["risk_to"])
        low = risk_text(answer, fall["risk_to"], fall["risk_from"])
        sentences.append(
            f"More noise is not always safer here: the risk falls from {high} {start} "
            f"to {low} at {name} = {fall['to']:.4g}{why_it_falls(answer)}."
        )
    if answer["unprotected_is_safe"] and answer["budget"] is not None:
        sentences.append(
            f"The table without noise meets the ceiling too, with {risk_text(answer, answer['unprotected'])}: this "
            f"attack needs none there; {NO_GUARANTEE}."
        )
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


def both_ceilings(answer: Answer) -> list[str]:
    """What the ceilings on the error and on wrong labels allow, and whether some budget keeps them all."""
    if answer["meets_both"] is None:
        return []
    name = answer["parameter"]
    error = None if answer["max_error"] is None else f"an error of {answer['max_error']:g} per count"
    wrong = None if answer.get("max_wrong") is None else _few_wrong(answer)
    if answer["meets_both"]:
        kept = []
        if error is not None:
            least = rounded_to_safety(answer["error_floor"], up=True)
            kept.append(f"{error[0].upper()}{error[1:]} is kept from {name} = {least} on.")
        if wrong is not None:
            ranges = " or ".join(interval_text(found, name) for found in answer["wrong_set"])
            kept.append(f"{wrong[0].upper()}{wrong[1:]}: {ranges} keeps that.")
        how_many = "Both" if len(kept) == 1 else "All"
        return kept if answer.get("profile") is not None else [*kept, *_together(answer, how_many)]
    if wrong is not None and not answer["wrong_set"]:
        least = percent_beside(answer["wrong_floor"], answer["max_wrong"])
        return [f"No {name} keeps {wrong}: the least possible share is {least}."]
    if (near := answer["nearest_pair"]) is not None:
        return [
            f"No {name} meets both the risk ceiling and {error}: the nearest is {name} = {near[name]:.4g}, with a risk "
            f"of {risk_text(answer, near['risk'])} and an error of {error_text(answer, near['error'])}."
        ]
    others = " and ".join(filter(None, [error, wrong]))
    return [
        f"No {name} meets the risk ceiling, {others}." if error else f"No {name} meets the risk ceiling and {others}."
    ]


def _few_wrong(answer: Answer) -> str:
    share = f"{100 * answer['max_wrong']:.10g} %"
    return f"at most {share} of people wrongly shown with a harmful value"


def interval_text(interval: Mapping[str, float | None], name: str) -> str:
    """An interval of budgets, its ends on the safe side."""
    low, high = interval["low"], interval["high"]
    if high is None:
        return f"{name} from {rounded_to_safety(low or 0.0, up=True)} on" if low else f"any {name}"
    if not low:
        return f"{name} up to {rounded_to_safety(high)}"
    return f"{name} from {rounded_to_safety(low, up=True)} to {rounded_to_safety(high)}"


def _together(answer: Answer, how_many: str) -> list[str]:
    """What keeps everything that was asked for; nothing to say where there is no largest such budget."""
    if answer["combined_budget"] is None:
        return []
    return [f"{how_many} together: {answer['parameter']} = {rounded_to_safety(answer['combined_budget'])}."]


def profile_sentences(answer: Answer) -> list[str]:
    """What a risk profile allows, whatever the data, and what keeps everything together."""
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
        others = ["the error ceiling"] if answer["max_error"] is not None else []
        others += ["the ceiling on wrong labels"] if answer.get("max_wrong") is not None else []
        ceilings, how_many = (", ".join(["the risk ceiling", *others]), "All")
    if answer["combined_budget"] is None:
        return [first, f"No budget meets {ceilings} and the profile."]
    return [first, *_together(answer, how_many)]


def _factor(value: float) -> str:
    """Three figures, and 14,100 instead of 1.41e+04."""
    return f"{float(f'{value:.3g}'):,.0f}" if 1000.0 <= value < 1e9 else f"{value:.3g}"


def companions(answer: Answer) -> list[str]:
    """The worst case, another mechanism at the same risk, and levers."""
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
            f"At matched risk ({risk_text(answer, match['risk'], exact=True)}), {match['better']} has "
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
