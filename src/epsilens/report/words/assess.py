"""The words of an assessment: what is at risk today, and at every budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from epsilens.choice.questions.assessment import Assessment, AttributeToday, BudgetLine, OverallLine
from epsilens.choice.spread import Spread
from epsilens.noise import MECHANISMS
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.report.words.cells import opening, riskiest_blocks
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    budget_text,
    counted,
    number,
    percent,
    verb,
)
from epsilens.report.words.common import shown_risk as _shown_risk
from epsilens.report.words.curves import delta_grids, knee_blocks
from epsilens.report.words.explained import DIAGNOSTICS, explained, measures_by
from epsilens.report.words.falling import falling_sentences
from epsilens.report.words.households import household_blocks
from epsilens.report.words.laws import bound_notes, law_blocks
from epsilens.report.words.population import population_blocks
from epsilens.report.words.publishing import NEEDED_BY_A_RELEASE, published_sentence, universe_sentences
from epsilens.report.words.scenarios import scenario_blocks
from epsilens.report.words.spread import bands_grid, spread_grid, spread_sentence
from epsilens.report.words.values import (
    harm_notes,
    harm_sentences,
    headline,
    today_values,
    value_sentences,
    values_blocks,
)


def worded(assessment: Assessment) -> dict[str, Any]:
    """The JSON of the assessment, with the sentence of every budget."""
    plain = assessment.to_dict()
    for row, line in zip(plain["budgets"], assessment.lines, strict=True):
        row["sentence"] = belief_sentence(line, assessment.whom)
    return plain


def summary(assessment: Assessment) -> list[Block]:
    """The whole assessment for readers; a measure is explained below the first table that has it."""
    question = assessment.question
    blocks: list[Block] = []
    if assessment.rows_not_selected:
        others = assessment.rows_not_selected
        unread = f"{counted(others, 'row')} {verb(others, 'was', 'were')} left out"
        blocks += [Text(f"{unread}: by a condition on rows, or for a missing value."), BLANK]
    if assessment.dropped_rows:
        dropped = assessment.dropped_rows
        blocks += [
            Text(f"{counted(dropped, 'row')} above the bound per person {verb(dropped, 'was', 'were')} left out.")
        ]
        blocks.append(BLANK)
    blocks += short_blocks(assessment)
    blocks += opening(assessment)
    if assessment.overall:
        blocks += [Text(publishing_sentence(assessment)), BLANK]
    explanations = explained(question.measures, measures_by(question.match))
    for attribute in assessment.today:
        blocks += today_blocks(assessment, attribute)
        for mechanism in question.mechanisms:
            blocks += _of_mechanism(assessment, attribute, mechanism, explanations)
            explanations = []
        blocks += _of_attribute(assessment, attribute.sensitive)
    if assessment.overall:
        blocks += _overall_grids(assessment)
    if assessment.households is not None:
        blocks += household_blocks(assessment.households, assessment.today[0].sensitive)
    blocks += population_blocks(assessment.population)
    return [*blocks, *(Text(sentence) for sentence in preview_sentences(assessment))]


def today_blocks(assessment: Assessment, attribute: AttributeToday) -> list[Block]:
    """What an attribute gives away before any noise, and the classic diagnostics."""
    people, disclosed, alone = today_sentences(assessment, attribute)
    _, *uncounted = today_values(attribute, assessment.whom) or ("",)  # the first is in the short answer
    return [
        Heading(f"{attribute.sensitive}, as it is"),
        *(Text(sentence, indent=2) for sentence in (people, disclosed, *uncounted, alone)),
        BLANK,
        diagnostics_grid(attribute),
        BLANK,
    ]


def budget_blocks(assessment: Assessment) -> list[Block]:
    """What becomes of everybody at the budgets, attribute by attribute: the summary without what is said of today."""
    question = assessment.question
    blocks: list[Block] = []
    explanations = explained(question.measures, measures_by(question.match))
    for attribute in assessment.today:
        for line in _nearest_to_1(_lines(assessment, attribute.sensitive, question.mechanisms[0])):
            blocks += _told(assessment, line, attribute)
        for mechanism in question.mechanisms:
            blocks += _of_mechanism(assessment, attribute, mechanism, explanations)
            explanations = []
        blocks += _of_attribute(assessment, attribute.sensitive)
    if assessment.overall:
        blocks += [Text(publishing_sentence(assessment)), BLANK, *_overall_grids(assessment)]
    blocks += population_blocks(assessment.population)
    return [*blocks, *(Text(sentence) for sentence in preview_sentences(assessment))]


def short_blocks(assessment: Assessment) -> list[Block]:
    """The short answer of every attribute: who is shown today, who at one budget near 1, and what counts as harm."""
    blocks: list[Block] = []
    for attribute in assessment.today:
        blocks.append(Text(headline(attribute, assessment.whom)))
        for mechanism in assessment.question.mechanisms[:1]:
            lines = _lines(assessment, attribute.sensitive, mechanism)
            blocks += [told for line in _nearest_to_1(lines) for told in _told(assessment, line, attribute)]
        blocks += [*map(Text, harm_sentences(attribute)), BLANK]
    return blocks


def publishing_sentence(assessment: Assessment) -> str:
    """In which tables several sensitive attributes are published, and whose budget epsilon is."""
    question = assessment.question
    names = [attribute.sensitive for attribute in assessment.today if not attribute.combined]
    if question.publish is not None:
        whose = (question.budget_of or "each") if question.publish == "separate" else None
        return published_sentence(names, question.publish, whose)
    return (
        f"{published_sentence(names, 'separate', 'each')} Their combination, {' x '.join(names)}, is "
        "that of one joint table instead of these."
    )


def _overall_grids(assessment: Assessment) -> Iterator[Block]:
    """The largest and the sum of the attributes' risks."""
    question = assessment.question
    whom = assessment.whom if question.weighted else "cells"
    where = "one joint table" if assessment.overall[0].published == "joint" else "separate tables"
    for mechanism in question.mechanisms:
        lines = [line for line in assessment.overall if line.mechanism == mechanism]
        keys = _keys(assessment, mechanism)
        headings = [*keys]
        for measure in question.measures:
            headings += [f"{measure},\nlargest", f"{measure},\nsum"]
        rows = [
            [
                *_key(line, keys),
                *(_shown_risk(kind[name]) for name in question.measures for kind in (line.largest, line.total)),
            ]
            for line in lines
        ]
        yield Grid(f"All attributes, {where}, {mechanism} noise: average over {whom}", headings, rows, keys=len(keys))
        line = min(lines, key=lambda x: abs(x.epsilon - 1))
        for measure in question.by_cell[:1]:
            said = _small(line.spreads["max"][measure], assessment.whom)
            yield Text(f"By the largest {measure} risk at {budget_text(line.budget)}: {said}", indent=2)
        yield BLANK
    yield Note("largest, sum: of the attributes' risks, cell by cell; a sum may exceed 1.")
    yield BLANK


