"""The words of ``evaluate``: who is shown, how often believing is right, whether the noise is what is claimed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from epsilens.choice.claims import LEVEL, NoiseVerdict
from epsilens.choice.questions.evaluation import FEW, Evaluation, Group
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    counted,
    finer_percent,
    number,
    percent,
)
from epsilens.report.words.common import verb as verb_of
from epsilens.report.words.harmful_values import harm_sentence, named_value

MOST_GROUPS = 8
MOST_LEVELS = 6
MOST_VALUES = 12


def worded(evaluation: Evaluation) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    return evaluation.to_dict() | {"sentences": sentences(evaluation)}


def summary(evaluation: Evaluation) -> list[Block]:
    """The whole answer for readers."""
    blocks: list[Block] = [Text(sentence) for sentence in sentences(evaluation)]
    blocks.append(Text(_harmful(evaluation)))
    blocks += [BLANK, *_reading(evaluation), BLANK]
    blocks += _risk(evaluation)
    blocks += _groups(evaluation)
    blocks += _accuracy(evaluation)
    if evaluation.noise is not None:
        blocks += _noise(evaluation.noise)
    for verdict in evaluation.further:
        blocks += _further(verdict)
    if evaluation.further and evaluation.joint_p_value is not None:
        blocks += [Text(f"All tables of the release together: {_p(evaluation.joint_p_value)} (Bonferroni)."), BLANK]
    blocks += [Note(note) for note in evaluation.notes]
    blocks += _closing(evaluation)
    return blocks


def _harmful(evaluation: Evaluation) -> str:
    """Which values count."""
    first, *others = evaluation.side.sensitive
    values = [(x.value if others else named_value(first, x.value), x.weight) for x in evaluation.by_value]
    return harm_sentence([{"value": value, "weight": weight} for value, weight in values])


def sentences(evaluation: Evaluation) -> list[str]:
    """Three: who is shown, how often believing is right, whether the noise is what is claimed."""
    return [_who_is_shown(evaluation), _believing(evaluation), _claim(evaluation)]


def _who_is_shown(evaluation: Evaluation) -> str:
    seen, today = evaluation.observed, evaluation.today
    label = "a single harmful label" if evaluation.harm_declared else "a single label"
    right, wrong = finer_percent(seen.shown_right, seen.shown_wrong)
    before = (
        f"{number(today.people_right)} ({percent(today.shown_right)}), all rightly" if today.people_right else "nobody"
    )
    return (
        f"{_who(seen.people_right, right)} in a published cell that shows {label} which is theirs; "
        f"{_who(seen.people_wrong, wrong).replace('N', 'n', 1)} shown one that is not theirs. The true table would "
        f"show {before}."
    )


def _who(people: int, share: str) -> str:
    """``3 people (0.1 %) are``, ``Nobody is``."""
    return f"{_people(people)} ({share}) {verb_of(people)}" if people else "Nobody is"


def _believing(evaluation: Evaluation) -> str:
    seen = evaluation.observed
    commonest = percent(seen.guessing)
    if seen.believing is None:
        label = "a single harmful label" if evaluation.harm_declared else "a single label"
        return (
            f"No published cell that somebody is in shows {label}; guessing the commonest value is right "
            f"{commonest} of the time."
        )
    if evaluation.harm_declared:
        have = float(seen.truth[:, seen.weights > 0].sum() / seen.people)
        return (
            f"Believing such a cell is right for {percent(seen.believing)} of the people in it; {percent(have)} of all "
            "people have a harmful value."
        )
    return (
        f"Believing such a cell is right for {percent(seen.believing)} of the people in it; guessing the commonest "
        f"value is right for {commonest} of all."
    )


def _claim(evaluation: Evaluation) -> str:
    verdict = evaluation.noise
    if verdict is None:
        return "No noise is claimed, so none was tested."
    said = _claimed(verdict)
    if verdict.test is None:
        return f"Whether the noise is {said} was not tested: {verdict.reason}."
    if not verdict.rejected:
        return f"The noise may well be {said} ({_p(verdict.test.p_value)}){_range(verdict)}."
    return f"The noise is not {said} ({_p(verdict.test.p_value)}): {_why(verdict)}."


def _why(verdict: NoiseVerdict) -> str:
    """What speaks against the claim, and what it means for people."""
    test = verdict.test
    assert test is not None
    if test.impossible:
        return f"{counted(test.impossible, 'published count')} cannot come from it"
    if test.size * 3 < LEVEL:
        less = test.too_little < 0.5
        spent = verdict.least_budget if less else verdict.most_budget
        confidence = (
            "" if verdict.sizes is None else f" with {percent(0.5 * (1 + verdict.sizes.confidence))} confidence"
        )
        if less:
            told = f", at least {verdict.amount} = {spent:.3g}{confidence}" if spent else ""
            return f"there is less of it than claimed, so more was spent{told}, and people are less protected than said"
        told = f", at most {verdict.amount} = {spent:.3g}{confidence}" if spent else ""
        return f"there is more of it than claimed, so less was spent{told}; counts are worse than they need be"
    if test.middle * 3 < LEVEL:
        return "published counts are too high or too low on average, which noise is not"
    return "its size may be right, but not its shape: it is another law, or counts were changed afterwards"


def _range(verdict: NoiseVerdict) -> str:
    if verdict.sizes is None:
        return ""
    least, most = verdict.least_budget, verdict.most_budget
    low = "0" if not least else f"{least:.3g}"
    high = "any larger one" if most is None else f"{most:.3g}"
    return f"; the data do not reject {verdict.amount} from {low} to {high}"


def _claimed(verdict: NoiseVerdict) -> str:
    budget = ", ".join(f"{name} = {value:g}" for name, value in vars(verdict.claim.budget).items())
    return f"{verdict.claim.mechanism} noise of {budget}"


def _reading(evaluation: Evaluation) -> Iterator[Block]:
    reading = evaluation.reading
    if reading.kind == "synthetic":
        what = f"{counted(reading.rows, 'synthetic row')}, counted in {counted(reading.cells, 'cell')}"
    else:
        what = f"{counted(reading.counts, 'published count')} in {counted(reading.cells, 'cell')}"
    yield Text(
        f"{what}, against {counted(evaluation.observed.people, 'person')} in "
        f"{counted(reading.cells_with_people, 'cell')}."
    )
    if reading.negative or reading.fractional:
        yield Text(
            f"{counted(reading.negative, 'published count')} {verb_of(reading.negative)} negative and "
            f"{number(reading.fractional) if reading.fractional else 'none is'} fractional. "
            "An attacker reads them rounded half up, and negative ones as 0; "
            "errors and noise are those of the numbers as published."
        )
    if reading.withheld:
        yield Text(
            f"{counted(reading.withheld, 'count')} {verb_of(reading.withheld)} blank: withheld. A cell with a blank "
            "shows no single label; guesses take blanks for 0."
        )
    if reading.ignored_columns:
        yield Note(f"Columns that were not asked for are ignored: {', '.join(reading.ignored_columns)}.")


def _risk(evaluation: Evaluation) -> Iterator[Block]:
    seen, today = evaluation.observed, evaluation.today
    rows = [
        ["a single label shown is believed", *_three(seen.shown_right, seen.shown_wrong), percent(today.shown_right)],
        ["the largest count is guessed", *_three(seen.hard.right, seen.hard.wrong), percent(today.hard.right)],
        ["guesses follow the counts", *_three(seen.soft.right, seen.soft.wrong), percent(today.soft.right)],
    ]
    headings = ["attack", "right", "wrong", "true table"]
    if evaluation.harm_declared:
        headings.append("right and\nharmful")
        for row, share in zip(rows, (seen.shown_right, seen.hard.harmful, seen.soft.harmful), strict=True):
            row.append(percent(share))
    yield Grid("What an attacker gets right, in shares of people", headings, rows, 1)
    yield BLANK
    weighted = any(value.weight not in (0.0, 1.0) for value in evaluation.by_value)
    today_values = today.by_value(evaluation.side.labels)
    value_rows = []
    pairs = list(zip(evaluation.by_value, today_values, strict=True))
    if len(pairs) > MOST_VALUES:
        pairs = sorted(pairs, key=lambda pair: (-pair[0].shown_right - pair[0].shown_wrong, -pair[1].shown_right))
    for value, before in pairs[:MOST_VALUES]:
        harm = f"{value.weight:g}" if weighted else "yes" if value.weight else "no"
        shares = [percent(share) for share in (value.shown_right, value.shown_wrong, before.shown_right)]
        value_rows.append([value.value, harm, *shares])
    yield Grid("Who is shown as what", ("value", "harms", "rightly", "wrongly", "true table"), value_rows, 1)
    if (more := len(pairs) - MOST_VALUES) > 0:
        yield Note(f"{counted(more, 'more value')} {verb_of(more)} in the JSON, shown for fewer people.")
    yield BLANK
    if evaluation.attributes:
        own_rows = [
            [name, *(percent(share) for share in (own.shown_right, own.shown_wrong, before.shown_right))]
            for name, own, before in evaluation.attributes
        ]
        title = "Each attribute by itself: a single value of it shown"
        yield Grid(title, ("attribute", "rightly", "wrongly", "true table"), own_rows, 1)
        yield BLANK
    yield Text(_cells(evaluation.cells, evaluation.harm_declared))
    yield BLANK


def _cells(cells: dict[str, int | None], harm_declared: bool) -> str:
    single, right, exact, invented, lost, inside = (
        cells[name] or 0
        for name in ("showing_one_label", "showing_it_rightly", "exact", "invented", "lost", "people_in_exact_cells")
    )
    size = ""
    if right:
        smallest, largest = cells["smallest_shown_rightly"], cells["largest_shown_rightly"]
        between = f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
        size = f" (of {between} {'person' if largest == 1 else 'people'})"
    return (
        f"{counted(single, 'cell')} {verb_of(single, 'shows', 'show')} a single label; "
        f"{number(right) if right else 'none'} of them {verb_of(right, 'shows', 'show') if right else 'shows'} "
        f"{'a harmful one ' if harm_declared else ''}rightly about somebody{size}. "
        f"{counted(exact, 'cell')} with {counted(inside, 'person')} {verb_of(exact)} published "
        f"exactly. {counted(invented, 'cell')} {verb_of(invented, 'shows', 'show')} somebody where nobody is, and "
        f"{number(lost)} nobody where somebody is."
    )


def _groups(evaluation: Evaluation) -> Iterator[Block]:
    if not evaluation.groups:
        return
    worst = sorted(evaluation.groups, key=_borne)
    rows = [_group_row(group) for group in worst[:MOST_GROUPS]]
    title = "Who bears it: the groups with most people shown rightly"
    yield Grid(title, ("group", "people", "rightly", "wrongly", "bias of\na count", "error per\nperson"), rows, 1)
    if len(worst) > MOST_GROUPS:
        more = len(worst) - MOST_GROUPS
        yield Note(f"{counted(more, 'more group')} {verb_of(more)} in the JSON and in the chart of groups.")
    yield BLANK
    if evaluation.gaps:
        gap_rows = [
            [
                gap.column,
                gap.most_shown if gap.shown_right else "-",
                gap.most_error if gap.error else "-",
                *(percent(gap.shown_right), percent(gap.shown_wrong), f"{gap.error:.3g}"),
            ]
            for gap in sorted(evaluation.gaps, key=lambda gap: -gap.shown_right)
        ]
        headings = ("column", "most shown", "most error", "gap,\nrightly", "gap,\nwrongly", "gap of\nerror")
        yield Grid(f"Fairness: the largest gaps between groups of {FEW} people or more", headings, gap_rows, 3)
        yield BLANK


def _borne(group: Group) -> tuple[float, float, float, str, str]:
    """Groups in the order of what they bear: people shown rightly, then wrongly, then error."""
    right, wrong = group.shown_right * group.people, group.shown_wrong * group.people
    return -right, -wrong, -group.error, group.column, group.level


def _group_row(group: Group) -> list[str]:
    shares = [percent(share) for share in (group.shown_right, group.shown_wrong)]
    name = f"{group.column} = {group.level}"
    return [name, number(group.people), *shares, f"{group.bias:+.3g}", f"{group.error:.3g}"]


def _accuracy(evaluation: Evaluation) -> Iterator[Block]:
    found = evaluation.accuracy
    yield Text(
        f"Published counts add up to {_amount(found.total_published)}, true ones to {number(found.total_true)}. A "
        f"count is off by {found.bias:+.3g} on average (bias), by {found.l1 / max(found.counts, 1):.3g} either way, "
        f"{found.rmse:.3g} in root mean square and {found.largest:.4g} at most, over {counted(found.counts, 'count')}."
    )
    yield BLANK
    rows = []
    for ways in sorted({marginal.ways for marginal in evaluation.marginals}):
        own = [marginal for marginal in evaluation.marginals if marginal.ways == ways]
        distances = [marginal.distance for marginal in own]
        largest = max(own, key=lambda marginal: marginal.distance)
        shown = [f"{value:.4f}" for value in (min(distances), float(np.median(distances)), max(distances))]
        rows.append([f"{ways}", number(len(own)), *shown, ", ".join(largest.marginal)])
    headings = ("columns", "marginals", "smallest", "median", "largest", "which is that of")
    yield Grid("Marginals: total variation distance from the truth", headings, rows)
    yield BLANK


def _noise(verdict: NoiseVerdict) -> Iterator[Block]:
    yield Heading(f"The claim: {_claimed(verdict)}")
    test = verdict.test
    if test is None:
        yield Text(f"Not tested: {verdict.reason}.")
        yield BLANK
        return
    if not test.impossible:
        rows = [
            ["size of the noise", "more of it, or less", _p_value(test.size)],
            ["its middle", "bias", _p_value(test.middle)],
            ["its shape", "another law (Kolmogorov-Smirnov)", _p_value(test.shape)],
            ["all three", "the smallest, three times (Bonferroni)", _p_value(test.p_value)],
        ]
        yield Grid(f"{counted(test.counts, 'count')} tested", ("what", "against", "p-value"), rows, 2)
    if verdict.sizes is not None:
        yield Text(_sizes(verdict))
    elif not test.impossible:
        yield Text("No size of this noise fits: differences of this kind come from another law.")
    yield from (Note(note) for note in verdict.notes)
    if verdict.levels:
        yield BLANK
        yield from _levels(verdict)
    yield BLANK


def _levels(verdict: NoiseVerdict) -> Iterator[Block]:
    ordered = sorted(verdict.levels, key=lambda level: (level.adjusted, level.test.p_value))
    refuted = sum(level.adjusted < LEVEL for level in ordered)
    rows = [
        [
            f"{level.column} = {level.level}",
            number(level.test.counts),
            _p_value(level.test.p_value),
            _p_value(level.adjusted),
        ]
        for level in ordered[:MOST_LEVELS]
    ]
    title = f"By level: {number(refuted)} of {counted(len(ordered), 'level')} {verb_of(refuted)} refuted"
    yield Grid(title, ("level", "counts", "p-value", "adjusted\n(Holm)"), rows, 1)


def _sizes(verdict: NoiseVerdict) -> str:
    sizes, name = verdict.sizes, verdict.claim.noise.parameter
    assert sizes is not None
    least, most = verdict.least_budget, verdict.most_budget
    sure = f"with {percent(0.5 * (1.0 + sizes.confidence))} confidence"
    parts = [f"at least {verdict.amount} = {least:.4g} was spent, {sure}"] if least else []
    if most is not None:
        parts.append(f"at most {verdict.amount} = {most:.4g}{', likewise' if parts else f' was spent, {sure}'}")
    told = f": {'; '.join(parts)}" if parts else ""
    high = "any larger one" if math.isinf(sizes.high) else f"{sizes.high:.4g}"
    low = "any smaller one" if sizes.low == 0 else f"{sizes.low:.4g}"
    return (
        f"If the law is right but for its size, a {name} from {low} to {high} is not rejected "
        f"({percent(sizes.confidence)} confidence; claimed {verdict.claim.noise.size:.4g}){told}."
    )


def _further(verdict: NoiseVerdict) -> Iterator[Block]:
    if verdict.test is None:
        yield Note(f"Table {verdict.name}: not tested, {verdict.reason}.")
        return
    how = "refuted" if verdict.rejected else "not refuted"
    yield Text(
        f"Table {verdict.name}: {_claimed(verdict)} is {how} ({_p(verdict.test.p_value)}, "
        f"{counted(verdict.test.counts, 'count')}{_range(verdict)})."
    )


def _closing(evaluation: Evaluation) -> Iterator[Block]:
    yield Note("rightly, wrongly: people whose cell shows a single label, which is theirs or not.")
    if evaluation.harm_declared and evaluation.groups:
        yield Note("Of groups, and of cells that show somebody rightly, only harmful labels are counted.")
    yield Note("total variation distance: the share of people who would have to be moved to make both tables agree.")
    if evaluation.noise is not None and evaluation.noise.test is not None:
        yield Note(
            f"A p-value below {LEVEL:g} refutes the claim; where the claim is true, that happens in one release of "
            "twenty at most. What is not refuted is not proved."
        )


def _three(right: float, wrong: float) -> Sequence[str]:
    return [percent(right), percent(wrong)]


def _people(value: int) -> str:
    return counted(value, "person")


def _amount(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.1f}"


def _p(value: float) -> str:
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.2g}"


def _p_value(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
