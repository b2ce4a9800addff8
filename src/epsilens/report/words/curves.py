"""The words of risk curves: risks with delta on the axis, and where a risk starts to rise faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from epsilens.choice.questions.assessment import Assessment, BudgetLine
from epsilens.choice.questions.axes import CURVE_EPSILONS, KneeLine
from epsilens.noise import MECHANISMS
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, percent

KNEE = (
    "Starts to rise faster: the risk's slope against log(epsilon) first reaches a quarter of its greatest; below that "
    "epsilon it nowhere rises faster than that."
)


def delta_grids(assessment: Assessment, lines: Sequence[BudgetLine], shown: Callable[[float], str]) -> Iterator[Block]:
    """Risk against delta: a row for each delta, a column for each epsilon, a table for each measure and average."""
    epsilons = list(dict.fromkeys(line.epsilon for line in lines))
    deltas = sorted({line.delta for line in lines if line.delta is not None})
    at = {(line.delta, line.epsilon): line for line in lines}
    for average in assessment.question.weightings:
        whom = assessment.whom if average == "people" else "cells"
        for measure in assessment.question.measures:
            rows = [
                [f"{delta:g}", *(shown(at[delta, epsilon].averages[average][measure]) for epsilon in epsilons)]
                for delta in deltas
            ]
            headings = ["delta", *(f"epsilon\n= {epsilon:g}" for epsilon in epsilons)]
            yield BLANK
            yield Grid(f"{measure} risk against delta, average over {whom}", headings, rows)


def knee_blocks(assessment: Assessment, sensitive: str, mechanism: str) -> Iterator[Block]:
    """Where the risks of one mechanism start to rise faster, a sentence each, and what that means."""
    mine = [knee for knee in assessment.knees if (knee.sensitive, knee.mechanism) == (sensitive, mechanism)]
    if not mine:
        return
    yield BLANK
    for line in mine:
        yield Text(knee_sentence(line, assessment))
    if mine[0] is assessment.knees[0]:
        yield Note(KNEE)


def knee_sentence(line: KneeLine, assessment: Assessment) -> str:
    """``The local risk (over people, delta = 0.01) starts to rise faster at epsilon = 0.38, where it is 24.9 %``."""
    question = assessment.question
    facts = []
    if len(question.weightings) > 1:
        facts.append(f"over {assessment.whom if line.average == 'people' else 'cells'}")
    if line.delta is not None:
        facts.append(f"delta = {line.delta:g}")
    within = f" ({', '.join(facts)})" if facts else ""
    what = f"The {line.measure} risk{within}"
    low, high = question.epsilon_range or CURVE_EPSILONS[:2]
    knee = line.knee
    if knee.why == "flat":
        return f"{what} does not rise between epsilon = {low:g} and {high:g}."
    if knee.why == "end":
        last = min(high, MECHANISMS[line.mechanism].below)
        return f"{what} rises ever faster up to epsilon = {last:g}, where the range ends: it has no knee there."
    fastest = f"it rises fastest at epsilon = {knee.fastest_at:.3g}"
    if knee.why == "start":
        return f"{what} rises at such a rate from epsilon = {low:g} on; {fastest}."
    assert knee.risk is not None
    over = "" if knee.until is None else f", and the rise is over at {knee.until:.3g}"
    return (
        f"{what} starts to rise faster at epsilon = {knee.epsilon:.3g}, where it is {percent(knee.risk)}; "
        f"{fastest}{over}."
    )