def preview_sentences(assessment: Assessment) -> list[str]:
    """Which cells a release adds noise to, and how far its counts are off."""
    universe = assessment.universe
    if universe is None:
        return [f"No universe is declared. The risks of {assessment.whom} do not depend on it. {NEEDED_BY_A_RELEASE}"]
    sentences = universe_sentences(universe.to_dict())
    if not assessment.lines:
        return sentences
    line = min(assessment.lines, key=lambda x: abs(x.epsilon - 1))
    return [
        *sentences,
        f"At {budget_text(line.budget)} with {line.mechanism} noise, a count is off by "
        f"{expected_absolute_error(line.noise):.3g} people on average.",
    ]


def _of_attribute(assessment: Assessment, sensitive: str) -> Iterator[Block]:
    """What stands below all mechanisms of an attribute: the laws that were fitted, and the riskiest cells."""
    question = assessment.question
    lines = [line for line in assessment.lines if line.sensitive == sensitive]
    left_out = [name for name in question.measures if name not in question.by_cell]
    for found in assessment.beside.attributes:
        if found.sensitive == sensitive:
            yield from law_blocks(found.laws)
            if found.riskiest is not None:
                yield from riskiest_blocks(found.riskiest, lines, left_out)


def _of_mechanism(
    assessment: Assessment, attribute: AttributeToday, mechanism: str, explanations: list[Block]
) -> Iterator[Block]:
    question, sensitive = assessment.question, attribute.sensitive
    lines = _lines(assessment, sensitive, mechanism)
    keys = _keys(assessment, mechanism)
    yield Grid(
        f"{sensitive} with {mechanism} noise",
        (*keys, *_belief_headings(lines)),
        [(*_key(line, keys), *_belief_row(line)[1:]) for line in lines],
        keys=len(keys),
    )
    if question.axis == "epsilon":
        for average in question.weightings:
            yield from (BLANK, _risk_grid(assessment, lines, average, keys))
    else:
        yield from delta_grids(assessment, lines, _shown_risk)
    yield from explanations
    yield from harm_notes(lines)
    yield from _spread_blocks(assessment, lines, keys)
    for line in _nearest_to_1(lines):
        yield BLANK
        yield from values_blocks(line, attribute, assessment.whom)
    yield from _beside_mechanism(assessment, sensitive, mechanism)
    yield from knee_blocks(assessment, sensitive, mechanism)
    if not question.epsilons and mechanism in assessment.left_out:
        yield Note(f"{mechanism} noise is proved for epsilon < {MECHANISMS[mechanism].below:g} only.")
        yield Note(f"Left out for that: epsilon = {', '.join(f'{e:g}' for e in assessment.left_out[mechanism])}.")
    above = _nearest_to_1(lines) if mechanism == question.mechanisms[0] else []  # told in the short answer
    for line in lines if len(lines) <= 2 else _nearest_to_1(lines):
        if line not in above:
            yield from (BLANK, *_told(assessment, line, attribute))
    falling = list(falling_sentences(assessment, lines))
    yield from (BLANK, *map(Text, falling)) if falling else ()
    yield BLANK


