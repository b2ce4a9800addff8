"""The words of several releases: what they give away together, and cost."""

from __future__ import annotations

from epsilens.accounting.composition import ComposedBudget, Composition
from epsilens.choice.publication import CohortStep, Publication
from epsilens.choice.publication_values import AttributeShown
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, counted, finer_percent, percent
from epsilens.report.words.explained import RULES, explained
from epsilens.report.words.harmful_values import harm_sentence
from epsilens.report.words.spread import spread_sentence

_MOST_VALUES = 4


def summary(found: Publication) -> list[Block]:
    """The whole sequence for readers."""
    rows = []
    for step in found.steps:
        after = f"{step.after} ({step.cohort})" if step.cohort else step.after
        for attribute, risk in step.risks.items():
            printed = None if step.published is None else step.published.get(attribute)
            rows.append((after, attribute, percent(risk), "-" if printed is None else percent(printed)))
            after = ""
    blocks: list[Block] = [
        Grid("People given away so far", ("after", "attribute", "exact", "in print"), rows, words=2),
        Note("exact: with the noises actually added, all releases combined."),
        Note("in print: with one noise at the cumulative budget, which is neither a bound nor an approximation."),
    ]
    if any(len(step.risks) > 1 for step in found.steps):
        blocks.append(Note("Attributes of one release are one joint table; those of several releases separate tables."))
    if found.not_in_print:
        blocks.append(Note(f"Not in print: {found.not_in_print}."))
    blocks.append(BLANK)
    blocks += [Text(sentence) for sentence in (*closing_sentences(found), *difference_sentences(found))]
    for shown in found.shown:
        blocks += [BLANK, *(Text(sentence) for sentence in shown_sentences(shown))]
    blocks.append(BLANK)
    costs = [
        (row.rule, *("-" if value is None else f"{value:.5g}" for value in (row.epsilon, row.delta, row.rho)))
        for row in found.spent.rows
    ]
    blocks.append(Grid("What the releases cost together", ("rule", "epsilon", "delta", "rho"), costs, words=1))
    blocks += explained((row.rule for row in found.spent.rows), RULES)
    blocks += [Note(f"{row.rule} has no epsilon here: {row.note}.") for row in found.spent.rows if row.epsilon is None]
    blocks += [BLANK, *(Text(sentence) for sentence in rule_sentences(found.spent))]
    return blocks


def rule_sentences(spent: Composition) -> list[str]:
    """Which rule to take: all are upper bounds of the same cost, so the least of them may be quoted."""
    priced = [row for row in spent.rows if row.epsilon is not None]
    if not priced:
        return ["No rule gives an epsilon at this delta; quote rho, or compose at a larger delta."]
    best = _least(priced)
    sentences = [
        f"Take {best.rule}: {_cost(best)}. Every rule gives an upper bound of the same cost, so the smallest may be "
        "quoted."
    ]
    if not best.adaptive:
        others = [row for row in priced if row.adaptive]
        instead = f"take {(safe := _least(others)).rule} instead: {_cost(safe)}" if others else "do not"
        sentences.append(
            "That holds for budgets fixed beforehand, as in this plan. Where a later budget was chosen after looking "
            f"at an earlier release, {instead}."
        )
    return sentences


def _least(rows: list[ComposedBudget]) -> ComposedBudget:
    """The rule with the smallest epsilon; of those within a hundredth of it, the first with the smallest delta."""
    smallest = min(row.epsilon or 0.0 for row in rows)
    near = [row for row in rows if (row.epsilon or 0.0) <= 1.01 * smallest]
    return min(near, key=lambda row: row.delta or 0.0)


def _cost(row: ComposedBudget) -> str:
    return f"epsilon = {row.epsilon:.5g}" + (f" at delta = {row.delta:.5g}" if row.delta else "")


def closing_sentences(found: Publication) -> list[str]:
    """What is known about people after everything was published, a sentence or two per cohort."""
    some_harmless = {shown.cohort for shown in found.shown if any(entry.weight == 0 for entry in shown.by_value)}
    return [
        sentence
        for step in found.final_steps
        for sentence in _of_cohort(step, found.some_attribute[step.cohort], step.cohort in some_harmless)
    ]


def shown_sentences(shown: AttributeShown) -> list[str]:
    """Which values of an attribute count, who is worst off after everything, and who is shown as what."""
    of_whom = f" of cohort {shown.cohort}" if shown.cohort else ""
    first = sorted(shown.by_value, key=lambda entry: (-entry.weight, -entry.shown_right - entry.shown_wrong))
    listed = [
        f"{entry.value.strip()} {percent(entry.shown_right)} rightly and {percent(entry.shown_wrong)} wrongly"
        for entry in first[:_MOST_VALUES]
    ]
    more = f"; the JSON has {counted(len(first) - _MOST_VALUES, 'more value')}" if len(first) > _MOST_VALUES else ""
    return [
        f"{shown.attribute}{of_whom}, after all releases. {spread_sentence(shown.spread)}",
        f"At least one release shows people as {'; as '.join(listed)}{more}.",
        harm_sentence([entry.to_dict() for entry in shown.by_value]),
    ]


def difference_sentences(found: Publication) -> list[str]:
    """What one table less another says about the people whom the other leaves out."""
    sentences = []
    for left in found.differences:
        listed = ", ".join(f"{percent(risk)} ({name})" for name, risk in left.averages().items())
        sentences.append(
            f"{left.larger!r} less {left.smaller!r} counts the {counted(left.table.n_records, 'person')} of cohort "
            f"{' and '.join(left.cohorts)}, whom {left.smaller!r} leaves out, with the noise of both: whoever takes "
            f"one from the other reads {listed} of them off a single value."
        )
    return sentences


def _of_cohort(step: CohortStep, some_attribute: float | None, some_harmless: bool) -> list[str]:
    whom = counted(step.people, "person") + (f" of cohort {step.cohort}" if step.cohort else "")
    listed = ", ".join(f"{percent(risk)} ({name})" for name, risk in step.risks.items())
    value = "a single value that counts as harmful" if some_harmless else "a single value"
    sentences = [
        f"Of {whom}, on average {listed} are in a cell where at least one release shows {value}, and it is theirs."
    ]
    if len(step.risks) > 1:
        told = finer_percent(step.largest, *([] if some_attribute is None else [some_attribute]), step.total)
        between = (
            f"between {told[0]} (everybody's riskiest attribute alone, averaged) and {told[-1]} (the sum over "
            "attributes)"
        )
        if some_attribute is None:
            sentences.append(
                "How many lose at least one attribute cannot be told from these releases (that takes a joint table of "
                f"at most six attributes in the finest cells); it lies {between}."
            )
        else:
            sentences.append(f"At least one attribute is given away for {told[1]}; it must lie {between}.")
    return sentences
