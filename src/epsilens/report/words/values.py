"""Who is shown as what, in words: which values count as harmful, who is shown with them, rightly and wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epsilens.choice.questions.assessment import AttributeToday, BudgetLine
from epsilens.choice.values import ValueToday
from epsilens.homogeneity.by_value import ShownValue
from epsilens.report.words.common import Block, Grid, Note, budget_text, counted, joined, number, percent, verb
from epsilens.report.words.harmful_values import MOST_NAMED, harm_said, named_value

MOST_VALUES = 8
"""Of more values than these the riskiest are shown; JSON has all."""
NOT_KNOWN = {"unknown", "not known", "n/a", "na", "nan", "null", "?", "missing", "not stated", "refused"}
"""Texts that often stand for a missing value."""


def value_text(attribute: AttributeToday, value: str) -> str:
    """``stroke=1``; a combination of values, and what is missing, as it is."""
    return value if attribute.combined else named_value(attribute.sensitive, value)


def how_shown(measure: str) -> str:
    """What it takes to be shown with a value, by a measure."""
    alone = "in cells that show a single value"
    guessed = {"local": alone, "hard": "in cells where it has the largest noisy count", "soft": "by noisy shares"}
    return guessed.get(measure, f"{alone}, by {measure} risk")


def harm_sentences(attribute: AttributeToday) -> list[str]:
    """Which values of an attribute count as harmful, the heaviest and commonest first."""
    ordered = sorted(attribute.by_value, key=lambda value: (-value.weight, -value.people))
    said = harm_said(((value_text(attribute, x.value), x.weight) for x in ordered), attribute.harm_declared)
    return said if attribute.harm_declared else [*said, *_looks_missing(attribute)]


def _looks_missing(attribute: AttributeToday) -> list[str]:
    """What to do where a value that counts reads as if it were not known."""
    found = [] if attribute.combined else [x.value for x in attribute.by_value if x.value.casefold() in NOT_KNOWN]
    return [f"{value_text(attribute, x)} counts as a value; if it means missing, declare that it does." for x in found]


def headline(attribute: AttributeToday, whom: str = "people") -> str:
    """Who is disclosed today with a value that harms, and as what: the first sentence of an assessment."""
    one = "person" if whom == "people" else "row"
    everybody = sum(value.people for value in attribute.by_value)
    harmful = [value for value in attribute.by_value if value.harmful and value.disclosed]
    people = sum(value.disclosed for value in harmful)
    what = "shown with a harmful value" if attribute.harm_declared else "disclosed"
    if not people:
        nobody = "nobody" if one == "person" else f"no {one}"
        named = [value_text(attribute, value.value) for value in attribute.by_value if value.harmful]
        as_what = (
            f"shown with a harmful value ({joined(named, 'or', MOST_VALUES)})" if attribute.harm_declared else what
        )
        return f"Published as it is, {nobody} is {as_what}."
    if len(harmful) > 1:
        as_what = f": {_as_what(attribute, harmful)}"
    else:
        as_what = f"{', all of them' if people > 1 else ','} as {value_text(attribute, harmful[0].value)}"
    return (
        f"Published as it is, {number(people)} of {counted(everybody, one)} ({percent(people / everybody)}) "
        f"{verb(people)} {what} to anyone who knows their quasi-identifiers{as_what}."
    )


def harm_notes(lines: Sequence[BudgetLine]) -> Iterator[Note]:
    """What a risk counts, where not every value counts once."""
    if any(line.harm.weights_differ for line in lines):
        yield Note("A risk counts each harmful value as often as it weighs, so that it may exceed 1.")
    elif any(line.some_harmless for line in lines):
        yield Note("Only harmful values count in risks.")


def today_values(attribute: AttributeToday, whom: str = "people") -> list[str]:
    """As what those are disclosed whom the table discloses as it is, harmful values first."""
    disclosed = [value for value in attribute.by_value if value.disclosed]
    if not disclosed:
        return []
    one = "person" if whom == "people" else "row"
    if all(value.harmful for value in attribute.by_value):
        everybody = sum(value.disclosed for value in disclosed)
        if len(disclosed) == 1:
            every = f"{counted(everybody, one)} {verb(everybody)}" if everybody == 1 else f"All {number(everybody)} are"
            return [f"{every} shown as {value_text(attribute, disclosed[0].value)}."]
        return [f"Of these, {_as_what(attribute, disclosed)}."]
    harmful, others = ([v for v in disclosed if v.harmful is harm] for harm in (True, False))
    sentences = [_shown_with(attribute, harmful, one, "a harmful value")]
    if others:
        sentences.append(_shown_with(attribute, others, one, "a value that is not counted as harmful"))
    return sentences


def _shown_with(attribute: AttributeToday, values: Sequence[ValueToday], one: str, what: str) -> str:
    """``3 people are shown with a harmful value, all of them as stroke=1.``"""
    people = sum(value.disclosed for value in values)
    if not people:
        named = [value_text(attribute, value.value) for value in attribute.by_value if value.harmful]
        return (
            f"{'Nobody' if one == 'person' else f'No {one}'} is shown with {what} ({joined(named, 'or', MOST_VALUES)})."
        )
    said = f"{counted(people, one)} {verb(people)} shown with {what}"
    if len(values) > 1:
        return f"{said}: {_as_what(attribute, values)}."
    all_of_them = ", all of them as " if people > 1 else ": "
    return f"{said}{all_of_them}{value_text(attribute, values[0].value)}."


def _as_what(attribute: AttributeToday, values: Sequence[ValueToday]) -> str:
    """``9,500 are shown as income=low and 1,612 as income=high``, the commonest first."""
    largest = sorted(values, key=lambda value: -value.disclosed)
    named = largest if len(largest) <= MOST_NAMED else largest[: MOST_NAMED - 1]
    parts = [
        f"{number(value.disclosed)}{'' if k else f' {verb(value.disclosed)} shown'} as "
        f"{value_text(attribute, value.value)}"
        for k, value in enumerate(named)
    ]
    if rest := largest[len(named) :]:
        parts.append(f"{number(sum(v.disclosed for v in rest))} as one of {counted(len(rest), 'other value')}")
    return joined(parts)


def values_today_grid(attribute: AttributeToday, whom: str = "people") -> Grid:
    """Before any noise: who has each value, and who is shown with it because everybody in the cell has it."""
    ranked = sorted(attribute.by_value, key=lambda value: (-min(value.weight, 1.0), -value.disclosed, -value.people))
    rows = [
        (
            value.value,
            _weight(value.weight),
            number(value.people),
            number(value.homogeneous_cells),
            number(value.disclosed),
            percent(value.disclosed / value.people) if value.people else "-",
        )
        for value in ranked[:MOST_VALUES]
    ]
    more = len(ranked) - len(rows)
    beside = f" ({more} more of fewer {whom} disclosed)" if more else ""
    return Grid(
        f"Who is shown as what today{beside}",
        (
            attribute.sensitive,
            "harmful",
            f"{whom} {'who' if whom == 'people' else 'that'}\nhave it",
            "cells that show\nit alone",
            f"{whom} in\nthose cells",
            "of those who\nhave it",
        ),
        rows,
        words=2,
    )


def values_blocks(line: BudgetLine, attribute: AttributeToday, whom: str = "people") -> Iterator[Block]:
    """The table of one budget: who has each value, who is shown with it rightly and wrongly, whether to believe it."""
    if not any(value.shown_right + value.shown_wrong > 0 for value in line.by_value):
        return
    have = {value.value: value.people for value in attribute.by_value}
    everybody = sum(have.values())
    ranked = sorted(line.by_value, key=lambda value: (-min(value.weight, 1.0), -_harm(value), -have[value.value]))
    shown, rest = ranked[:MOST_VALUES], ranked[MOST_VALUES:]
    rows = [
        (
            value.value,
            _weight(value.weight),
            number(have[value.value]),
            *_shares(value.shown_right, value.shown_wrong),
        )
        for value in shown
    ]
    harmful = [value for value in line.by_value if value.weight > 0]
    if len(harmful) > 1 and len(line.by_value) > 2:
        people = sum(have[value.value] for value in harmful)
        rows.append(("all harmful ones", "", number(people), *_shares(line.harm.right, line.harm.wrong)))
    yield Grid(
        f"Who is shown as what at {budget_text(line.budget)}, of {number(everybody)} {whom}",
        (
            line.sensitive,
            "harmful",
            f"{whom} {'who' if whom == 'people' else 'that'}\nhave it",
            "shown,\ntheirs",
            "shown,\nwrong",
            "believing\nis right",
        ),
        rows,
        words=2,
    )
    if rest:
        yield Note(f"{counted(len(rest), 'value')} of less risk {verb(len(rest))} in the JSON only.")
    if line.harm.weights_differ:
        yield Note(
            f"Counted as often as each value weighs: {fine_percent(line.harm.weighted_right)} rightly, "
            f"{fine_percent(line.harm.weighted_wrong)} wrongly."
        )
    yield Note(
        f"Shares of all {whom}, {how_shown(line.by_value_measure)}. Who is shown wrongly with a harmful value is "
        "harmed as well, and counted apart."
    )


def value_sentences(line: BudgetLine, attribute: AttributeToday, whom: str = "people") -> list[str]:
    """Where only some values are harmful: what is shown of the worst of them, and how much of it is wrong."""
    have = {value.value: value.people for value in attribute.by_value}
    everybody = sum(have.values())
    harmful = sorted((value for value in line.by_value if value.weight > 0), key=lambda value: -_harm(value))
    sentences = []
    for k, value in enumerate(harmful[:MOST_NAMED]):
        right, wrong, name = value.shown_right, value.shown_wrong, value_text(attribute, value.value)
        if right + wrong == 0:
            sentences.append(f"At {budget_text(line.budget)}, nobody is shown as {name}.")
            continue
        those = f" ({fine_percent(right * everybody / have[value.value])} of those who do)" if have[value.value] else ""
        as_well = ", which is a harm as well and is counted apart" if k == 0 else ""
        sentences.append(
            f"At {budget_text(line.budget)}, {fine_percent(right)} of {whom} are shown as {name} and have it{those}; "
            f"{fine_percent(wrong)} are shown so wrongly{as_well}. Believing it is right "
            f"{percent(right / (right + wrong))} of the time; {percent(have[value.value] / everybody)} of {whom} "
            "have it."
        )
    return sentences


def fine_percent(share: float) -> str:
    """A share in per cent; below 1 % with two digits, since few people of many may be shown with a rare value."""
    if 0.0 < share < 1e-6:
        return "< 0.0001 %"
    return f"{100 * share:.2g} %" if 0.0 < share < 0.01 else percent(share)


def _shares(right: float, wrong: float) -> tuple[str, str, str]:
    return fine_percent(right), fine_percent(wrong), percent(right / (right + wrong)) if right + wrong > 0 else "-"


def _harm(value: ShownValue) -> float:
    """How much comes from it; harmless values among one another by what is shown."""
    return (value.weight or 1.0) * (value.shown_right + value.shown_wrong)


def _weight(weight: float) -> str:
    return "no" if weight == 0 else "yes" if weight == 1 else f"{weight:g} times"