def _spread_blocks(assessment: Assessment, lines: list[BudgetLine], keys: tuple[str, ...]) -> Iterator[Block]:
    """What stands beside the averages: whoever is worst off, and how the risk is spread over people."""
    question = assessment.question
    if question.by_cell and lines:
        yield BLANK
        yield spread_grid(lines, keys, question.by_cell, assessment.whom)
        for line in _nearest_to_1(lines):
            yield BLANK
            yield bands_grid(line, question.by_cell, assessment.whom)
    for measure in question.measures:
        if measure not in question.by_cell:
            yield Note(f"{measure} is one risk for the whole table: by it nobody is worse off than the average.")


def _told(assessment: Assessment, line: BudgetLine, attribute: AttributeToday) -> Iterator[Text]:
    """One budget in words: what is shown, of whom, and who is worst off."""
    whom = assessment.whom
    values = value_sentences(line, attribute, whom) if attribute.harm_declared else []
    if len(values) != 1 or line.by_value_measure != "local":  # else it says the same of the only harmful value
        yield Text(belief_sentence(line, whom))
    yield from map(Text, values)
    for measure in assessment.question.by_cell[:1]:
        average = line.averages["people"][measure] if "people" in line.averages else None
        mean = "" if average is None else f", {percent(average)} on average"
        yield Text(f"By {measure} risk at {budget_text(line.budget)}{mean}: {_small(line.spreads[measure], whom)}")


def _small(spread: Spread, whom: str) -> str:
    said = spread_sentence(spread, whom)
    return said[0].lower() + said[1:]


def _belief_headings(lines: Sequence[BudgetLine]) -> tuple[str, str, str]:
    one = "harmful one" if any(line.some_harmless for line in lines) else "one value"
    return f"{one}\nshown, theirs", f"{one}\nshown, wrong", "believing\nis right"


def _beside_mechanism(assessment: Assessment, sensitive: str, mechanism: str) -> Iterator[Block]:
    """What printed bounds are worth and, where asked, what becomes of cells."""
    pairs = [
        (line, more)
        for line, more in zip(assessment.lines, assessment.beside.budgets, strict=True)
        if (line.sensitive, line.mechanism) == (sensitive, mechanism)
    ]
    lines = [line for line, _ in pairs]
    yield from bound_notes(lines, [more.bounds for _, more in pairs])
    shares = [more.scenarios for _, more in pairs if more.scenarios is not None]
    if shares:
        yield BLANK
        yield from scenario_blocks(lines, shares, assessment.whom if assessment.question.weighted else "cells")


def _lines(assessment: Assessment, sensitive: str, mechanism: str) -> list[BudgetLine]:
    return [line for line in assessment.lines if (line.sensitive, line.mechanism) == (sensitive, mechanism)]


def _nearest_to_1(lines: list[BudgetLine]) -> list[BudgetLine]:
    """One budget to be told in words: that with the epsilon nearest to 1, and of several deltas the first."""
    return [min(lines, key=lambda line: abs(line.epsilon - 1))] if lines else []


def _keys(assessment: Assessment, mechanism: str) -> tuple[str, ...]:
    """What tells the rows of a mechanism apart."""
    several = len(assessment.question.deltas_of(mechanism)) > 1
    return ("delta", "epsilon") if several else ("epsilon",)


