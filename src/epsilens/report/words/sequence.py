"""The words of several releases: what they give away together, and cost."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.accounting.composition import ComposedBudget
from epsilens.choice.publication import CohortStep, Publication
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, percent


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
        Note("Exact: the noises actually added, all releases combined. In print: one noise at the"),
        Note("cumulative budget, which is neither a bound nor an approximation."),
    ]
    if found.not_in_print:
        blocks.append(Note(f"Not in print: {found.not_in_print}."))
    blocks.append(BLANK)
    blocks += [Text(sentence) for sentence in closing_sentences(found)]
    blocks.append(BLANK)
    costs = [
        (row.rule, *("-" if value is None else f"{value:.5g}" for value in (row.epsilon, row.delta, row.rho)))
        for row in found.spent.rows
    ]
    blocks.append(Grid("What the releases cost together", ("rule", "epsilon", "delta", "rho"), costs, words=1))
    blocks += [Note(f"{row.rule}: {row.note}.") for row in found.spent.rows if row.epsilon is None]
    blocks += map(Note, when_they_hold(found.spent.rows))
    return blocks


def when_they_hold(rows: Sequence[ComposedBudget]) -> list[str]:
    """Which rules hold also for budgets that are chosen as outputs are seen, and which do not."""
    words = {True: "also where each is chosen after seeing earlier outputs", False: "budgets all fixed beforehand"}
    return [f"{', '.join(row.rule for row in rows if row.adaptive == kept)}: {said}." for kept, said in words.items()]


def closing_sentences(found: Publication) -> list[str]:
    """What is known about people after everything was published, a sentence or two per cohort."""
    return [sentence for step in found.final_steps for sentence in _of_cohort(step, found.some_attribute[step.cohort])]


def _of_cohort(step: CohortStep, some_attribute: float | None) -> list[str]:
    whom = f"{step.people:,} people of cohort {step.cohort}" if step.cohort else f"{step.people:,} people"
    listed = ", ".join(f"{percent(risk)} ({name})" for name, risk in step.risks.items())
    sentences = [
        f"Of {whom}, on average {listed} are in a cell where at least one release shows a single value, and it is "
        "theirs."
    ]
    if len(step.risks) > 1:
        between = f"between the largest risk, {percent(step.largest)}, and the sum, {percent(step.total)}"
        if some_attribute is None:
            sentences.append(
                "How many lose at least one attribute cannot be told from these releases (that takes a joint table of "
                f"at most six attributes in the finest cells); it lies {between}."
            )
        else:
            sentences.append(f"At least one attribute is given away for {percent(some_attribute)}, {between}.")
    return sentences
