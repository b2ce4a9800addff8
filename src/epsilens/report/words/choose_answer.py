"""The short answer of a choice, budget, risk and price, and the table of budgets below it; from the JSON alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epsilens.choice.spread import Spread
from epsilens.noise import MECHANISMS
from epsilens.report.words.choose_terms import (
    Answer,
    goal,
    noise_text,
    risk_text,
    rounded_to_safety,
    where_least,
)
from epsilens.report.words.common import (
    BLANK,
    NO_GUARANTEE,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    number,
    number_beside,
    percent,
)
from epsilens.report.words.harmful_values import harm_sentence, named_value
from epsilens.report.words.spread import spread_sentence

RELEASED = "discrete-laplace"
"""What a release draws where nothing is said."""


def short_blocks(answer: Answer) -> list[Block]:
    """Budget, risk and price in three lines, then a table of budgets with what its columns mean."""
    head, *lines = short_lines(answer)
    blocks: list[Block] = [Heading(head), *(Text(line, indent=2) for line in lines), BLANK, budgets_grid(answer)]
    if answer["harmful"] is not None:
        blocks += [Note(sentence) for sentence in (_shown_columns(answer), harm_note(answer)) if sentence]
    if answer["answer"]["exists"] and answer["aggregate"] == "mean" and answer["answer"]["above_ceiling"]:
        blocks.append(Note("The ceiling is on the average; to keep everybody at or below it, let nobody be above it."))
    if noted := release_note(answer):
        blocks.append(Note(noted))
    return blocks


def release_note(answer: Answer) -> str:
    """That a release draws whole numbers, and what to ask for them; empty where these were asked for, or none needed.

    A budget that keeps a ceiling with continuous noise need not keep it with that of a release: at one epsilon,
    discrete Laplace noise is less, and cells may show more.
    """
    law = MECHANISMS[answer["mechanism"]].law
    if law.integer_valued or not answer["answer"]["exists"] or answer["answer"]["without_noise"]:
        return ""
    whole = f"discrete-{law.name}"
    then = "for the budget that it needs" if whole == RELEASED else "and name that in the release, too"
    return f"A release draws {RELEASED} noise unless another mechanism is named: ask with {whole} {then}."


def short_lines(answer: Answer) -> list[str]:
    """The short answer, line by line: what to take, at which risk, at which price."""
    short, name = answer["answer"], answer["parameter"]
    if not short["exists"]:
        return [_nothing(answer), *_least(answer)]
    risk = f"Risk:  {risk_text(answer, short['risk'])}, the {answer['aggregate_words']} ({answer['measure']})"
    spread = _spread(answer)
    lines = [f"{risk}. {spread}" if spread else f"{risk}."]
    if short["without_noise"]:
        lines.append("Price: none, counts are published as they are.")
        return [f"{_needless(short['above_ceiling'])}; {NO_GUARANTEE}.", *lines]
    fixed = f"epsilon = {answer['epsilon']:g}, " if name == "delta" else ""
    whose = "a count" if answer.get("attack") is None else "a count of the lowest level"
    price = f"Price: {whose} is off by {number_beside(short['price'], digits=3)} people on average"
    if short["harmful_wrong"] is not None:
        whom = "a harmful value that is" if _declared(answer) else "a value that is"
        price += f", and {percent(short['harmful_wrong'])} of people are shown with {whom} not theirs"
    noise = f"{answer['mechanism']} noise, {fixed}{answer['neighbours']} neighbours" if fixed else noise_text(answer)
    take = f"Take {name} = {rounded_to_safety(short['budget'])} ({noise})."
    if name == "delta" and short["budget"] * answer["people"] >= 1:
        take = (
            f"The ceiling alone allows delta = {rounded_to_safety(short['budget'])} ({noise}); it is customary to take "
        )
        take += f"less than 1 in {number(answer['people'])}."
    return [take, *lines, f"{price}."]


def _needless(above: int | None) -> str:
    """That a ceiling asks for no noise, and how many people it does not protect: an average hides them."""
    if not above:
        return "This attack needs no noise"
    people = "1 person is" if above == 1 else f"{number(above)} people are"
    return f"This ceiling is kept without noise, although {people} above it"


def _nothing(answer: Answer) -> str:
    """What there is not."""
    name = answer["parameter"]
    if not answer["safe_set"]:
        ends = f" from {answer['scanned_from']:g} to {answer['scanned_to']:g}" if name == "delta" else ""
        return f"No {name}{ends} keeps {goal(answer)}."
    asked = ["risk"] + ["error"] * (answer["max_error"] is not None)
    asked += ["wrong labels"] * (answer.get("max_wrong") is not None)
    ceilings = f"the ceilings on {', '.join(asked[:-1])} and {asked[-1]}" if len(asked) > 1 else "the risk ceiling"
    return f"No {name} keeps {ceilings}{' and the profile' if answer.get('profile') is not None else ''}."


def _least(answer: Answer) -> list[str]:
    if answer["parameter"] == "delta":
        risks = [answer["risk_at_least_delta"], answer["risk_at_largest_delta"]]
        least = risk_text(answer, min(risks))
        return [f"Risk:  {least} or more at the ends of that range. Fix another epsilon, or delta instead."]
    lines = [f"Risk:  {risk_text(answer, answer['floor'])} at least, {where_least(answer)}."]
    if answer["remedies"] or answer.get("if_harmless") is not None:
        lines.append("What would help is said below the table.")
    return lines


def _spread(answer: Answer) -> str:
    """Who is worst off; of ratios only how many are above the ceiling."""
    short = answer["answer"]
    if (plain := answer["spread"]) is not None:
        return spread_sentence(
            Spread(
                plain["people"],
                plain["worst"],
                plain["at_worst"],
                plain["above_half"],
                (),
                plain.get("ceiling"),
                plain.get("above_ceiling"),
            )
        )
    if short["worst"] is None:
        return ""
    count = short["above_ceiling"]
    above = {0: "nobody is", 1: "1 person is"}.get(count, f"{number(count)} people are")
    return f"Worst off: {risk_text(answer, short['worst'])}; {above} above the ceiling."


def budgets_grid(answer: Answer) -> Grid:
    """The budget to take among others: risk, whoever is worst off, who is shown as what, and the error."""
    name, rows = answer["parameter"], answer["table"]
    shown = "harmful," if _declared(answer) else "shown"
    columns: dict[str, tuple[str, Callable[[Any], str]]] = {
        "risk": ("risk", lambda value: risk_text(answer, value)),
        "worst": ("worst\noff", lambda value: risk_text(answer, value)),
        "above_half": ("people\n> 50 %", number),
        "above_ceiling": ("people >\nceiling", number),
        "harmful_right": (f"{shown}\nrightly", percent),
        "harmful_wrong": (f"{shown}\nwrongly", percent),
        "error": ("error of\na count", _few_figures),
    }
    there = [key for key in columns if any(row[key] is not None for row in rows)]
    return Grid(
        title="",
        headings=["", name, *(columns[key][0] for key in there)],
        rows=[
            [
                _role(answer, row[name], row is rows[0]),
                _budget(answer, row[name]),
                *("-" if row[key] is None else columns[key][1](row[key]) for key in there),
            ]
            for row in rows
        ],
        words=1,
        tight=True,
        keys=2,
    )


def _role(answer: Answer, budget: float | None, first: bool) -> str:
    """What the budget of a row is."""
    if budget is None:
        return "no noise"
    if budget == answer["answer"]["budget"]:
        return "take"
    if budget in (answer.get("public_budget"), answer.get("public_delta")):
        return "round"
    if budget == answer.get("floor_at"):
        return "least risk"
    if answer["safe_set"] and budget == answer["safe_set"][0]["low"]:
        return "smallest"
    return "most noise" if first else ""


def _budget(answer: Answer, budget: float | None) -> str:
    if budget is None:
        return "-"
    if budget == answer["answer"]["budget"]:
        return rounded_to_safety(budget)
    lowest = answer["safe_set"][0]["low"] if answer["safe_set"] else None
    return rounded_to_safety(budget, up=True) if budget == lowest else f"{budget:.4g}"


def _few_figures(value: float) -> str:
    """Three figures, and 12,000 instead of 1.2e+04."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 999.5 else f"{value:.3g}"


def _shown_columns(answer: Answer) -> str:
    """What shown rightly and wrongly are."""
    if all(row["harmful_right"] is None for row in answer["table"]):
        return ""
    shown, what = ("harmful, ", "one harmful value only") if _declared(answer) else ("shown ", "one value only")
    return f"{shown}rightly: people whose cell shows {what}, and it is theirs; wrongly: and it is not."


def harm_note(answer: Answer) -> str:
    """Which values count as harm."""
    harm: dict[str, Any] = answer["harmful"]
    entries = [
        {"value": named_value(entry["attribute"], entry["value"]), "weight": entry["weight"]}
        for entry in (*harm["values"], *harm["others"])
    ]
    said = harm_sentence(entries)
    if any(entry["weight"] > 1 for entry in harm["values"]):
        return f"{said} Risks count them so often, and may be above 100 %."
    return said


def shown_as(answer: Answer, value: str) -> str:
    """A value with the name of its attribute."""
    return f"{answer['harmful']['values'][0]['attribute']}={value}"


def _declared(answer: Answer) -> bool:
    return answer["harmful"] is not None and bool(answer["harmful"]["declared"])
