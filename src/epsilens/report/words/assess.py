"""The words of an assessment: what is at risk today, and at every budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epsilens.choice.questions.assess import DEFAULT_EPSILONS, Assessment, AttributeToday, BudgetLine
from epsilens.noise import MECHANISMS
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    budget_text,
    number,
    percent,
    whole_percent,
)


def worded(assessment: Assessment) -> dict[str, Any]:
    """The JSON of the assessment, with the sentence of every budget."""
    plain = assessment.to_dict()
    for row, line in zip(plain["budgets"], assessment.lines, strict=True):
        row["sentence"] = belief_sentence(line, assessment.whom)
    return plain


def summary(assessment: Assessment) -> list[Block]:
    """The whole assessment for readers."""
    blocks: list[Block] = []
    if assessment.dropped_rows:
        blocks += [Text(f"{number(assessment.dropped_rows)} rows above the bound per person were left out."), BLANK]
    for attribute in assessment.today:
        blocks.append(Heading(f"{attribute.sensitive}, as it is"))
        blocks += [Text(sentence, indent=2) for sentence in today_sentences(assessment, attribute)]
        blocks += [Note(diagnostics_text(attribute)), BLANK]
        for mechanism in assessment.question.mechanisms:
            blocks += _of_mechanism(assessment, attribute.sensitive, mechanism)
    return blocks


def _of_mechanism(assessment: Assessment, sensitive: str, mechanism: str) -> Iterator[Block]:
    question = assessment.question
    lines = [line for line in assessment.lines if (line.sensitive, line.mechanism) == (sensitive, mechanism)]
    yield Grid(
        f"{sensitive} with {mechanism} noise",
        ("epsilon", "one shown, theirs", "one shown, wrong", "believing is right"),
        [_belief_row(line) for line in lines],
    )
    # Measures are rows, so that many of them still fit a narrow terminal.
    rows = [(measure, *(f"{line.risks[measure]:.4f}" for line in lines)) for measure in question.measures]
    if question.repeats:
        simulated = "local-share" if question.match == "share" else "local"
        drawn = [line.simulation[simulated] for line in lines if line.simulation is not None]
        rows.append((f"{simulated}, simulated", *(f"{mean:.4f}" for mean, _, _ in drawn)))
        rows.append(("its standard error", *(f"{error:.4f}" for _, _, error in drawn)))
    whom = assessment.whom if question.weighted else "cells"
    headings = ("measure", *(f"{line.epsilon:g}" for line in lines))
    yield Grid(f"Risk, average over {whom}, at epsilon", headings, rows, words=1)
    if not question.epsilons and len(lines) < len(DEFAULT_EPSILONS):
        yield Note(f"{mechanism} noise is proved for epsilon < {MECHANISMS[mechanism].below:g} only.")
        yield Note(f"Left out for that: epsilon = {', '.join(f'{e:g}' for e in assessment.left_out[mechanism])}.")
    for line in lines if len(lines) <= 2 else [min(lines, key=lambda x: abs(x.epsilon - 1))]:
        yield from (BLANK, Text(belief_sentence(line, assessment.whom)))
    yield BLANK


def _belief_row(line: BudgetLine) -> tuple[str, str, str, str]:
    right, wrong = line.belief.right, line.belief.wrong
    precision = percent(line.belief.precision) if right + wrong > 0 else "-"
    return f"{line.epsilon:g}", percent(right), percent(wrong), precision


def diagnostics_text(attribute: AttributeToday) -> str:
    """The classic diagnostics in a line."""
    d = attribute.diagnostics
    return (
        f"k-anonymity {d.k_anonymity}, l-diversity {d.distinct_l_diversity} distinct and "
        f"{d.entropy_l_diversity:.3g} entropy, t-closeness {d.t_closeness:.3g}, "
        f"delta-disclosure {d.delta_disclosure:.3g}, beta-likeness {d.basic_beta_likeness:.3g}"
    )


def belief_sentence(line: BudgetLine, whom: str = "people") -> str:
    """What an attacker who believes single-label cells gets, for a person of this table."""
    thing = line.sensitive
    belief = line.belief
    if belief.right + belief.wrong == 0:
        return f"At {budget_text(line.budget)}, no cell shows a single {thing}."
    return (
        f"At {budget_text(line.budget)}, {percent(belief.right)} of {whom} are in cells that show a single {thing} and "
        f"it is theirs, {percent(belief.wrong)} in cells that show a wrong one; believing such cells is right "
        f"{whole_percent(belief.precision)} of the time, against {whole_percent(belief.guessing)} by guessing the "
        f"commonest {thing}."
    )


def today_sentences(assessment: Assessment, attribute: AttributeToday) -> list[str]:
    """What is at risk before any noise."""
    d = attribute.diagnostics
    whom = assessment.whom
    disclosed = f"{number(d.people_in_homogeneous_cells)} of {number(assessment.people)} {whom}"
    return [
        f"{number(assessment.people)} {whom} in {number(assessment.cells)} cells of "
        f"{len(assessment.quasi_identifiers)} quasi-identifiers; {attribute.sensitive} has {attribute.labels} values.",
        f"Published as it is, {number(d.homogeneous_cells)} cells show a single {attribute.sensitive}: {disclosed} "
        f"({percent(attribute.belief.right)}) are disclosed to anyone who knows their quasi-identifiers.",
        f"{number(d.sample_uniques)} {whom} are alone in their cell.",
    ]