def _key(line: BudgetLine | OverallLine, keys: tuple[str, ...]) -> list[str]:
    return [f"{getattr(line, key):g}" for key in keys]


def _risk_grid(assessment: Assessment, lines: list[BudgetLine], average: str, keys: tuple[str, ...]) -> Grid:
    """A row for each budget: of those there may be many, and the lines of a page are more than its columns."""
    question = assessment.question
    headings = [*keys, *(measure.replace("-", "-\n") for measure in question.measures)]
    rows = [
        [*_key(line, keys), *(_shown_risk(line.averages[average][measure]) for measure in question.measures)]
        for line in lines
    ]
    if question.repeats:
        simulated = "local-share" if question.match == "share" else "local"
        headings += [f"{simulated},\nsimulated", "SD", "standard\nerror"]
        for row, line in zip(rows, lines, strict=True):
            row += [_shown_risk(value) for value in line.simulations[average][simulated]]
    whom = assessment.whom if average == "people" else "cells"
    return Grid(f"Risk, average over {whom}", headings, rows, keys=len(keys))


def _belief_row(line: BudgetLine) -> tuple[str, str, str, str]:
    right, wrong = line.belief.right, line.belief.wrong
    precision = percent(line.belief.precision) if right + wrong > 0 else "-"
    return f"{line.epsilon:g}", percent(right), percent(wrong), precision


def diagnostics_grid(attribute: AttributeToday) -> Grid:
    """The classic diagnostics, each with what it is."""
    found = vars(attribute.diagnostics)
    rows = [(name, what, _diagnostic(found[key])) for key, (name, what) in DIAGNOSTICS.items()]
    return Grid("", ("diagnostic", "what it is", "value"), rows, words=2)


def _diagnostic(value: float) -> str:
    """People and values are counted to the last one, all else has three digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def belief_sentence(line: BudgetLine, whom: str = "people") -> str:
    """What an attacker who believes single-label cells gets, for a person of this table; digits as in the table."""
    thing = line.sensitive
    belief = line.belief
    if line.some_harmless:
        return _harmful_sentence(line, whom)
    if belief.right + belief.wrong == 0:
        return f"At {budget_text(line.budget)}, no cell shows a single {thing}."
    return (
        f"At {budget_text(line.budget)}, {percent(belief.right)} of {whom} are in cells that show a single {thing} and "
        f"it is theirs, {percent(belief.wrong)} in cells that show a wrong one; believing such cells is right "
        f"{percent(belief.precision)} of the time, against {percent(belief.guessing)} by guessing the "
        f"commonest {thing}."
    )


def _harmful_sentence(line: BudgetLine, whom: str) -> str:
    """The same where some values harm nobody: these are not counted."""
    belief, thing = line.belief, f"harmful {line.sensitive}"
    if belief.right + belief.wrong == 0:
        return f"At {budget_text(line.budget)}, no cell shows a single {thing}."
    return (
        f"At {budget_text(line.budget)}, {percent(belief.right)} of {whom} are in cells that show a single {thing} and "
        f"it is theirs, {percent(belief.wrong)} in cells that show a wrong one; believing such cells is right "
        f"{percent(belief.precision)} of the time."
    )


def today_sentences(assessment: Assessment, attribute: AttributeToday) -> list[str]:
    """What is at risk before any noise."""
    d = attribute.diagnostics
    cells, people, alone = d.homogeneous_cells, d.people_in_homogeneous_cells, d.sample_uniques
    share = d.share_of_people_in_homogeneous_cells
    known = any(not value.harmful for value in attribute.by_value)
    of_all = f"{number(people)} of {_counted(assessment, assessment.people)} ({percent(share)})"
    fate = f"that of {of_all} is plain" if known else f"{of_all} {verb(people)} disclosed"
    return [
        f"{_counted(assessment, assessment.people)} in {counted(assessment.cells, 'cell')} of "
        f"{counted(len(assessment.quasi_identifiers), 'quasi-identifier')}; {attribute.sensitive} has "
        f"{counted(attribute.labels, 'value')}.",
        f"Published as it is, {counted(cells, 'cell')} {verb(cells, 'shows', 'show')} a single {attribute.sensitive}: "
        f"{fate} to anyone who knows their quasi-identifiers.",
        f"{_counted(assessment, alone)} {verb(alone)} alone in {verb(alone, 'a', 'their')} cell.",
    ]


def _counted(assessment: Assessment, count: int) -> str:
    """People, or rows where a person may have several."""
    return counted(count, "person" if assessment.whom == "people" else "row")
