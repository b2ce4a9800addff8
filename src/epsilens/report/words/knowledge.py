"""The words of ``knowledge``: attackers who know only some attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from epsilens.choice.knowing.answer import Knowledge, KnowledgeBudget, KnownSet
from epsilens.choice.values import ValueToday
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Note,
    Text,
    counted,
    finer_percent,
    joined,
    number,
    percent,
    verb,
)
from epsilens.report.words.harmful_values import harm_sentence, named_value

MOST_SETS = 12
MOST_LEVELS = 3
MOST_MINIMAL = 5


def worded(found: Knowledge) -> dict[str, Any]:
    """The JSON of the answer, with its sentences and notes."""
    return found.to_dict() | {"sentences": sentences(found), "notes": notes(found)}


def summary(found: Knowledge) -> list[Block]:
    """The whole answer for readers: three sentences, the worst sets, columns, what to coarsen, notes."""
    blocks: list[Block] = [Text(sentence) for sentence in sentences(found)]
    blocks += [BLANK, _sets_grid(found), BLANK, _smallest_grid(found)]
    if any(column.due is not None for column in found.columns):
        blocks += [BLANK, _columns_grid(found)]
    if found.coarsenings:
        blocks += [BLANK, _coarsen_grid(found)]
    return [*blocks, BLANK, *(Note(note) for note in notes(found))]


def typical(found: Knowledge) -> int:
    """The noise that sentences speak of: the one with the epsilon nearest to 1."""
    return min(range(len(found.budgets)), key=lambda b: abs(found.budgets[b].epsilon - 1.0))


def sentences(found: Knowledge) -> list[str]:
    """What was asked of one attacker, if anything; then today; after noise; what to do."""
    asked = [] if found.knows is None else [_who_knows(found, found.knows)]
    return [*asked, _today(found), _after_noise(found), _what_to_do(found)]


def _who_knows(found: Knowledge, one: KnownSet) -> str:
    """One attacker: today, after adding up noisy counts, and from a marginal of its own."""
    b = typical(found)
    risk = one.risks[b]
    added, published = (
        f"{percent(share)} on average (worst-off person {percent(people.worst)}, {_nobody_or(people.above_half)} above "
        "50 %)"
        for share, people in ((risk.added_up, risk.added_up_people), (risk.published, risk.published_people))
    )
    share = percent(one.disclosed_today / found.people)
    today = f"{number(one.disclosed_today)} of {counted(found.people, 'person')} ({share})"
    of_whom = today if one.disclosed_today else "nobody"
    told = f"learns of {of_whom} today; with {said(found.budgets[b])} the risk is {added}"
    if one.number == found.everything.number:
        return f"Who knows {joined(one.attributes)} {told}."
    return (
        f"Who knows only {joined(one.attributes)} {told} from the full table, added up, and {published} if that "
        "marginal is published itself."
    )


def _today(found: Knowledge) -> str:
    every = found.everything
    share = percent(every.disclosed_today / found.people)
    start = (
        f"Today {number(every.disclosed_today)} of {counted(found.people, 'person')} ({share}) are disclosed to "
        f"somebody who knows {_all_of(found)}"
    )
    if every.disclosed_today == 0:
        return f"{start}: nobody is, whatever of it is known."
    start += _as_what(found)
    sets = found.enough.today
    if not sets:
        most = max(found.sets, key=lambda one: one.disclosed_today)
        return (
            f"{start}; no set of attributes looked at discloses {percent(found.share)}, the most is "
            f"{percent(most.disclosed_today / found.people)} ({joined(most.attributes)})."
        )
    first = sets[0]
    others = f" (and {counted(len(sets) - 1, 'other set')})" if len(sets) > 1 else ""
    return f"{start}; {joined(first.attributes)}{others} {_is_enough(first, found)} for {percent(found.share)}."


def _as_what(found: Knowledge) -> str:
    """``, all as income=low``; of several values the commonest three."""
    shown = sorted((v for v in found.by_value if v.harmful and v.disclosed), key=lambda v: -v.disclosed)
    if len(shown) == 1:
        return f", all as {_value(found, shown[0])}" if shown[0].disclosed > 1 else f", as {_value(found, shown[0])}"
    named = [f"{number(v.disclosed)} as {_value(found, v)}" for v in shown[:MOST_LEVELS]]
    rest = sum(v.disclosed for v in shown[MOST_LEVELS:])
    return f" ({joined([*named, *([f'{number(rest)} as another value'] if rest else [])])})"


def _value(found: Knowledge, value: ValueToday) -> str:
    return named_value(found.sensitive, value.value)


def _is_enough(one: KnownSet, found: Knowledge) -> str:
    if one.number == found.everything.number:
        return "are needed" if len(one.attributes) > 1 else "is needed"
    return "alone are enough" if len(one.attributes) > 1 else "alone is enough"


def _after_noise(found: Knowledge) -> str:
    b = typical(found)
    budget = found.budgets[b]
    partial = [one for one in found.sets if one.number != found.everything.number] or list(found.sets)
    worst = max(partial, key=lambda one: one.risks[b].added_up)
    full, part = found.everything.risks[b], worst.risks[b]
    told = finer_percent(full.added_up, part.added_up, part.published)
    people = part.added_up_people
    if worst.number == found.everything.number:
        return (
            f"With {said(budget)} that risk is {told[0]} on average (worst-off person {percent(people.worst)}, "
            f"{_nobody_or(people.above_half)} above 50 %); there is nobody who knows less."
        )
    return (
        f"With {said(budget)} that risk is {told[0]} on average; of those who know less and add up the noisy counts, "
        f"who knows {joined(worst.attributes)} learns most: {told[1]} (worst-off person {percent(people.worst)}, "
        f"{_nobody_or(people.above_half)} above 50 %), against {told[2]} if that marginal were published itself."
    )


def _what_to_do(found: Knowledge) -> str:
    coarsened = [one for one in found.coarsenings if one.kind == "coarsen"]
    carried = [one for one in found.columns if one.due is not None]
    text = ""
    if carried and found.everything.disclosed_today:
        first = carried[0]
        part = (first.due or 0.0) / found.everything.disclosed_today
        text = f"Of what is disclosed {first.column} carries most ({percent(part)})"
    if coarsened and found.everything.disclosed_today:
        best = coarsened[0]
        text += "; " if text else ""
        text += (
            f"coarsen {best.column} first: {best.levels_after} levels instead of {best.levels_before} would leave "
            f"{number(best.disclosed_today)} people disclosed"
        )
    if not text and found.coarsenings and found.everything.disclosed_today == 0:
        text = "no column need be coarsened for what is disclosed today"
    elif not text and found.coarsenings:
        best = found.coarsenings[0]
        text = f"without {best.column} {number(best.disclosed_today)} people would be disclosed"
    text = text or "there is no column that could be coarsened"
    return f"{text[0].upper()}{text[1:]}."


def _sets_grid(found: Knowledge) -> Grid:
    """The worst sets of every size, by people disclosed today and then by risk."""
    b = typical(found)
    shown = worst_sets(found, MOST_SETS)
    headings = ["known attributes", "disclosed\ntoday", "counts\nadded up"]
    several = found.budgets if len(found.budgets) <= 3 else (found.budgets[b],)
    for budget in several:
        name = f"{budget.mechanism} " if len({one.mechanism for one in found.budgets}) > 1 else ""
        epsilon = f"{name}eps {budget.epsilon:g}" + ("" if budget.delta is None else f", {budget.delta:g}")
        headings += [f"{epsilon}\nadded up", "worst\noff", "above\n50 %", "marginal\npublished"]
    rows = []
    for one in shown:
        low, high = one.counts_added_up
        row = [
            ", ".join(one.attributes) or "(nothing)",
            percent(one.disclosed_today / found.people),
            number(high) if low == high else f"{number(low)}-{number(high)}",
        ]
        for budget in several:
            risk = one.risks[found.budgets.index(budget)]
            people = risk.added_up_people
            row += [percent(risk.added_up), percent(people.worst), number(people.above_half), percent(risk.published)]
        rows.append(row)
    total = len(found.sets)
    which = f"{len(shown) - 1} of {total} sets" if total > len(shown) - 1 else counted(total, "set")
    return Grid(
        f"What a set of known attributes discloses ({which}, the worst of each size)",
        headings,
        rows,
        words=1,
        tight=True,
    )


def worst_sets(found: Knowledge, most: int) -> list[KnownSet]:
    """Nothing, then the worst sets of every size, the sizes in turn until there are ``most`` of them; by size."""
    b = typical(found)
    by_size: dict[int, list[KnownSet]] = {}
    for one in sorted(found.sets, key=lambda one: (-one.disclosed_today, -one.risks[b].added_up)):
        by_size.setdefault(len(one.attributes), []).append(one)
    chosen: list[KnownSet] = []
    for rank in range(max(map(len, by_size.values()))):
        for size in sorted(by_size, reverse=True):
            if len(chosen) < most and rank < len(by_size[size]):
                chosen.append(by_size[size][rank])
    order = {one.number: i for size in sorted(by_size) for i, one in enumerate(by_size[size])}
    return [found.nothing, *sorted(chosen, key=lambda one: (len(one.attributes), order[one.number]))]


def _smallest_grid(found: Knowledge) -> Grid:
    """The sets that reach the share and have no part that does."""
    rows = [["today", *_few(found.enough.today)]]
    for budget, added, published in zip(found.budgets, found.enough.added_up, found.enough.published, strict=True):
        rows.append([f"{short(budget)}, added up", *_few(added)])
        rows.append([f"{short(budget)}, marginal published", *_few(published)])
    title = f"The smallest sets of attributes that disclose {percent(found.share)} of people"
    return Grid(title, ("when", "sets", "smallest first"), rows, words=3)


def _few(sets: Sequence[KnownSet]) -> tuple[str, str]:
    listed = "; ".join(", ".join(one.attributes) for one in sets[:MOST_MINIMAL])
    more = f"; {len(sets) - MOST_MINIMAL} more" if len(sets) > MOST_MINIMAL else ""
    return number(len(sets)), (listed + more) or "none"


def _columns_grid(found: Knowledge) -> Grid:
    """How much each column carries, and which of its levels."""
    total = found.everything.disclosed_today
    b = typical(found)
    rows = []
    for column in found.columns:
        levels = "; ".join(
            f"{level.level} {number(round(level.due))} of {number(level.people)}"
            for level in column.levels[:MOST_LEVELS]
            if level.due > 0.5
        )
        part = percent((column.due or 0.0) / total) if total else "-"
        added = f"{100 * column.after_noise[b][0]:.1f}" if column.after_noise else "-"
        rows.append([column.column, levels or "-", f"{column.due or 0.0:,.0f}", part, added])
    headings = (
        "column",
        "levels that carry most: people due to it, of people",
        "people\ntoday",
        "part of\nall",
        f"added up, eps {found.budgets[b].epsilon:g},\npercentage points",
    )
    return Grid("How much each column carries (Shapley value over all sets)", headings, rows, words=2)


def _coarsen_grid(found: Knowledge) -> Grid:
    """What the full table would disclose with one column coarsened or left out."""
    rows = [["the table as it is", *_of_table(found, found.everything.disclosed_today, _published(found))]]
    for one in found.coarsenings:
        change = f"{one.levels_before} to {one.levels_after} levels" if one.kind == "coarsen" else "left out"
        rows.append([f"{one.column}: {change}", *_of_table(found, one.disclosed_today, one.published)])
    headings = ["table", "disclosed\ntoday", *(f"{short(budget)}\npublished" for budget in found.budgets)]
    return Grid("Which column to coarsen first (the full table, all its columns known)", headings, rows, words=1)


def _published(found: Knowledge) -> tuple[float, ...]:
    return tuple(risk.published for risk in found.everything.risks)


def _of_table(found: Knowledge, disclosed: int, published: Sequence[float]) -> Iterator[str]:
    yield percent(disclosed / found.people)
    yield from map(percent, published)


def notes(found: Knowledge) -> list[str]:
    """What the numbers mean, and what they do not."""
    said_of = [
        "quasi-identifiers: the columns that an attacker may know. The columns' part is their Shapley value: what each "
        "adds to the people disclosed, averaged over all orders in which they may become known.",
        "disclosed today: people whose cell of that marginal shows a single value"
        + (" that harms" if found.harmless else "")
        + ", before any noise.",
        "added up: only the full table is published; the attacker adds up the noisy counts of all cells that agree in "
        "what is known, and a value is shown where the sum is 1/2 or more. Local risk, average over people.",
        "marginal published: that marginal itself, with fresh noise at the same budget.",
        _what_is_added_up(found),
    ]
    if found.found:
        said_of.append(
            f"The universe leaves out {joined(found.found)}: {verb(len(found.found), 'its', 'their')} levels are those "
            "found in the data."
        )
    if found.beside.clipped:
        said_of.append(_clipping(found))
    else:
        said_of.append("Levels, coarsened columns and clipped counts are left out for a table of so many cells.")
    said_of.append(harm_sentence([value.to_dict() | {"value": _value(found, value)} for value in found.by_value]))
    if found.largest_set is not None and any(column.due is None for column in found.columns):
        said_of.append(
            f"Sets of more than {counted(found.largest_set, 'column')} are left out, and with them what each column "
            "carries: that takes all sets."
        )
    if len(found.sets) > MOST_SETS:
        said_of.append(f"All {number(len(found.sets))} sets are in the answer as JSON, under `subsets`.")
    if found.falls:
        said_of.append(_fall(found))
    return said_of


def _what_is_added_up(found: Knowledge) -> str:
    if found.over == "universe":
        return "Added up are all cells of the declared universe, those that nobody is in too, as in a release."
    return (
        "No universe is declared, so only the cells that somebody is in are added up; a release adds noise to every "
        "cell of a universe, so that more counts, and more noise, would be added up: declare one."
    )


def _clipping(found: Knowledge) -> str:
    b = typical(found)
    text = (
        "As published, counts are rounded and raised to 0 before they are added up: sums of them are too large, so "
        "values that nobody has appear"
    )
    clipped = {one.number: found.beside.clipped[one.number][b] for one in found.sets}
    most = max(found.sets, key=lambda one: abs(one.risks[b].added_up - clipped[one.number]))
    told = finer_percent(clipped[most.number], most.risks[b].added_up)
    if told[0] == told[1]:
        return f"{text}; here that makes no difference."
    return (
        f"{text}. At {short(found.budgets[b])} who knows {joined(most.attributes)} learns {told[0]} from clipped "
        f"counts instead of {told[1]}."
    )


def _fall(found: Knowledge) -> str:
    fall = found.falls[0]
    risks = [getattr(one.risks[fall.budget], fall.kind) for one in (fall.fewer, fall.more)]
    further = [name for name in fall.more.attributes if name not in fall.fewer.attributes]
    told = finer_percent(*risks)
    why = (
        "with fewer counts to add up there is less noise to hide other values, and cells are smaller"
        if fall.kind == "added_up"
        else "cells get smaller, and noise hides them"
    )
    return (
        f"Under noise who knows more does not always learn more: at {short(found.budgets[fall.budget])}, {further[0]} "
        f"beside {joined(fall.fewer.attributes)} lowers the risk from {told[0]} to {told[1]}: {why}."
    )


def _nobody_or(people: int) -> str:
    return counted(people, "person") if people else "nobody"


def said(budget: KnowledgeBudget) -> str:
    """``laplace noise at epsilon = 1``."""
    delta = "" if budget.delta is None else f", delta = {budget.delta:g}"
    return f"{budget.mechanism} noise at epsilon = {budget.epsilon:g}{delta}"


def short(budget: KnowledgeBudget) -> str:
    """``laplace, eps 1``."""
    return f"{budget.mechanism}, eps {budget.epsilon:g}" + ("" if budget.delta is None else f", {budget.delta:g}")


def _all_of(found: Knowledge) -> str:
    many = len(found.quasi_identifiers)
    return f"all {many} quasi-identifiers" if many > 1 else found.quasi_identifiers[0]
